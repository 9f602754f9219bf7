//! The accounts of memory whose handle was released.

use super::attachment::Attachment;
use super::driver_memory::Held;
use crate::accounting::ledger::Allowance;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory whose handle was released while mappings of it exist. The memory remains charged until
/// the last mapping is gone.
pub struct Remains {
    /// The account charged for the memory.
    pub allowance: Allowance,
    /// Number of bytes charged.
    pub bytes: AtomicU64,
    /// Attachment to a segment, which ends when this value is dropped.
    pub attachment: Option<Attachment>,
    /// The memory's part of what the session holds on the device.
    pub held: Option<Held>,
}

impl Remains {
    /// Charges `bytes` to the account. Returns false if too few are left.
    pub fn take(&self, bytes: u64) -> bool {
        let fits = self.allowance.take(bytes);
        if fits {
            self.bytes.store(bytes, Ordering::Relaxed);
        }
        fits
    }
}

impl Drop for Remains {
    fn drop(&mut self) {
        self.allowance.give_back(*self.bytes.get_mut());
    }
}
