//! Graphs: creation, lists, instantiation, update and launch. Nodes are in node.rs, captures in
//! capture.rs.

use crate::api::arguments::{CudaResult, put};
use crate::driver::other_node;
use crate::driver::state::driver;
use crate::driver::streams::resolve;
use crate::driver::submit::{submit, submit_here};
use crate::marshal;
use crate::objects::context_stack;
use crate::objects::context_stack::{call, post};
use crate::objects::graphs::graph::{Exec, Graph, note_change};
use crate::session::Response;
use crate::session::callbacks::Callback;
use outhaul_abi::types::*;
use outhaul_wire::codec::{List, Reader};
use outhaul_wire::messages::*;
use std::ffi::{c_char, c_void};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

const INSTANTIATE_UPLOAD: u64 = 2;

/// Returns the graph of a handle. Fails with `INVALID_VALUE` if the handle is invalid. Fails with
/// `INVALID_CONTEXT` if the graph is on another node than the calling thread's context.
pub(in crate::api) fn find(handle: CUgraph) -> Result<Arc<Graph>, CUresult> {
    let graph = driver()?.graphs.get(handle.0 as u64).ok_or(CUresult::INVALID_VALUE)?;
    other_node::check_object(graph.handle)?;
    Ok(graph)
}

/// Returns the executable graph of a handle. Fails as `find` does.
pub(in crate::api) fn find_exec(handle: CUgraphExec) -> Result<Arc<Exec>, CUresult> {
    let exec = driver()?.execs.get(handle.0 as u64).ok_or(CUresult::INVALID_VALUE)?;
    other_node::check_object(exec.handle)?;
    Ok(exec)
}

fn node(handle: u64) -> CUgraphNode {
    CUgraphNode(handle as usize)
}

/// Creates an empty graph. Rejects flags, because CUDA defines none.
pub fn create(flags: u32) -> Result<CUgraph, CUresult> {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let driver = driver()?;
    let target = context_stack::target()?;
    let graph =
        driver.graphs.insert_on(target.session.number, |handle| Graph::new(handle, false))?;
    target.post(&GraphCreate { graph: graph.handle, flags }).inspect_err(|_| {
        driver.graphs.remove(graph.handle);
    })?;
    Ok(CUgraph(graph.handle as usize))
}

