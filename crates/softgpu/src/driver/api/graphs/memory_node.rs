//! Graph nodes that allocate and free memory, and a device's memory for graphs.

use std::ffi::c_void;
use std::sync::Arc;

use outhaul_abi::types::values::{MEM_ALLOCATION_TYPE_PINNED, MEM_LOCATION_TYPE_DEVICE};
use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, take};
use crate::driver::api::graphs::allocation::allocation;
use crate::driver::api::graphs::graph_node::add_after;
use crate::driver::lock;
use crate::driver::objects::graphs::memory::GraphAllocation;
use crate::driver::objects::graphs::task::Task;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

pub unsafe fn cuGraphAddMemAllocNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    nodeParams: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
) -> Result<()> {
    add_after(phGraphNode, hGraph, dependencies, numDependencies, || allocation(nodeParams))
}

pub unsafe fn cuGraphAddMemFreeNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    dptr: CUdeviceptr,
) -> Result<()> {
    add_after(phGraphNode, hGraph, dependencies, numDependencies, || {
        driver()?.free_in_graph(hGraph.0 as u64, dptr)
    })
}

fn task_at(node: CUgraphNode) -> Result<Task> {
    let graph = driver()?.graph_of(node.0 as u64)?;
    let graph = lock(&graph);
    graph.task(node.0 as u64).cloned()
}

fn describe(allocation: &Arc<GraphAllocation>) -> CUDA_MEM_ALLOC_NODE_PARAMS {
    // SAFETY: the struct consists of numbers and pointers, for which zero is a valid value.
    let mut params: CUDA_MEM_ALLOC_NODE_PARAMS = unsafe { std::mem::zeroed() };
    params.poolProps.allocType = MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location =
        CUmemLocation { type_: MEM_LOCATION_TYPE_DEVICE, id: allocation.device };
    (params.bytesize, params.dptr) = (allocation.bytes as usize, allocation.address);
    params
}

pub unsafe fn cuGraphMemAllocNodeGetParams(
    hNode: CUgraphNode,
    params_out: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
) -> Result<()> {
    match task_at(hNode)? {
        Task::Allocate(allocation) => put(params_out, describe(&allocation)),
        _ => Err(Error::InvalidValue),
    }
}

pub unsafe fn cuGraphMemFreeNodeGetParams(
    hNode: CUgraphNode,
    dptr_out: *mut CUdeviceptr,
) -> Result<()> {
    match task_at(hNode)? {
        Task::Free(allocation) => put(dptr_out, allocation.address),
        _ => Err(Error::InvalidValue),
    }
}

pub unsafe fn cuDeviceGetGraphMemAttribute(
    device: CUdevice,
    attr: CUgraphMem_attribute,
    value: *mut c_void,
) -> Result<()> {
    let driver = driver()?;
    let device = driver.device(device)?.ordinal;
    put(value.cast::<u64>(), driver.graph_memory.attribute(device, attr)?)
}

/// Resets a high-water mark. Rejects values other than 0.
pub unsafe fn cuDeviceSetGraphMemAttribute(
    device: CUdevice,
    attr: CUgraphMem_attribute,
    value: *mut c_void,
) -> Result<()> {
    let driver = driver()?;
    let device = driver.device(device)?.ordinal;
    if take(value.cast::<u64>().cast_const())? != 0 {
        return Err(Error::InvalidValue);
    }
    driver.graph_memory.reset_high(device, attr)
}

/// Checks the device and trims nothing, because all memory belongs to graphs.
pub unsafe fn cuDeviceGraphMemTrim(device: CUdevice) -> Result<()> {
    driver()?.device(device).map(drop)
}
