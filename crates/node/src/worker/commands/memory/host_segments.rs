//! Host segments: opening and closing them, and copies between them and the device.

use crate::worker::commands::copies::copy::{read_in_order, refuse_capture};
use crate::worker::commands::copies::host_to_host;
use crate::worker::commands::copies::host_to_host::HostMemory;
use crate::worker::copies::rows::{Rows, RowsSide, box_bytes, two_dimensional};
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use outhaul_wire::messages::{CopyFromSegment, CopyToSegment, HostSegmentClose, HostSegmentOpen};

fn outside(segment: u64, offset: u64, rows: u64, width: u64) -> Refusal {
    Refusal::Violation(format!("{rows} rows of {width} bytes at {offset} leave segment {segment}"))
}

impl Worker {
    /// Handles `CopyFromSegment`.
    pub fn copy_from_segment(&mut self, m: &CopyFromSegment) -> Result<(), Refusal> {
        let bytes = box_bytes(m.width_bytes, m.rows)?;
        let segment = self.segments.get(m.segment)?;
        let host = segment.rows(m.offset, m.host_pitch_bytes, m.width_bytes, m.rows);
        let host = host.ok_or_else(|| outside(m.segment, m.offset, m.rows, m.width_bytes))?;
        let stream = self.objects.stream(m.stream)?;
        refuse_capture(self, stream)?;
        let rows = Rows { address: m.address, pitch_bytes: m.pitch_bytes };
        if let Some(target) = self.host_rows(rows, m.width_bytes, m.rows) {
            let from = Rows { address: host as u64, pitch_bytes: m.host_pitch_bytes };
            let kept = vec![target, HostMemory::Segment(segment)];
            return Ok(host_to_host::post(
                self,
                stream,
                (rows, from),
                (m.width_bytes, m.rows),
                kept,
            )
            .ok()?);
        }
        read_in_order(self, m.stream, bytes)?;
        // SAFETY: the segment remains mapped until the device has completed this copy. The program
        // is responsible for the device address.
        let result = unsafe {
            if m.rows == 1 {
                self.driver.cuMemcpyHtoDAsync_v2(m.address, host, bytes as usize, stream)
            } else {
                let (from, to) = (
                    (RowsSide::Host(host), m.host_pitch_bytes),
                    (RowsSide::Device(m.address), m.pitch_bytes),
                );
                self.driver
                    .cuMemcpy2DAsync_v2(&two_dimensional(from, to, m.width_bytes, m.rows), stream)
            }
        };
        Ok(result.ok()?)
    }

    /// Copies to a segment. A completion that follows in the stream tells the client of the copy's
    /// end.
    pub fn copy_to_segment(&mut self, m: &CopyToSegment) -> Result<(), Refusal> {
        let bytes = box_bytes(m.width_bytes, m.rows)?;
        let segment = self.segments.get(m.segment)?;
        let host = segment.rows(m.offset, m.host_pitch_bytes, m.width_bytes, m.rows);
        let host = host.ok_or_else(|| outside(m.segment, m.offset, m.rows, m.width_bytes))?;
        let stream = self.objects.stream(m.stream)?;
        refuse_capture(self, stream)?;
        let rows = Rows { address: m.address, pitch_bytes: m.pitch_bytes };
        if let Some(source) = self.host_rows(rows, m.width_bytes, m.rows) {
            let to = Rows { address: host as u64, pitch_bytes: m.host_pitch_bytes };
            let kept = vec![source, HostMemory::Segment(segment)];
            return Ok(
                host_to_host::post(self, stream, (to, rows), (m.width_bytes, m.rows), kept).ok()?
            );
        }
        // SAFETY: the segment remains mapped until the device has completed this copy. The program
        // is responsible for the device address.
        let result = unsafe {
            if m.rows == 1 {
                self.driver.cuMemcpyDtoHAsync_v2(host, m.address, bytes as usize, stream)
            } else {
                let (from, to) = (
                    (RowsSide::Device(m.address), m.pitch_bytes),
                    (RowsSide::Host(host), m.host_pitch_bytes),
                );
                self.driver
                    .cuMemcpy2DAsync_v2(&two_dimensional(from, to, m.width_bytes, m.rows), stream)
            }
        };
        Ok(result.ok()?)
    }

    /// Handles `HostSegmentOpen`.
    pub fn host_segment_open(
        &mut self,
        m: &HostSegmentOpen,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        self.segments.open(m, self.context()?, ticket.clone())
    }

    /// Handles `HostSegmentClose`.
    pub fn host_segment_close(&mut self, m: &HostSegmentClose) -> Result<(), Refusal> {
        self.segments.close(m, self.contexts.values().copied().collect())
    }
}
