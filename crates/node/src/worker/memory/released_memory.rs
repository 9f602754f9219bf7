//! The remains of memory whose handle was released.

use super::attachment::Attachment;
use crate::accounting::ledger::Allowance;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory whose handle was released while mappings of it exist. It is charged until the last
/// mapping is gone.
pub struct Remains {
    /// Account that is charged.
    pub allowance: Allowance,
    /// Number of bytes that are charged.
    pub bytes: AtomicU64,
    /// Attachment of a segment, which ends with this.
    pub attachment: Option<Attachment>,
}

impl Remains {
    /// Charges the bytes, unless too few are left.
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
