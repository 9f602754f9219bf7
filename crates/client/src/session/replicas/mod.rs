//! Pinned memory that program and device both reach over a network, kept equal by messages.

pub mod state;

pub mod change_exchange;
pub mod scanner;
pub mod scanner_thread;
