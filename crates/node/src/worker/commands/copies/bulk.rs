//! Large copies, whose bytes use the bulk lanes.

use super::copy::{StagedPiece, refuse_capture, report, to_client};
use super::host_to_host;
use crate::worker::copies::bulk::{Buffer, Inlet};
use crate::worker::io::frame::Refusal;
use crate::worker::state::Worker;
use outhaul_abi::types::*;
use outhaul_wire::limits::{BULK_PIECE_BYTES_MIN, PIECE_BYTES};
use outhaul_wire::messages::{CopyToDeviceByLanes, CopyToHostByLanes};
use std::ffi::c_void;

/// Returns a copy's pieces, each with its lane, offset and size.
fn pieces(
    worker: &Worker,
    bytes: u64,
    piece_bytes: u64,
    lanes: u16,
) -> Result<impl Iterator<Item = (usize, u64, usize)> + use<>, Refusal> {
    let (lanes, open) = (usize::from(lanes), worker.bulk.count());
    if !(1..=open).contains(&lanes)
        || bytes == 0
        || !(BULK_PIECE_BYTES_MIN..=PIECE_BYTES as u64).contains(&piece_bytes)
    {
        return Err(Refusal::Violation(format!(
            "{bytes} bytes in pieces of {piece_bytes} over {lanes} of {open} lanes"
        )));
    }
    let piece = move |i: u64| {
        (
            (i % lanes as u64) as usize,
            i * piece_bytes,
            piece_bytes.min(bytes - i * piece_bytes) as usize,
        )
    };
    Ok((0..bytes.div_ceil(piece_bytes)).map(piece))
}

impl Worker {
    /// Handles `CopyToDeviceByLanes`.
    pub fn copy_to_device_by_lanes(&mut self, m: &CopyToDeviceByLanes) -> Result<(), Refusal> {
        let pieces = pieces(self, m.bytes, m.piece_bytes, m.lanes)?;
        let staging = self.carrier.staging.clone();
        self.bulk.start(&staging, &self.carrier.outbound);
        let mut result = match self.objects.stream(m.stream) {
            Ok(stream) => refuse_capture(self, stream).map(|()| stream),
            Err(refusal) => Err(refusal),
        };
        for (lane, offset, bytes) in pieces {
            let inlet = self.bulk.inlet(lane);
            let buffer = inlet.next(m.copy, offset, bytes)?;
            // The pieces of a rejected copy arrive anyway, and are discarded.
            match result {
                Ok(stream) => {
                    result =
                        submit(self, &inlet, buffer, m.address.wrapping_add(offset), bytes, stream)
                            .map(|()| stream)
                }
                Err(_) => inlet.put(buffer),
            }
        }
        result.map(|_| ())
    }
}

fn submit(
    worker: &Worker,
    inlet: &Inlet,
    mut buffer: Buffer,
    address: u64,
    bytes: usize,
    stream: CUstream,
) -> Result<(), Refusal> {
    let (driver, staging) = (&worker.driver, &worker.carrier.staging);
    let event = worker.context().and_then(|context| Ok((context, staging.event(context)?)));
    let (context, event) = match event {
        Ok(found) => found,
        Err(refusal) => {
            inlet.put(buffer);
            return Err(refusal);
        }
    };
    buffer.pin(driver);
    let from = buffer.address.cast::<c_void>();
    // SAFETY: the buffer exists until the event after the copy is reached. The program is
    // responsible for the device address.
    let result = unsafe {
        let copied = match worker.host_memory(address, bytes as u64) {
            Some(kept) => host_to_host::post_row(worker, stream, address, from as u64, bytes, kept),
            None => driver.cuMemcpyHtoDAsync_v2(address, from, bytes, stream),
        };
        copied.ok().and_then(|()| driver.cuEventRecord(event, stream).ok())
    };
    match result {
        Ok(()) => inlet.put_after(context, event, buffer),
        Err(_) => {
            staging.put_event(context, event);
            inlet.put(buffer);
        }
    }
    Ok(result?)
}

impl Worker {
    /// Handles `CopyToHostByLanes`.
    pub fn copy_to_host_by_lanes(&mut self, m: &CopyToHostByLanes) -> Result<(), Refusal> {
        let mut pieces = pieces(self, m.bytes, m.piece_bytes, m.lanes)?;
        let staging = self.carrier.staging.clone();
        self.bulk.start(&staging, &self.carrier.outbound);
        self.bulk.set_may_pack(m.may_pack);
        let result = pieces.try_for_each(|(lane, start, bytes)| {
            let offset = m.offset.wrapping_add(start);
            let piece = StagedPiece {
                stream: m.stream,
                transfer: m.transfer,
                offset,
                bytes,
                lane: Some(lane),
            };
            let address = m.address.wrapping_add(start);
            let kept = self.host_memory(address, bytes as u64);
            to_client(self, &piece, |worker, staged, stream| {
                if let Some(kept) = kept {
                    return host_to_host::post_row(
                        worker,
                        stream,
                        staged as u64,
                        address,
                        bytes,
                        kept,
                    );
                }
                // SAFETY: the staged bytes belong to the piece until it is delivered. The program
                // is responsible for the device address.
                unsafe { worker.driver.cuMemcpyDtoHAsync_v2(staged, address, bytes, stream) }
            })
        });
        report(self, m.transfer, result)
    }
}
