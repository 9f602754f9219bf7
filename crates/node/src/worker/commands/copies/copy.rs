//! Copies between the network, staging memory and the device. Each copy is a box of rows, which the
//! network carries without gaps.

use super::host_to_host;
use crate::worker::copies::rows::{Rows, RowsSide, box_bytes, two_dimensional};
use crate::worker::driver::staging::Mark;
use crate::worker::io::frame::{Incoming, Refusal};
use crate::worker::state::Worker;
use crate::worker::streams::delivery;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{CopyOnDevice, CopyToDevice, CopyToHost};
use std::ffi::c_void;

/// Maximum size in bytes of a copy for which CUDA reads pageable memory during the call.
const SMALL_BYTES_MAX: usize = 64 << 10;

/// Returns an error if the stream captures, because staging memory no longer exists when a graph
/// runs. Captured copies have messages of their own.
pub fn refuse_capture(worker: &Worker, stream: CUstream) -> Result<(), Refusal> {
    match worker.capturing(stream)? {
        Some(_) => Err(Refusal::Driver(CUresult::STREAM_CAPTURE_UNSUPPORTED)),
        None => Ok(()),
    }
}

impl Worker {
    /// Handles `CopyToDevice`.
    pub fn copy_to_device(
        &mut self,
        m: &CopyToDevice,
        incoming: &mut Incoming<'_>,
    ) -> Result<(), Refusal> {
        let bytes = box_bytes(m.width_bytes, m.rows)?;
        let rows = Rows { address: m.address, pitch_bytes: m.pitch_bytes };
        if let Some(target) = self.host_rows(rows, m.width_bytes, m.rows) {
            let came = came(incoming, bytes)?;
            return staged(self, incoming, came, m.stream, |worker, staged, stream| {
                let from = Rows { address: staged as u64, pitch_bytes: m.width_bytes };
                let size = (m.width_bytes, m.rows);
                host_to_host::post(worker, stream, (rows, from), size, vec![target])
            });
        }
        from_client(self, incoming, bytes, m.stream, |driver, staged, stream| {
            // SAFETY: the staged bytes exist until the copy has ended. The program is responsible
            // for the device address.
            unsafe {
                if m.rows == 1 {
                    return driver.cuMemcpyHtoDAsync_v2(m.address, staged, bytes as usize, stream);
                }
                let copy = two_dimensional(
                    (RowsSide::Host(staged), m.width_bytes),
                    (RowsSide::Device(m.address), m.pitch_bytes),
                    m.width_bytes,
                    m.rows,
                );
                driver.cuMemcpy2DAsync_v2(&copy, stream)
            }
        })
    }
}

fn came(incoming: &Incoming<'_>, bytes: u64) -> Result<usize, Refusal> {
    let came = incoming.payload_bytes();
    if bytes != came as u64 || came > PIECE_BYTES {
        return Err(Refusal::Violation(format!("a copy of {bytes} bytes came with {came}")));
    }
    Ok(came)
}

/// Stages a payload of `bytes` and lets `copy` read it there. The staging memory becomes free when
/// the stream has completed the copy.
pub fn from_client(
    worker: &mut Worker,
    incoming: &mut Incoming<'_>,
    bytes: u64,
    stream: u64,
    copy: impl FnOnce(&Driver, *mut c_void, CUstream) -> CUresult,
) -> Result<(), Refusal> {
    let came = came(incoming, bytes)?;
    if came > SMALL_BYTES_MAX {
        return staged(worker, incoming, came, stream, |worker, place, stream| {
            copy(&worker.driver, place, stream)
        });
    }
    worker.context()?;
    let stream = worker.objects.stream(stream)?;
    refuse_capture(worker, stream)?;
    small_from_client(worker, incoming, came, |driver, place| copy(driver, place, stream))
}

