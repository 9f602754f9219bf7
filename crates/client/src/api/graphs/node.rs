//! Nodes that a program explicitly adds to graphs, by kind.

use super::graph::{find, find_exec};
use crate::api::arguments::{CudaResult, put, reference};
use crate::api::code::launch::{Shape, parameters};
use crate::api::copies::rows::{NodeCopy, node_copy};
use crate::api::graphs::memory;
use crate::api::graphs::new_node::{NewNode, NodeAction, add};
use crate::driver::contexts;
use crate::driver::contexts::target_or_none;
use crate::driver::managed::mapped_host_memory;
use crate::driver::managed::sync_around_work;
use crate::driver::memory::ranges::{check_operations, check_range};
use crate::driver::state::driver;
use crate::marshal;
use crate::objects::context_stack;
use crate::objects::context_stack::post;
use crate::objects::graphs::graph;
use crate::objects::graphs::graph::{Graph, note_change};
use crate::session::Response;
use crate::session::Session;
use crate::session::bulk::transfer::HostBox;
use crate::session::callbacks::Callback;
use outhaul_abi::types::*;
use outhaul_wire::codec::{List, Reader};
use outhaul_wire::limits::CONDITIONAL_GRAPHS_MAX;
use outhaul_wire::messages::{
    GraphAddCopy, GraphAddCopyReply, GraphCondition, GraphDestroyNode, GraphSetCopy, GraphSetNode,
};
use std::sync::atomic::Ordering::SeqCst;

/// Changes a graph's node, or a node of the executable graph `exec` if that is not 0.
pub fn set(exec: u64, node: CUgraphNode, what: NodeAction) -> CudaResult {
    if exec == 0 {
        note_change();
    }
    let message = GraphSetNode {
        exec,
        node: marshal::graph_node(node)?,
        kind: what.kind,
        object: what.object,
        numbers: List(what.numbers),
        params: &what.params,
    };
    let target = contexts::resolve_or_current(what.context)?.target();
    let kernel = if what.kind == values::GRAPH_NODE_TYPE_KERNEL { what.object } else { 0 };
    let (accepted, change) = (&driver()?.accepted_changes, (exec, message.node, what.kind, kernel));
    let is_known = accepted.contains(change);
    target.post(&message)?;
    if !is_known {
        target.barrier()?;
        accepted.note(change);
    }
    Ok(())
}

// ---- actions of nodes ----

/// Returns the action of a kernel node from the older description.
///
/// # Safety
/// As for `kernel`.
pub unsafe fn kernel_v1(p: &CUDA_KERNEL_NODE_PARAMS_v1) -> Result<NodeAction, CUresult> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { kernel(&kernel_params(p)) }
}

fn kernel_params(v1: &CUDA_KERNEL_NODE_PARAMS_v1) -> CUDA_KERNEL_NODE_PARAMS {
    let CUDA_KERNEL_NODE_PARAMS_v1 {
        func,
        gridDimX,
        gridDimY,
        gridDimZ,
        blockDimX,
        blockDimY,
        blockDimZ,
        sharedMemBytes,
        kernelParams,
        extra,
    } = *v1;
    let (kern, ctx) = (CUkernel::NULL, CUcontext::NULL);
    CUDA_KERNEL_NODE_PARAMS {
        func,
        gridDimX,
        gridDimY,
        gridDimZ,
        blockDimX,
        blockDimY,
        blockDimZ,
        sharedMemBytes,
        kernelParams,
        extra,
        kern,
        ctx,
    }
}

/// Returns the action of a kernel node.
///
/// # Safety
/// The kernel parameters in `p` are valid as for a launch.
pub unsafe fn kernel(p: &CUDA_KERNEL_NODE_PARAMS) -> Result<NodeAction, CUresult> {
    let shape = Shape {
        grid: [p.gridDimX, p.gridDimY, p.gridDimZ],
        block: [p.blockDimX, p.blockDimY, p.blockDimZ],
        shared_bytes: p.sharedMemBytes,
    };
    let handle = if p.func.is_null() { p.kern.0 } else { p.func.0 };
    let function = driver()?.function(handle as u64)?;
    // SAFETY: the caller upholds this function's contract.
    let params = unsafe { parameters(function.facts()?, &shape, p.kernelParams, p.extra)? };
    check_operations(&params)?;
    mapped_host_memory::reach_named(&params, || true)?;
    let numbers = [shape.grid, shape.block]
        .concat()
        .into_iter()
        .chain([shape.shared_bytes])
        .map(u64::from)
        .collect();
    Ok(NodeAction {
        kind: values::GRAPH_NODE_TYPE_KERNEL,
        object: function.handle,
        numbers,
        params,
        context: p.ctx,
        ..NodeAction::default()
    })
}

