//! Links between a client and a node: real ones, simulated ones, and measurements of them.

pub mod cable;
pub mod link;
pub mod network_namespaces;
pub mod raw_link;
pub mod relay;
