//! Streams and events as the client knows them: enough to answer what need not be asked.

use crate::context::{self, Context};
use crate::distances::Distances;
use crate::driver::{Driver, driver};
use crate::mirror;
use crate::outbox::Outbox;
use crate::overtaking;
use crate::session::{Place, Session};
use crate::transfer::Transfer;
use outhaul_abi::types::{CUresult, CUstream};
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::messages::{ContextSynchronize, StreamCreate, StreamDestroy, StreamSynchronize};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Weak};

pub struct Stream {
    /// 0 for a context's legacy stream.
    pub handle: u64,
    pub context: Weak<Context>,
    /// Of its context: where commands of the stream are posted, since a thread may use streams of
    /// other devices than its current one.
    pub place: Place,
    pub flags: u32,
    pub priority: i32,
    pub id: u64,
    /// Positions are sequence numbers of frames. No later frame was posted to it by a thread that
    /// is through with posting; all up to the other one are known to be done.
    posted: AtomicU64,
    completed: Arc<AtomicU64>,
    /// The last copy towards the program. While nothing follows it, its arrival says that the
    /// stream is done.
    last_copy: Mutex<Option<LastCopy>>,
    /// Destroyed by the program; what is in it goes on to its end. Held by whoever names it to the
    /// worker on his own account.
    ended: Mutex<bool>,
}

/// A stream, whether it is there still or not: handles come again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// By its index. Each context has a legacy stream, and all of those have one number.
    pub context: u16,
    pub id: u64,
}

/// What is known of a stream without keeping it.
#[derive(Clone)]
pub struct Trace {
    pub key: Key,
    pub context: Weak<Context>,
    pub session: &'static Session,
    completed: Arc<AtomicU64>,
}

impl Trace {
    pub fn is_completed(&self, position: u64) -> bool {
        self.completed.load(SeqCst) >= position
    }
}

struct LastCopy {
    sequence: u64,
    transfer: Arc<Transfer>,
}

impl Stream {
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

    pub fn key(&self) -> Key {
        Key { context: self.place.context, id: self.id }
    }

    /// Its context's.
    pub fn device(&self) -> Result<i32, CUresult> {
        // A context's legacy stream is found through the current context alone.
        let context = if self.handle == 0 {
            context::current()?
        } else {
            self.context.upgrade().ok_or(CUresult::CONTEXT_IS_DESTROYED)?
        };
        Ok(context.device)
    }

    /// Something has just been posted to it. Noted afterwards, and never before: who reads a
    /// position and then waits for the stream has waited for all that was posted up to there,
    /// whatever other threads are about to post.
    pub fn note_posted(&self) {
        self.note_posted_as(self.place.session.outbox.last());
    }

    pub fn note_posted_as(&self, sequence: u64) {
        self.posted.fetch_max(sequence, SeqCst);
        mirror::note_posted(self, sequence);
    }

    pub fn trace(&self) -> Trace {
        let (key, context, session) = (self.key(), self.context.clone(), self.place.session);
        Trace { key, context, session, completed: self.completed.clone() }
    }

    pub fn position(&self) -> u64 {
        self.posted.load(SeqCst)
    }

    /// All frames up to there are done, as far as they are the stream's.
    pub fn note_completed(&self, position: u64) {
        self.completed.fetch_max(position, SeqCst);
    }

    pub fn is_completed(&self, position: u64) -> bool {
        self.completed.load(SeqCst) >= position
    }

    /// Whatever is known of it, the next wait for it shall not be spared.
    pub fn note_unknown(&self) {
        self.completed.store(0, SeqCst);
        self.note_posted();
    }

    pub fn note_copy(&self, sequence: u64, transfer: &Arc<Transfer>) {
        self.note_posted_as(sequence);
        let copy = LastCopy { sequence, transfer: transfer.clone() };
        *self.last_copy.lock() = Some(copy);
    }

    /// The copy whose arrival says that the stream is done. For the legacy stream nothing at all
    /// may have been posted since, for whoever waits for it waits for blocking streams too. With
    /// its position.
    pub fn ending_copy(&self, outbox: &Outbox) -> Option<(Arc<Transfer>, u64)> {
        let copy = self.last_copy.lock();
        let copy = copy.as_ref()?;
        let ends = copy.sequence == self.position()
            && (self.handle != 0 || outbox.last() == copy.sequence);
        ends.then(|| (copy.transfer.clone(), copy.sequence))
    }

    /// Blocks until all that was posted to it is done, whether the program still has it or not.
    pub fn wait_out(&self) -> Result<(), CUresult> {
        let ended = self.ended.lock();
        let asked = if *ended {
            // Nothing less than its context can be waited for any more.
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

    pub fn destroy(&self) -> Result<(), CUresult> {
        let mut ended = self.ended.lock();
        *ended = true;
        self.place.post(&StreamDestroy { stream: self.handle })
    }

    /// Work that other streams' work may stand behind makes the legacy stream's state unknowable
    /// here.
    pub fn is_idle(&self) -> bool {
        self.handle != 0 && self.is_completed(self.position())
    }
}

/// A stream, and the position in it.
pub type Record = (Arc<Stream>, u64);

/// No handle of a graph.
const SPOILT: u64 = 1;

pub struct Event {
    pub handle: u64,
    /// Its own context: whoever asks about it may have none.
    pub place: Place,
    /// The stream and the position that it was last recorded at.
    recorded: Mutex<Option<Record>>,
    /// That of what was recorded last; changed by whoever holds that.
    known_complete: AtomicBool,
    /// The graph of the capture that it was last recorded in; 0 if in none.
    captured: AtomicU64,
    /// Graphs record it at their launches, which nobody says here.
    by_graphs: AtomicBool,
    /// Other processes may record it, and wait for it.
    pub interprocess: bool,
    /// What is known of how long other events were before this one.
    pub distances: Distances,
    /// It went with its context.
    over: AtomicBool,
}

impl Event {
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

    pub fn note_over(&self) {
        self.over.store(true, Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Posts a record and remembers it. Of two threads that do so, the later post is remembered,
    /// and whoever looks meanwhile waits for both.
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

    pub fn recorded(&self) -> Option<Record> {
        self.lock().clone()
    }

    /// The device has passed what was recorded when somebody began to wait, unless it was recorded
    /// anew meanwhile, by another thread, a graph or another process: the wait may have been for
    /// that, and nothing is known of either.
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

    /// Where it was last recorded, if the client knows of all its records.
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

    pub fn note_capture(&self, graph: u64) {
        // Of a capture that is spoilt it has no graph, and is recorded there all the same.
        self.captured.store(graph.max(SPOILT), Relaxed);
    }

    pub fn captured(&self) -> Option<u64> {
        Some(self.captured.load(Relaxed)).filter(|graph| *graph != 0)
    }

    pub fn note_graph(&self) {
        self.by_graphs.store(true, Relaxed);
    }

    /// Never recorded, or known to be done.
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

/// The calling thread's own streams, one per context that it used them in. They end with the
/// thread, and their work goes on.
struct Own(Vec<(u64, Arc<Stream>)>);

impl Drop for Own {
    fn drop(&mut self) {
        let Ok(driver) = driver() else { return };
        for (_, stream) in self.0.drain(..) {
            // One of a context that is gone went with it; the thread has nobody to tell of a
            // session that is lost.
            let _ = end(driver, stream.handle);
        }
    }
}

/// The stream behind a handle, in the calling thread and its current context.
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
        // A stream of a context that was reset meanwhile is gone.
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

/// Destroys a stream, with what it captures.
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
    overtaking::note_stream(flags);
    Ok(stream)
}
