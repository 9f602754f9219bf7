//! Streams and events, and what follows from their order.

pub mod distances;
pub mod event;
pub mod event_timing;
pub mod key;
pub mod stream;
pub mod sync_copy_policy;
