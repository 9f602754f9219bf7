//! Streams and events as the client knows them: enough to answer many questions without the worker.

use crate::managed::region;
use crate::objects::context;
use crate::objects::context::Context;
use crate::objects::driver::{Driver, driver};
use crate::objects::streams::event_timing::Distances;
use crate::objects::streams::sync_copy_policy;
use crate::session::bulk::transfer::Transfer;
use crate::session::outbox::Outbox;
use crate::session::progress::Progress;
use crate::session::{Place, Session};
use outhaul_abi::types::{CUresult, CUstream};
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::messages::{ContextSynchronize, StreamCreate, StreamDestroy, StreamSynchronize};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Weak};

/// A stream of the program, or a context's legacy stream.
pub struct Stream {
    /// What the program holds; 0 for a context's legacy stream.
    pub handle: u64,
    /// Context in which it was created; none for a legacy stream.
    pub context: Weak<Context>,
    /// Place of its context, to which its commands are posted: a thread may use streams of other
    /// devices than its current one.
    pub place: Place,
    /// Flags that the program gave.
    pub flags: u32,
    /// Priority that the program gave.
    pub priority: i32,
    /// Unique number, never reused; 0 for legacy streams.
    pub id: u64,
    /// The last frame that was posted to the stream and noted. Positions in a stream are sequence
    /// numbers of frames. All frames up to `completed` are known to be done.
    posted: AtomicU64,
    completed: Arc<AtomicU64>,
    /// The last copy to the program's memory. If nothing follows it, its arrival shows that the
    /// stream is done.
    last_copy: Mutex<Option<LastCopy>>,
    /// Whether the program has destroyed it; its work continues to the end. Locked while a thread
    /// names the stream to the worker on its own account.
    ended: Mutex<bool>,
}

/// Identifies a stream even after its end, because handles are reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Index of its context. All legacy streams have the same id, one per context.
    pub context: u16,
    /// The stream's id.
    pub id: u64,
}

/// What a thread may know of a stream without a reference to it.
#[derive(Clone)]
pub struct Trace {
    /// The stream's key.
    pub key: Key,
    /// Context in which it was created.
    pub context: Weak<Context>,
    /// Session of its context.
    pub session: &'static Session,
    completed: Arc<AtomicU64>,
}

impl Trace {
    /// Whether the stream has completed this position.
    pub fn is_completed(&self, position: u64) -> bool {
        self.completed.load(SeqCst) >= position
    }
}

struct LastCopy {
    sequence: u64,
    transfer: Arc<Transfer>,
}

impl Progress for Stream {
    fn position(&self) -> u64 {
        Stream::position(self)
    }

    fn is_completed(&self, position: u64) -> bool {
        Stream::is_completed(self, position)
    }

    fn wait_out(&self) -> Result<(), CUresult> {
        Stream::wait_out(self)
    }
}

impl Stream {
    /// Creates a stream without work. Sends nothing to the worker.
    pub fn new(
        handle: u64,
        context: Weak<Context>,
        place: Place,
        flags: u32,
        priority: i32,
        id: u64,
    ) -> Stream {
        Stream {
            handle,
            context,
            place,
            flags,
            priority,
            id,
            posted: AtomicU64::new(0),
            completed: Arc::default(),
            last_copy: Mutex::new(None),
            ended: Mutex::new(false),
        }
    }

    /// The key of the stream.
    pub fn key(&self) -> Key {
        Key { context: self.place.context, id: self.id }
    }

    /// Returns the device of its context.
    pub fn device(&self) -> Result<i32, CUresult> {
        // A context's legacy stream is found only through the current context.
        let context = if self.handle == 0 {
            context::current()?
        } else {
            self.context.upgrade().ok_or(CUresult::CONTEXT_IS_DESTROYED)?
        };
        Ok(context.device)
    }

    /// Notes that the calling thread has posted to the stream. It must come after the post. Then a
    /// thread that reads a position and waits for the stream has waited for all posts up to it.
    /// Later posts of other threads do not matter.
    pub fn note_posted(&self) {
        self.note_posted_as(self.place.session.outbox.last());
    }

