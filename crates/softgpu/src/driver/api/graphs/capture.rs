//! Stream capture functions of the driver API.

use std::sync::Arc;

use outhaul_abi::types::values::{
    STREAM_ADD_CAPTURE_DEPENDENCIES, STREAM_SET_CAPTURE_DEPENDENCIES,
};
use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, put_if, take};
use crate::driver::api::graphs::graph::dependencies;
use crate::driver::objects::streams::capture;
use crate::driver::objects::streams::capture::{Capture, Info, Mode};
use crate::driver::objects::streams::stream::Stream;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

fn find(stream: CUstream) -> Result<Arc<Stream>> {
    driver()?.stream(stream.0 as u64)
}

fn capture_of(stream: &Stream) -> Result<Arc<Capture>> {
    stream.capture().ok_or(Error::IllegalState)
}

pub unsafe fn cuStreamBeginCapture_v2(hStream: CUstream, mode: CUstreamCaptureMode) -> Result<()> {
    Capture::begin(driver()?, &*find(hStream)?, Mode::from_number(mode)?, None, Vec::new())
}

pub unsafe fn cuStreamBeginCapture(hStream: CUstream) -> Result<()> {
    Capture::begin(driver()?, &*find(hStream)?, Mode::Global, None, Vec::new())
}

pub unsafe fn cuStreamBeginCaptureToGraph(
    hStream: CUstream,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    dependencyData: *const CUgraphEdgeData,
    numDependencies: usize,
    mode: CUstreamCaptureMode,
) -> Result<()> {
    let (driver, stream, mode) = (driver()?, find(hStream)?, Mode::from_number(mode)?);
    let graph = driver.graph(hGraph.0 as u64)?;
    let tips = self::dependencies(dependencies, dependencyData, numDependencies)?;
    if tips.iter().any(|tip| crate::driver::lock(&graph).task(tip.node).is_err()) {
        return Err(Error::InvalidValue);
    }
    Capture::begin(driver, &stream, mode, Some(hGraph.0 as u64), tips)
}

pub unsafe fn cuStreamEndCapture(hStream: CUstream, phGraph: *mut CUgraph) -> Result<()> {
    let (driver, stream) = (driver()?, find(hStream)?);
    let capture = capture_of(&stream)?;
    // A program that passed its own graph already has the graph's handle.
    if phGraph.is_null() && !capture.owns_graph {
        return capture.end(driver, &stream).map(drop);
    }
    put(phGraph, CUgraph::NULL)?;
    put(phGraph, CUgraph(capture.end(driver, &stream)? as usize))
}

fn info(stream: CUstream) -> Result<Info> {
    let stream = find(stream)?;
    if stream.is_legacy() {
        capture::ask_legacy(stream.context()?.handle)?;
    }
    Ok(stream.capture().map_or(Info::NONE, |capture| capture.info(stream.id)))
}

pub unsafe fn cuStreamIsCapturing(
    hStream: CUstream,
    captureStatus: *mut CUstreamCaptureStatus,
) -> Result<()> {
    put(captureStatus, info(hStream)?.status)
}

pub unsafe fn cuStreamGetCaptureInfo(
    hStream: CUstream,
    captureStatus_out: *mut CUstreamCaptureStatus,
    id_out: *mut u64,
) -> Result<()> {
    let info = info(hStream)?;
    put_if(id_out, info.id);
    put(captureStatus_out, info.status)
}

pub unsafe fn cuStreamGetCaptureInfo_v2(
    hStream: CUstream,
    captureStatus_out: *mut CUstreamCaptureStatus,
    id_out: *mut u64,
    graph_out: *mut CUgraph,
    dependencies_out: *mut *const CUgraphNode,
    numDependencies_out: *mut usize,
) -> Result<()> {
    let none = std::ptr::null_mut();
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        cuStreamGetCaptureInfo_v3(
            hStream,
            captureStatus_out,
            id_out,
            graph_out,
            dependencies_out,
            none,
            numDependencies_out,
        )
    }
}

/// Returns arrays that remain valid until the program queries the stream again.
pub unsafe fn cuStreamGetCaptureInfo_v3(
    hStream: CUstream,
    captureStatus_out: *mut CUstreamCaptureStatus,
    id_out: *mut u64,
    graph_out: *mut CUgraph,
    dependencies_out: *mut *const CUgraphNode,
    edgeData_out: *mut *const CUgraphEdgeData,
    numDependencies_out: *mut usize,
) -> Result<()> {
    let info = info(hStream)?;
    if !info.plain && edgeData_out.is_null() && !dependencies_out.is_null() {
        return Err(Error::LossyQuery);
    }
    put_if(id_out, info.id);
    put_if(graph_out, CUgraph(info.graph as usize));
    put_if(dependencies_out, info.nodes);
    put_if(edgeData_out, info.data);
    put_if(numDependencies_out, info.count);
    put(captureStatus_out, info.status)
}

pub unsafe fn cuStreamUpdateCaptureDependencies(
    hStream: CUstream,
    dependencies: *mut CUgraphNode,
    numDependencies: usize,
    flags: u32,
) -> Result<()> {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        cuStreamUpdateCaptureDependencies_v2(
            hStream,
            dependencies,
            std::ptr::null(),
            numDependencies,
            flags,
        )
    }
}

pub unsafe fn cuStreamUpdateCaptureDependencies_v2(
    hStream: CUstream,
    dependencies: *mut CUgraphNode,
    dependencyData: *const CUgraphEdgeData,
    numDependencies: usize,
    flags: u32,
) -> Result<()> {
    let (driver, stream) = (driver()?, find(hStream)?);
    let replace = match flags {
        STREAM_ADD_CAPTURE_DEPENDENCIES => false,
        STREAM_SET_CAPTURE_DEPENDENCIES => true,
        _ => return Err(Error::InvalidValue),
    };
    let tips = self::dependencies(dependencies.cast_const(), dependencyData, numDependencies)?;
    capture_of(&stream)?.depend(driver, &stream, &tips, replace)
}

pub unsafe fn cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode) -> Result<()> {
    driver()?;
    let wanted = Mode::from_number(take(mode.cast_const())?)?;
    put(mode, capture::exchange_thread_mode(wanted).number())
}
