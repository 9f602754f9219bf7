//! Streams: how they are found, created and destroyed, and what follows from a post to one.

use crate::driver::managed::sync_around_work;
use crate::driver::state::{Driver, driver};
use crate::objects::context::Context;
use crate::objects::context_stack;
use crate::objects::streams::stream::Stream;
use crate::objects::streams::sync_copy_policy;
use outhaul_abi::types::{CUresult, CUstream};
use outhaul_wire::messages::StreamCreate;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

impl Stream {
    /// Returns the device of its context.
    pub fn device(&self) -> Result<i32, CUresult> {
        // A context's legacy stream is found only through the current context.
        let context = if self.handle == 0 {
            context_stack::current()?
        } else {
            self.context.upgrade().ok_or(CUresult::CONTEXT_IS_DESTROYED)?
        };
        Ok(context.device)
    }

    /// Notes that the calling thread has posted to the stream. It must come after the post. Then a
    /// thread that reads a position and waits for the stream has waited for all posts up to it.
    /// Later posts of other threads do not matter.
    pub fn note_posted(&self) {
        self.note_posted_as(self.target.session.outbox.last());
    }

    /// Notes that the frame with this number was posted to the stream.
    pub fn note_posted_as(&self, sequence: u64) {
        self.advance(sequence);
        sync_around_work::note_posted(self, sequence);
    }

    /// Forgets all that is known, so that the next wait asks the worker.
    pub fn note_unknown(&self) {
        self.forget_completed();
        self.note_posted();
    }
}

thread_local! {
    static OWN: RefCell<Own> = const { RefCell::new(Own(Vec::new())) };
}

/// The calling thread's own streams, one per context in which it used them. They end with the
/// thread, and their work continues.
struct Own(Vec<(u64, Arc<Stream>)>);

impl Drop for Own {
    fn drop(&mut self) {
        let Ok(driver) = driver() else { return };
        for (_, stream) in self.0.drain(..) {
            // If the context is gone, so is the stream. The thread cannot report a lost session.
            let _ = end(driver, stream.handle);
        }
    }
}

/// Returns the stream of a handle, for the calling thread and its current context.
pub fn resolve(handle: CUstream) -> Result<Arc<Stream>, CUresult> {
    match handle {
        CUstream::NULL | CUstream::LEGACY => context_stack::with_current(|c| Ok(c.legacy.clone())),
        CUstream::PER_THREAD => own_stream(),
        other => driver()?.streams.get(other.0 as u64).ok_or(CUresult::INVALID_HANDLE),
    }
}

fn own_stream() -> Result<Arc<Stream>, CUresult> {
    let context = context_stack::current()?;
    let found = OWN.with_borrow(|own| {
        own.0.iter().find(|(c, _)| *c == context.handle).map(|(_, s)| s.clone())
    });
    if let Some(stream) = found {
        // If the context was reset meanwhile, the stream is gone.
        if driver()?.streams.get(stream.handle).is_some() {
            return Ok(stream);
        }
    }
    let stream = create(driver()?, &context, 0, 0)?;
    OWN.with_borrow_mut(|own| {
        own.0.retain(|(c, _)| *c != context.handle);
        own.0.push((context.handle, stream.clone()));
    });
    Ok(stream)
}

/// Destroys a stream and its capture.
pub fn end(driver: &Driver, handle: u64) -> Result<(), CUresult> {
    let stream = driver.streams.remove(handle).ok_or(CUresult::INVALID_HANDLE)?;
    driver.captures.tracker.leave(handle);
    if let Some(capture) = driver.captures.end(handle)
        && !capture.into
    {
        driver.graphs.remove(capture.graph);
    }
    if !stream.is_completed(stream.position())
        && let Some(context) = stream.context.upgrade()
    {
        context.left_at_work.fetch_add(1, SeqCst);
    }
    stream.destroy()
}

/// Creates a stream in the context.
pub fn create(
    driver: &Driver,
    context: &Arc<Context>,
    flags: u32,
    priority: i32,
) -> Result<Arc<Stream>, CUresult> {
    let (id, place) = (driver.next_id(), context.target());
    let stream = driver.streams.insert_on(place.session.number, |handle| {
        Stream::new(handle, Arc::downgrade(context), place, flags, priority, id)
    })?;
    place.post(&StreamCreate { stream: stream.handle, flags, priority }).inspect_err(|_| {
        driver.streams.remove(stream.handle);
    })?;
    sync_copy_policy::note_stream(flags);
    Ok(stream)
}

/// Returns the context of a stream. The default streams belong to the current context.
pub fn context_of(handle: CUstream) -> Result<Arc<Context>, CUresult> {
    let stream = resolve(handle)?;
    if stream.handle == 0 {
        context_stack::current()
    } else {
        stream.context.upgrade().ok_or(CUresult::CONTEXT_IS_DESTROYED)
    }
}
