//! What the thread of commands sees off by itself while it has nothing to read: to hand it to a thread that waits costs microseconds, and whoever asked
//! for it waits. Every command that follows has it handed over first.

use super::delivery::Delivery;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, ThreadId};

/// More would keep the thread from reading while it writes.
pub const NEAR_BYTES_MAX: usize = 16 << 10;

#[derive(Clone)]
pub struct Near {
    thread: ThreadId,
    delivery: Arc<Mutex<Option<Arc<Delivery>>>>,
}

impl Near {
    /// Of the calling thread.
    pub fn new() -> Near {
        Near { thread: thread::current().id(), delivery: Arc::default() }
    }

    /// Whether the thread will see to it: not if another one offers it, nor with one already.
    pub fn offer(&self, delivery: &Arc<Delivery>) -> bool {
        if thread::current().id() != self.thread {
            return false;
        }
        let mut near = self.lock();
        let free = near.is_none();
        if free {
            *near = Some(delivery.clone());
        }
        free
    }

    pub fn take(&self) -> Option<Arc<Delivery>> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Delivery>>> {
        self.delivery.lock().unwrap_or_else(|e| e.into_inner())
    }
}
