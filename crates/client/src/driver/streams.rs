//! Streams: lookup, creation and destruction, and bookkeeping after posts.

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
    /// Returns the device of the stream's context.
    pub fn device(&self) -> Result<i32, CUresult> {
        // Only the current context's legacy stream can be looked up, so the current context is the
        // stream's context.
        let context = if self.handle == 0 {
            context_stack::current()?
        } else {
            self.context.upgrade().ok_or(CUresult::CONTEXT_IS_DESTROYED)?
        };
        Ok(context.device)
    }

    /// Notes that the calling thread has posted to the stream. The caller calls this function after
    /// the post. So a thread that reads a position and then waits for the stream has waited for all
    /// posts up to that position. Later posts of other threads do not matter.
    pub fn note_posted(&self) {
        self.note_posted_as(self.target.session.outbox.last());
    }

    /// Notes that frame `sequence` was posted to the stream.
    pub fn note_posted_as(&self, sequence: u64) {
        self.advance(sequence);
        sync_around_work::note_posted(self, sequence);
    }

    /// Forgets which work is completed, so that the next wait asks the worker.
    pub fn note_unknown(&self) {
        self.forget_completed();
        self.note_posted();
    }
}

thread_local! {
    static OWN: RefCell<Own> = const { RefCell::new(Own(Vec::new())) };
}

/// The calling thread's per-thread default streams, one per context. They are destroyed when the
/// thread ends, but their work continues.
struct Own(Vec<(u64, Arc<Stream>)>);

impl Drop for Own {
    fn drop(&mut self) {
        let Ok(driver) = driver() else { return };
        for (_, stream) in self.0.drain(..) {
            // Ignores errors: the stream ends with its context, and an exiting thread cannot report
            // a lost session.
            let _ = end(driver, stream.handle);
        }
    }
}

/// Returns the stream of a handle. Default streams depend on the calling thread and its current
/// context.
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
        // The stream no longer exists if its context was reset meanwhile.
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

/// Destroys a stream, and discards its capture.
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

/// Creates a stream in a context.
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

/// Returns a stream's context. A default stream belongs to the current context.
pub fn context_of(handle: CUstream) -> Result<Arc<Context>, CUresult> {
    let stream = resolve(handle)?;
    if stream.handle == 0 {
        context_stack::current()
    } else {
        stream.context.upgrade().ok_or(CUresult::CONTEXT_IS_DESTROYED)
    }
}
