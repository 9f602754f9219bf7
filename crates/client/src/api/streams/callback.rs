//! Host functions in streams.

use crate::api::arguments::CudaResult;
use crate::driver::state::{Driver, driver};
use crate::driver::streams::resolve;
use crate::driver::submit::submit;
use crate::objects::streams::stream::Stream;
use crate::session::callbacks::Callback;
use outhaul_abi::types::*;
use outhaul_wire::messages::HostCallback;
use std::ffi::c_void;
use std::sync::Arc;

fn enter(stream: CUstream, callback: Callback) -> CudaResult {
    let stream = resolve(stream)?;
    let callbacks = &stream.target.session.callbacks;
    let driver = driver()?;
    match driver.captures.graph_of(&stream)? {
        Some(graph) => capture(driver, &stream, graph, callback),
        None => post(&stream, callbacks.enter(callback)),
    }
}

/// Adds a callback to the graph into which the stream captures.
pub(in crate::api) fn capture(
    driver: &Driver,
    stream: &Arc<Stream>,
    graph: u64,
    callback: Callback,
) -> CudaResult {
    driver.note_in_client(graph);
    post(stream, stream.target.session.callbacks.enter_persistent(callback))
}

fn post(stream: &Arc<Stream>, id: u64) -> CudaResult {
    let posted = submit(stream, &HostCallback { callback: id, stream: stream.handle });
    posted.inspect_err(|_| stream.target.session.callbacks.withdraw(id)).map(drop)
}

/// Enqueues a call of a host function in a stream.
pub fn launch(stream: CUstream, function: CUhostFn, data: *mut c_void) -> CudaResult {
    enter(stream, Callback::Host { function: function.ok_or(CUresult::INVALID_VALUE)?, data })
}

/// Enqueues a call as `launch` does, but of a function that also receives the stream and its
/// status.
pub fn add(
    stream: CUstream,
    function: CUstreamCallback,
    data: *mut c_void,
    flags: u32,
) -> CudaResult {
    if flags != 0 || function.is_none() {
        return Err(CUresult::INVALID_VALUE);
    }
    enter(stream, Callback::Stream { function, stream, data })
}
