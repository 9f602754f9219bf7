//! Copies to the device. A copy is a post, and returns once its bytes are queued. A synchronous
//! copy also waits for the device if other work could otherwise miss it.

use crate::api::arguments::CudaResult;
use crate::api::copies::captured;
use crate::api::copies::host_rows::{note_named, wait_for_earlier_writes};
use crate::api::copies::on_device::{on_other_node, submit_on_device};
use crate::api::copies::route::{Direction, Route};
use crate::api::copies::segment_copies;
use crate::driver::state::{Driver, driver};
use crate::driver::submit::Pieces;
use crate::managed::registry;
use crate::objects::copy_shape::{Extent, HostCopy, Mode};
use crate::objects::streams::stream::Stream;
use crate::objects::streams::sync_copy_policy;
use crate::objects::streams::sync_copy_policy::Care;
use crate::session::bulk::copy_sizes::{COPY_SIZES, Cut};
use crate::session::bulk::transfer::HostBox;
use crate::session::host_segment;
use crate::session::outbox::{Payload, Sent};
use outhaul_abi::types::*;
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{CopyToDevice, CopyToDeviceByLanes, StreamGoesFirst};
use std::sync::Arc;

/// Copies rows from the program's memory to the device, over a suitable route. Fails if the rows on
/// the device exceed their allocation.
pub(in crate::api) fn to_device(copy: &HostCopy, stream: &Arc<Stream>) -> CudaResult {
    match Route::of(copy, Direction::ToDevice, stream)? {
        Route::OtherNode(context) => {
            return on_other_node(context, stream, |stream| {
                to_device(&HostCopy { mode: Mode::Synchronous, ..*copy }, stream)?;
                segment_copies::wait_if_synchronous(stream, Mode::Synchronous)
            });
        }
        Route::OnDevice => {
            submit_on_device(copy.device, copy.host_on_device(), copy.extent(), stream)?;
        }
        Route::Captured(graph) => captured::to_device(copy, graph, stream)?,
        Route::Segment(rows) => rows.to_device(copy, stream)?,
        Route::Lanes => by_lanes(copy, stream)?,
    }
    // The program may read shared memory directly after a synchronous copy.
    if registry::in_use() { segment_copies::wait_if_synchronous(stream, copy.mode) } else { Ok(()) }
}

/// Completes a synchronous copy from the host. On return the copy is complete, and so is its
/// stream's earlier work. Then streams that do not wait for this stream see the bytes, and the
/// program sees the results of earlier copies. If nothing can notice the difference, the function
/// does not wait.
pub(in crate::api) fn arrive(default_stream: CUstream, stream: &Stream, mode: Mode) -> CudaResult {
    if mode == Mode::Asynchronous || stream.is_completed(stream.position()) {
        return Ok(());
    }
    let driver = driver()?;
    match sync_copy_policy::care(default_stream, driver.sessions.len()) {
        Care::None if !may_show_here(stream) => Ok(()),
        Care::GoesFirst if !may_show_here(stream) && !driver.captures.any() => {
            stream.target.post(&StreamGoesFirst { stream: stream.handle })
        }
        _ => segment_copies::wait_if_synchronous(stream, mode),
    }
}

/// Returns whether the stream's work, as copies or kernels, may still read or write the program's
/// memory.
pub(in crate::api) fn may_show_here(stream: &Stream) -> bool {
    host_segment::is_any_reached() || !stream.is_completed(stream.target.session.touching())
}

/// Sends the bytes over the session's lanes, in pieces that suit the rows.
fn by_lanes(copy: &HostCopy, stream: &Arc<Stream>) -> CudaResult {
    let HostCopy { device, host, mode } = *copy;
    let driver = driver()?;
    wait_for_earlier_writes(driver, &host);
    // SAFETY: the program guarantees that the rows are valid for reads; earlier writes to them are
    // complete.
    unsafe { note_named(device, &host) };
    let mut sender = Sender { driver, stream, pieces: Pieces::begin(stream)? };
    let extent = copy.flat();
    if extent.rows == 1 {
        sender.row(device.address, host.address, extent.width, mode)?;
    } else if extent.is_dense_at(device.pitch)
        && let Some(cut) = stream.target.session.bulk.cut(extent.bytes())
    {
        let sent = sender.bulk(device.address, host, cut)?;
        sender.await_reading(host.address, sent, mode);
    } else if extent.width > PIECE_BYTES {
        for row in 0..extent.rows {
            // SAFETY: the program guarantees that its box is valid for reads, and this is one of
            // its rows.
            let source = unsafe { host.address.add(row * host.pitch_bytes) };
            let target = device.address + (row * device.pitch) as u64;
            sender.row(target, source, extent.width, Mode::Synchronous)?;
        }
    } else {
        sender.packed(copy, extent)?;
    }
    sender.pieces.end()
}

