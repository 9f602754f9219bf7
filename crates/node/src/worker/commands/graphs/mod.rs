//! Graphs: captured and built ones, their nodes, and the parameters of these.

pub mod copy;
pub mod graph;
pub mod node;
pub mod params;