    /// Notes that the frame with this number was posted to the stream.
    pub fn note_posted_as(&self, sequence: u64) {
        self.posted.fetch_max(sequence, SeqCst);
        region::note_posted(self, sequence);
    }

    /// Returns what identifies the stream and its progress.
    pub fn trace(&self) -> Trace {
        let (key, context, session) = (self.key(), self.context.clone(), self.place.session);
        Trace { key, context, session, completed: self.completed.clone() }
    }

    /// Number of the last frame that was noted as posted.
    pub fn position(&self) -> u64 {
        self.posted.load(SeqCst)
    }

    /// Notes that all frames of the stream up to this position are done.
    pub fn note_completed(&self, position: u64) {
        self.completed.fetch_max(position, SeqCst);
    }

    /// Whether all frames of the stream up to this position are done.
    pub fn is_completed(&self, position: u64) -> bool {
        self.completed.load(SeqCst) >= position
    }

    /// Forgets all that is known, so that the next wait asks the worker.
    pub fn note_unknown(&self) {
        self.completed.store(0, SeqCst);
        self.note_posted();
    }

    /// Notes that the frame with this number is a copy to the program's memory.
    pub fn note_copy(&self, sequence: u64, transfer: &Arc<Transfer>) {
        self.note_posted_as(sequence);
        let copy = LastCopy { sequence, transfer: transfer.clone() };
        *self.last_copy.lock() = Some(copy);
    }

    /// Returns the copy whose arrival shows that the stream is done, and its position. For the
    /// legacy stream no frame at all may have been posted since, because a wait for it includes all
    /// blocking streams.
    pub fn ending_copy(&self, outbox: &Outbox) -> Option<(Arc<Transfer>, u64)> {
        let copy = self.last_copy.lock();
        let copy = copy.as_ref()?;
        let ends = copy.sequence == self.position()
            && (self.handle != 0 || outbox.last() == copy.sequence);
        ends.then(|| (copy.transfer.clone(), copy.sequence))
    }

    /// Blocks until all posts to the stream are done, even if the program has destroyed it.
    pub fn wait_out(&self) -> Result<(), CUresult> {
        let ended = self.ended.lock();
        let asked = if *ended {
            // The program has destroyed the stream, so only its context can be waited for.
            drop(ended);
            self.place.ask(&ContextSynchronize { is_implicit: false })
        } else {
            self.place.ask(&StreamSynchronize { stream: self.handle })
        };
        asked.map(drop)
    }

    /// Whether the program has destroyed it.
    pub fn is_ended(&self) -> bool {
        *self.ended.lock()
    }

    /// Destroys the stream on the worker. Its work continues to the end.
    pub fn destroy(&self) -> Result<(), CUresult> {
        let mut ended = self.ended.lock();
        *ended = true;
        self.place.post(&StreamDestroy { stream: self.handle })
    }

    /// Whether all its posts are known to be done. False for the legacy stream, which also waits
    /// for other streams' work.
    pub fn is_idle(&self) -> bool {
        self.handle != 0 && self.is_completed(self.position())
    }
}

/// A stream, and a position in it.
pub type Record = (Arc<Stream>, u64);

/// Value that is not a handle of a graph.
const SPOILT: u64 = 1;

/// An event of the program.
pub struct Event {
    /// What the program holds.
    pub handle: u64,
    /// Place of its own context, because a thread that asks about it may have none.
    pub place: Place,
    /// Stream and position of the last record.
    recorded: Mutex<Option<Record>>,
    /// Whether the last record is known to be done. Changed only under the lock of `recorded`.
    known_complete: AtomicBool,
    /// Graph of the capture in which it was last recorded; 0 if in none.
    captured: AtomicU64,
    /// Whether graphs record it. Their launches do not report that to the client.
    by_graphs: AtomicBool,
    /// Whether other processes may record it, and wait for it.
    pub interprocess: bool,
    /// Known times between earlier events and this one.
    pub distances: Distances,
    /// Whether it was destroyed with its context.
    over: AtomicBool,
}

