//! Managed memory, and pinned memory that the device reaches: the steps around work and waits.

pub mod open;
pub mod reach;
pub mod wait;
pub mod work;
