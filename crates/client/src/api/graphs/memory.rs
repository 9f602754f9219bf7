//! Graph nodes that allocate and free memory, and captures of stream-ordered allocations.

use super::graph::find;
use crate::api::arguments::{CudaResult, put};
use crate::api::graphs::new_node::{NewNode, add_empty};
use crate::driver::state::{Driver, driver};
use crate::marshal;
use crate::objects::context_stack;
use crate::objects::graphs::captures::Capturing;
use crate::objects::graphs::graph::Graph;
use crate::objects::graphs::memory::{Block, Node};
use crate::objects::streams::stream::Stream;
use outhaul_abi::types::*;
use outhaul_wire::codec::List;
use outhaul_wire::messages::CaptureDepend;
use std::sync::Arc;

const UNIT_BYTES: u64 = 512;
const SET_DEPENDENCIES: u32 = 1;
/// Number of attributes of a device's graph memory: used and reserved bytes, each current and
/// highest.
const ATTRIBUTES: i32 = 4;

fn block(driver: &Driver, bytes: u64) -> Result<Arc<Block>, CUresult> {
    let rounded = bytes
        .checked_next_multiple_of(UNIT_BYTES)
        .filter(|bytes| *bytes > 0)
        .ok_or(CUresult::INVALID_VALUE)?;
    driver.graph_memory.allocate(rounded, context_stack::current()?.device)
}

fn note_allocation(driver: &Driver, graph: &Graph, node: CUgraphNode, block: Arc<Block>) {
    driver.graph_memory.enter(graph.handle, node.0 as u64, Node::Allocates(Arc::downgrade(&block)));
    graph.memory.allocate(block);
}

fn note_free(driver: &Driver, graph: &Graph, node: CUgraphNode, block: Arc<Block>) {
    driver.graph_memory.enter(graph.handle, node.0 as u64, Node::Frees(block.address));
    graph.memory.free(block);
}

/// Returns the block at `address`, which the graph is about to free. The address must be memory
/// that a graph allocates, and the graph must not free it already.
fn freeable(driver: &Driver, graph: &Graph, address: CUdeviceptr) -> Result<Arc<Block>, CUresult> {
    let block = driver.graph_memory.find(address).ok_or(CUresult::INVALID_VALUE)?;
    if graph.memory.frees(address) { Err(CUresult::INVALID_VALUE) } else { Ok(block) }
}

// ---- nodes ----

/// Allocates the memory of an allocation node.
///
/// # Safety
/// `params.accessDescs` is null or valid for reads of `params.accessDescCount` entries.
unsafe fn make_block(params: &CUDA_MEM_ALLOC_NODE_PARAMS) -> Result<Arc<Block>, CUresult> {
    let (driver, pool) = (driver()?, &params.poolProps);
    if pool.location.type_ != values::MEM_LOCATION_TYPE_DEVICE
        || pool.allocType != values::MEM_ALLOCATION_TYPE_PINNED
    {
        return Err(CUresult::INVALID_VALUE);
    }
    if pool.location.id != context_stack::current()?.device || pool.handleTypes != 0 {
        return Err(CUresult::NOT_SUPPORTED);
    }
    if params.accessDescCount > 0 {
        marshal::not_null(params.accessDescs)?;
    }
    for i in 0..params.accessDescCount {
        // SAFETY: checked for null; the caller upholds this function's contract.
        let location = unsafe { params.accessDescs.add(i).read() }.location;
        driver.facts.device(location.id)?;
        driver.peers.open(&driver.facts, location.id, pool.location.id)?;
    }
    block(driver, params.bytesize as u64)
}

/// Adds an empty node that takes the position of a memory node. Writes and returns its handle.
///
/// # Safety
/// `on` and `edges` are as for `add_empty`; `out` is null or valid for writes.
unsafe fn add_placeholder(
    out: *mut CUgraphNode,
    graph: CUgraph,
    on: *const CUgraphNode,
    edges: *const CUgraphEdgeData,
    count: usize,
) -> Result<CUgraphNode, CUresult> {
    marshal::not_null(out)?;
    // SAFETY: the caller upholds this function's contract.
    let node = unsafe { add_empty(NewNode { graph, dependencies: on, edges, count })? };
    marshal::output(out, node);
    Ok(node)
}

/// Adds a node that allocates memory, and writes the memory's address to `params`.
///
/// # Safety
/// `params` is null or valid for reads and writes, with valid access descriptions. The other
/// parameters are as for `add_placeholder`.
pub unsafe fn add_allocation(
    out: *mut CUgraphNode,
    graph: CUgraph,
    on: *const CUgraphNode,
    edges: *const CUgraphEdgeData,
    count: usize,
    params: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
) -> CudaResult {
    // SAFETY: the caller upholds this function's contract.
    let Some(params) = (unsafe { params.as_mut() }) else { return Err(CUresult::INVALID_VALUE) };
    let (driver, found) = (driver()?, find(graph)?);
    // SAFETY: the caller upholds this function's contract.
    let block = unsafe { make_block(params)? };
    // SAFETY: the caller upholds this function's contract.
    let node = unsafe { add_placeholder(out, graph, on, edges, count)? };
    params.dptr = block.address;
    note_allocation(driver, &found, node, block);
    Ok(())
}