/// Clones a graph. Fails with `NOT_SUPPORTED` if the graph allocates or frees memory.
pub fn clone(original: CUgraph) -> Result<CUgraph, CUresult> {
    let driver = driver()?;
    let original = find(original)?;
    if !original.memory.effects().is_empty() {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let target = context_stack::target()?;
    let make = |handle| Graph::new(handle, original.in_client.load(SeqCst));
    let clone = driver.graphs.insert_on(target.session.number, make)?;
    let status =
        target.call(&GraphClone { graph: clone.handle, original: original.handle })?.status;
    status.ok().inspect_err(|_| {
        driver.graphs.remove(clone.handle);
    })?;
    Ok(CUgraph(clone.handle as usize))
}

/// Destroys a graph. Rejects a child graph, which is part of another graph.
pub fn destroy(handle: CUgraph) -> CudaResult {
    let driver = driver()?;
    if find(handle)?.is_child() {
        return Err(CUresult::INVALID_VALUE);
    }
    let graph = driver.graphs.remove(handle.0 as u64).ok_or(CUresult::INVALID_VALUE)?;
    graph.forget_inside(&driver.graphs);
    note_change();
    driver.graph_memory.forget_nodes(graph.handle);
    driver.accepted_changes.forget();
    post(&GraphDestroy { graph: graph.handle })
}

// ---- parts of a graph ----

/// Kind of list: a graph's nodes or edges, or a node's neighbours.
pub enum Which {
    Nodes = 0,
    Roots = 1,
    Edges = 2,
    Dependencies = 3,
    Dependents = 4,
}

/// The list of nodes or edges that the worker returned.
#[derive(Default)]
pub(in crate::api) struct Found {
    /// Nodes, or the source nodes of edges.
    pub from: Vec<u64>,
    /// Target nodes of edges.
    pub to: Vec<u64>,
    edges: Vec<CUgraphEdgeData>,
}

/// Asks the worker for a list of a graph's nodes or edges, or of a node's neighbours. `of` is the
/// handle of the graph or the node.
pub(in crate::api) fn list(of: u64, which: Which) -> Result<Found, CUresult> {
    call(&GraphList { of, which: which as u8 })?.read(|reply| {
        let edges = marshal::edge_list(reply.edges, reply.from.0.len());
        Ok(Found { from: reply.from.0, to: reply.to.0, edges })
    })
}

impl Found {
    /// Rejects a result with edge data if the program passes no pointer for that data.
    fn without_data(self, place: *mut CUgraphEdgeData) -> Result<Found, CUresult> {
        let plain = self.edges.iter().all(|e| *e == CUgraphEdgeData::default());
        if place.is_null() && !plain { Err(CUresult::LOSSY_QUERY) } else { Ok(self) }
    }
}

/// Writes as many entries as fit into `room`, and fills the rest with `none`.
///
/// # Safety
/// `place` is null or valid for writes of `room` entries.
unsafe fn fill<T>(
    place: *mut T,
    room: usize,
    found: impl ExactSizeIterator<Item = T>,
    none: impl Fn() -> T,
) {
    if !place.is_null() {
        for (i, value) in found.chain(std::iter::repeat_with(none)).take(room).enumerate() {
            // SAFETY: `i` is less than `room`, for which the caller guarantees that `place` is
            // valid.
            unsafe { place.add(i).write(value) };
        }
    }
}

/// Writes only the number of entries if all list pointers are null. Otherwise writes the lists, and
/// the number of entries written.
///
/// # Safety
/// `count` is null or valid for reads and writes. Each list pointer is null or valid for writes of
/// `count` entries.
unsafe fn answer(
    found: &Found,
    first: *mut CUgraphNode,
    second: *mut CUgraphNode,
    data: *mut CUgraphEdgeData,
    count: *mut usize,
) -> CudaResult {
    // SAFETY: the caller guarantees that `count` is null or valid for reads and writes.
    let Some(count) = (unsafe { count.as_mut() }) else { return Err(CUresult::INVALID_VALUE) };
    if first.is_null() && second.is_null() && data.is_null() {
        *count = found.from.len();
        return Ok(());
    }
    let (room, nodes) =
        (*count, |list: &[u64]| list.iter().map(|n| node(*n)).collect::<Vec<_>>().into_iter());
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        fill(first, room, nodes(&found.from), || CUgraphNode::NULL);
        fill(second, room, nodes(&found.to), || CUgraphNode::NULL);
        fill(data, room, found.edges.iter().copied(), CUgraphEdgeData::default);
    }
    *count = room.min(found.from.len());
    Ok(())
}

/// Lists a graph's nodes.
///
/// # Safety
/// As for `answer`.
pub unsafe fn nodes(
    graph: u64,
    which: Which,
    nodes: *mut CUgraphNode,
    count: *mut usize,
) -> CudaResult {
    let none = std::ptr::null_mut();
    // SAFETY: the caller upholds this function's contract.
    unsafe { answer(&list(graph, which)?, nodes, none, none.cast(), count) }
}

pub unsafe fn cuGraphGetEdges_v2(
    graph: CUgraph,
    from: *mut CUgraphNode,
    to: *mut CUgraphNode,
    data: *mut CUgraphEdgeData,
    count: *mut usize,
) -> CudaResult {
    if from.is_null() != to.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let found = list(marshal::graph(graph)?, Which::Edges)?;
    let found = if from.is_null() { found } else { found.without_data(data)? };
    // SAFETY: the program guarantees what `answer` requires of the lists and `count`.
    unsafe { answer(&found, from, to, data, count) }
}

