//! Answers to questions about what the device has changed, in the order in which they came. Each
//! contains the changes since the answer before it. So a thread that waited for one answer first
//! takes in the earlier ones, for which other threads waited.

use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Code and body of a reply.
pub type Answer = (CUresult, Vec<u8>);

/// The answers that no thread has taken.
#[derive(Default)]
pub struct ChangeReplies {
    asked: AtomicU64,
    arrived: Mutex<VecDeque<(u64, Answer)>>,
    changed: Condvar,
}

impl ChangeReplies {
    /// Returns the number of another question.
    pub fn number(&self) -> u64 {
        self.asked.fetch_add(1, Relaxed)
    }

    /// Adds an answer, on the thread that reads.
    pub fn put(&self, number: u64, answer: Answer) {
        self.arrived.lock().push_back((number, answer));
        self.changed.notify_all();
    }

    /// Blocks for the next answer, and returns it with the number of its question.
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
