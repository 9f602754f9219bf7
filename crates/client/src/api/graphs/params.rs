//! Queries for the parameters of graphs' nodes. The worker's driver knows them. For actions in this
//! process it knows the number of the callback.

use crate::api::arguments::{CudaResult, put};
use crate::driver::state::driver;
use crate::marshal;
use crate::objects::context_stack;
use crate::objects::context_stack::target;
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

/// Attributes that contain events and nodes, which mean nothing in another process.
const ATTRIBUTES_WITH_HANDLES: [CUstreamAttrID; 3] = [7, 12, 13];

pub unsafe fn cuGraphNodeGetType(node: CUgraphNode, kind: *mut CUgraphNodeType) -> CudaResult {
    let found = match driver()?.graph_memory.node(node.0 as u64) {
        Some(Node::Allocates(_)) => values::GRAPH_NODE_TYPE_MEM_ALLOC,
        Some(Node::Frees(_)) => values::GRAPH_NODE_TYPE_MEM_FREE,
        None => target()?
            .call(&GraphNodeType { node: marshal::graph_node(node)? })?
            .read(|r| Ok(r.kind))?,
    };
    // SAFETY: the program's place for a type.
    unsafe { put(kind.cast(), found) }
}

pub unsafe fn cuGraphKernelNodeGetParams_v2(
    node: CUgraphNode,
    out: *mut CUDA_KERNEL_NODE_PARAMS,
) -> CudaResult {
    let node = marshal::graph_node(node)?;
    marshal::not_null(out)?;
    let driver = driver()?;
    let found = target()?
        .call(&GraphKernelNode { node })?
        .read(|r| Ok((r.graph, r.function, r.grid, r.block, r.shared_bytes, r.params.to_vec())))?;
    let (graph, function, grid, block, shared_bytes, params) = found;
    let graph = driver.graphs.get(graph).ok_or(CUresult::INVALID_VALUE)?;
    let function = driver.function(function)?;
    let kernel_params = keep(&graph, node, KernelParams::new(params, &function.facts()?.params));
    let is_kernel = driver.kernels.get(function.handle).is_some();
    let handle = function.handle as usize;
    let described = CUDA_KERNEL_NODE_PARAMS {
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
    };
    // SAFETY: not null, and the program promises room.
    unsafe { put(out, described) }
}

/// Keeps the parameters as long as the graph, because the program reads them in place.
fn keep(graph: &Graph, node: u64, mut params: KernelParams) -> *mut *mut std::ffi::c_void {
    let first = params.pointers();
    graph.kernel_params.lock().insert(node, params);
    first
}

pub unsafe fn cuGraphKernelNodeGetParams(
    node: CUgraphNode,
    out: *mut CUDA_KERNEL_NODE_PARAMS_v1,
) -> CudaResult {
    marshal::not_null(out)?;
    let mut found = std::mem::MaybeUninit::<CUDA_KERNEL_NODE_PARAMS>::uninit();
    // SAFETY: room for the description, which is there on success. The older one is the beginning
    // of it.
    unsafe {
        cuGraphKernelNodeGetParams_v2(node, found.as_mut_ptr())?;
        let (mut params, first) = (found.assume_init(), out);
        if params.func.is_null() {
            params.func = CUfunction(params.kern.0);
        }
        put(first, (&raw const params).cast::<CUDA_KERNEL_NODE_PARAMS_v1>().read())
    }
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
    target()?.post(&GraphSetNodeAttribute {
        node: marshal::graph_node(node)?,
        attribute,
        value: marshal::input(&value)?,
    })
}

