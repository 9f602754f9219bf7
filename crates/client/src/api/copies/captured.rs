//! Copies in a graph that a stream captures. Their data moves at each launch, and the client
//! handles it in a callback.

use crate::api::arguments::CudaResult;
use crate::driver::state::driver;
use crate::driver::submit::submit;
use crate::objects::copy_shape::HostCopy;
use crate::objects::streams::stream::Stream;
use crate::session::callbacks::Callback;
use outhaul_wire::messages::CaptureCopy;
use std::sync::Arc;

/// Captures a copy from the program's memory to the device.
pub(super) fn to_device(copy: &HostCopy, graph: u64, stream: &Arc<Stream>) -> CudaResult {
    driver()?.note_in_client(graph);
    let callback = stream.target.session.callbacks.enter_persistent(Callback::Fetch(copy.host));
    capture(copy, callback, None, stream)
}

/// Captures a copy from the device to the program's memory.
pub(super) fn to_host(copy: &HostCopy, graph: u64, stream: &Arc<Stream>) -> CudaResult {
    driver()?.note_in_client(graph);
    let session = stream.target.session;
    let persistent = session.transfers.open_persistent(copy.host);
    let transfer = persistent.transfer;
    let store = Callback::Store { target: copy.host, _right: persistent };
    capture(copy, session.callbacks.enter_persistent(store), Some(transfer), stream)
}

/// Submits a captured copy. For a copy to the program's memory, `transfer` receives the data.
fn capture(
    copy: &HostCopy,
    callback: u64,
    transfer: Option<u64>,
    stream: &Arc<Stream>,
) -> CudaResult {
    let extent = copy.extent();
    let message = CaptureCopy {
        stream: stream.handle,
        callback,
        to_host: transfer.is_some(),
        transfer: transfer.unwrap_or(0),
        address: copy.device.address,
        pitch_bytes: copy.device.pitch as u64,
        width_bytes: extent.width as u64,
        rows: extent.rows as u64,
    };
    let withdraw = |_: &_| stream.target.session.callbacks.withdraw(callback);
    submit(stream, &message).inspect_err(withdraw).map(drop)
}
