//! Queries for parameters of graph nodes. The worker's driver knows the parameters. For actions in
//! this process the worker knows only a callback number.

use crate::api::arguments::CudaResult;
use crate::driver::contexts;
use crate::driver::state::driver;
use crate::marshal;
use crate::objects::context_stack;
use crate::objects::context_stack::{call, post};
use crate::objects::graphs::graph::{Graph, KernelParams, note_change};
use crate::objects::graphs::memory::Node;
use crate::session::bulk::transfer::HostBox;
use crate::session::callbacks::Callback;
use outhaul_abi::types::*;
use outhaul_wire::messages::{
    GraphChild, GraphFindInClone, GraphKernelNode, GraphNodeAttribute, GraphNodeParams,
    GraphNodeType, GraphSetNodeAttribute,
};
use std::ffi::c_void;

/// Attributes that contain events or graph nodes. Their handles have no meaning in another process.
const ATTRIBUTES_WITH_HANDLES: [CUstreamAttrID; 3] = [7, 12, 13];

/// Returns a node's type.
pub fn kind(node: CUgraphNode) -> Result<CUgraphNodeType, CUresult> {
    Ok(match driver()?.graph_memory.node(node.0 as u64) {
        Some(Node::Allocates(_)) => values::GRAPH_NODE_TYPE_MEM_ALLOC,
        Some(Node::Frees(_)) => values::GRAPH_NODE_TYPE_MEM_FREE,
        None => call(&GraphNodeType { node: marshal::graph_node(node)? })?.read(|r| Ok(r.kind))?,
    })
}

/// Describes a kernel node. The kernel parameters live as long as the graph.
pub fn kernel(node: CUgraphNode) -> Result<CUDA_KERNEL_NODE_PARAMS, CUresult> {
    let node = marshal::graph_node(node)?;
    let driver = driver()?;
    let found = call(&GraphKernelNode { node })?
        .read(|r| Ok((r.graph, r.function, r.grid, r.block, r.shared_bytes, r.params.to_vec())))?;
    let (graph, function, grid, block, shared_bytes, params) = found;
    let graph = driver.graphs.get(graph).ok_or(CUresult::INVALID_VALUE)?;
    let function = driver.function(function)?;
    let kernel_params = keep(&graph, node, KernelParams::new(params, &function.facts()?.params));
    let is_kernel = driver.kernels.get(function.handle).is_some();
    let handle = function.handle as usize;
    Ok(CUDA_KERNEL_NODE_PARAMS {
        func: if is_kernel { CUfunction::NULL } else { CUfunction(handle) },
        gridDimX: grid[0],
        gridDimY: grid[1],
        gridDimZ: grid[2],
        blockDimX: block[0],
        blockDimY: block[1],
        blockDimZ: block[2],
        sharedMemBytes: shared_bytes,
        kernelParams: kernel_params,
        extra: std::ptr::null_mut(),
        kern: if is_kernel { CUkernel(handle) } else { CUkernel::NULL },
        ctx: context_stack::current_handle(),
    })
}

/// Keeps kernel parameters as long as the graph, because the program reads them in place.
fn keep(graph: &Graph, node: u64, mut params: KernelParams) -> *mut *mut std::ffi::c_void {
    let first = params.pointers();
    graph.kernel_params.lock().insert(node, params);
    first
}

/// Describes a kernel node in the older form, which has functions but no kernels.
pub fn kernel_v1(node: CUgraphNode) -> Result<CUDA_KERNEL_NODE_PARAMS_v1, CUresult> {
    let mut params = kernel(node)?;
    if params.func.is_null() {
        params.func = CUfunction(params.kern.0);
    }
    // SAFETY: the older struct is a prefix of the newer one.
    Ok(unsafe { (&raw const params).cast::<CUDA_KERNEL_NODE_PARAMS_v1>().read() })
}

pub unsafe fn cuGraphKernelNodeSetAttribute(
    node: CUgraphNode,
    attribute: CUstreamAttrID,
    value: *const CUstreamAttrValue,
) -> CudaResult {
    if ATTRIBUTES_WITH_HANDLES.contains(&attribute) {
        return Err(CUresult::NOT_SUPPORTED);
    }
    note_change();
    post(&GraphSetNodeAttribute {
        node: marshal::graph_node(node)?,
        attribute,
        value: marshal::input(&value)?,
    })?;
    // Only the worker knows whether the node is a kernel's, and which values the driver accepts.
    contexts::target_or_none()?.barrier()
}