pub unsafe fn cuGraphKernelNodeGetAttribute(
    node: CUgraphNode,
    attribute: CUstreamAttrID,
    out: *mut CUstreamAttrValue,
) -> CudaResult {
    marshal::not_null(out)?;
    if ATTRIBUTES_WITH_HANDLES.contains(&attribute) {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let found = target()?
        .call(&GraphNodeAttribute { node: marshal::graph_node(node)?, attribute })?
        .read(|r| Ok(r.value.to_vec()))?;
    let (words, []) = found.as_chunks::<8>() else { return Err(CUresult::UNKNOWN) };
    let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    // SAFETY: not null, and the program promises room.
    unsafe {
        put(out, CUstreamAttrValue { value: words.try_into().map_err(|_| CUresult::UNKNOWN)? })
    }
}

struct Given {
    kind: i32,
    object: u64,
    numbers: Vec<u64>,
}

/// Asks for the parameters of a node of this kind.
fn given(node: CUgraphNode, kind: i32) -> Result<Given, CUresult> {
    let message = GraphNodeParams { node: marshal::graph_node(node)? };
    let found = target()?
        .call(&message)?
        .read(|r| Ok(Given { kind: r.kind, object: r.object, numbers: r.numbers.0 }))?;
    if found.kind == kind { Ok(found) } else { Err(CUresult::INVALID_VALUE) }
}

fn standing(given: &Given) -> Result<Callback, CUresult> {
    context_stack::target()?.session.callbacks.standing(given.object).ok_or(CUresult::INVALID_VALUE)
}

pub unsafe fn cuGraphMemsetNodeGetParams(
    node: CUgraphNode,
    out: *mut CUDA_MEMSET_NODE_PARAMS,
) -> CudaResult {
    let [dst, pitch, value, element_bytes, width, height] =
        given(node, values::GRAPH_NODE_TYPE_MEMSET)?.numbers[..]
    else {
        return Err(CUresult::UNKNOWN);
    };
    let (pitch, width, height) = (pitch as usize, width as usize, height as usize);
    let params = CUDA_MEMSET_NODE_PARAMS {
        dst,
        pitch,
        value: value as u32,
        elementSize: element_bytes as u32,
        width,
        height,
    };
    // SAFETY: the program's place for a description.
    unsafe { put(out, params) }
}

pub unsafe fn cuGraphHostNodeGetParams(
    node: CUgraphNode,
    out: *mut CUDA_HOST_NODE_PARAMS,
) -> CudaResult {
    match standing(&given(node, values::GRAPH_NODE_TYPE_HOST)?)? {
        // SAFETY: the program's place for a description.
        Callback::Host { function, data } => unsafe {
            put(out, CUDA_HOST_NODE_PARAMS { func: Some(function), userData: data })
        },
        _ => Err(CUresult::INVALID_VALUE),
    }
}

pub unsafe fn cuGraphMemcpyNodeGetParams(node: CUgraphNode, out: *mut CUDA_MEMCPY3D) -> CudaResult {
    let given = given(node, values::GRAPH_NODE_TYPE_MEMCPY)?;
    // SAFETY: the struct is plain numbers and pointers; all zero is a valid value.
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
            say_what_is_pinned(&mut copy)?;
        }
        [_, address, pitch, width, rows] => {
            (copy.WidthInBytes, copy.Height, copy.Depth) = (width as usize, rows as usize, 1);
            match standing(&given)? {
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
    // SAFETY: the program's place for a description.
    unsafe { put(out, copy) }
}

/// Describes pinned memory as host memory: the device uses it at the program's address, but the
/// program knows it as its own.
fn say_what_is_pinned(copy: &mut CUDA_MEMCPY3D) -> CudaResult {
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

/// Returns the operations in memory that lives as long as the graph, because the program reads them
/// in place.
pub unsafe fn cuGraphBatchMemOpNodeGetParams(
    node: CUgraphNode,
    out: *mut CUDA_BATCH_MEM_OP_NODE_PARAMS,
) -> CudaResult {
    let given = given(node, values::GRAPH_NODE_TYPE_BATCH_MEM_OP)?;
    let (operations, []) = given.numbers.as_chunks::<6>() else { return Err(CUresult::UNKNOWN) };
    let count = operations.len() as u32;
    let words: Vec<u8> = given.numbers.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let bytes = words.len() as u32;
    let graph = driver()?.graphs.get(given.object).ok_or(CUresult::INVALID_VALUE)?;
    let first = keep(&graph, node.0 as u64, KernelParams::new(words, &[(0, bytes)]));
    // SAFETY: there is one pointer, to all of the operations, unless there are none.
    let paramArray = if count == 0 { std::ptr::null_mut() } else { unsafe { first.read() }.cast() };
    // SAFETY: the program's place for a description.
    unsafe {
        put(
            out,
            CUDA_BATCH_MEM_OP_NODE_PARAMS {
                ctx: context_stack::current_handle(),
                count,
                paramArray,
                flags: 0,
            },
        )
    }
}

pub unsafe fn cuGraphChildGraphNodeGetGraph(node: CUgraphNode, out: *mut CUgraph) -> CudaResult {
    marshal::not_null(out.cast_const())?;
    // SAFETY: not null, and the program promises room.
    unsafe { put(out, CUgraph(child_of(node)? as usize)) }
}

/// Returns the handle that the program holds for the graph inside a child node.
pub(in crate::api) fn child_of(node: CUgraphNode) -> Result<u64, CUresult> {
    let (driver, handle) = (driver()?, marshal::graph_node(node)?);
    let target = context_stack::target()?;
    let reserved = driver.graphs.reserve_on(target.session.number)?;
    let found = target
        .call(&GraphChild { node: handle, graph: reserved })?
        .read(|reply| Ok((reply.graph, reply.around)));
    let (graph, around) = found.inspect_err(|_| driver.graphs.release(reserved))?;
    if graph == reserved {
        let around = driver.graphs.get(around).ok_or(CUresult::INVALID_VALUE)?;
        driver.graphs.fill(reserved, Graph::inside_of(&around, reserved));
        around.keep_inside(vec![reserved]);
    } else {
        driver.graphs.release(reserved);
    }
    Ok(graph)
}

fn event_of(node: CUgraphNode, kind: i32) -> Result<CUevent, CUresult> {
    let handle = given(node, kind)?.object;
    driver()?
        .events
        .get(handle)
        .map(|event| CUevent(event.handle as usize))
        .ok_or(CUresult::INVALID_VALUE)
}

pub unsafe fn cuGraphEventRecordNodeGetEvent(node: CUgraphNode, out: *mut CUevent) -> CudaResult {
    // SAFETY: the program's place for a handle.
    unsafe { put(out, event_of(node, values::GRAPH_NODE_TYPE_EVENT_RECORD)?) }
}

pub unsafe fn cuGraphEventWaitNodeGetEvent(node: CUgraphNode, out: *mut CUevent) -> CudaResult {
    // SAFETY: the program's place for a handle.
    unsafe { put(out, event_of(node, values::GRAPH_NODE_TYPE_WAIT_EVENT)?) }
}

pub unsafe fn cuGraphNodeFindInClone(
    out: *mut CUgraphNode,
    original: CUgraphNode,
    clone: CUgraph,
) -> CudaResult {
    let message =
        GraphFindInClone { node: marshal::graph_node(original)?, graph: marshal::graph(clone)? };
    let found = target()?.call(&message)?.read(|r| Ok(r.node))?;
    // SAFETY: the program's place for a handle.
    unsafe { put(out, CUgraphNode(found as usize)) }
}
