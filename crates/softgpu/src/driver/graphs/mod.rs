//! Graphs: captured or built, and launched.

pub mod capture;
pub mod graph_exec;
pub mod graph_table;
pub mod task;