/// Adds a copy node. Returns the node's handle.
///
/// # Safety
/// As for `add`.
pub unsafe fn add_copy(
    new: NewNode,
    copy: &CUDA_MEMCPY3D,
    context: CUcontext,
) -> Result<CUgraphNode, CUresult> {
    let (host, (address, pitch), to_host) = match node_copy(copy)? {
        NodeCopy::Device(numbers) => {
            let what = NodeAction {
                kind: values::GRAPH_NODE_TYPE_MEMCPY,
                numbers,
                context,
                ..NodeAction::default()
            };
            // SAFETY: the caller upholds this function's contract.
            return unsafe { add(new, what) };
        }
        NodeCopy::ToDevice { host, to } => (host, to, false),
        NodeCopy::ToHost { host, from } => (host, from, true),
        NodeCopy::OnHost { to, from } => {
            let object = contexts::resolve_or_current(context)?
                .target()
                .session
                .callbacks
                .enter_persistent(Callback::Copy { to, from });
            let what = NodeAction {
                kind: values::GRAPH_NODE_TYPE_HOST,
                object,
                in_client: true,
                context,
                ..NodeAction::default()
            };
            // SAFETY: the caller upholds this function's contract.
            return unsafe { add(new, what) };
        }
    };
    let (width_bytes, rows) = (host.width_bytes as u64, host.rows as u64);
    check_range(address, (rows - 1) * pitch as u64 + width_bytes)?;
    let graph = find(new.graph)?;
    // SAFETY: the caller upholds this function's contract.
    let (dependencies, edges) = unsafe {
        (marshal::nodes(new.dependencies, new.count)?, marshal::edges(new.edges, new.count))
    };
    let place_of = contexts::resolve_or_current(context)?.target();
    let session = place_of.session;
    let (callback, transfer) = enter_copy_callback(session, host, to_host);
    let (dependencies, pitch_bytes) = (List(dependencies), pitch as u64);
    graph.in_client.store(true, SeqCst);
    note_change();
    let message = GraphAddCopy {
        graph: graph.handle,
        dependencies,
        edges,
        callback,
        to_host,
        transfer,
        address,
        pitch_bytes,
        width_bytes,
        rows,
    };
    let Response { status, body, .. } = place_of.call(&message)?;
    status.ok().inspect_err(|_| session.callbacks.withdraw(callback))?;
    let reply: GraphAddCopyReply = Reader::new(&body).whole().map_err(|_| CUresult::UNKNOWN)?;
    Ok(CUgraphNode(reply.node as usize))
}

/// Changes the copy of a node of an executable graph. The kinds of memory must stay the same.
pub fn set_copy(
    exec: u64,
    node: CUgraphNode,
    copy: &CUDA_MEMCPY3D,
    context: CUcontext,
) -> CudaResult {
    let handle = marshal::graph_node(node)?;
    let target = contexts::resolve_or_current(context)?.target();
    let (host, (address, pitch), to_host) = match node_copy(copy)? {
        NodeCopy::Device(numbers) => {
            let what = NodeAction {
                kind: values::GRAPH_NODE_TYPE_MEMCPY,
                numbers,
                context,
                ..NodeAction::default()
            };
            return set(exec, node, what);
        }
        NodeCopy::OnHost { to, from } => {
            let object = target.session.callbacks.enter_persistent(Callback::Copy { to, from });
            let what = NodeAction {
                kind: values::GRAPH_NODE_TYPE_HOST,
                object,
                context,
                ..NodeAction::default()
            };
            return set(exec, node, what);
        }
        NodeCopy::ToDevice { host, to } => (host, to, false),
        NodeCopy::ToHost { host, from } => (host, from, true),
    };
    let (width_bytes, rows) = (host.width_bytes as u64, host.rows as u64);
    check_range(address, (rows - 1) * pitch as u64 + width_bytes)?;
    let (callback, transfer) = enter_copy_callback(target.session, host, to_host);
    let (node, pitch_bytes) = (handle, pitch as u64);
    sync_around_work::before_mark();
    let message = GraphSetCopy {
        exec,
        node,
        callback,
        to_host,
        transfer,
        address,
        pitch_bytes,
        width_bytes,
        rows,
    };
    let set = target.call(&message).and_then(|answer| answer.ok());
    set.inspect_err(|_| target.session.callbacks.withdraw(callback))
}

