//! Captures, builds and launches graphs.

pub mod capture;
pub mod graph_exec;
pub mod graph_table;
pub mod task;
