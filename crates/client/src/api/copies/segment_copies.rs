//! Copies between the device and pinned memory that the worker maps too: posts without a payload.
//! Only a synchronous copy waits for the device, as natively.

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

/// Rows in a segment.
pub(in crate::api) struct SegmentBox {
    segment: Arc<HostSegment>,
    offset: usize,
    pitch: usize,
}

/// Returns the program's rows as rows of a segment, if one contains all of them. First it waits for
/// data that is still to arrive there, since the device does not know of it.
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
    /// Whether sending the bytes is better: a small synchronous copy then need not wait for the
    /// device.
    pub fn is_better_sent(&self, extent: Extent, mode: Mode) -> bool {
        mode == Mode::Synchronous
            && extent.bytes() <= COPY_SIZES.copied_bytes_max
            && self.segment.is_up_to_date()
    }

    /// Copies to the device.
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

    /// Copies from the device.
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

/// Waits as the copy's mode asks.
fn end(copy: &HostCopy, stream: &Stream) -> CudaResult {
    if copy.mode == Mode::Asynchronous {
        stream.target.session.note_touching(stream.position());
    }
    wait_if_synchronous(stream, copy.mode)
}

/// Ends a synchronous copy: the program sees all earlier work of the stream.
pub(in crate::api) fn wait_if_synchronous(stream: &Stream, mode: Mode) -> CudaResult {
    if mode == Mode::Asynchronous {
        return Ok(());
    }
    let position = stream.position();
    stream.target.call(&StreamSynchronize { stream: stream.handle })?.ok()?;
    sync_after_wait::after_wait_for(stream, position)
}
