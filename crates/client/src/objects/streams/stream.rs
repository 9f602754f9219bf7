//! Streams as the client knows them: enough to answer many questions without the worker.

use crate::objects::context::Context;
use crate::objects::streams::stream_key::Key;
use crate::session::bulk::transfer::Transfer;
use crate::session::outbox::Outbox;
use crate::session::stream_progress::Progress;
use crate::session::{Session, Target};
use outhaul_abi::types::CUresult;
use outhaul_lock::Mutex;
use outhaul_wire::messages::{ContextSynchronize, StreamDestroy, StreamSynchronize};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Weak};

/// A stream of the program, or a context's legacy stream.
pub struct Stream {
    /// The handle that the program holds; 0 for a context's legacy stream.
    pub handle: u64,
    /// Context in which it was created; none for a legacy stream.
    pub context: Weak<Context>,
    /// Target of its context, to which its commands are posted: a thread may use streams of other
    /// devices than its current one.
    pub target: Target,
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

/// Facts that a thread may know of a stream without a reference to it.
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
        target: Target,
        flags: u32,
        priority: i32,
        id: u64,
    ) -> Stream {
        Stream {
            handle,
            context,
            target,
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
        Key { context: self.target.context, id: self.id }
    }

    /// Remembers the number of a frame that was posted to the stream.
    pub fn advance(&self, sequence: u64) {
        self.posted.fetch_max(sequence, SeqCst);
    }

    /// Remembers the last copy to the program's memory, which is the frame with this number.
    pub fn remember_copy(&self, sequence: u64, transfer: &Arc<Transfer>) {
        let copy = LastCopy { sequence, transfer: transfer.clone() };
        *self.last_copy.lock() = Some(copy);
    }

    /// Forgets which frames are done.
    pub fn forget_completed(&self) {
        self.completed.store(0, SeqCst);
    }

    /// Returns what identifies the stream and its progress.
    pub fn trace(&self) -> Trace {
        let (key, context, session) = (self.key(), self.context.clone(), self.target.session);
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
        if *ended {
            // The program has destroyed the stream, so only its context can be waited for.
            drop(ended);
            self.target.call(&ContextSynchronize { is_implicit: false }).map(drop)
        } else {
            self.target.call(&StreamSynchronize { stream: self.handle }).map(drop)
        }
    }

    /// Whether the program has destroyed it.
    pub fn is_ended(&self) -> bool {
        *self.ended.lock()
    }

    /// Destroys the stream on the worker. Its work continues to the end.
    pub fn destroy(&self) -> Result<(), CUresult> {
        let mut ended = self.ended.lock();
        *ended = true;
        self.target.post(&StreamDestroy { stream: self.handle })
    }

    /// Whether all its posts are known to be done. False for the legacy stream, which also waits
    /// for other streams' work.
    pub fn is_idle(&self) -> bool {
        self.handle != 0 && self.is_completed(self.position())
    }
}

/// A stream, and a position in it.
pub type Record = (Arc<Stream>, u64);