struct Sender<'s> {
    driver: &'static Driver,
    stream: &'s Arc<Stream>,
    pieces: Pieces<'s>,
}

impl Sender<'_> {
    /// Sends one row. Copies a short row into the message, and sends a long one in pieces that
    /// borrow the program's memory.
    fn row(&mut self, address: u64, host: *const u8, bytes: usize, mode: Mode) -> CudaResult {
        let stream = self.stream.handle;
        let piece = |address, width: usize| CopyToDevice {
            address,
            pitch_bytes: width as u64,
            width_bytes: width as u64,
            rows: 1,
            stream,
        };
        if bytes <= COPY_SIZES.copied_bytes_max {
            // SAFETY: the program guarantees that `host` is valid for reads of `bytes` bytes.
            let bytes = unsafe { std::slice::from_raw_parts(host, bytes) };
            let message = piece(address, bytes.len());
            return self.pieces.post(&message, Payload::Copied(bytes)).map(drop);
        }
        let sent = match self.stream.target.session.bulk.cut(bytes) {
            Some(cut) => self.bulk(address, HostBox::row(host.cast_mut(), bytes), cut)?,
            None => {
                let sent = Arc::new(Sent::of(bytes.div_ceil(PIECE_BYTES)));
                for start in (0..bytes).step_by(PIECE_BYTES) {
                    let count = PIECE_BYTES.min(bytes - start);
                    let payload = Payload::Borrowed {
                        // SAFETY: `start` is less than `bytes`.
                        address: unsafe { host.add(start) },
                        bytes: count,
                        sent: sent.clone(),
                    };
                    self.pieces.post(&piece(address + start as u64, count), payload)?;
                }
                sent
            }
        };
        self.await_reading(host, sent, mode);
        Ok(())
    }

    /// Blocks until the lanes have read the bytes, except for an asynchronous copy from pinned
    /// memory. Such memory may be read after the call has returned.
    fn await_reading(&self, host: *const u8, sent: Arc<Sent>, mode: Mode) {
        match self.driver.host.find(host as usize) {
            Some(region) if mode == Mode::Asynchronous => {
                let session = self.stream.target.session;
                region.note_reading(sent);
                session.note_touching(session.outbox.last());
            }
            _ => sent.wait(),
        }
    }

    /// Sends the bytes over the bulk lanes to contiguous device memory. The command itself keeps
    /// its place among other commands.
    fn bulk(&mut self, address: u64, source: HostBox, cut: Cut) -> Result<Arc<Sent>, CUresult> {
        let Sender { driver, stream, .. } = *self;
        let session = stream.target.session;
        session.bulk.start(session);
        let sent = Arc::new(Sent::of(source.bytes().div_ceil(cut.piece_bytes as u64) as usize));
        let copy = driver.next_id();
        let (bytes, piece_bytes, lanes) = (source.bytes(), cut.piece_bytes as u64, cut.lanes);
        let message =
            CopyToDeviceByLanes { address, bytes, piece_bytes, lanes, stream: stream.handle, copy };
        let queue = || session.bulk.send(copy, source, cut, &sent);
        self.pieces.post(&message, Payload::Bulk(&queue))?;
        Ok(sent)
    }

    /// Sends rows that are shorter than a piece, several in each piece.
    fn packed(&mut self, copy: &HostCopy, extent: Extent) -> CudaResult {
        let HostCopy { device, host, .. } = *copy;
        let rows_per_piece = PIECE_BYTES / extent.width;
        for first in (0..extent.rows).step_by(rows_per_piece) {
            let rows = rows_per_piece.min(extent.rows - first);
            let message = CopyToDevice {
                address: device.address + (first * device.pitch) as u64,
                pitch_bytes: device.pitch as u64,
                width_bytes: extent.width as u64,
                rows: rows as u64,
                stream: self.stream.handle,
            };
            let pack = |place: &mut [u8]| {
                for (row, place) in place.chunks_exact_mut(extent.width).enumerate() {
                    // SAFETY: the program guarantees that its box is valid for reads, and this is
                    // one of its rows.
                    let source = unsafe {
                        std::slice::from_raw_parts(
                            host.address.add((first + row) * host.pitch_bytes),
                            extent.width,
                        )
                    };
                    place.copy_from_slice(source);
                }
            };
            let payload = Payload::Packed(rows * extent.width, &pack);
            self.pieces.post(&message, payload)?;
        }
        Ok(())
    }
}
