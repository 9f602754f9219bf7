//! Replicas: pinned memory that program and device both access over a network. Messages keep both
//! sides consistent.

pub mod state;

pub mod change_exchange;
pub mod scanner;
pub mod scanner_thread;
