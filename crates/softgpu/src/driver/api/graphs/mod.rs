//! The driver API's functions for graphs.

pub mod allocation;
pub mod batch_node;
pub mod capture;
pub mod graph;
pub mod graph_exec;
pub mod graph_node;
pub mod graph_params;
pub mod memory_node;
pub mod user_object;
