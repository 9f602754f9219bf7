//! Streams. The client knows enough about them to answer many queries without the worker.

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

/// A stream that the program created, or a context's legacy stream.
pub struct Stream {
    /// The handle that the program holds; 0 for a context's legacy stream.
    pub handle: u64,
    /// Context in which the stream was created; none for a legacy stream.
    pub context: Weak<Context>,
    /// Target for the stream's commands. A thread may use a stream whose context is not current.
    pub target: Target,
    /// Flags that the program passed.
    pub flags: u32,
    /// Priority that the program passed.
    pub priority: i32,
    /// Unique number, never reused; 0 for legacy streams.
    pub id: u64,
    /// Sequence number of the last frame that the client posted to the stream and noted. Positions
    /// in a stream are sequence numbers of frames. All frames up to `completed` are known to be
    /// complete.
    posted: AtomicU64,
    completed: Arc<AtomicU64>,
    /// The last copy to the program's memory. If no later frame follows, the arrival of the copy's
    /// data shows that the stream has no unfinished work.
    last_copy: Mutex<Option<LastCopy>>,
    /// Whether the program has destroyed the stream, whose work still completes. A thread holds the
    /// lock while it sends the worker the stream's handle without a request from the program.
    ended: Mutex<bool>,
}

/// Facts about a stream that a thread may use without a reference to the stream.
#[derive(Clone)]
pub struct Trace {
    /// The stream's key.
    pub key: Key,
    /// Context in which the stream was created.
    pub context: Weak<Context>,
    /// Session of the stream's context.
    pub session: &'static Session,
    completed: Arc<AtomicU64>,
}

impl Trace {
    /// Returns whether all frames of the stream up to this position are complete.
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
    /// Creates a stream without work, and sends nothing to the worker.
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

    /// Returns the stream's key.
    pub fn key(&self) -> Key {
        Key { context: self.target.context, id: self.id }
    }

    /// Remembers the sequence number of a frame that was posted to the stream.
    pub fn advance(&self, sequence: u64) {
        self.posted.fetch_max(sequence, SeqCst);
    }

    /// Remembers the last copy to the program's memory. `sequence` is the number of its frame.
    pub fn remember_copy(&self, sequence: u64, transfer: &Arc<Transfer>) {
        let copy = LastCopy { sequence, transfer: transfer.clone() };
        *self.last_copy.lock() = Some(copy);
    }

    /// Forgets which frames are complete.
    pub fn forget_completed(&self) {
        self.completed.store(0, SeqCst);
    }

    /// Returns the facts that identify the stream and show its progress.
    pub fn trace(&self) -> Trace {
        let (key, context, session) = (self.key(), self.context.clone(), self.target.session);
        Trace { key, context, session, completed: self.completed.clone() }
    }

    /// Returns the sequence number of the last frame that was noted as posted.
    pub fn position(&self) -> u64 {
        self.posted.load(SeqCst)
    }

    /// Notes that all frames of the stream up to this position are complete.
    pub fn note_completed(&self, position: u64) {
        self.completed.fetch_max(position, SeqCst);
    }

    /// Returns whether all frames of the stream up to this position are complete.
    pub fn is_completed(&self, position: u64) -> bool {
        self.completed.load(SeqCst) >= position
    }

    /// Returns the copy whose arrival shows that the stream has no unfinished work, and the copy's
    /// position. For the legacy stream, no frame at all may follow the copy, because a wait for
    /// that stream includes all blocking streams.
    pub fn ending_copy(&self, outbox: &Outbox) -> Option<(Arc<Transfer>, u64)> {
        let copy = self.last_copy.lock();
        let copy = copy.as_ref()?;
        let ends = copy.sequence == self.position()
            && (self.handle != 0 || outbox.last() == copy.sequence);
        ends.then(|| (copy.transfer.clone(), copy.sequence))
    }

    /// Blocks until all posts to the stream are complete, even if the program has destroyed the
    /// stream.
    pub fn wait_out(&self) -> Result<(), CUresult> {
        let ended = self.ended.lock();
        if *ended {
            // The program has destroyed the stream, so this thread must wait for the whole context.
            drop(ended);
            self.target.call(&ContextSynchronize { is_implicit: false }).map(drop)
        } else {
            self.target.call(&StreamSynchronize { stream: self.handle }).map(drop)
        }
    }

    /// Returns whether the program has destroyed the stream.
    pub fn is_ended(&self) -> bool {
        *self.ended.lock()
    }

    /// Destroys the stream on the worker. Work in the stream still completes.
    pub fn destroy(&self) -> Result<(), CUresult> {
        let mut ended = self.ended.lock();
        *ended = true;
        self.target.post(&StreamDestroy { stream: self.handle })
    }

    /// Returns whether all posts to the stream are known to be complete. Always false for the
    /// legacy stream, because a wait for it includes other streams' work.
    pub fn is_idle(&self) -> bool {
        self.handle != 0 && self.is_completed(self.position())
    }
}

/// A stream, and a position in it.
pub type Record = (Arc<Stream>, u64);
