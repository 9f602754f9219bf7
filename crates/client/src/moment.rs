//! Before or after: whoever frees something notes the moment, and whoever begins to wait for the
//! device does. A wait that has ended says nothing of what was freed after it had begun.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

pub type Moment = u64;

/// Later than every moment that was had before, in whatever thread.
pub fn now() -> Moment {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, SeqCst)
}