impl Event {
    /// Creates an event that was never recorded. Sends nothing to the worker.
    pub fn new(handle: u64, place: Place, interprocess: bool) -> Event {
        Event {
            handle,
            place,
            interprocess,
            distances: Distances::default(),
            recorded: Mutex::new(None),
            known_complete: AtomicBool::new(true),
            captured: AtomicU64::new(0),
            by_graphs: AtomicBool::new(false),
            over: AtomicBool::new(false),
        }
    }

    /// Notes that it was destroyed with its context.
    pub fn note_over(&self) {
        self.over.store(true, Relaxed);
    }

    /// Whether it was destroyed with its context.
    pub fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Posts a record and remembers it. If two threads do so, the later post is remembered, and a
    /// thread that asks meanwhile waits for both.
    pub fn record(
        &self,
        stream: &Arc<Stream>,
        post: impl FnOnce() -> Result<u64, CUresult>,
    ) -> Result<(), CUresult> {
        let mut recorded = self.lock();
        let position = post()?;
        *recorded = Some((stream.clone(), position));
        self.known_complete.store(false, Relaxed);
        self.captured.store(0, Relaxed);
        drop(recorded);
        stream.note_posted_as(position);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Option<Record>> {
        self.recorded.lock()
    }

    /// Stream and position of the last record.
    pub fn recorded(&self) -> Option<Record> {
        self.lock().clone()
    }

    /// Notes that the device has completed `waited`, the record when a thread began to wait.
    /// Another thread, a graph or another process may have recorded the event anew. Then the wait
    /// may have been for that record, and this notes nothing.
    pub fn note_complete(&self, waited: &Option<Record>) {
        let recorded = self.lock();
        let position = |record: &Option<Record>| record.as_ref().map(|(_, position)| *position);
        if self.is_recorded_elsewhere() || position(&recorded) != position(waited) {
            return;
        }
        if let Some((stream, position)) = waited {
            stream.note_completed(*position);
        }
        self.known_complete.store(true, Relaxed);
    }

    /// The position of the last record, if the client knows of all records.
    pub fn known_position(&self) -> Option<u64> {
        if self.is_recorded_elsewhere() {
            None
        } else {
            self.recorded().map(|(_, position)| position)
        }
    }

    fn is_recorded_elsewhere(&self) -> bool {
        self.interprocess || self.captured().is_some() || self.by_graphs.load(Relaxed)
    }

    /// Notes that it was recorded in a capture into this graph, or 0 if that capture is spoilt.
    pub fn note_capture(&self, graph: u64) {
        // A spoilt capture has no graph, but the event is recorded in it all the same.
        self.captured.store(graph.max(SPOILT), Relaxed);
    }

    /// The graph of the capture in which it was last recorded.
    pub fn captured(&self) -> Option<u64> {
        Some(self.captured.load(Relaxed)).filter(|graph| *graph != 0)
    }

    /// Notes that a graph records it.
    pub fn note_graph(&self) {
        self.by_graphs.store(true, Relaxed);
    }

    /// Whether it was never recorded, or its last record is known to be done.
    pub fn is_complete(&self) -> bool {
        if self.is_recorded_elsewhere() {
            return false;
        }
        if self.known_complete.load(Relaxed) {
            return true;
        }
        self.lock()
            .as_ref()
            .is_none_or(|(stream, position)| stream.handle != 0 && stream.is_completed(*position))
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
        CUstream::NULL | CUstream::LEGACY => context::with_current(|c| Ok(c.legacy.clone())),
        CUstream::PER_THREAD => own_stream(),
        other => driver()?.streams.get(other.0 as u64).ok_or(CUresult::INVALID_HANDLE),
    }
}

fn own_stream() -> Result<Arc<Stream>, CUresult> {
    let context = context::current()?;
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
    driver.captures.participants.leave(handle);
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
    let (id, place) = (driver.next_id(), context.place());
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
        context::current()
    } else {
        stream.context.upgrade().ok_or(CUresult::CONTEXT_IS_DESTROYED)
    }
}
