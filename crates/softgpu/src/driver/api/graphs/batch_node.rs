//! Graph nodes that perform memory operations.

use outhaul_abi::types::*;

use crate::driver::api::arguments::put;
use crate::driver::api::graphs::graph_exec::find as find_exec;
use crate::driver::api::graphs::graph_node::set;
use crate::driver::api::stream_memory::batch;
use crate::driver::lock;
use crate::driver::objects::graphs::task::Task;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

pub unsafe fn cuGraphAddBatchMemOpNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
) -> Result<()> {
    crate::driver::api::graphs::graph_node::add_after(
        phGraphNode,
        hGraph,
        dependencies,
        numDependencies,
        || batch(nodeParams),
    )
}

pub unsafe fn cuGraphBatchMemOpNodeGetParams(
    hNode: CUgraphNode,
    nodeParams_out: *mut CUDA_BATCH_MEM_OP_NODE_PARAMS,
) -> Result<()> {
    let driver = driver()?;
    let graph = driver.graph_of(hNode.0 as u64)?;
    let Task::Batch(found) = lock(&graph).task(hNode.0 as u64)?.clone() else {
        return Err(Error::InvalidValue);
    };
    let (ctx, count) = (CUcontext(driver.slot(0)?.handle as usize), found.described.len() as u32);
    // The node keeps the list alive until its parameters are replaced.
    let paramArray = found.described.as_ptr().cast_mut();
    put(nodeParams_out, CUDA_BATCH_MEM_OP_NODE_PARAMS { ctx, count, paramArray, flags: 0 })
}

pub unsafe fn cuGraphBatchMemOpNodeSetParams(
    hNode: CUgraphNode,
    nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
) -> Result<()> {
    set(hNode, batch(nodeParams)?)
}

pub unsafe fn cuGraphExecBatchMemOpNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
) -> Result<()> {
    find_exec(hGraphExec)?.set_task(hNode.0 as u64, batch(nodeParams)?)
}
