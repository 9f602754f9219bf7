//! Stream capture.

use crate::api::arguments::{CudaResult, put};
use crate::driver::state::driver;
use crate::driver::streams::resolve;
use crate::marshal;
use crate::objects::context_stack::call;
use crate::objects::graphs::captures::{Capture, Capturing};
use crate::objects::graphs::graph::{Graph, note_change};
use crate::session::capture_tracker::CaptureRole;
use outhaul_abi::types::*;
use outhaul_wire::codec::List;
use outhaul_wire::messages::{CaptureBegin, CaptureDepend, CaptureEnd};
use std::cell::{Cell, RefCell};

const MODE_LAST: CUstreamCaptureMode = values::STREAM_CAPTURE_MODE_RELAXED;

/// Dependencies of a capturing stream's next work: nodes of the capture's graph.
#[derive(Default)]
pub struct After<'a> {
    /// Handles of the nodes.
    nodes: Vec<u64>,
    /// Records of the edges from these nodes. Empty if no edge has data.
    edges: &'a [u8],
}

/// Reads a list of nodes, and a list of the edges from them. `edges` may be null. `nodes` may be
/// null if `count` is 0.
///
/// # Safety
/// If not null, `nodes` and `edges` are valid for reads of `count` entries, `edges` for `'a`.
pub unsafe fn after<'a>(
    nodes: *const CUgraphNode,
    edges: *const CUgraphEdgeData,
    count: usize,
) -> Result<After<'a>, CUresult> {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        Ok(After { nodes: marshal::nodes(nodes, count)?, edges: marshal::edges(edges, count) })
    }
}

/// Starts to capture a stream into a new graph.
pub fn begin(stream: CUstream, mode: CUstreamCaptureMode) -> CudaResult {
    capture(stream, None, After::default(), mode)
}

/// Starts to capture a stream into an existing graph, after some of its nodes.
pub fn begin_in(
    stream: CUstream,
    graph: CUgraph,
    after: After<'_>,
    mode: CUstreamCaptureMode,
) -> CudaResult {
    capture(stream, Some(graph), after, mode)
}

fn capture(
    handle: CUstream,
    into: Option<CUgraph>,
    after: After<'_>,
    mode: CUstreamCaptureMode,
) -> CudaResult {
    let driver = driver()?;
    let stream = resolve(handle)?;
    if !(0..=MODE_LAST).contains(&mode) {
        return Err(CUresult::INVALID_VALUE);
    }
    if stream.handle == 0 {
        return Err(CUresult::STREAM_CAPTURE_UNSUPPORTED);
    }
    if driver.captures.graph_of(&stream)?.is_some() {
        return Err(CUresult::ILLEGAL_STATE);
    }
    let graph = match into {
        Some(graph) => marshal::graph(graph)?,
        None => {
            driver
                .graphs
                .insert_on(stream.target.session.number, |handle| Graph::new(handle, false))?
                .handle
        }
    };
    let message = CaptureBegin {
        stream: stream.handle,
        graph,
        into: into.is_some(),
        dependencies: List(after.nodes),
        edges: after.edges,
    };
    // The capture is noted before it begins on the worker, so that other threads cannot invalidate
    // it.
    driver.captures.begin(
        stream.handle,
        Capture { graph, mode, thread: std::thread::current().id(), into: into.is_some() },
    );
    // The stream is noted before it is used again. If the capture does not begin, `end` undoes the
    // note.
    driver.captures.tracker.enter(stream.handle, graph);
    call(&message).and_then(|answer| answer.ok()).inspect_err(|_| {
        driver.captures.end(stream.handle);
        if into.is_none() {
            driver.graphs.remove(graph);
        }
    })
}

pub unsafe fn cuStreamEndCapture(handle: CUstream, out: *mut CUgraph) -> CudaResult {
    let driver = driver()?;
    let stream = resolve(handle)?;
    if !driver.captures.any() {
        return Err(CUresult::ILLEGAL_STATE);
    }
    if out.is_null() && !driver.captures.is_into(stream.handle) {
        return Err(CUresult::INVALID_VALUE);
    }
    if !driver.captures.may_end(stream.handle) {
        return Err(CUresult::STREAM_CAPTURE_WRONG_THREAD);
    }
    note_change();
    // An error of earlier work must not keep the capture from ending on the node.
    let before = stream.target.session.deferred.check();
    let ended = stream
        .target
        .call(&CaptureEnd { stream: stream.handle })
        .and_then(|answer| answer.ok())
        .and(before);
    // The end has reported what the capture's work could not.
    stream.target.session.deferred.take_invalidated();
    let capture = driver.captures.end(stream.handle);
    marshal::output(out, CUgraph::NULL);
    if ended.is_err()
        && let Some(capture) = &capture
        && !capture.into
    {
        driver.graphs.remove(capture.graph);
    }
    ended?;
    marshal::output(
        out,
        CUgraph(capture.ok_or(CUresult::STREAM_CAPTURE_UNMATCHED)?.graph as usize),
    );
    Ok(())
}

