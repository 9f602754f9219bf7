//! Queries node parameters, and replaces them by descriptions of any node type.

use std::sync::Arc;

use outhaul_abi::types::values::*;
use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, take};
use crate::driver::api::code::launch::{
    ATTRIBUTE_CLUSTER_DIMENSION, ATTRIBUTE_COOPERATIVE, cluster_of,
};
use crate::driver::api::graphs::graph_exec::find as find_exec;
use crate::driver::api::graphs::graph_node::{any, call_at, child, copy, host, kernel_like, set};
use crate::driver::lock;
use crate::driver::objects::graphs::task::Task;
use crate::driver::objects::memory::copy::CopySide;
use crate::driver::objects::memory::copy::Memory;
use crate::driver::objects::streams::event::Event;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

fn task_of(node: CUgraphNode) -> Result<Task> {
    let graph = driver()?.graph_of(node.0 as u64)?;
    lock(&graph).task(node.0 as u64).cloned()
}

pub unsafe fn cuGraphMemsetNodeGetParams(
    hNode: CUgraphNode,
    nodeParams: *mut CUDA_MEMSET_NODE_PARAMS,
) -> Result<()> {
    let Task::Fill(fill) = task_of(hNode)? else { return Err(Error::InvalidValue) };
    put(
        nodeParams,
        CUDA_MEMSET_NODE_PARAMS {
            dst: fill.address,
            pitch: fill.pitch as usize,
            value: fill.value,
            elementSize: fill.element_bytes as u32,
            width: fill.width as usize,
            height: fill.height as usize,
        },
    )
}

/// Returns a copy side in CUDA's form: kind, host address and device address.
fn described(side: &CopySide) -> (i32, usize, CUdeviceptr) {
    match side.memory {
        Memory::Host => (MEMORYTYPE_HOST, side.address as usize, 0),
        Memory::Device => (MEMORYTYPE_DEVICE, 0, side.address),
        Memory::Unified => (MEMORYTYPE_UNIFIED, 0, side.address),
    }
}

pub unsafe fn cuGraphMemcpyNodeGetParams(
    hNode: CUgraphNode,
    nodeParams: *mut CUDA_MEMCPY3D,
) -> Result<()> {
    let Task::Copy(found) = task_of(hNode)? else { return Err(Error::InvalidValue) };
    // SAFETY: all zeros are valid, because the struct consists of plain numbers and pointers.
    let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
    let (from_kind, from_host, from_device) = described(&found.from);
    let (to_kind, to_host, to_device) = described(&found.to);
    (copy.srcMemoryType, copy.srcHost, copy.srcDevice) =
        (from_kind, std::ptr::with_exposed_provenance(from_host), from_device);
    (copy.dstMemoryType, copy.dstHost, copy.dstDevice) =
        (to_kind, std::ptr::with_exposed_provenance_mut(to_host), to_device);
    (copy.srcPitch, copy.srcHeight) = (found.from.pitch as usize, found.from.height as usize);
    (copy.dstPitch, copy.dstHeight) = (found.to.pitch as usize, found.to.height as usize);
    (copy.WidthInBytes, copy.Height, copy.Depth) =
        (found.width as usize, found.height as usize, found.depth as usize);
    put(nodeParams, copy)
}

pub unsafe fn cuGraphMemcpyNodeSetParams(
    hNode: CUgraphNode,
    nodeParams: *const CUDA_MEMCPY3D,
) -> Result<()> {
    set(hNode, copy(nodeParams)?)
}

pub unsafe fn cuGraphExecMemcpyNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    copyParams: *const CUDA_MEMCPY3D,
    _ctx: CUcontext,
) -> Result<()> {
    find_exec(hGraphExec)?.set_task(hNode.0 as u64, copy(copyParams)?)
}

pub unsafe fn cuGraphExecChildGraphNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    childGraph: CUgraph,
) -> Result<()> {
    find_exec(hGraphExec)?.set_task(hNode.0 as u64, child(childGraph)?)
}

pub unsafe fn cuGraphHostNodeGetParams(
    hNode: CUgraphNode,
    nodeParams: *mut CUDA_HOST_NODE_PARAMS,
) -> Result<()> {
    let Task::Host(call) = task_of(hNode)? else { return Err(Error::InvalidValue) };
    let userData = std::ptr::with_exposed_provenance_mut(call.data as usize);
    put(nodeParams, CUDA_HOST_NODE_PARAMS { func: Some(call.function), userData })
}

pub unsafe fn cuGraphHostNodeSetParams(
    hNode: CUgraphNode,
    nodeParams: *const CUDA_HOST_NODE_PARAMS,
) -> Result<()> {
    set(hNode, host(nodeParams)?)
}

