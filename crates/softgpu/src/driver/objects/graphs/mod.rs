//! Graphs, and the tasks that graphs and streams execute.

pub mod condition;
pub mod conditional;
pub mod edge;
pub mod graph;
pub mod graph_exec;
pub mod host_call;
pub mod memory;
pub mod plan;
pub mod task;
pub mod user_object;
