//! Streams, events, and the tasks that streams execute.

pub mod event;
pub mod memory_operation;
pub mod output;
pub mod queue;
pub mod shared_event;
pub mod stream;
pub mod task;
