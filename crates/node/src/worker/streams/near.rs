//! Errands that the thread of commands completes itself while there is nothing to read. Handing
//! them to a sleeping thread costs microseconds, and the client waits for them. If another command
//! arrives first, the errand is handed over.

use crate::worker::driver::objects::QueueId;
use crate::worker::driver::staging::Mark;
use crate::worker::io::frame::Ticket;
use outhaul_lock::{Mutex, MutexGuard};
use std::sync::Arc;
use std::thread::{self, ThreadId};

/// Largest errand in bytes. With a larger one the thread would write while it should read.
pub const NEAR_BYTES_MAX: usize = 16 << 10;

/// A wait, answered when the device has passed the mark.
pub struct StreamWait {
    /// Mark that the device must pass.
    pub mark: Arc<Mark>,
    /// The right to answer the wait.
    pub ticket: Ticket,
}

/// A task at the end of a command.
pub enum Errand {
    /// Send data as soon as the device has copied it.
    Queue(QueueId),
    StreamWait(StreamWait),
}

/// The errand of the thread of commands, if there is one.
#[derive(Clone)]
pub struct Near {
    thread: ThreadId,
    errand: Arc<Mutex<Option<Errand>>>,
}

impl Near {
    /// Makes the calling thread the one that completes errands.
    pub fn new() -> Near {
        Near { thread: thread::current().id(), errand: Arc::default() }
    }

    /// Offers an errand. Returns it if the thread will not complete it: another thread offers it,
    /// or the thread already has one.
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

    /// Takes the errand.
    pub fn take(&self) -> Option<Errand> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Errand>> {
        self.errand.lock()
    }
}
