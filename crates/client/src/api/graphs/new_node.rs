//! Adding nodes to graphs. A message about a node contains its kind, its object, numbers, and
//! packed parameters.

use crate::api::graphs::graph::find;
use crate::driver::contexts;
use crate::marshal;
use crate::objects::graphs::graph::note_change;
use crate::session::Response;
use outhaul_abi::types::*;
use outhaul_wire::codec::{List, Reader};
use outhaul_wire::messages::{GraphAddNode, GraphAddNodeReply};
use std::sync::atomic::Ordering::SeqCst;

/// A node's action, in the form that messages use.
#[derive(Default)]
pub struct NodeAction {
    /// Kind of the node, as in `CUgraphNodeType`.
    pub kind: i32,
    /// Handle of the node's object, or 0 for none.
    pub object: u64,
    /// Numbers whose meaning depends on the kind.
    pub numbers: Vec<u64>,
    /// Packed parameters.
    pub params: Vec<u8>,
    /// Whether each launch of the graph involves this process.
    pub in_client: bool,
    /// Context of the action, or null for the calling thread's context.
    pub context: CUcontext,
}

/// Where to add a node: a graph, and the nodes on which the new node depends.
pub struct NewNode {
    /// The graph.
    pub graph: CUgraph,
    /// The nodes on which the new node depends.
    pub dependencies: *const CUgraphNode,
    /// Data of the edges from these nodes, or null if no edge has data.
    pub edges: *const CUgraphEdgeData,
    /// Number of dependencies.
    pub count: usize,
}

/// Returns the position for a new node. `add` checks the position only after the action is known to
/// be valid.
pub fn new_node(
    graph: CUgraph,
    dependencies: *const CUgraphNode,
    edges: *const CUgraphEdgeData,
    count: usize,
) -> Result<NewNode, CUresult> {
    Ok(NewNode { graph, dependencies, edges, count })
}

/// Adds a node to a graph. Returns the node's handle.
///
/// # Safety
/// If not null, the lists in `new` are valid for reads of `new.count` entries.
pub unsafe fn add(new: NewNode, what: NodeAction) -> Result<CUgraphNode, CUresult> {
    let graph = find(new.graph)?;
    // SAFETY: the caller upholds this function's contract.
    let (dependencies, edges) = unsafe {
        (marshal::nodes(new.dependencies, new.count)?, marshal::edges(new.edges, new.count))
    };
    graph.in_client.fetch_or(what.in_client, SeqCst);
    note_change();
    let message = GraphAddNode {
        graph: graph.handle,
        dependencies: List(dependencies),
        edges,
        kind: what.kind,
        object: what.object,
        numbers: List(what.numbers),
        params: &what.params,
    };
    let Response { status, body, .. } =
        contexts::resolve_or_current(what.context)?.target().call(&message)?;
    status.ok()?;
    let reply: GraphAddNodeReply = Reader::new(&body).whole().map_err(|_| CUresult::UNKNOWN)?;
    Ok(CUgraphNode(reply.node as usize))
}

/// Adds an empty node, which only orders other nodes. Returns the node's handle.
///
/// # Safety
/// As for `add`.
pub unsafe fn add_empty(new: NewNode) -> Result<CUgraphNode, CUresult> {
    let what = NodeAction { kind: values::GRAPH_NODE_TYPE_EMPTY, ..NodeAction::default() };
    // SAFETY: the caller upholds this function's contract.
    unsafe { add(new, what) }
}
