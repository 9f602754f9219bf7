//! Copies between the network, staging memory and the device. All are boxes of rows; packed rows travel.

use super::Worker;
use super::delivery;
use super::frame::{Incoming, Refusal};
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{CopyOnDevice, CopyToDevice, CopyToHost};
use std::ffi::c_void;

/// Up to here CUDA itself takes bytes from pageable memory at the call.
const SMALL_BYTES_MAX: usize = 64 << 10;

pub fn box_bytes(width: u64, rows: u64) -> Result<u64, Refusal> {
    width.checked_mul(rows).filter(|bytes| *bytes > 0).ok_or_else(|| Refusal::Violation(format!("a copy of {rows} rows of {width} bytes")))
}

/// Either side of a two-dimensional copy.
pub enum Side {
    Host(*mut c_void),
    Device(CUdeviceptr),
}

pub fn two_dimensional(from: (Side, u64), to: (Side, u64), width: u64, rows: u64) -> CUDA_MEMCPY2D {
    // SAFETY: the struct is plain numbers and pointers; all zero is a valid value.
    let mut copy: CUDA_MEMCPY2D = unsafe { std::mem::zeroed() };
    match from.0 {
        Side::Host(p) => (copy.srcMemoryType, copy.srcHost) = (values::MEMORYTYPE_HOST, p),
        Side::Device(p) => (copy.srcMemoryType, copy.srcDevice) = (values::MEMORYTYPE_DEVICE, p),
    }
    match to.0 {
        Side::Host(p) => (copy.dstMemoryType, copy.dstHost) = (values::MEMORYTYPE_HOST, p),
        Side::Device(p) => (copy.dstMemoryType, copy.dstDevice) = (values::MEMORYTYPE_DEVICE, p),
    }
    (copy.srcPitch, copy.dstPitch) = (from.1 as usize, to.1 as usize);
    (copy.WidthInBytes, copy.Height) = (width as usize, rows as usize);
    copy
}

/// Staging memory is gone when a graph runs; a captured copy has a message of its own.
pub fn refuse_capture(worker: &Worker, stream: CUstream) -> Result<(), Refusal> {
    match worker.capturing(stream)? {
        Some(_) => Err(Refusal::Driver(CUresult::STREAM_CAPTURE_UNSUPPORTED)),
        None => Ok(()),
    }
}

pub fn to_device(worker: &mut Worker, m: &CopyToDevice, incoming: &mut Incoming<'_>) -> Result<(), Refusal> {
    let bytes = box_bytes(m.width_bytes, m.rows)?;
    from_client(worker, incoming, bytes, m.stream, |driver, staged, stream| {
        // SAFETY: the staged bytes stay until the copy is over, and the device address is this session's own affair.
        unsafe {
            if m.rows == 1 {
                return driver.cuMemcpyHtoDAsync_v2(m.address, staged, bytes as usize, stream);
            }
            let copy =
                two_dimensional((Side::Host(staged), m.width_bytes), (Side::Device(m.address), m.pitch_bytes), m.width_bytes, m.rows);
            driver.cuMemcpy2DAsync_v2(&copy, stream)
        }
    })
}

/// Stages a payload of `bytes` and has `copy` take it from there. The staging comes back when the stream has passed the copy.
pub fn from_client(
    worker: &mut Worker,
    incoming: &mut Incoming<'_>,
    bytes: u64,
    stream: u64,
    copy: impl FnOnce(&Driver, *mut c_void, CUstream) -> CUresult,
) -> Result<(), Refusal> {
    let came = incoming.payload_bytes();
    if bytes != came as u64 || came > PIECE_BYTES {
        return Err(Refusal::Violation(format!("a copy of {bytes} bytes came with {came}")));
    }
    let context = worker.context()?;
    let stream = worker.objects.stream(stream)?;
    refuse_capture(worker, stream)?;
    if came <= SMALL_BYTES_MAX {
        return small_from_client(worker, incoming, came, |driver, place| copy(driver, place, stream));
    }
    let mut chunk = worker.carrier.staging.chunk(came)?;
    incoming.read_payload(&mut chunk.bytes_mut()[..came])?;
    let driver = &worker.driver;
    if let Err(code) = copy(driver, chunk.address(), stream).ok() {
        worker.carrier.staging.put_chunk(chunk);
        return Err(code.into());
    }
    let event = worker.carrier.staging.event(context)?;
    // SAFETY: the event belongs to the current context, as the stream does.
    unsafe { driver.cuEventRecord(event, stream) }.ok()?;
    worker.carrier.staging.put_after(context, event, chunk);
    Ok(())
}

/// From memory that is not pinned the driver takes the bytes before its call returns, and does so in less time than an event takes that
/// gives staging back.
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

