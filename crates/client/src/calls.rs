//! Calls that wait for their replies, by sequence number.

use crate::deferred::LOST;
use crate::looks::Looks;
use crate::session::Then;
use crate::stats;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_transport::os::spin::{LONG, look};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};

pub type Answer = (CUresult, Vec<u8>);

#[derive(Default)]
pub struct Calls {
    waiting: Mutex<HashMap<u64, Waiting>>,
    /// Those on the lane of callbacks have a lock of their own: the thread that serves touches asks
    /// there, maybe for a signal handler of a thread that holds the other one.
    aside: Mutex<HashMap<u64, Waiting>>,
}

/// Questions on the lane of callbacks have numbers from here on, which no command's frame has.
pub const ASIDE: u64 = 1 << 63;

enum Waiting {
    Thread(Arc<Slot>),
    Nobody(Then),
    /// Whoever comes first to take in what the device has changed, under the question's number; the
    /// thread learns how it ended.
    Looking(Arc<Slot>, &'static Looks, u64),
}

impl Waiting {
    fn put(self, answer: Answer) {
        match self {
            Waiting::Thread(slot) => slot.put(answer),
            Waiting::Nobody(then) => then(answer.0),
            Waiting::Looking(slot, looks, number) => {
                let status = answer.0;
                looks.put(number, answer);
                slot.put((status, Vec::new()));
            }
        }
    }
}

#[derive(Default)]
pub struct Slot {
    arrived: AtomicBool,
    answer: Mutex<Option<Answer>>,
    changed: Condvar,
}

impl Slot {
    pub fn put(&self, answer: Answer) {
        *self.answer.lock() = Some(answer);
        self.arrived.store(true, Release);
        self.changed.notify_all();
    }

    pub fn wait(&self) -> Answer {
        stats::waiting(|| {
            look(LONG, || self.arrived.load(Acquire).then_some(()));
            let mut answer = self.answer.lock();
            loop {
                if let Some(answer) = answer.take() {
                    return answer;
                }
                answer = self.changed.wait(answer);
            }
        })
    }
}

impl Calls {
    pub fn expect(&self, sequence: u64, slot: Arc<Slot>) {
        self.lock(sequence).insert(sequence, Waiting::Thread(slot));
    }

    pub fn expect_then(&self, sequence: u64, then: Then) {
        self.lock(sequence).insert(sequence, Waiting::Nobody(then));
    }

    pub fn expect_look(&self, sequence: u64, slot: Arc<Slot>, looks: &'static Looks, number: u64) {
        self.lock(sequence).insert(sequence, Waiting::Looking(slot, looks, number));
    }

    /// False if nobody asked.
    pub fn answer(&self, sequence: u64, answer: Answer) -> bool {
        let waiting = self.lock(sequence).remove(&sequence);
        waiting.map(|waiting| waiting.put(answer)).is_some()
    }

    pub fn fail_all(&self) {
        for calls in [&self.waiting, &self.aside] {
            let waiting = std::mem::take(&mut *calls.lock());
            for (_, waiting) in waiting {
                waiting.put((LOST, Vec::new()));
            }
        }
    }

    fn lock(&self, sequence: u64) -> MutexGuard<'_, HashMap<u64, Waiting>> {
        if sequence < ASIDE { self.waiting.lock() } else { self.aside.lock() }
    }
}
