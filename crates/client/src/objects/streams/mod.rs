//! Streams and events, and what the client concludes from their order.

pub mod elapsed_times;
pub mod event;
pub mod event_timing;
pub mod stream;
pub mod stream_key;
pub mod sync_copy_policy;
