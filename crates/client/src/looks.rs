//! Answers to questions for what the device has changed, in the order in which they came. Each says
//! what is new since the one before, so whoever has waited for one takes in those first that others
//! have waited for.

use crate::calls::Answer;
use outhaul_lock::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[derive(Default)]
pub struct Looks {
    asked: AtomicU64,
    arrived: Mutex<VecDeque<(u64, Answer)>>,
    changed: Condvar,
}

impl Looks {
    /// Another question's.
    pub fn number(&self) -> u64 {
        self.asked.fetch_add(1, Relaxed)
    }

    /// On the thread that reads: the answer to a question.
    pub fn put(&self, number: u64, answer: Answer) {
        self.arrived.lock().push_back((number, answer));
        self.changed.notify_all();
    }

    /// The next answer, with its question's number. Blocks until it is there.
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
