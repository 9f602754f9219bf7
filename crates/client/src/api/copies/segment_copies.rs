//! Copies between the device and pinned memory that the worker maps too. They are posts without a
//! payload. Only a synchronous copy waits for the device, as it does natively.

use crate::api::arguments::CudaResult;
use crate::driver::managed::sync_after_wait;
use crate::driver::state::Driver;
use crate::driver::submit::submit;
use crate::objects::context_stack;
use crate::objects::copy_shape::{Extent, HostCopy, Mode};
use crate::objects::streams::stream::Stream;
use crate::session::bulk::copy_sizes::COPY_SIZES;
use crate::session::bulk::transfer::HostBox;
use crate::session::host_segment::HostSegment;
use outhaul_wire::messages::{CopyFromSegment, CopyToSegment, StreamSynchronize};
use std::ops::Range;
use std::sync::Arc;

/// Rows in a host segment.
pub(in crate::api) struct SegmentBox {
    segment: Arc<HostSegment>,
    offset: usize,
    pitch: usize,
}

/// Returns the program's rows as rows of a host segment that contains all of them. First waits for
/// data in flight to the rows, because the device does not know of that data.
pub(in crate::api) fn find(driver: &Driver, rows: &HostBox) -> Option<SegmentBox> {
    let session = context_stack::target().ok()?.session;
    let Range { start, end } = rows.span();
    let region = driver.host.find(start)?;
    let segment = region.segment.filter(|segment| std::ptr::eq(segment.session, session))?;
    if end > region.start + region.bytes {
        return None;
    }
    driver
        .sessions
        .iter()
        .for_each(|session| session.transfers.wait_for_writes(start, end - start));
    Some(SegmentBox { offset: start - segment.address(), segment, pitch: rows.pitch_bytes })
}

impl SegmentBox {
    /// Returns whether the client should send the bytes instead. A small synchronous copy then need
    /// not wait for the device.
    pub fn is_better_sent(&self, extent: Extent, mode: Mode) -> bool {
        mode == Mode::Synchronous
            && extent.bytes() <= COPY_SIZES.copied_bytes_max
            && self.segment.is_up_to_date()
    }

    /// Copies from the segment to the device.
    pub fn to_device(&self, copy: &HostCopy, stream: &Arc<Stream>) -> CudaResult {
        let extent = copy.flat();
        let message = CopyFromSegment {
            segment: self.segment.number,
            offset: self.offset as u64,
            host_pitch_bytes: self.pitch as u64,
            address: copy.device.address,
            pitch_bytes: copy.device.pitch as u64,
            width_bytes: extent.width as u64,
            rows: extent.rows as u64,
            stream: stream.handle,
        };
        submit(stream, &message)?;
        end(copy, stream)
    }

    /// Copies from the device to the segment.
    pub fn to_host(&self, copy: &HostCopy, stream: &Arc<Stream>) -> CudaResult {
        let extent = copy.flat();
        let message = CopyToSegment {
            segment: self.segment.number,
            offset: self.offset as u64,
            host_pitch_bytes: self.pitch as u64,
            address: copy.device.address,
            pitch_bytes: copy.device.pitch as u64,
            width_bytes: extent.width as u64,
            rows: extent.rows as u64,
            stream: stream.handle,
        };
        submit(stream, &message)?;
        self.segment.note_written(stream);
        end(copy, stream)
    }
}

/// Waits if the copy is synchronous, otherwise notes that the copy uses the program's memory.
fn end(copy: &HostCopy, stream: &Stream) -> CudaResult {
    if copy.mode == Mode::Asynchronous {
        stream.target.session.note_touching(stream.position());
    }
    wait_if_synchronous(stream, copy.mode)
}

/// Completes a synchronous copy: waits until the program sees all earlier work of the stream.
pub(in crate::api) fn wait_if_synchronous(stream: &Stream, mode: Mode) -> CudaResult {
    if mode == Mode::Asynchronous {
        return Ok(());
    }
    let position = stream.position();
    stream.target.call(&StreamSynchronize { stream: stream.handle })?.ok()?;
    sync_after_wait::after_wait_for(stream, position)
}