pub unsafe fn cuGraphExecHostNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: *const CUDA_HOST_NODE_PARAMS,
) -> Result<()> {
    find_exec(hGraphExec)?.set_task(hNode.0 as u64, host(nodeParams)?)
}

fn put_event(place: *mut CUevent, event: &Arc<Event>) -> Result<()> {
    let handle = driver()?.events.find(event).ok_or(Error::InvalidValue)?;
    put(place, CUevent(handle as usize))
}

pub unsafe fn cuGraphEventRecordNodeGetEvent(
    hNode: CUgraphNode,
    event_out: *mut CUevent,
) -> Result<()> {
    let Task::EventRecord(event) = task_of(hNode)? else { return Err(Error::InvalidValue) };
    put_event(event_out, &event)
}

pub unsafe fn cuGraphEventWaitNodeGetEvent(
    hNode: CUgraphNode,
    event_out: *mut CUevent,
) -> Result<()> {
    let Task::EventWait(event) = task_of(hNode)? else { return Err(Error::InvalidValue) };
    put_event(event_out, &event)
}

/// Returns the task for a node's new description. A kernel keeps its attributes.
fn replacement(old: &Task, params: *const CUgraphNodeParams) -> Result<Task> {
    match (old, take(params)?) {
        (Task::Kernel(old), params) if params.type_ == GRAPH_NODE_TYPE_KERNEL => {
            kernel_like(old, &take(params.words.as_ptr().cast())?)
        }
        _ => any(params),
    }
}

pub unsafe fn cuGraphNodeSetParams(
    hNode: CUgraphNode,
    nodeParams: *mut CUgraphNodeParams,
) -> Result<()> {
    set(hNode, replacement(&task_of(hNode)?, nodeParams.cast_const())?)
}

pub unsafe fn cuGraphExecNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: *mut CUgraphNodeParams,
) -> Result<()> {
    let exec = find_exec(hGraphExec)?;
    exec.set_task(
        hNode.0 as u64,
        replacement(&exec.task(hNode.0 as u64)?, nodeParams.cast_const())?,
    )
}

/// Sets an attribute. Only two attributes matter here: the cooperative flag and the clusters. All
/// others are hints.
pub unsafe fn cuGraphKernelNodeSetAttribute(
    hNode: CUgraphNode,
    attr: CUstreamAttrID,
    value: *const CUstreamAttrValue,
) -> Result<()> {
    let (call, value) = (call_at(hNode)?, take(value)?);
    let changed = match attr {
        ATTRIBUTE_COOPERATIVE => {
            call.with_attributes(value.value[0] as i32 != 0, call.shape.cluster)?
        }
        ATTRIBUTE_CLUSTER_DIMENSION => {
            call.with_attributes(call.shape.cooperative, Some(cluster_of(&value.value)))?
        }
        _ => return Ok(()),
    };
    set(hNode, Task::Kernel(Arc::new(changed)))
}

pub unsafe fn cuGraphKernelNodeGetAttribute(
    hNode: CUgraphNode,
    attr: CUstreamAttrID,
    value_out: *mut CUstreamAttrValue,
) -> Result<()> {
    let call = call_at(hNode)?;
    let [x, y, z] = call.shape.cluster.unwrap_or_default().map(u64::from);
    let (first, second) = match attr {
        ATTRIBUTE_COOPERATIVE => (u64::from(call.shape.cooperative), 0),
        ATTRIBUTE_CLUSTER_DIMENSION => (x | y << 32, z),
        _ => (0, 0),
    };
    put(value_out, CUstreamAttrValue { value: [first, second, 0, 0, 0, 0, 0, 0] })
}

pub unsafe fn cuGraphNodeFindInClone(
    phNode: *mut CUgraphNode,
    hOriginalNode: CUgraphNode,
    hClonedGraph: CUgraph,
) -> Result<()> {
    let graph = driver()?.graph(hClonedGraph.0 as u64)?;
    let found = lock(&graph).clone_of(hOriginalNode.0 as u64).ok_or(Error::InvalidValue)?;
    put(phNode, CUgraphNode(found as usize))
}

/// Copies the older description, which is the beginning of the newer one.
pub unsafe fn cuGraphKernelNodeGetParams(
    hNode: CUgraphNode,
    nodeParams: *mut CUDA_KERNEL_NODE_PARAMS_v1,
) -> Result<()> {
    let mut found = std::mem::MaybeUninit::<CUDA_KERNEL_NODE_PARAMS>::uninit();
    // SAFETY: the out-pointer is a local, which is initialised on success.
    unsafe {
        crate::driver::api::graphs::graph_node::cuGraphKernelNodeGetParams_v2(
            hNode,
            found.as_mut_ptr(),
        )?;
        put(nodeParams, found.as_ptr().cast::<CUDA_KERNEL_NODE_PARAMS_v1>().read())
    }
}
