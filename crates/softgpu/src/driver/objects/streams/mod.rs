//! Contexts and their streams, and the events and captures of streams.

pub mod capture;
pub mod context;
pub mod event;
pub mod limits;
pub mod memory_operation;
pub mod queue;
pub mod shared_event;
pub mod stream;
