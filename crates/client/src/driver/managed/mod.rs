//! Managed memory, and pinned memory that the device can reach: the steps before and after work and
//! waits.

pub mod mapped_host_memory;
pub mod page_faults;
pub mod sync_after_wait;
pub mod sync_around_work;
