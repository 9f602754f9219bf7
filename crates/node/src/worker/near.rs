//! What the thread of commands sees off by itself while it has nothing to read: to hand it to a
//! thread that waits costs microseconds, and whoever asked for it waits. Every command that follows
//! has it handed over first.

use super::delivery::{Answer, QueueId};
use outhaul_lock::{Mutex, MutexGuard};
use std::sync::Arc;
use std::thread::{self, ThreadId};

/// More would keep the thread from reading while it writes.
pub const NEAR_BYTES_MAX: usize = 16 << 10;

/// What somebody is to see to.
pub enum Errand {
    /// Data that is to leave as soon as the device has copied it.
    Queue(QueueId),
    Answer(Answer),
}

#[derive(Clone)]
pub struct Near {
    thread: ThreadId,
    errand: Arc<Mutex<Option<Errand>>>,
}

impl Near {
    /// Of the calling thread.
    pub fn new() -> Near {
        Near { thread: thread::current().id(), errand: Arc::default() }
    }

    /// Gives it back unless the thread will see to it: not if another one offers it, nor with one
    /// already.
    pub fn offer(&self, errand: Errand) -> Option<Errand> {
        if thread::current().id() != self.thread {
            return Some(errand);
        }
        let mut near = self.lock();
        if near.is_some() {
            return Some(errand);
        }
        *near = Some(errand);
        None
    }

    pub fn take(&self) -> Option<Errand> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Errand>> {
        self.errand.lock()
    }
}