/// Stages a payload in pinned memory and lets `copy` read it there.
fn staged(
    worker: &mut Worker,
    incoming: &mut Incoming<'_>,
    bytes: usize,
    stream: u64,
    copy: impl FnOnce(&Worker, *mut c_void, CUstream) -> CUresult,
) -> Result<(), Refusal> {
    let context = worker.context()?;
    let stream = worker.objects.stream(stream)?;
    refuse_capture(worker, stream)?;
    let mut chunk = worker.carrier.staging.chunk(bytes)?;
    incoming.read_payload(&mut chunk.bytes_mut()[..bytes])?;
    if let Err(code) = copy(worker, chunk.address(), stream).ok() {
        worker.carrier.staging.put_chunk(chunk);
        return Err(code.into());
    }
    let event = worker.carrier.staging.event(context)?;
    // SAFETY: both event and stream belong to the current context.
    unsafe { worker.driver.cuEventRecord(event, stream) }.ok()?;
    worker.carrier.staging.put_after(context, event, chunk);
    Ok(())
}

/// Copies from memory that is not pinned. The driver reads the bytes during its call, which takes
/// less time than an event that frees staging memory.
fn small_from_client(
    worker: &mut Worker,
    incoming: &mut Incoming<'_>,
    bytes: usize,
    copy: impl FnOnce(&Driver, *mut c_void) -> CUresult,
) -> Result<(), Refusal> {
    if let Some(place) = incoming.payload_in_place(bytes) {
        return Ok(copy(&worker.driver, place.as_mut_ptr().cast()).ok()?);
    }
    let mut place = vec![0; bytes];
    incoming.read_payload(&mut place)?;
    Ok(copy(&worker.driver, place.as_mut_ptr().cast()).ok()?)
}

impl Worker {
    /// Enters each piece of the copy into the stream's queue. The transfer tells the client of a
    /// failure.
    pub fn copy_to_host(&mut self, m: &CopyToHost) -> Result<(), Refusal> {
        let total = box_bytes(m.width_bytes, m.rows)?;
        let result = if m.rows == 1 {
            (0..total.div_ceil(PIECE_BYTES as u64)).try_for_each(|i| {
                let start = i * PIECE_BYTES as u64;
                let bytes = (total - start).min(PIECE_BYTES as u64);
                piece_to_host(
                    self,
                    m,
                    m.address.wrapping_add(start),
                    bytes,
                    1,
                    m.offset.wrapping_add(start),
                )
            })
        } else if m.width_bytes > PIECE_BYTES as u64 {
            return Err(Refusal::Violation("rows longer than a piece travel one by one".into()));
        } else {
            let rows_per_piece = PIECE_BYTES as u64 / m.width_bytes;
            (0..m.rows.div_ceil(rows_per_piece)).try_for_each(|i| {
                let first = i * rows_per_piece;
                let rows = (m.rows - first).min(rows_per_piece);
                let address = m.address.wrapping_add(first.wrapping_mul(m.pitch_bytes));
                piece_to_host(
                    self,
                    m,
                    address,
                    m.width_bytes,
                    rows,
                    m.offset.wrapping_add(first * m.width_bytes),
                )
            })
        };
        report(self, m.transfer, result)
    }
}

/// Reports the driver's error to the client through the transfer. Other results are returned.
pub fn report(worker: &Worker, transfer: u64, result: Result<(), Refusal>) -> Result<(), Refusal> {
    if let Err(Refusal::Driver(code)) = result {
        worker.carrier.outbound.no_data(transfer, code);
        return Ok(());
    }
    result
}

/// A part of a transfer, small enough for one staging chunk.
pub struct StagedPiece {
    /// The stream's handle.
    pub stream: u64,
    /// The transfer's number.
    pub transfer: u64,
    /// Offset in the transfer, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: usize,
    /// Bulk lane that carries the piece; `None` for the lane that also carries the replies.
    pub lane: Option<usize>,
}

fn piece_to_host(
    worker: &mut Worker,
    m: &CopyToHost,
    address: u64,
    width: u64,
    rows: u64,
    offset: u64,
) -> Result<(), Refusal> {
    let piece = StagedPiece {
        stream: m.stream,
        transfer: m.transfer,
        offset,
        bytes: (width * rows) as usize,
        lane: None,
    };
    let source = Rows { address, pitch_bytes: if rows == 1 { width } else { m.pitch_bytes } };
    let kept = worker.host_rows(source, width, rows);
    to_client(worker, &piece, |worker, staged, stream| {
        let driver = &worker.driver;
        if let Some(kept) = kept {
            let to = Rows { address: staged as u64, pitch_bytes: width };
            return host_to_host::post(worker, stream, (to, source), (width, rows), vec![kept]);
        }
        // SAFETY: the staged bytes belong to the piece until it is delivered. The program is
        // responsible for the device address.
        unsafe {
            if rows == 1 {
                return driver.cuMemcpyDtoHAsync_v2(staged, address, width as usize, stream);
            }
            let copy = two_dimensional(
                (RowsSide::Device(address), m.pitch_bytes),
                (RowsSide::Host(staged), width),
                width,
                rows,
            );
            driver.cuMemcpy2DAsync_v2(&copy, stream)
        }
    })
}

