//! Answers to queries about what the device has changed, in the order of their arrival. Each answer
//! contains only the changes since the previous one. A thread that waits for its own answer first
//! applies the earlier answers, for which other threads wait.

use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Status and body of a reply.
pub type Answer = (CUresult, Vec<u8>);

/// Answers that no thread has taken yet.
#[derive(Default)]
pub struct ChangeReplies {
    asked: AtomicU64,
    arrived: Mutex<VecDeque<(u64, Answer)>>,
    changed: Condvar,
}

impl ChangeReplies {
    /// Returns the number for a new query.
    pub fn number(&self) -> u64 {
        self.asked.fetch_add(1, Relaxed)
    }

    /// Adds an answer. The thread that reads from the worker calls this.
    pub fn put(&self, number: u64, answer: Answer) {
        self.arrived.lock().push_back((number, answer));
        self.changed.notify_all();
    }

    /// Blocks until the next answer, and returns it with the number of its query.
    pub fn take(&self) -> (u64, Answer) {
        let mut arrived = self.arrived.lock();
        loop {
            if let Some(first) = arrived.pop_front() {
                return first;
            }
            arrived = self.changed.wait(arrived);
        }
    }
}
