//! Memory ranges that are being unmapped; a thread waits until the device has completed all earlier
//! work.

use outhaul_lock::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

/// The ranges that are being unmapped.
#[derive(Default)]
pub struct Unmapping {
    ranges: Mutex<Vec<(u64, u64)>>,
    closed: Condvar,
    /// Whether unmapping is on hold, because waiting for a context would invalidate a capture in
    /// one of the context's streams.
    held: AtomicBool,
}

impl Unmapping {
    /// Blocks until no range that is being unmapped overlaps the given range.
    pub fn wait_clear(&self, address: u64, bytes: u64) {
        let mut ranges = self.ranges.lock();
        while ranges.iter().any(|(a, b)| *a < address.saturating_add(bytes) && address < a + b) {
            // The capture would end only after this wait. Invalidating the capture is better than a
            // deadlock, because the program gets an error.
            if self.held.swap(false, SeqCst) {
                self.closed.notify_all();
            }
            ranges = self.closed.wait(ranges);
        }
    }

    /// Returns the ranges that are being unmapped.
    pub fn entered(&self) -> Vec<(u64, u64)> {
        self.ranges.lock().clone()
    }

    /// Blocks until each of `ranges` has been unmapped. Returns at once while a capture prevents
    /// unmapping.
    pub fn wait_unmapped(&self, ranges: &[(u64, u64)]) {
        let mut left = self.ranges.lock();
        while !self.held.load(SeqCst) && left.iter().any(|range| ranges.contains(range)) {
            left = self.closed.wait(left);
        }
    }

    /// Blocks until no range is being unmapped, but at most for `limit`. Returns at once while a
    /// capture prevents unmapping.
    pub fn wait_within(&self, limit: Duration) {
        let ranges = self.ranges.lock();
        let waits = |ranges: &mut Vec<(u64, u64)>| !ranges.is_empty() && !self.held.load(SeqCst);
        drop(self.closed.wait_timeout_while(ranges, limit, waits));
    }

    /// Blocks until no range is being unmapped.
    pub fn wait_all(&self) {
        self.wait_clear(0, u64::MAX);
    }

    /// Sets whether unmapping is on hold. While it is, no thread waits for the device.
    pub fn hold(&self, held: bool) {
        let _ranges = self.ranges.lock();
        self.held.store(held, SeqCst);
        self.closed.notify_all();
    }

    /// Blocks while unmapping is on hold.
    pub fn wait_while_held(&self) {
        let mut ranges = self.ranges.lock();
        while self.held.load(SeqCst) {
            ranges = self.closed.wait(ranges);
        }
    }

    /// Notes that `range` is being unmapped.
    pub fn enter(&self, range: (u64, u64)) {
        self.ranges.lock().push(range);
    }

    /// Notes that `range` has been unmapped.
    pub fn leave(&self, range: (u64, u64)) {
        self.ranges.lock().retain(|r| *r != range);
        self.closed.notify_all();
    }
}