/// Returns an attribute of a kernel node.
pub fn attribute(
    node: CUgraphNode,
    attribute: CUstreamAttrID,
) -> Result<CUstreamAttrValue, CUresult> {
    if ATTRIBUTES_WITH_HANDLES.contains(&attribute) {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let found = call(&GraphNodeAttribute { node: marshal::graph_node(node)?, attribute })?
        .read(|r| Ok(r.value.to_vec()))?;
    let (words, []) = found.as_chunks::<8>() else { return Err(CUresult::UNKNOWN) };
    let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    Ok(CUstreamAttrValue { value: words.try_into().map_err(|_| CUresult::UNKNOWN)? })
}

struct Given {
    kind: i32,
    object: u64,
    numbers: Vec<u64>,
}

/// Asks the worker for a node's parameters. Fails with `INVALID_VALUE` if the node is not of kind
/// `kind`.
fn given(node: CUgraphNode, kind: i32) -> Result<Given, CUresult> {
    let message = GraphNodeParams { node: marshal::graph_node(node)? };
    let found = call(&message)?
        .read(|r| Ok(Given { kind: r.kind, object: r.object, numbers: r.numbers.0 }))?;
    if found.kind == kind { Ok(found) } else { Err(CUresult::INVALID_VALUE) }
}

fn persistent_callback(given: &Given) -> Result<Callback, CUresult> {
    context_stack::target()?
        .session
        .callbacks
        .persistent(given.object)
        .ok_or(CUresult::INVALID_VALUE)
}

/// Describes a memset node.
pub fn fill(node: CUgraphNode) -> Result<CUDA_MEMSET_NODE_PARAMS, CUresult> {
    let [dst, pitch, value, element_bytes, width, height] =
        given(node, values::GRAPH_NODE_TYPE_MEMSET)?.numbers[..]
    else {
        return Err(CUresult::UNKNOWN);
    };
    let (pitch, width, height) = (pitch as usize, width as usize, height as usize);
    let (value, elementSize) = (value as u32, element_bytes as u32);
    Ok(CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width, height })
}

