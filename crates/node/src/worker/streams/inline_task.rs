//! Tasks that the thread of commands completes itself while there is nothing to read. Handing
//! them to a sleeping thread costs microseconds, and the client waits for them. If another command
//! arrives first, the task is handed over.

use crate::worker::driver::objects::QueueId;
use crate::worker::driver::staging::Mark;
use crate::worker::io::frame::Ticket;
use outhaul_lock::{Mutex, MutexGuard};
use std::sync::Arc;
use std::thread::{self, ThreadId};

/// Largest task in bytes. With a larger one the thread would write while it should read.
pub const INLINE_BYTES_MAX: usize = 16 << 10;

/// A wait, answered when the device has passed the mark.
pub struct StreamWait {
    /// Mark that the device must pass.
    pub mark: Arc<Mark>,
    /// The right to answer the wait.
    pub ticket: Ticket,
}

/// A task at the end of a command.
pub enum Task {
    /// Send data as soon as the device has copied it.
    Queue(QueueId),
    StreamWait(StreamWait),
}

/// The task of the thread of commands, if there is one.
#[derive(Clone)]
pub struct InlineTask {
    thread: ThreadId,
    task: Arc<Mutex<Option<Task>>>,
}

impl InlineTask {
    /// Makes the calling thread the one that completes tasks.
    pub fn new() -> InlineTask {
        InlineTask { thread: thread::current().id(), task: Arc::default() }
    }

    /// Offers a task. Returns it if the thread will not complete it: another thread offers it,
    /// or the thread already has one.
    pub fn offer(&self, task: Task) -> Option<Task> {
        if thread::current().id() != self.thread {
            return Some(task);
        }
        let mut kept = self.lock();
        if kept.is_some() {
            return Some(task);
        }
        *kept = Some(task);
        None
    }

    /// Takes the task.
    pub fn take(&self) -> Option<Task> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Task>> {
        self.task.lock()
    }
}
