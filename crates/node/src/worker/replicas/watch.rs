//! Watches memory that program and device share while kernels may run, so that the client gets
//! the device's writes at once. A separate thread does this. It never waits for the device and
//! never calls the driver, and sleeps while the client knows that all kernels have ended. Sessions
//! that share no memory do not have this thread.

use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_transport::os::spin::Backoff;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The watch of a session.
#[derive(Default)]
pub struct Watch {
    state: Mutex<WatchState>,
    wake: Condvar,
    /// Whether new memory is shared, which is likely to be used soon.
    fresh: AtomicBool,
}

#[derive(Default)]
struct WatchState {
    started: bool,
    /// Frame of the last kernel.
    launched: u64,
    /// Frame up to which all kernels are known to have ended.
    over: u64,
}

impl WatchState {
    fn is_busy(&self) -> bool {
        self.launched > self.over
    }
}

impl Watch {
    fn lock(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock()
    }

    /// Notes that new memory is shared.
    pub fn note_fresh(&self) {
        self.fresh.store(true, Relaxed);
    }

    /// Notes the frame of a kernel, and wakes the thread. Calls `start`, which starts the thread,
    /// if this is the first kernel.
    pub fn launched(&self, sequence: u64, start: impl FnOnce()) {
        let mut state = self.lock();
        let was_busy = state.is_busy();
        state.launched = sequence;
        if !std::mem::replace(&mut state.started, true) {
            start();
        } else if !was_busy {
            self.wake.notify_one();
        }
    }

    /// Notes that all kernels up to a frame have ended.
    pub fn rest(&self, sequence: u64) {
        let mut state = self.lock();
        state.over = state.over.max(sequence);
    }

    /// Watches for as long as the process runs. `is_in_use` returns whether there is memory to
    /// watch. `report` reports the device's changes, and returns whether there were any.
    pub fn run(&self, is_in_use: impl Fn() -> bool, report: impl Fn() -> bool) {
        let mut pauses = Backoff::new();
        loop {
            let mut state = self.lock();
            if !state.is_busy() {
                while !state.is_busy() {
                    state = self.wake.wait(state);
                }
                pauses.begin();
            }
            if !is_in_use() {
                state.over = state.launched;
                continue;
            }
            drop(state);
            if self.fresh.swap(false, Relaxed) {
                pauses.begin();
            }
            if report() {
                pauses.note_change();
            }
            pauses.sleep();
        }
    }
}
