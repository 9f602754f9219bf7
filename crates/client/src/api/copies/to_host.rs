//! Copies from the device to the program's memory. The worker sends the bytes unasked, before it
//! reports the copy as complete. Only a synchronous copy, or a copy to memory that is not pinned,
//! waits for them.

use crate::api::arguments::CudaResult;
use crate::api::copies::captured;
use crate::api::copies::on_device::{on_other_node, submit_on_device};
use crate::api::copies::route::{Direction, Route};
use crate::api::copies::segment_copies;
use crate::driver::managed::sync_after_wait;
use crate::driver::state::driver;
use crate::driver::submit::Pieces;
use crate::objects::copy_shape::{Extent, HostCopy, Mode};
use crate::objects::streams::stream::Stream;
use crate::session::bulk::copy_sizes::Cut;
use crate::session::outbox::Payload;
use outhaul_abi::types::*;
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{CopyToHost, CopyToHostByLanes};
use std::sync::Arc;

/// Copies rows from the device to the program's memory, over a suitable route. A synchronous copy,
/// or a copy to memory that is not pinned, is complete on return unless it is captured.
pub(in crate::api) fn to_host(copy: &HostCopy, stream: &Arc<Stream>) -> CudaResult {
    match Route::of(copy, Direction::ToHost, stream)? {
        Route::OtherNode(context) => on_other_node(context, stream, |stream| {
            to_host(&HostCopy { mode: Mode::Synchronous, ..*copy }, stream)
        }),
        Route::OnDevice => {
            submit_on_device(copy.host_on_device(), copy.device, copy.extent(), stream)
        }
        Route::Captured(graph) => captured::to_host(copy, graph, stream),
        Route::Segment(rows) => rows.to_host(copy, stream),
        Route::Lanes => by_lanes(copy, stream),
    }
}

/// Posts the copy, and receives the bytes over the session's lanes.
fn by_lanes(copy: &HostCopy, stream: &Arc<Stream>) -> CudaResult {
    let HostCopy { device, host, mode } = *copy;
    let driver = driver()?;
    let session = stream.target.session;
    let mut pieces = Pieces::begin(stream)?;
    // If the rows are contiguous on the device, the copy treats them as one row.
    let extent = copy.flat();
    let extent = if extent.is_dense_at(device.pitch) {
        Extent { width: extent.bytes(), rows: 1 }
    } else {
        extent
    };
    let is_long = extent.rows == 1 || extent.width > PIECE_BYTES;
    let is_bulk = is_long && !session.transfers.is_written_by_launches(&host);
    let cut = if is_bulk { session.bulk.cut(extent.width) } else { None };
    let (transfer, arrived) = match cut {
        Some(cut) => session.transfers.open_by_lanes(host, cut),
        None => session.transfers.open(host),
    };
    // The pages may be on another node. They must stay here from now on, because the thread that
    // writes incoming bytes must not wait for that node.
    driver.managed.bring(host.span());
    if driver.managed.is_shared_by_now(host.address as u64) {
        session.transfers.withdraw(transfer);
        submit_on_device(copy.host_on_device(), device, copy.extent(), stream)?;
        return segment_copies::wait_if_synchronous(stream, mode);
    }
    let posted = request(copy, extent, cut, transfer, &mut pieces);
    let sequence = posted.inspect_err(|_| session.transfers.withdraw(transfer))?;
    stream.remember_copy(sequence, &arrived);
    if mode == Mode::Asynchronous && driver.host.find(host.address as usize).is_some() {
        session.note_touching(sequence);
        return Ok(());
    }
    session.outbox.flush();
    arrived.wait().ok()?;
    // The bytes left the device after all earlier work in the stream.
    sync_after_wait::after_wait_for(stream, sequence)?;
    session.deferred.check()
}

/// Posts the commands that make the worker send the rows. Returns the last frame's number.
fn request(
    copy: &HostCopy,
    extent: Extent,
    cut: Option<Cut>,
    transfer: u64,
    pieces: &mut Pieces<'_>,
) -> Result<u64, CUresult> {
    let HostCopy { device, .. } = *copy;
    let mut one = |address: u64, extent: Extent, offset: usize| match cut {
        Some(cut) => request_bulk(address, extent.width, cut, (transfer, offset), pieces),
        None => {
            let message = CopyToHost {
                address,
                pitch_bytes: device.pitch as u64,
                width_bytes: extent.width as u64,
                rows: extent.rows as u64,
                stream: pieces.stream().handle,
                transfer,
                offset: offset as u64,
            };
            pieces.post(&message, Payload::None)
        }
    };
    if extent.rows == 1 || extent.width <= PIECE_BYTES {
        return one(device.address, extent, 0);
    }
    let row = Extent { width: extent.width, rows: 1 };
    (0..extent.rows)
        .try_fold(0, |_, i| one(device.address + (i * device.pitch) as u64, row, i * extent.width))
}

/// Posts the command that makes the worker send one row over the bulk lanes, to an offset in a
/// transfer.
fn request_bulk(
    address: u64,
    bytes: usize,
    Cut { lanes, piece_bytes }: Cut,
    (transfer, offset): (u64, usize),
    pieces: &mut Pieces<'_>,
) -> Result<u64, CUresult> {
    let stream = pieces.stream();
    let session = stream.target.session;
    session.bulk.start(session);
    let message = CopyToHostByLanes {
        address,
        bytes: bytes as u64,
        piece_bytes: piece_bytes as u64,
        lanes,
        may_pack: session.bulk.may_pack,
        stream: stream.handle,
        transfer,
        offset: offset as u64,
    };
    pieces.post(&message, Payload::None)
}