/// Adds a node that frees a graph's memory.
///
/// # Safety
/// `on`, `edges` and `out` are as for `add_placeholder`.
pub unsafe fn add_free(
    out: *mut CUgraphNode,
    graph: CUgraph,
    on: *const CUgraphNode,
    edges: *const CUgraphEdgeData,
    count: usize,
    address: CUdeviceptr,
) -> CudaResult {
    let (driver, found) = (driver()?, find(graph)?);
    let block = freeable(driver, &found, address)?;
    // SAFETY: the caller upholds this function's contract.
    let node = unsafe { add_placeholder(out, graph, on, edges, count)? };
    note_free(driver, &found, node, block);
    Ok(())
}

pub unsafe fn cuGraphMemAllocNodeGetParams(
    node: CUgraphNode,
    out: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
) -> CudaResult {
    let Some(Node::Allocates(block)) = driver()?.graph_memory.node(node.0 as u64) else {
        return Err(CUresult::INVALID_VALUE);
    };
    let block = block.upgrade().ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: the struct consists of numbers and pointers, for which zero is a valid value.
    let mut params: CUDA_MEM_ALLOC_NODE_PARAMS = unsafe { std::mem::zeroed() };
    params.poolProps.allocType = values::MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location =
        CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id: block.device };
    (params.bytesize, params.dptr) = (block.bytes as usize, block.address);
    // SAFETY: the program's out-pointer for a description.
    unsafe { put(out, params) }
}

pub unsafe fn cuGraphMemFreeNodeGetParams(node: CUgraphNode, out: *mut CUdeviceptr) -> CudaResult {
    let Some(Node::Frees(address)) = driver()?.graph_memory.node(node.0 as u64) else {
        return Err(CUresult::INVALID_VALUE);
    };
    // SAFETY: the program's out-pointer for an address.
    unsafe { put(out, address) }
}

// ---- captures ----

/// Adds an empty node at a capturing stream's position.
fn capture_node(stream: &Stream, capture: &Capturing) -> Result<CUgraphNode, CUresult> {
    let dependencies: Vec<_> =
        capture.dependencies.iter().map(|node| CUgraphNode(*node as usize)).collect();
    let edges = marshal::edge_list(&capture.edges, dependencies.len());
    let place = NewNode {
        graph: CUgraph(capture.graph as usize),
        dependencies: dependencies.as_ptr(),
        edges: edges.as_ptr(),
        count: dependencies.len(),
    };
    // SAFETY: the lists are locals.
    let node = unsafe { add_empty(place)? };
    let nodes = List(vec![node.0 as u64]);
    let message = CaptureDepend {
        stream: stream.handle,
        dependencies: nodes,
        edges: &[],
        flags: SET_DEPENDENCIES,
    };
    let status = stream.target.call(&message)?.status;
    status.ok().map(|()| node)
}

/// Captures an allocation of memory that belongs to the graph. Returns the memory's address. Fails
/// with `INVALID_VALUE` for 0 bytes.
pub(in crate::api) fn capture_allocation(
    driver: &Driver,
    stream: &Stream,
    capture: &Capturing,
    bytes: usize,
) -> Result<CUdeviceptr, CUresult> {
    let graph = capture.graph(&driver.graphs)?;
    let block = block(driver, bytes as u64)?;
    let (node, address) = (capture_node(stream, capture)?, block.address);
    note_allocation(driver, &graph, node, block);
    Ok(address)
}

/// Captures a free of graph memory. Fails with `INVALID_VALUE` if no graph allocated the memory, or
/// if this graph already frees it.
pub(in crate::api) fn capture_free(
    driver: &Driver,
    stream: &Stream,
    capture: &Capturing,
    address: CUdeviceptr,
) -> CudaResult {
    let graph = capture.graph(&driver.graphs)?;
    let block = freeable(driver, &graph, address)?;
    note_free(driver, &graph, capture_node(stream, capture)?, block);
    Ok(())
}

// ---- a device's memory for graphs ----

pub unsafe fn cuDeviceGetGraphMemAttribute(
    device: CUdevice,
    attribute: CUgraphMem_attribute,
    value: *mut std::ffi::c_void,
) -> CudaResult {
    let driver = driver()?;
    driver.facts.device(device)?;
    if !(0..ATTRIBUTES).contains(&attribute) {
        return Err(CUresult::INVALID_VALUE);
    }
    let bytes = driver.graph_memory.bytes(device, attribute >= 2, attribute % 2 == 1);
    // SAFETY: the program's out-pointer for a 64-bit number.
    unsafe { put(value.cast::<u64>(), bytes) }
}

/// Resets a high-water mark to the current value. Rejects values other than 0.
pub unsafe fn cuDeviceSetGraphMemAttribute(
    device: CUdevice,
    attribute: CUgraphMem_attribute,
    value: *mut std::ffi::c_void,
) -> CudaResult {
    let driver = driver()?;
    driver.facts.device(device)?;
    let is_high = (0..ATTRIBUTES).contains(&attribute) && attribute % 2 == 1;
    // SAFETY: the program guarantees that `value` is null or valid for reads of a 64-bit number.
    match unsafe { value.cast::<u64>().as_ref() } {
        Some(0) if is_high => driver.graph_memory.reset_high(device, attribute >= 2),
        _ => return Err(CUresult::INVALID_VALUE),
    }
    Ok(())
}

/// Only checks the device: nothing can be trimmed, because all memory belongs to graphs.
pub unsafe fn cuDeviceGraphMemTrim(device: CUdevice) -> CudaResult {
    driver()?.facts.device(device).map(|_| ())
}