thread_local! {
    static MODE: Cell<CUstreamCaptureMode> = const { Cell::new(0) };
    /// Reply to the thread's last query about a capture. The program reads the lists in place until
    /// its next query.
    static ANSWER: RefCell<(Vec<usize>,
        Vec<CUgraphEdgeData>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

pub unsafe fn cuStreamGetCaptureInfo_v3(
    handle: CUstream,
    status: *mut CUstreamCaptureStatus,
    id: *mut u64,
    graph: *mut CUgraph,
    dependencies: *mut *const CUgraphNode,
    edges: *mut *const CUgraphEdgeData,
    count: *mut usize,
) -> CudaResult {
    let (driver, stream) = (driver()?, resolve(handle)?);
    let known = driver.captures.tracker.part(stream.handle);
    if let CaptureRole::In(into) = known
        && [dependencies.is_null(), edges.is_null(), count.is_null()] == [true; 3]
        && let Some(known_id) =
            if id.is_null() { Some(0) } else { driver.captures.tracker.id(into) }
    {
        marshal::output(id, known_id);
        marshal::output(graph, CUgraph(into as usize));
        // SAFETY: the program's out-pointer for a status.
        return unsafe { put(status, values::STREAM_CAPTURE_STATUS_ACTIVE) };
    }
    let found = driver.captures.of_stream(&stream)?;
    if let Some(found) = &found {
        driver.captures.tracker.note_id(found.graph, found.id);
    }
    let captures = found.is_some();
    let found: Capturing = found.unwrap_or_default();
    // SAFETY: the program's out-pointer for a status.
    unsafe { put(status, found.status)? };
    if !captures {
        return Ok(());
    }
    marshal::output(id, found.id);
    marshal::output(graph, CUgraph(found.graph as usize));
    marshal::output(count, found.dependencies.len());
    ANSWER.with_borrow_mut(|answer| {
        answer.0 = found.dependencies.iter().map(|node| *node as usize).collect();
        answer.1 = marshal::edge_list(&found.edges, found.dependencies.len());
        marshal::output(dependencies, answer.0.as_ptr().cast());
        // A null pointer means that no edge has data.
        let plain = answer.1.iter().all(|e| *e == CUgraphEdgeData::default());
        marshal::output(edges, if plain { std::ptr::null() } else { answer.1.as_ptr() });
    });
    Ok(())
}

/// Adds or replaces dependencies of a capturing stream's next work, as `flags` says.
pub fn depend(handle: CUstream, after: After<'_>, flags: u32) -> CudaResult {
    let driver = driver()?;
    let stream = resolve(handle)?;
    if !driver.captures.any() {
        return Err(CUresult::ILLEGAL_STATE);
    }
    let (dependencies, edges) = (List(after.nodes), after.edges);
    let message = CaptureDepend { stream: stream.handle, dependencies, edges, flags };
    call(&message).and_then(|answer| answer.ok())
}

/// Sets how the calling thread treats calls that are unsafe during a capture. The node
/// allows all such calls, so the client refuses them.
pub unsafe fn cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode) -> CudaResult {
    // SAFETY: the program guarantees that `mode` is null or valid for reads and writes.
    let Some(mode) = (unsafe { mode.as_mut() }) else { return Err(CUresult::INVALID_VALUE) };
    if !(0..=MODE_LAST).contains(mode) {
        return Err(CUresult::INVALID_VALUE);
    }
    *mode = MODE.replace(*mode);
    Ok(())
}

/// Refuses a call that is unsafe during a capture, if a capture forbids it to the calling thread.
/// Such a call also invalidates the capture.
pub fn check_thread() -> CudaResult {
    let Ok(driver) = driver() else { return Ok(()) };
    if !driver.captures.any() {
        return Ok(());
    }
    let forbidding = driver.captures.forbidding(MODE.get());
    for stream in forbidding.iter().filter_map(|stream| driver.streams.get(*stream)) {
        driver.captures.invalidate(&stream);
    }
    if forbidding.is_empty() { Ok(()) } else { Err(CUresult::STREAM_CAPTURE_UNSUPPORTED) }
}