/// Registers the client's part of a graph's copy. Returns the callback, and the transfer of a copy
/// to the host (0 for a copy to the device).
fn enter_copy_callback(session: &'static Session, host: HostBox, to_host: bool) -> (u64, u64) {
    if !to_host {
        return (session.callbacks.enter_persistent(Callback::Fetch(host)), 0);
    }
    let right = session.transfers.open_persistent(host);
    let transfer = right.transfer;
    (session.callbacks.enter_persistent(Callback::Store { target: host, _right: right }), transfer)
}

/// Returns the action of a copy node that is to be changed. The copy must be on the device, because
/// the client's part of other copies cannot change.
pub fn copy_on_device(p: &CUDA_MEMCPY3D, context: CUcontext) -> Result<NodeAction, CUresult> {
    let NodeCopy::Device(numbers) = node_copy(p)? else { return Err(CUresult::NOT_SUPPORTED) };
    Ok(NodeAction {
        kind: values::GRAPH_NODE_TYPE_MEMCPY,
        numbers,
        context,
        ..NodeAction::default()
    })
}

/// Returns the action of a memset node.
pub fn fill(p: &CUDA_MEMSET_NODE_PARAMS, context: CUcontext) -> Result<NodeAction, CUresult> {
    let rows = p.height.max(1);
    let width = p
        .width
        .checked_mul(p.elementSize as usize)
        .filter(|w| *w > 0)
        .ok_or(CUresult::INVALID_VALUE)?;
    let span = (rows - 1)
        .checked_mul(p.pitch)
        .and_then(|s| s.checked_add(width))
        .ok_or(CUresult::INVALID_VALUE)?;
    check_range(p.dst, span as u64)?;
    let numbers = vec![
        p.dst,
        p.pitch as u64,
        u64::from(p.value),
        u64::from(p.elementSize),
        p.width as u64,
        p.height as u64,
    ];
    Ok(NodeAction {
        kind: values::GRAPH_NODE_TYPE_MEMSET,
        numbers,
        context,
        ..NodeAction::default()
    })
}

/// Returns the action of a node that calls a host function of the program.
pub fn host(p: &CUDA_HOST_NODE_PARAMS) -> Result<NodeAction, CUresult> {
    let function = p.func.ok_or(CUresult::INVALID_VALUE)?;
    let object = context_stack::target()?
        .session
        .callbacks
        .enter_persistent(Callback::Host { function, data: p.userData });
    Ok(NodeAction {
        kind: values::GRAPH_NODE_TYPE_HOST,
        object,
        in_client: true,
        ..NodeAction::default()
    })
}

