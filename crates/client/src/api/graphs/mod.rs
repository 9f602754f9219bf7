//! Driver API functions about graphs and captures.

pub mod capture;
pub mod dot;
pub mod graph;
pub mod memory;
pub mod new_node;
pub mod node;
pub mod params;
