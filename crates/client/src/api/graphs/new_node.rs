//! Adds a node to a graph. A message about a node contains its kind, its object, numbers, and
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

/// A node's action, as in messages.
#[derive(Default)]
pub struct NodeAction {
    /// Kind of the node, as in `CUgraphNodeType`.
    pub kind: i32,
    /// Handle of its object, or 0.
    pub object: u64,
    /// Numbers of the action.
    pub numbers: Vec<u64>,
    /// Packed parameters.
    pub params: Vec<u8>,
    /// Whether the graph needs this process when it runs.
    pub in_client: bool,
    /// Context of the action; null for the calling thread's context.
    pub context: CUcontext,
}

/// Where to add a node: the graph, and the nodes and edges on which it depends.
pub struct NewNode {
    /// The graph.
    pub graph: CUgraph,
    /// Nodes on which it depends.
    pub dependencies: *const CUgraphNode,
    /// Data of the edges from these, or null.
    pub edges: *const CUgraphEdgeData,
    /// Number of dependencies.
    pub count: usize,
}

/// Returns the place for a new node. `add` checks it, after the action.
pub fn new_node(
    graph: CUgraph,
    dependencies: *const CUgraphNode,
    edges: *const CUgraphEdgeData,
    count: usize,
) -> Result<NewNode, CUresult> {
    Ok(NewNode { graph, dependencies, edges, count })
}

/// Adds a node. Returns its handle.
///
/// # Safety
/// The new node's lists are readable.
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

/// Adds a node that only keeps order. Returns its handle.
///
/// # Safety
/// The new node's lists are readable.
pub unsafe fn add_empty(new: NewNode) -> Result<CUgraphNode, CUresult> {
    let what = NodeAction { kind: values::GRAPH_NODE_TYPE_EMPTY, ..NodeAction::default() };
    // SAFETY: the caller upholds this function's contract.
    unsafe { add(new, what) }
}
