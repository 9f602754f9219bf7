//! Tasks that the command thread completes itself while no command arrives. Handing a task to a
//! sleeping thread costs microseconds, for which the client waits. If another command arrives
//! first, the task is handed over.

use crate::worker::driver::objects::QueueId;
use crate::worker::driver::staging::Mark;
use crate::worker::io::frame::Ticket;
use outhaul_lock::{Mutex, MutexGuard};
use std::sync::Arc;
use std::thread::{self, ThreadId};

/// Maximum size in bytes of data that such a task sends. With more data, the thread would write
/// while it should read.
pub const INLINE_BYTES_MAX: usize = 16 << 10;

/// A wait, which is answered when the device has reached the mark.
pub struct StreamWait {
    /// Mark that the device must reach.
    pub mark: Arc<Mark>,
    /// The right to answer the wait.
    pub ticket: Ticket,
}

/// A task at a command's end.
pub enum Task {
    /// Sends data as soon as the device has copied it.
    Queue(QueueId),
    StreamWait(StreamWait),
}

/// The task of the command thread, if it has one.
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

    /// Offers a task to the command thread. Returns the task if that thread does not accept it,
    /// because the caller is another thread or another task waits.
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

    /// Removes and returns the task.
    pub fn take(&self) -> Option<Task> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Task>> {
        self.task.lock()
    }
}
