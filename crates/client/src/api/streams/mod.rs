//! Driver API functions about streams and events.

pub mod callback;
pub mod event;
pub mod shared_event;
pub mod stream;