/// Returns the action of a node that runs a copy of another graph. Fails with `NOT_SUPPORTED` if
/// that graph allocates or frees memory.
pub fn child(graph: CUgraph) -> Result<NodeAction, CUresult> {
    let graph = find(graph)?;
    if !graph.memory.effects().is_empty() {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let in_client = graph.in_client.load(SeqCst);
    Ok(NodeAction {
        kind: values::GRAPH_NODE_TYPE_GRAPH,
        object: graph.handle,
        in_client,
        ..NodeAction::default()
    })
}

/// Returns the action of a node that takes over another graph. The graph and its nodes keep their
/// handles.
fn moved_child(graph: CUgraph) -> Result<NodeAction, CUresult> {
    if find(graph)?.is_child() {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let ownership = values::GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE as u64;
    Ok(NodeAction { numbers: vec![ownership], ..child(graph)? })
}

/// Returns the action of a node that records an event or waits for one.
pub fn about_event(kind: i32, event: CUevent) -> Result<NodeAction, CUresult> {
    let event = crate::api::streams::event::resolve(event)?;
    if kind == values::GRAPH_NODE_TYPE_EVENT_RECORD {
        event.note_graph();
    }
    Ok(NodeAction { kind, object: event.handle, ..NodeAction::default() })
}

/// Returns the action of a node that executes memory operations in order.
///
/// # Safety
/// `p.paramArray` is null or valid for reads of `p.count` entries.
pub unsafe fn batch(p: &CUDA_BATCH_MEM_OP_NODE_PARAMS) -> Result<NodeAction, CUresult> {
    if p.flags != 0 || p.ctx.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let params = marshal::input_array(
        &p.paramArray.cast_const(),
        p.count as usize,
        values::BATCH_MEM_OPS_MAX,
    )?
    .to_vec();
    check_operations(&params)?;
    mapped_host_memory::reach_named(&params, || true)?;
    Ok(NodeAction {
        kind: values::GRAPH_NODE_TYPE_BATCH_MEM_OP,
        params,
        context: p.ctx,
        ..NodeAction::default()
    })
}

// ---- conditional nodes ----

/// Creates a condition on the worker. Returns the node driver's number, because kernels use that
/// number to set the condition.
pub fn condition(
    graph: CUgraph,
    context: CUcontext,
    default_value: u32,
    flags: u32,
) -> Result<u64, CUresult> {
    let graph = find(graph)?.handle;
    let target = contexts::resolve_or_current(context)?.target();
    target.call(&GraphCondition { graph, default_value, flags })?.read(|reply| Ok(reply.number))
}

/// Adds a conditional node, and returns the node's handle. The program gets the body graphs in an
/// array that lives as long as the enclosing graph.
///
/// # Safety
/// As for `add`.
unsafe fn add_conditional(
    new: NewNode,
    p: &mut CUDA_CONDITIONAL_NODE_PARAMS,
) -> Result<CUgraphNode, CUresult> {
    let driver = driver()?;
    let graph = find(new.graph)?;
    if p.size as usize > CONDITIONAL_GRAPHS_MAX {
        return Err(CUresult::INVALID_VALUE);
    }
    let node = contexts::resolve_or_current(p.ctx)?.target().session.number;
    let mut inside = Vec::new();
    let forget = |inside: &[u64]| inside.iter().for_each(|body| drop(driver.graphs.remove(*body)));
    for _ in 0..p.size {
        let body = driver
            .graphs
            .insert_on(node, |handle| Graph::new(handle, false))
            .inspect_err(|_| forget(&inside))?;
        inside.push(body.handle);
    }
    let numbers = [&[p.type_ as u64], inside.as_slice()].concat();
    let what = NodeAction {
        kind: values::GRAPH_NODE_TYPE_CONDITIONAL,
        object: p.handle,
        numbers,
        context: p.ctx,
        ..NodeAction::default()
    };
    // SAFETY: the caller upholds this function's contract.
    let node = unsafe { add(new, what) }.inspect_err(|_| forget(&inside))?;
    inside
        .iter()
        .filter_map(|handle| driver.graphs.get(*handle))
        .for_each(|body| body.note_child());
    p.phGraph_out = graph.keep_inside(inside);
    Ok(node)
}

/// Returns the action of a node of any kind that the caller does not handle itself.
///
/// # Safety
/// `p` is a valid description for CUDA's function.
unsafe fn any(p: &CUgraphNodeParams) -> Result<NodeAction, CUresult> {
    let words = p.words.as_ptr();
    let first = p.words[0] as usize;
    // SAFETY: `words` contains the description for the node's kind, and is longer than any of
    // these.
    unsafe {
        match p.type_ {
            values::GRAPH_NODE_TYPE_KERNEL => kernel(&*words.cast()),
            // The context follows the description in `words`.
            values::GRAPH_NODE_TYPE_MEMSET => fill(&*words.cast(), CUcontext(p.words[5] as usize)),
            values::GRAPH_NODE_TYPE_HOST => host(&*words.cast()),
            values::GRAPH_NODE_TYPE_GRAPH => match p.words[1] as i32 {
                values::GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE => child(CUgraph(first)),
                values::GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE => moved_child(CUgraph(first)),
                _ => Err(CUresult::INVALID_VALUE),
            },
            values::GRAPH_NODE_TYPE_EMPTY => {
                Ok(NodeAction { kind: values::GRAPH_NODE_TYPE_EMPTY, ..NodeAction::default() })
            }
            values::GRAPH_NODE_TYPE_BATCH_MEM_OP => batch(&*words.cast()),
            kind @ (values::GRAPH_NODE_TYPE_WAIT_EVENT | values::GRAPH_NODE_TYPE_EVENT_RECORD) => {
                about_event(kind, CUevent(first))
            }
            _ => Err(CUresult::NOT_SUPPORTED),
        }
    }
}

// ---- nodes of any kind ----

pub unsafe fn cuGraphAddNode_v2(
    out: *mut CUgraphNode,
    graph: CUgraph,
    dependencies: *const CUgraphNode,
    edges: *const CUgraphEdgeData,
    count: usize,
    params: *mut CUgraphNodeParams,
) -> CudaResult {
    // SAFETY: the program guarantees valid lists and a valid description. `words` contains the
    // description for the node's kind.
    unsafe {
        match reference(params)?.type_ {
            values::GRAPH_NODE_TYPE_MEM_ALLOC => {
                let p = (&raw mut (*params).words).cast();
                return memory::add_allocation(out, graph, dependencies, edges, count, p);
            }
            values::GRAPH_NODE_TYPE_MEM_FREE => {
                return memory::add_free(
                    out,
                    graph,
                    dependencies,
                    edges,
                    count,
                    (*params).words[0],
                );
            }
            _ => {}
        }
        marshal::not_null(out)?;
        let new = NewNode { graph, dependencies, edges, count };
        put(out, add_any(new, params)?)
    }
}

/// Adds a node of any kind that the caller does not handle itself. Returns the node's handle.
///
/// # Safety
/// As for `add`; in addition `params` is null or a valid description.
unsafe fn add_any(new: NewNode, params: *mut CUgraphNodeParams) -> Result<CUgraphNode, CUresult> {
    // SAFETY: the caller upholds this function's contract; `words` contains the description for the
    // node's kind.
    unsafe {
        let graph = new.graph;
        if reference(params)?.type_ == values::GRAPH_NODE_TYPE_CONDITIONAL {
            return add_conditional(new, &mut *(&raw mut (*params).words).cast());
        }
        let params = reference(params)?;
        if params.type_ == values::GRAPH_NODE_TYPE_MEMCPY {
            let p = &*params.words.as_ptr().cast::<CUDA_MEMCPY_NODE_PARAMS>();
            return add_copy(new, &p.copyParams, p.copyCtx);
        }
        let what = any(params)?;
        let moved = (what.kind == values::GRAPH_NODE_TYPE_GRAPH && !what.numbers.is_empty())
            .then_some(what.object);
        let node = add(new, what)?;
        if let Some(child) = moved {
            find(graph)?.take_in(&driver()?.graphs, child);
        }
        Ok(node)
    }
}

/// Removes a node from its graph. Fails with `NOT_SUPPORTED` for a node that allocates or frees
/// memory.
pub fn destroy(node: CUgraphNode) -> CudaResult {
    if driver()?.graph_memory.node(node.0 as u64).is_some() {
        return Err(CUresult::NOT_SUPPORTED);
    }
    note_change();
    driver()?.accepted_changes.forget();
    post(&GraphDestroyNode { node: marshal::graph_node(node)? })?;
    // Only the worker knows whether the node exists.
    target_or_none()?.barrier()
}

// ---- changing ----

/// Changes a graph's node of any kind, or a node of the executable graph `exec` if that is not 0.
///
/// # Safety
/// `params` is null or a valid description for CUDA's function.
pub unsafe fn set_any(
    exec: u64,
    node: CUgraphNode,
    params: *const CUgraphNodeParams,
) -> CudaResult {
    // SAFETY: the caller upholds this function's contract; `words` contains the description for the
    // node's kind.
    let what = unsafe {
        let params = reference(params)?;
        match params.type_ {
            values::GRAPH_NODE_TYPE_MEMCPY => {
                let p = &*params.words.as_ptr().cast::<CUDA_MEMCPY_NODE_PARAMS>();
                if exec != 0 {
                    return set_copy(exec, node, &p.copyParams, p.copyCtx);
                }
                copy_on_device(&p.copyParams, p.copyCtx)?
            }
            // Only executable graphs allow a change of a child graph, and only through `set_child`,
            // which blocks.
            values::GRAPH_NODE_TYPE_GRAPH => return Err(CUresult::NOT_SUPPORTED),
            _ => any(params)?,
        }
    };
    set(exec, node, what)
}

/// Replaces the child graph of an executable graph's child node.
pub fn set_child(exec: CUgraphExec, node: CUgraphNode, graph: CUgraph) -> CudaResult {
    let what = child(graph)?;
    if what.in_client {
        // Callbacks in this process would have to move with the graph.
        return Err(CUresult::NOT_SUPPORTED);
    }
    let (exec, changes) = (find_exec(exec)?, graph::changes());
    let object = what.object;
    let is_known = !driver()?.captures.any() && exec.accepts_child(node.0 as u64, object);
    set(exec.handle, node, what)?;
    if is_known {
        return Ok(());
    }
    // The driver rejects graphs with another structure, and must do so in the call itself.
    target_or_none()?.barrier()?;
    exec.note_child(node.0 as u64, object, changes);
    Ok(())
}
