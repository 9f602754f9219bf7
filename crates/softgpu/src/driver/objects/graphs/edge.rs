//! The edges of a graph.

use outhaul_abi::types::CUgraphEdgeData;

/// An incoming edge of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The node that must run first.
    pub node: u64,
    /// The edge's data.
    pub data: CUgraphEdgeData,
}

/// An edge of a graph.
#[derive(Clone, Copy)]
pub struct Edge {
    /// The node that runs first.
    pub from: u64,
    /// The node that depends on `from`.
    pub to: u64,
    /// The edge's data.
    pub data: CUgraphEdgeData,
}

impl Dependency {
    /// Returns a full dependency on `node`, without edge data.
    pub fn full(node: u64) -> Dependency {
        Dependency { node, data: CUgraphEdgeData::default() }
    }
}
