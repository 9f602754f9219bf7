//! Order in time. A thread notes the moment when it frees memory, and when it begins to wait for
//! the device. A wait that has ended covers only what was freed before it began.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// A count that grows with each use.
pub type Epoch = u64;

/// Returns a moment later than all earlier ones, in whatever thread.
pub fn now() -> Epoch {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, SeqCst)
}
