//! Executable graphs: instantiation, launch and update.

use std::ffi::c_char;
use std::sync::Arc;

use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, put_if, put_text, take};
use crate::driver::objects::graphs::graph_exec::GraphExec;
use crate::driver::objects::graphs::plan::Refusal;
use crate::driver::objects::memory::overhead::{GRAPH_NODE_BYTES, Owner};
use crate::driver::state::{Driver, driver};
use crate::driver::system::error::{Error, Result};

/// Flags `CUDA_GRAPH_INSTANTIATE_FLAG_*`: free on launch, upload,
/// device launch (not supported), node priorities (hints).
const FLAG_UPLOAD: u64 = 2;
const FLAG_DEVICE_LAUNCH: u64 = 4;
const FLAGS_KNOWN: u64 = 0xf;

/// Returns the executable graph with the given handle. Fails with INVALID_VALUE if the handle is
/// unknown.
pub(in crate::driver::api) fn find(exec: CUgraphExec) -> Result<Arc<GraphExec>> {
    driver()?.graph_execs.get(exec.0 as u64).ok_or(Error::InvalidValue)
}

/// Instantiates a graph. The outer error is the call's; the inner error says why the graph cannot
/// run.
fn instantiate(
    place: *mut CUgraphExec,
    graph: CUgraph,
    flags: u64,
) -> Result<std::result::Result<(), Refusal>> {
    let driver = driver()?;
    let graph = driver.copy_of_graph(graph.0 as u64)?;
    if place.is_null() || flags & !FLAGS_KNOWN != 0 {
        return Err(Error::InvalidValue);
    }
    if flags & FLAG_DEVICE_LAUNCH != 0 {
        return Err(Error::NotSupported);
    }
    match GraphExec::new(&graph, flags) {
        Ok(exec) => {
            let exec = driver.graph_execs.insert(exec);
            take_memory(driver, exec, graph.node_count()).inspect_err(|_| {
                driver.graph_execs.remove(exec);
            })?;
            put(place, CUgraphExec(exec as usize)).map(Ok)
        }
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// Takes the memory of an executable graph on the current context's device, if there is one.
fn take_memory(driver: &Driver, exec: u64, nodes: usize) -> Result<()> {
    let Ok(context) = driver.current() else { return Ok(()) };
    let bytes = nodes as u64 * GRAPH_NODE_BYTES;
    driver.overheads.take(Owner::Graph(exec), driver.heap(context.device)?, 0, bytes)
}

/// Reports the node that prevents a graph from running, and returns the call's error.
fn refused(refusal: &Refusal, error_node: *mut CUgraphNode) -> Error {
    put_if(error_node, CUgraphNode(refusal.node as usize));
    Error::InvalidValue
}

pub unsafe fn cuGraphInstantiate_v2(
    phGraphExec: *mut CUgraphExec,
    hGraph: CUgraph,
    phErrorNode: *mut CUgraphNode,
    logBuffer: *mut c_char,
    bufferSize: usize,
) -> Result<()> {
    put_if(phErrorNode, CUgraphNode::NULL);
    let outcome = instantiate(phGraphExec, hGraph, 0)?;
    let line = outcome.as_ref().map_or_else(|_| "the graph has a cycle", |()| "");
    if !logBuffer.is_null() && bufferSize > 0 {
        put_text(logBuffer, i32::try_from(bufferSize).unwrap_or(i32::MAX), line)?;
    }
    outcome.map_err(|refusal| refused(&refusal, phErrorNode))
}

pub unsafe fn cuGraphInstantiateWithFlags(
    phGraphExec: *mut CUgraphExec,
    hGraph: CUgraph,
    flags: u64,
) -> Result<()> {
    if flags & FLAG_UPLOAD != 0 {
        return Err(Error::InvalidValue);
    }
    instantiate(phGraphExec, hGraph, flags)?
        .map_err(|refusal| refused(&refusal, std::ptr::null_mut()))
}

pub unsafe fn cuGraphInstantiateWithParams(
    phGraphExec: *mut CUgraphExec,
    hGraph: CUgraph,
    instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
    default_stream: CUstream,
) -> Result<()> {
    let mut params = take(instantiateParams.cast_const())?;
    if params.flags & FLAG_UPLOAD != 0 {
        driver()?.stream(
            if params.hUploadStream.is_null() { default_stream } else { params.hUploadStream }.0
                as u64,
        )?;
    }
    let outcome = instantiate(phGraphExec, hGraph, params.flags)?;
    let found = outcome.as_ref().err().unwrap_or(&Refusal::NONE);
    (params.result_out, params.hErrNode_out) = (found.result, CUgraphNode(found.node as usize));
    put(instantiateParams, params)?;
    outcome.map_err(|_| Error::InvalidValue)
}

/// Destroys an executable graph. Launches that have begun still run to completion.
pub unsafe fn cuGraphExecDestroy(hGraphExec: CUgraphExec) -> Result<()> {
    let driver = driver()?;
    let exec = driver.graph_execs.remove(hGraphExec.0 as u64).ok_or(Error::InvalidValue)?;
    driver.overheads.give_back(Owner::Graph(hGraphExec.0 as u64));
    if exec.is_under_way()
        && let Ok(context) = driver.current()
    {
        context.empty_as_nvidias();
    }
    Ok(())
}

pub unsafe fn cuGraphExecGetFlags(hGraphExec: CUgraphExec, flags: *mut u64) -> Result<()> {
    put(flags, find(hGraphExec)?.flags)
}

pub unsafe fn cuGraphExecUpdate_v2(
    hGraphExec: CUgraphExec,
    hGraph: CUgraph,
    resultInfo: *mut CUgraphExecUpdateResultInfo,
) -> Result<()> {
    let exec = find(hGraphExec)?;
    let outcome = exec.update(&driver()?.copy_of_graph(hGraph.0 as u64)?);
    let found = outcome.as_ref().err().unwrap_or(&Refusal::NONE);
    put(
        resultInfo,
        CUgraphExecUpdateResultInfo {
            result: found.result,
            errorNode: CUgraphNode(found.node as usize),
            errorFromNode: CUgraphNode(found.from as usize),
        },
    )?;
    outcome.map_err(|_| Error::GraphExecUpdateFailure)
}

pub unsafe fn cuGraphNodeSetEnabled(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    isEnabled: u32,
) -> Result<()> {
    find(hGraphExec)?.set_enabled(hNode.0 as u64, isEnabled != 0)
}

pub unsafe fn cuGraphNodeGetEnabled(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    isEnabled: *mut u32,
) -> Result<()> {
    put(isEnabled, u32::from(find(hGraphExec)?.is_enabled(hNode.0 as u64)?))
}

pub unsafe fn cuGraphLaunch(hGraph: CUgraphExec, hStream: CUstream) -> Result<()> {
    let (driver, exec) = (driver()?, find(hGraph)?);
    exec.launch(driver, &*driver.stream(hStream.0 as u64)?)
}

/// Checks its arguments and uploads nothing, because graphs have no device-side copy here.
pub unsafe fn cuGraphUpload(hGraph: CUgraphExec, hStream: CUstream) -> Result<()> {
    find(hGraph)?;
    driver()?.stream(hStream.0 as u64)?.refuse_capture()
}