/// Enters each piece into the stream's delivery. The client learns of a failure through the transfer.
pub fn to_host(worker: &mut Worker, m: &CopyToHost) -> Result<(), Refusal> {
    let total = box_bytes(m.width_bytes, m.rows)?;
    let result = if m.rows == 1 {
        (0..total.div_ceil(PIECE_BYTES as u64)).try_for_each(|i| {
            let start = i * PIECE_BYTES as u64;
            let bytes = (total - start).min(PIECE_BYTES as u64);
            piece_to_host(worker, m, m.address.wrapping_add(start), bytes, 1, m.offset.wrapping_add(start))
        })
    } else if m.width_bytes > PIECE_BYTES as u64 {
        return Err(Refusal::Violation("rows longer than a piece travel one by one".into()));
    } else {
        let rows_per_piece = PIECE_BYTES as u64 / m.width_bytes;
        (0..m.rows.div_ceil(rows_per_piece)).try_for_each(|i| {
            let first = i * rows_per_piece;
            let rows = (m.rows - first).min(rows_per_piece);
            let address = m.address.wrapping_add(first.wrapping_mul(m.pitch_bytes));
            piece_to_host(worker, m, address, m.width_bytes, rows, m.offset.wrapping_add(first * m.width_bytes))
        })
    };
    report(worker, m.transfer, result)
}

/// Tells the client through the transfer what the driver refused.
pub fn report(worker: &Worker, transfer: u64, result: Result<(), Refusal>) -> Result<(), Refusal> {
    if let Err(Refusal::Driver(code)) = result {
        worker.carrier.outbound.data(transfer, 0, code, &[], false);
        return Ok(());
    }
    result
}

/// Bytes of a transfer, as much as one staging chunk holds.
pub struct Piece {
    pub stream: u64,
    pub transfer: u64,
    pub offset: u64,
    pub bytes: usize,
    /// The bulk lane that it travels on; None: behind the replies.
    pub lane: Option<usize>,
}

fn piece_to_host(worker: &mut Worker, m: &CopyToHost, address: u64, width: u64, rows: u64, offset: u64) -> Result<(), Refusal> {
    let piece = Piece { stream: m.stream, transfer: m.transfer, offset, bytes: (width * rows) as usize, lane: None };
    to_client(worker, &piece, |driver, staged, stream| {
        // SAFETY: the staged bytes belong to the piece until it is delivered; the device address is this session's own affair.
        unsafe {
            if rows == 1 {
                return driver.cuMemcpyDtoHAsync_v2(staged, address, width as usize, stream);
            }
            let copy = two_dimensional((Side::Device(address), m.pitch_bytes), (Side::Host(staged), width), width, rows);
            driver.cuMemcpy2DAsync_v2(&copy, stream)
        }
    })
}

/// Has `copy` put a piece into staging, and enters it into the stream's delivery.
pub fn to_client(worker: &mut Worker, piece: &Piece, copy: impl FnOnce(&Driver, *mut c_void, CUstream) -> CUresult) -> Result<(), Refusal> {
    let Piece { transfer, offset, bytes, lane, .. } = *piece;
    let context = worker.context()?;
    let stream = worker.objects.stream_with_delivery(piece.stream)?;
    refuse_capture(worker, stream.raw)?;
    let staging = worker.carrier.staging.clone();
    let chunk = staging.chunk(bytes)?;
    let event = staging.event(context)?;
    // SAFETY: the event belongs to the current context, as the stream does.
    let record = || unsafe { worker.driver.cuEventRecord(event, stream.raw) }.ok();
    if let Err(code) = copy(&worker.driver, chunk.address(), stream.raw).ok().and_then(|()| record()) {
        staging.put_chunk(chunk);
        staging.put_event(context, event);
        return Err(code.into());
    }
    stream.delivery.enter(delivery::Piece { chunk, event, context, transfer, offset, bytes, lane }, &worker.carrier);
    Ok(())
}

pub fn on_device(worker: &mut Worker, m: &CopyOnDevice) -> Result<(), Refusal> {
    box_bytes(m.width_bytes, m.rows)?;
    let stream = worker.objects.stream(m.stream)?;
    if m.rows == 1 {
        // SAFETY: the addresses are this session's own affair.
        return Ok(unsafe { worker.driver.cuMemcpyDtoDAsync_v2(m.to, m.from, m.width_bytes as usize, stream) }.ok()?);
    }
    let copy = two_dimensional((Side::Device(m.from), m.from_pitch_bytes), (Side::Device(m.to), m.to_pitch_bytes), m.width_bytes, m.rows);
    // SAFETY: the description lives through the call, and the addresses are this session's own affair.
    Ok(unsafe { worker.driver.cuMemcpy2DAsync_v2(&copy, stream) }.ok()?)
}
