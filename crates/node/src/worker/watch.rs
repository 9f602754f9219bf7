//! Looks at what program and device share for as long as kernels may run: what the device writes
//! then is told at once. A thread of its own, which never waits for the device nor asks the driver
//! anything, sleeps while the client knows all kernels to be over, and does not exist in sessions
//! that share nothing.

use super::outbound::Outbound;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_transport::look::Pauses;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[derive(Default)]
pub struct Watch {
    state: Mutex<State>,
    wake: Condvar,
    /// Something is shared that was not before: it is likely to be used soon.
    fresh: AtomicBool,
}

#[derive(Default)]
struct State {
    started: bool,
    /// The frame of the last kernel, and the one up to which all are known to be over.
    launched: u64,
    over: u64,
}

impl State {
    fn is_busy(&self) -> bool {
        self.launched > self.over
    }
}

impl Watch {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub fn note_fresh(&self) {
        self.fresh.store(true, Relaxed);
    }

    pub fn launched(&self, sequence: u64, outbound: &Arc<Outbound>) {
        let mut state = self.lock();
        let was_busy = state.is_busy();
        state.launched = sequence;
        if !std::mem::replace(&mut state.started, true) {
            let outbound = outbound.clone();
            super::threads::start("twins", move || outbound.twins().watch.run(&outbound));
        } else if !was_busy {
            self.wake.notify_one();
        }
    }

    pub fn rest(&self, sequence: u64) {
        let mut state = self.lock();
        state.over = state.over.max(sequence);
    }

    fn run(&self, outbound: &Outbound) {
        let mut pauses = Pauses::new();
        loop {
            let mut state = self.lock();
            if !state.is_busy() {
                while !state.is_busy() {
                    state = self.wake.wait(state);
                }
                pauses.begin();
            }
            if !outbound.twins().is_in_use() {
                state.over = state.launched;
                continue;
            }
            drop(state);
            if self.fresh.swap(false, Relaxed) {
                pauses.begin();
            }
            if outbound.tell_twins_together() {
                pauses.note_change();
            }
            pauses.sleep();
        }
    }
}
