//! Streams and events, and what follows from their order.

pub mod event_timing;
pub mod stream;
pub mod sync_copy_policy;
