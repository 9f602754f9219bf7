//! A logical clock. A thread takes the time when it frees memory, and when it starts to wait for
//! the device. A completed wait covers only what was freed before it started.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// A point in time on the logical clock.
pub type Epoch = u64;

/// Returns a time later than all earlier ones, across threads.
pub fn now() -> Epoch {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, SeqCst)
}
