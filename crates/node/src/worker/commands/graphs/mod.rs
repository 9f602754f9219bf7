//! Graphs, captured or built, with their nodes and the nodes' parameters.

pub mod copy;
pub mod graph;
pub mod node;
pub mod params;
