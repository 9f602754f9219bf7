//! Graphs: captured or built, made executable, and launched.

pub mod capture;
pub mod conditional;
pub mod graph;
pub mod graph_exec;
pub mod graph_table;
pub mod user_object;
