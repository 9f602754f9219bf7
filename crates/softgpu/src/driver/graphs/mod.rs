//! Captures, builds and launches graphs, and holds their memory.

pub mod capture;
pub mod graph_exec;
pub mod graph_table;
pub mod memory;
pub mod task;
