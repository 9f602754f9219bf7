//! Ranges of memory on their way out: unmapped once the device has passed all that was submitted
//! before, by a thread that waits for it.

use outhaul_lock::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

#[derive(Default)]
pub struct Closing {
    ranges: Mutex<Vec<(u64, u64)>>,
    closed: Condvar,
    /// While a stream captures, waiting for its context would spoil the capture.
    held: AtomicBool,
}

impl Closing {
    /// Blocks until no mapping that is on its way out overlaps the range.
    pub fn wait_clear(&self, address: u64, bytes: u64) {
        let mut ranges = self.ranges.lock();
        while ranges.iter().any(|(a, b)| *a < address.saturating_add(bytes) && address < a + b) {
            // Better a spoilt capture, which is reported, than to wait for its end, which would
            // come behind this.
            if self.held.swap(false, SeqCst) {
                self.closed.notify_all();
            }
            ranges = self.closed.wait(ranges);
        }
    }

    /// Blocks until nothing is on its way out, but not for longer, nor while a capture keeps it
    /// from leaving.
    pub fn wait_within(&self, limit: Duration) {
        let ranges = self.ranges.lock();
        let waits = |ranges: &mut Vec<(u64, u64)>| !ranges.is_empty() && !self.held.load(SeqCst);
        drop(self.closed.wait_timeout_while(ranges, limit, waits));
    }

    pub fn wait_all(&self) {
        self.wait_clear(0, u64::MAX);
    }

    /// While held, what is on its way out does not wait for the device.
    pub fn hold(&self, held: bool) {
        let _ranges = self.ranges.lock();
        self.held.store(held, SeqCst);
        self.closed.notify_all();
    }

    pub fn wait_while_held(&self) {
        let mut ranges = self.ranges.lock();
        while self.held.load(SeqCst) {
            ranges = self.closed.wait(ranges);
        }
    }

    pub fn enter(&self, range: (u64, u64)) {
        self.ranges.lock().push(range);
    }

    pub fn leave(&self, range: (u64, u64)) {
        self.ranges.lock().retain(|r| *r != range);
        self.closed.notify_all();
    }
}