/// Lists a node's neighbours, and the data of the edges to them.
///
/// # Safety
/// As for `answer`.
pub unsafe fn neighbours(
    of: CUgraphNode,
    which: Which,
    nodes: *mut CUgraphNode,
    data: *mut CUgraphEdgeData,
    count: *mut usize,
) -> CudaResult {
    let found = list(marshal::graph_node(of)?, which)?;
    let found = if nodes.is_null() { found } else { found.without_data(data)? };
    // SAFETY: the caller upholds this function's contract.
    unsafe { answer(&found, nodes, std::ptr::null_mut(), data, count) }
}

/// Adds or removes edges of a graph.
///
/// # Safety
/// Each list is null or valid for reads of `count` entries.
pub unsafe fn depend(
    graph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    edges: *const CUgraphEdgeData,
    count: usize,
    remove: bool,
) -> CudaResult {
    let graph = marshal::graph(graph)?;
    if count == 0 {
        return Ok(());
    }
    // SAFETY: the caller upholds this function's contract.
    let (from, to, edges) = unsafe {
        (marshal::nodes(from, count)?, marshal::nodes(to, count)?, marshal::edges(edges, count))
    };
    note_change();
    call(&GraphDepend { graph, from: List(from), to: List(to), edges, remove })
        .and_then(|answer| answer.ok())
}

// ---- executable graphs ----

struct Instantiated {
    status: CUresult,
    result: i32,
    error_node: u64,
}

fn instantiate(
    out: *mut CUgraphExec,
    graph: CUgraph,
    flags: u64,
) -> Result<Instantiated, CUresult> {
    if out.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let driver = driver()?;
    let graph = find(graph)?;
    let target = context_stack::target()?;
    let exec = driver.execs.insert_on(target.session.number, |handle| {
        Exec::new(&driver.graphs, handle, &graph, flags)
    })?;
    let Response { status, body, .. } =
        target.call(&GraphInstantiate { exec: exec.handle, graph: graph.handle, flags })?;
    if status != CUresult::SUCCESS {
        driver.execs.remove(exec.handle);
    }
    let reply = Reader::new(&body).whole::<GraphInstantiateReply>();
    let (result, error_node) =
        reply.map_or((values::GRAPH_INSTANTIATE_ERROR, 0), |r| (r.result, r.error_node));
    let handle = if status == CUresult::SUCCESS { exec.handle } else { 0 };
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, CUgraphExec(handle as usize))? };
    Ok(Instantiated { status, result, error_node })
}

pub unsafe fn cuGraphInstantiate_v2(
    out: *mut CUgraphExec,
    graph: CUgraph,
    error_node: *mut CUgraphNode,
    log: *mut c_char,
    log_bytes: usize,
) -> CudaResult {
    let done = instantiate(out, graph, 0)?;
    marshal::output(error_node, node(done.error_node));
    if log_bytes > 0 {
        marshal::output(log, 0);
    }
    done.status.ok()
}

pub unsafe fn cuGraphInstantiateWithFlags(
    out: *mut CUgraphExec,
    graph: CUgraph,
    flags: u64,
) -> CudaResult {
    instantiate(out, graph, flags)?.status.ok()
}

pub unsafe fn cuGraphInstantiateWithParams(
    out: *mut CUgraphExec,
    graph: CUgraph,
    params: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
    default_stream: CUstream,
) -> CudaResult {
    // SAFETY: the program guarantees that `params` is null or valid for reads and writes.
    let Some(params) = (unsafe { params.as_mut() }) else { return Err(CUresult::INVALID_VALUE) };
    let done = instantiate(out, graph, params.flags & !INSTANTIATE_UPLOAD)?;
    (params.result_out, params.hErrNode_out) = (done.result, node(done.error_node));
    done.status.ok()?;
    if params.flags & INSTANTIATE_UPLOAD == 0 {
        return Ok(());
    }
    let stream = if params.hUploadStream.is_null() { default_stream } else { params.hUploadStream };
    // SAFETY: `instantiate` has written the handle to `out`.
    let exec = unsafe { out.read() };
    let stream = marshal::stream(stream)?;
    submit_here(&stream, &GraphUpload { h_graph: exec.0 as u64, stream: stream.handle }).map(drop)
}

