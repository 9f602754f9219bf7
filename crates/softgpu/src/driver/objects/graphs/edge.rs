//! The edges of a graph.

use outhaul_abi::types::CUgraphEdgeData;

/// An incoming edge of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Node on which it depends.
    pub node: u64,
    /// Data of the edge.
    pub data: CUgraphEdgeData,
}

/// An edge.
#[derive(Clone, Copy)]
pub struct Edge {
    /// Node that runs first.
    pub from: u64,
    /// Node that depends on it.
    pub to: u64,
    /// Data of the edge.
    pub data: CUgraphEdgeData,
}

impl Dependency {
    /// Returns a dependency without edge data.
    pub fn full(node: u64) -> Dependency {
        Dependency { node, data: CUgraphEdgeData::default() }
    }
}
