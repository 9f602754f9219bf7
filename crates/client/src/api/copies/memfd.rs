//! Copies between the device and pinned memory that the worker maps too: posts without a payload.
//! Only a synchronous copy waits for the device, as natively.

use crate::api::arguments::CudaResult;
use crate::driver::managed::wait;
use crate::driver::managed::work;
use crate::driver::state::Driver;
use crate::objects::context_stack;
use crate::objects::copy_shape::{DeviceBox, Extent, Mode};
use crate::objects::streams::stream::Stream;
use crate::session::bulk::copy_sizes::COPY_SIZES;
use crate::session::host_segment::HostSegment;
use outhaul_wire::messages::{CopyFromSegment, CopyToSegment, StreamSynchronize};
use std::sync::Arc;

/// Rows in a segment.
pub(in crate::api) struct SegmentBox {
    segment: Arc<HostSegment>,
    offset: usize,
    pitch: usize,
}

/// Returns the program's rows as rows of a segment, if one contains all of them. First it waits for
/// data that is still to arrive there, since the device does not know of it.
pub(in crate::api) fn find(
    driver: &Driver,
    host: usize,
    pitch: usize,
    extent: Extent,
) -> Option<SegmentBox> {
    let session = context_stack::target().ok()?.session;
    let region = driver.host.find(host)?;
    let segment = region.segment.filter(|segment| std::ptr::eq(segment.session, session))?;
    if host + extent.span(pitch) > region.start + region.bytes {
        return None;
    }
    driver.sessions.iter().for_each(|session| session.transfers.settle(host, extent.span(pitch)));
    Some(SegmentBox { offset: host - segment.address(), segment, pitch })
}

impl SegmentBox {
    /// Whether sending the bytes is better: a small synchronous copy then need not wait for the
    /// device.
    pub fn is_better_sent(&self, extent: Extent, mode: Mode) -> bool {
        mode == Mode::Synchronous
            && extent.bytes() <= COPY_SIZES.copied_bytes_max
            && self.segment.is_settled()
    }

    /// Copies to the device.
    pub fn to_device(
        &self,
        to: DeviceBox,
        extent: Extent,
        stream: &Stream,
        mode: Mode,
    ) -> CudaResult {
        work::before_work(stream);
        stream.target.post(&CopyFromSegment {
            segment: self.segment.number,
            offset: self.offset as u64,
            host_pitch_bytes: self.pitch as u64,
            address: to.address,
            pitch_bytes: to.pitch as u64,
            width_bytes: extent.width as u64,
            rows: extent.rows as u64,
            stream: stream.handle,
        })?;
        stream.note_posted();
        if mode == Mode::Asynchronous {
            stream.target.session.note_touching(stream.position());
        }
        settle(stream, mode)
    }

    /// Copies from the device.
    pub fn to_host(
        &self,
        from: DeviceBox,
        extent: Extent,
        stream: &Arc<Stream>,
        mode: Mode,
    ) -> CudaResult {
        work::before_work(stream);
        stream.target.post(&CopyToSegment {
            segment: self.segment.number,
            offset: self.offset as u64,
            host_pitch_bytes: self.pitch as u64,
            address: from.address,
            pitch_bytes: from.pitch as u64,
            width_bytes: extent.width as u64,
            rows: extent.rows as u64,
            stream: stream.handle,
        })?;
        stream.note_posted();
        if mode == Mode::Asynchronous {
            stream.target.session.note_touching(stream.position());
        }
        self.segment.note_written(stream);
        settle(stream, mode)
    }
}

/// Ends a synchronous copy: the program sees all earlier work of the stream.
pub(in crate::api) fn settle(stream: &Stream, mode: Mode) -> CudaResult {
    if mode == Mode::Asynchronous {
        return Ok(());
    }
    let position = stream.position();
    stream.target.call(&StreamSynchronize { stream: stream.handle })?.ok()?;
    wait::after_wait_for(stream, position)
}
