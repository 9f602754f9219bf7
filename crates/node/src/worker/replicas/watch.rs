//! Watches memory that program and device share while kernels may run, so that the client soon gets
//! the device's writes. A separate thread watches. It never waits for the device, never calls the
//! driver, and sleeps while the client knows that all kernels have ended. Sessions that share no
//! memory do not have this thread.

use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_transport::os::spin::Backoff;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A session's watch.
#[derive(Default)]
pub struct Watch {
    state: Mutex<WatchState>,
    wake: Condvar,
    /// Whether memory was newly shared, because it is likely to be used soon.
    fresh: AtomicBool,
}

#[derive(Default)]
struct WatchState {
    started: bool,
    /// Number of the last kernel's frame.
    launched: u64,
    /// Number of the frame up to which all kernels are known to have ended.
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

    /// Notes that memory was newly shared.
    pub fn note_fresh(&self) {
        self.fresh.store(true, Relaxed);
    }

    /// Notes a kernel by the number of its frame, and wakes the thread. If it is the first kernel,
    /// calls `start`, which starts the thread.
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

    /// Notes that all kernels up to frame `sequence` have ended.
    pub fn rest(&self, sequence: u64) {
        let mut state = self.lock();
        state.over = state.over.max(sequence);
    }

    /// Watches until the process ends. `is_in_use` returns whether there is memory to watch.
    /// `report` reports the device's changes, and returns whether there were any.
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
