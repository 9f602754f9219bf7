//! Calls that wait for their replies, by sequence number.

use crate::deferred::LOST;
use crate::looks::Looks;
use crate::session::Then;
use crate::stats;
use outhaul_abi::types::CUresult;
use outhaul_transport::look::{LONG, look};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};
use std::sync::{Arc, Condvar, Mutex};

pub type Answer = (CUresult, Vec<u8>);

#[derive(Default)]
pub struct Calls {
    waiting: Mutex<HashMap<u64, Waiting>>,
}

enum Waiting {
    Thread(Arc<Slot>),
    Nobody(Then),
    /// Whoever comes first to take in what the device has changed, under the question's number; the thread learns how it ended.
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
        *self.answer.lock().unwrap_or_else(|e| e.into_inner()) = Some(answer);
        self.arrived.store(true, Release);
        self.changed.notify_all();
    }

    pub fn wait(&self) -> Answer {
        stats::waiting(|| {
            look(LONG, || self.arrived.load(Acquire).then_some(()));
            let mut answer = self.answer.lock().unwrap_or_else(|e| e.into_inner());
            loop {
                if let Some(answer) = answer.take() {
                    return answer;
                }
                answer = self.changed.wait(answer).unwrap_or_else(|e| e.into_inner());
            }
        })
    }
}

impl Calls {
    pub fn expect(&self, sequence: u64, slot: Arc<Slot>) {
        self.waiting
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .insert(sequence, Waiting::Thread(slot));
    }

    pub fn expect_then(&self, sequence: u64, then: Then) {
        self.waiting
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .insert(sequence, Waiting::Nobody(then));
    }

    pub fn expect_look(&self, sequence: u64, slot: Arc<Slot>, looks: &'static Looks, number: u64) {
        self.waiting
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .insert(sequence, Waiting::Looking(slot, looks, number));
    }

    /// False if nobody asked.
    pub fn answer(&self, sequence: u64, answer: Answer) -> bool {
        let waiting = self.waiting.lock().unwrap_or_else(|e| e.into_inner()).remove(&sequence);
        waiting.map(|waiting| waiting.put(answer)).is_some()
    }

    pub fn fail_all(&self) {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(|e| e.into_inner()));
        for (_, waiting) in waiting {
            waiting.put((LOST, Vec::new()));
        }
    }
}