/// Destroys an executable graph.
pub fn destroy_exec(handle: CUgraphExec) -> CudaResult {
    let driver = driver()?;
    let exec = driver.execs.remove(handle.0 as u64).ok_or(CUresult::INVALID_VALUE)?;
    driver.accepted_changes.forget();
    post(&GraphExecDestroy { exec: exec.handle })
}

pub unsafe fn cuGraphExecUpdate_v2(
    exec: CUgraphExec,
    graph: CUgraph,
    info: *mut CUgraphExecUpdateResultInfo,
) -> CudaResult {
    let (exec, graph) = (find_exec(exec)?, find(graph)?);
    // The flag is set before the worker updates the graph, so that no launch on another thread
    // misses it.
    exec.in_client.fetch_or(graph.in_client.load(SeqCst), SeqCst);
    let Response { status, body, .. } =
        call(&GraphExecUpdate { exec: exec.handle, graph: graph.handle })?;
    if let Ok(reply) = Reader::new(&body).whole::<GraphExecUpdateReply>() {
        let (error_node, error_from) = (node(reply.error_node), node(reply.error_from));
        marshal::output(
            info,
            CUgraphExecUpdateResultInfo {
                result: reply.result,
                errorNode: error_node,
                errorFromNode: error_from,
            },
        );
    }
    status.ok()
}

pub unsafe fn cuGraphExecUpdate(
    exec: CUgraphExec,
    graph: CUgraph,
    node: *mut CUgraphNode,
    result: *mut CUgraphExecUpdateResult,
) -> CudaResult {
    let mut info = CUgraphExecUpdateResultInfo {
        result: 0,
        errorNode: CUgraphNode::NULL,
        errorFromNode: CUgraphNode::NULL,
    };
    // SAFETY: `info` is a local.
    let done = unsafe { cuGraphExecUpdate_v2(exec, graph, &mut info) };
    marshal::output(node, info.errorNode);
    marshal::output(result, info.result);
    done
}

/// Launches an executable graph.
pub fn launch(exec: CUgraphExec, stream: CUstream) -> CudaResult {
    let driver = driver()?;
    let exec = find_exec(exec)?;
    let stream = resolve(stream)?;
    if exec.effects.leaks() && !exec.frees_at_launch {
        return Err(CUresult::INVALID_VALUE);
    }
    let host = exec.in_client.load(SeqCst);
    // The client does not know whether the graph contains kernels. So the program keeps its turn,
    // and only pages that the program has written are sent.
    let launch = GraphLaunch { exec: exec.handle, stream: stream.handle, calls_back: host };
    submit(&stream, &launch)?;
    driver.graph_memory.launched(&exec.effects);
    if host {
        driver.captures.note_launch(&stream);
    }
    Ok(())
}

// ---- user objects ----

/// Creates a user object, which is data of the program that graphs keep alive. The last release
/// calls `destroy`.
pub fn create_user_object(
    data: *mut c_void,
    destroy: CUhostFn,
    references: u32,
    flags: u32,
) -> Result<CUuserObject, CUresult> {
    let function = destroy.ok_or(CUresult::INVALID_VALUE)?;
    if references == 0
        || references > i32::MAX as u32
        || flags != values::USER_OBJECT_NO_DESTRUCTOR_SYNC
    {
        return Err(CUresult::INVALID_VALUE);
    }
    let driver = driver()?;
    let session = context_stack::target()?.session;
    let object = *driver.user_objects.insert_on(session.number, |handle| handle)?;
    let callback =
        session.callbacks.enter_persistent(Callback::Destructor { function, data, object });
    post(&UserObjectCreate { object, callback, references, flags }).inspect_err(|_| {
        session.callbacks.withdraw(callback);
        driver.user_objects.remove(object);
    })?;
    Ok(CUuserObject(object as usize))
}