/// Describes a node that calls a host function of the program.
pub fn host(node: CUgraphNode) -> Result<CUDA_HOST_NODE_PARAMS, CUresult> {
    match persistent_callback(&given(node, values::GRAPH_NODE_TYPE_HOST)?)? {
        Callback::Host { function, data } => {
            Ok(CUDA_HOST_NODE_PARAMS { func: Some(function), userData: data })
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Describes a copy node.
pub fn copy(node: CUgraphNode) -> Result<CUDA_MEMCPY3D, CUresult> {
    let given = given(node, values::GRAPH_NODE_TYPE_MEMCPY)?;
    // SAFETY: the struct consists of numbers and pointers, for which zero is a valid value.
    let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
    (copy.srcMemoryType, copy.dstMemoryType) =
        (values::MEMORYTYPE_DEVICE, values::MEMORYTYPE_DEVICE);
    match given.numbers[..] {
        [to, to_pitch, to_height, from, from_pitch, from_height, width, height, depth] => {
            (copy.dstDevice, copy.dstPitch, copy.dstHeight) =
                (to, to_pitch as usize, to_height as usize);
            (copy.srcDevice, copy.srcPitch, copy.srcHeight) =
                (from, from_pitch as usize, from_height as usize);
            (copy.WidthInBytes, copy.Height, copy.Depth) =
                (width as usize, height as usize, depth as usize);
            mark_pinned_as_host(&mut copy)?;
        }
        [_, address, pitch, width, rows] => {
            (copy.WidthInBytes, copy.Height, copy.Depth) = (width as usize, rows as usize, 1);
            match persistent_callback(&given)? {
                Callback::Fetch(HostBox { address: host, pitch_bytes, .. }) => {
                    (copy.dstDevice, copy.dstPitch) = (address, pitch as usize);
                    (copy.srcMemoryType, copy.srcHost, copy.srcPitch) =
                        (values::MEMORYTYPE_HOST, host.cast(), pitch_bytes);
                }
                Callback::Store { target: HostBox { address: host, pitch_bytes, .. }, .. } => {
                    (copy.srcDevice, copy.srcPitch) = (address, pitch as usize);
                    (copy.dstMemoryType, copy.dstHost, copy.dstPitch) =
                        (values::MEMORYTYPE_HOST, host.cast(), pitch_bytes);
                }
                _ => return Err(CUresult::INVALID_VALUE),
            }
        }
        _ => return Err(CUresult::UNKNOWN),
    }
    Ok(copy)
}

/// Changes pinned memory in `copy` from device to host memory. The device uses such memory at the
/// program's address, but the program knows it as host memory.
fn mark_pinned_as_host(copy: &mut CUDA_MEMCPY3D) -> CudaResult {
    let is_pinned =
        |address: u64| driver().map(|driver| driver.host.find(address as usize).is_some());
    if is_pinned(copy.srcDevice)? {
        (copy.srcMemoryType, copy.srcHost, copy.srcDevice) =
            (values::MEMORYTYPE_HOST, copy.srcDevice as *const c_void, 0);
    }
    if is_pinned(copy.dstDevice)? {
        (copy.dstMemoryType, copy.dstHost, copy.dstDevice) =
            (values::MEMORYTYPE_HOST, copy.dstDevice as *mut c_void, 0);
    }
    Ok(())
}

/// Describes a node of memory operations. The operations live as long as the graph, because the
/// program reads them in place.
pub fn batch(node: CUgraphNode) -> Result<CUDA_BATCH_MEM_OP_NODE_PARAMS, CUresult> {
    let given = given(node, values::GRAPH_NODE_TYPE_BATCH_MEM_OP)?;
    let (operations, []) = given.numbers.as_chunks::<6>() else { return Err(CUresult::UNKNOWN) };
    let count = operations.len() as u32;
    let words: Vec<u8> = given.numbers.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let bytes = words.len() as u32;
    let graph = driver()?.graphs.get(given.object).ok_or(CUresult::INVALID_VALUE)?;
    let first = keep(&graph, node.0 as u64, KernelParams::new(words, &[(0, bytes)]));
    // SAFETY: unless `count` is 0, `first` points to one pointer, to all of the operations.
    let paramArray = if count == 0 { std::ptr::null_mut() } else { unsafe { first.read() }.cast() };
    let ctx = context_stack::current_handle();
    Ok(CUDA_BATCH_MEM_OP_NODE_PARAMS { ctx, count, paramArray, flags: 0 })
}

/// Returns the program's handle for the graph of a child node.
pub fn child(node: CUgraphNode) -> Result<CUgraph, CUresult> {
    let (driver, handle) = (driver()?, marshal::graph_node(node)?);
    let target = context_stack::target()?;
    let reserved = driver.graphs.reserve_on(target.session.number)?;
    let found = target
        .call(&GraphChild { node: handle, graph: reserved })
        .and_then(|answer| answer.read(|reply| Ok((reply.graph, reply.around))));
    let (graph, around) = found.inspect_err(|_| driver.graphs.release(reserved))?;
    if graph == reserved {
        let around = driver.graphs.get(around).ok_or(CUresult::INVALID_VALUE)?;
        driver.graphs.fill(reserved, Graph::inside_of(&around, reserved));
        around.keep_inside(vec![reserved]);
    } else {
        driver.graphs.release(reserved);
    }
    Ok(CUgraph(graph as usize))
}

/// Returns the event of a node of kind `kind`.
pub fn event_of(node: CUgraphNode, kind: i32) -> Result<CUevent, CUresult> {
    let handle = given(node, kind)?.object;
    driver()?
        .events
        .get(handle)
        .map(|event| CUevent(event.handle as usize))
        .ok_or(CUresult::INVALID_VALUE)
}

/// Returns the node of `clone` that corresponds to a node of the original graph.
pub fn find_in_clone(original: CUgraphNode, clone: CUgraph) -> Result<CUgraphNode, CUresult> {
    let message =
        GraphFindInClone { node: marshal::graph_node(original)?, graph: marshal::graph(clone)? };
    Ok(CUgraphNode(call(&message)?.read(|r| Ok(r.node))? as usize))
}