/// Lets `copy` write a piece to staging memory, and enters the piece into the stream's queue.
pub fn to_client(
    worker: &mut Worker,
    piece: &StagedPiece,
    copy: impl FnOnce(&Worker, *mut c_void, CUstream) -> CUresult,
) -> Result<(), Refusal> {
    let StagedPiece { transfer, offset, bytes, lane, .. } = *piece;
    let context = worker.context()?;
    let stream = worker.objects.stream_with_queue(piece.stream)?;
    refuse_capture(worker, stream.raw)?;
    let staging = worker.carrier.staging.clone();
    let chunk = staging.chunk(bytes)?;
    let copied = copy(worker, chunk.address(), stream.raw).ok();
    match copied.and_then(|()| Mark::after(&staging, context, stream.raw)) {
        Ok(mark) => worker.carrier.enter(
            stream.queue,
            delivery::DeliveredPiece { chunk, mark, transfer, offset, bytes, lane },
        ),
        Err(code) => {
            staging.put_chunk(chunk);
            return Err(code.into());
        }
    }
    Ok(())
}

/// Makes the stream wait for its implicit predecessors before a small copy. NVIDIA's driver 580
/// reads a row of up to 24 KiB during the call if its source is pinned and the stream is empty. The
/// driver does so even if other streams, for which this one waits implicitly, must still write the
/// source. After an explicit wait in the stream, the driver no longer does so.
pub fn read_in_order(worker: &Worker, stream: u64, bytes: u64) -> Result<(), Refusal> {
    if bytes > SMALL_BYTES_MAX as u64 || !worker.objects.waits_for_others(stream) {
        return Ok(());
    }
    let (staging, context) = (&worker.carrier.staging, worker.context()?);
    let stream = worker.objects.stream(stream)?;
    let event = staging.event(context)?;
    // SAFETY: both event and stream belong to the current context.
    let waits = unsafe {
        worker
            .driver
            .cuEventRecord(event, stream)
            .ok()
            .and_then(|()| worker.driver.cuStreamWaitEvent(stream, event, 0).ok())
    };
    staging.put_event(context, event);
    Ok(waits?)
}

impl Worker {
    /// Handles `CopyOnDevice`.
    pub fn copy_on_device(&mut self, m: &CopyOnDevice) -> Result<(), Refusal> {
        let bytes = box_bytes(m.width_bytes, m.rows)?;
        let stream = self.objects.stream(m.stream)?;
        let to = Rows { address: m.to, pitch_bytes: m.to_pitch_bytes };
        let from = Rows { address: m.from, pitch_bytes: m.from_pitch_bytes };
        // Captured copies belong to the graph.
        if let Some(source) = self.host_rows(from, m.width_bytes, m.rows)
            && self.capturing(stream)?.is_none()
        {
            if let Some(target) = self.host_rows(to, m.width_bytes, m.rows) {
                return Ok(host_to_host::post(
                    self,
                    stream,
                    (to, from),
                    (m.width_bytes, m.rows),
                    vec![source, target],
                )
                .ok()?);
            }
            read_in_order(self, m.stream, bytes)?;
        }
        if m.rows == 1 {
            // SAFETY: takes no host pointers. The program is responsible for the device addresses.
            return Ok(unsafe {
                self.driver.cuMemcpyDtoDAsync_v2(m.to, m.from, m.width_bytes as usize, stream)
            }
            .ok()?);
        }
        let copy = two_dimensional(
            (RowsSide::Device(m.from), m.from_pitch_bytes),
            (RowsSide::Device(m.to), m.to_pitch_bytes),
            m.width_bytes,
            m.rows,
        );
        // SAFETY: the description outlives the call. The program is responsible for the device
        // addresses.
        Ok(unsafe { self.driver.cuMemcpy2DAsync_v2(&copy, stream) }.ok()?)
    }
}
