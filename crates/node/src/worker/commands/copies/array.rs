//! Creates arrays, and copies from and to them. The driver places their memory, outside the
//! session's address ranges. An array must not use memory that the session's grants have promised.

use super::copy::{self, StagedPiece};
use crate::worker::copies::rows::box_bytes;
use crate::worker::driver::objects::Owner;
use crate::worker::io::frame::{Incoming, Refusal, Ticket};
use crate::worker::state::Worker;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::handle::{Handle, HandleKind};
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{
    ArrayCreate, ArrayDestroy, CopyArray, CopyFromArray, CopyToArray, MipmappedArrayGetLevel,
};
use std::ffi::c_void;

/// Assumed size in bytes of an element whose format is unknown; the actual size is at most this.
const ELEMENT_BYTES_MAX: usize = 16;
const LEVELS_MAX: u32 = 32;

impl Worker {
    /// Handles `ArrayCreate`.
    pub fn array_create(&mut self, m: &ArrayCreate, ticket: &Ticket) -> Result<(), Refusal> {
        make(self, m, ticket).inspect_err(|_| self.memory.give_back_outside(m.array))
    }
}

/// Returns an upper bound on the array's device memory in bytes.
fn bytes(descriptor: &CUDA_ARRAY3D_DESCRIPTOR, levels: u32) -> u64 {
    let element_bytes = descriptor.element_bytes().unwrap_or(ELEMENT_BYTES_MAX);
    let level_bytes = |level| {
        let CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Depth, .. } = descriptor.level(level);
        [Width, Height, Depth]
            .into_iter()
            .fold(element_bytes as u64, |bytes, extent| bytes.saturating_mul(extent.max(1) as u64))
    };
    (0..levels.clamp(1, LEVELS_MAX)).map(level_bytes).fold(0, u64::saturating_add)
}

fn make(worker: &mut Worker, m: &ArrayCreate, ticket: &Ticket) -> Result<(), Refusal> {
    let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
        Width: m.width as usize,
        Height: m.height as usize,
        Depth: m.depth as usize,
        Format: m.format,
        NumChannels: m.channels,
        Flags: m.flags,
        pad: 0,
    };
    let driver = worker.driver.clone();
    let bytes = bytes(&descriptor, m.levels);
    worker.memory.take_outside(&driver, m.array, bytes)?;
    if m.levels == 0 {
        let raw = worker.memory.make_outside(&driver, bytes, || {
            let mut raw = CUarray::NULL;
            // SAFETY: the out-pointer is a local; the driver reads the description only during the
            // call.
            unsafe { driver.cuArray3DCreate_v2(&mut raw, &descriptor) }.ok().map(|()| raw)
        })?;
        let destroy = |driver: &Driver| {
            // SAFETY: the array is new, and nothing uses it.
            let _ = unsafe { driver.cuArrayDestroy(raw) };
        };
        worker.memory.check_promises(&driver).inspect_err(|_| destroy(&driver))?;
        worker.charge_overhead(destroy)?;
        worker.objects.put_array(m.array, Ok(raw))?;
    } else {
        let raw = worker.memory.make_outside(&driver, bytes, || {
            let mut raw = CUmipmappedArray::NULL;
            // SAFETY: the out-pointer is a local; the driver reads the description only during the
            // call.
            unsafe { driver.cuMipmappedArrayCreate(&mut raw, &descriptor, m.levels) }
                .ok()
                .map(|()| raw)
        })?;
        let destroy = |driver: &Driver| {
            // SAFETY: the array is new, and nothing uses it.
            let _ = unsafe { driver.cuMipmappedArrayDestroy(raw) };
        };
        worker.memory.check_promises(&driver).inspect_err(|_| destroy(&driver))?;
        worker.charge_overhead(destroy)?;
        worker.objects.put_mipmapped(m.array, Ok(raw))?;
    }
    worker.objects.note_owned_by_context(m.array);
    ticket.answer(&());
    Ok(())
}

impl Worker {
    /// Removes an array from the tables, with its levels, and no longer charges the session for it.
    pub fn forget_array(&mut self, array: u64) -> Result<(), Refusal> {
        self.memory.give_back_outside(array);
        self.objects.remove(array)
    }

    /// Destroys an array. The driver first waits for the device, as it does natively.
    pub fn array_destroy(&mut self, m: &ArrayDestroy) -> Result<(), Refusal> {
        if let Some(Handle { kind: HandleKind::MipmappedArray, .. }) = Handle::unpack(m.array) {
            let mipmapped = self.objects.mipmapped_array(m.array)?;
            self.forget_array(m.array)?;
            // SAFETY: the array is the session's own and has left the table with its levels.
            unsafe { self.driver.cuMipmappedArrayDestroy(mipmapped) }.ok()?;
            self.note_overhead();
            return Ok(());
        }
        let array = self.objects.array(m.array)?;
        if self.objects.is_level(m.array) {
            return Err(Refusal::Violation(format!(
                "array {:#x} ends with its mipmapped array",
                m.array
            )));
        }
        self.forget_array(m.array)?;
        // SAFETY: the array is the session's own and has left the table.
        unsafe { self.driver.cuArrayDestroy(array) }.ok()?;
        self.note_overhead();
        Ok(())
    }

    /// Handles `MipmappedArrayGetLevel`.
    pub fn mipmapped_array_get_level(&mut self, m: &MipmappedArrayGetLevel) -> Result<(), Refusal> {
        let mipmapped = self.objects.mipmapped_array(m.mipmapped_array)?;
        let mut raw = CUarray::NULL;
        // SAFETY: the array is the session's own; the out-pointer is a local.
        let made = unsafe { self.driver.cuMipmappedArrayGetLevel(&mut raw, mipmapped, m.level) };
        self.objects.put_array(m.array, made.ok().map(|()| raw))?;
        self.objects.note_level(m.array);
        self.objects.note_owner(m.array, Owner::Object(m.mipmapped_array));
        Ok(())
    }
}

// ---- copies ----

/// One side of a copy, and the position where the copy starts.
#[derive(Clone, Copy)]
enum ArraySide {
    Host(*mut c_void, u64),
    Array(CUarray, [u64; 3]),
    Memory { address: u64, pitch_bytes: u64, rows: u64 },
}

fn description(from: ArraySide, to: ArraySide, size: [u64; 3]) -> CUDA_MEMCPY3D {
    // SAFETY: the struct contains only numbers and pointers; zero is valid for all of them.
    let mut c: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
    let [width, height, depth] = size.map(|n| n as usize);
    (c.WidthInBytes, c.Height, c.Depth) = (width, height, depth);
    match from {
        ArraySide::Host(p, pitch) => {
            (c.srcMemoryType, c.srcHost, c.srcPitch, c.srcHeight) =
                (values::MEMORYTYPE_HOST, p, pitch as usize, height)
        }
        ArraySide::Array(array, at) => {
            (c.srcMemoryType, c.srcArray) = (values::MEMORYTYPE_ARRAY, array);
            [c.srcXInBytes, c.srcY, c.srcZ] = at.map(|n| n as usize);
        }
        ArraySide::Memory { address, pitch_bytes, rows } => {
            (c.srcMemoryType, c.srcDevice) = (values::MEMORYTYPE_DEVICE, address);
            (c.srcPitch, c.srcHeight) = (pitch_bytes as usize, rows as usize);
        }
    }
    match to {
        ArraySide::Host(p, pitch) => {
            (c.dstMemoryType, c.dstHost, c.dstPitch, c.dstHeight) =
                (values::MEMORYTYPE_HOST, p, pitch as usize, height)
        }
        ArraySide::Array(array, at) => {
            (c.dstMemoryType, c.dstArray) = (values::MEMORYTYPE_ARRAY, array);
            [c.dstXInBytes, c.dstY, c.dstZ] = at.map(|n| n as usize);
        }
        ArraySide::Memory { address, pitch_bytes, rows } => {
            (c.dstMemoryType, c.dstDevice) = (values::MEMORYTYPE_DEVICE, address);
            (c.dstPitch, c.dstHeight) = (pitch_bytes as usize, rows as usize);
        }
    }
    c
}

impl Worker {
    /// Handles `CopyToArray`.
    pub fn copy_to_array(
        &mut self,
        m: &CopyToArray,
        incoming: &mut Incoming<'_>,
    ) -> Result<(), Refusal> {
        let bytes = box_bytes(m.width_bytes, m.rows)?;
        let array = self.objects.array(m.array)?;
        copy::from_client(self, incoming, bytes, m.stream, |driver, staged, stream| {
            let copy = description(
                ArraySide::Host(staged, m.width_bytes),
                ArraySide::Array(array, m.at),
                [m.width_bytes, m.rows, 1],
            );
            // SAFETY: the staged rows exist until the copy has ended, and the array is the
            // session's own.
            unsafe { driver.cuMemcpy3DAsync_v2(&copy, stream) }
        })
    }

    /// Copies from an array to the client. The transfer tells the client of a failure.
    pub fn copy_from_array(&mut self, m: &CopyFromArray) -> Result<(), Refusal> {
        let total = box_bytes(m.width_bytes, m.rows)?;
        if m.width_bytes > PIECE_BYTES as u64 {
            return Err(Refusal::Violation("a row of an array is at most a piece".into()));
        }
        let array = self.objects.array(m.array);
        let rows_per_piece = PIECE_BYTES as u64 / m.width_bytes;
        let result = array.and_then(|array| {
            (0..m.rows.div_ceil(rows_per_piece)).try_for_each(|i| {
                let first = i * rows_per_piece;
                let rows = (m.rows - first).min(rows_per_piece);
                let offset = first * m.width_bytes;
                let piece = StagedPiece {
                    stream: m.stream,
                    transfer: m.transfer,
                    offset,
                    bytes: (rows * m.width_bytes).min(total) as usize,
                    lane: None,
                };
                copy::to_client(self, &piece, |worker, staged, stream| {
                    let at = [m.at[0], m.at[1].wrapping_add(first), m.at[2]];
                    let copy = description(
                        ArraySide::Array(array, at),
                        ArraySide::Host(staged, m.width_bytes),
                        [m.width_bytes, rows, 1],
                    );
                    // SAFETY: the staged memory exists until the copy has ended, and the array is
                    // the session's own.
                    unsafe { worker.driver.cuMemcpy3DAsync_v2(&copy, stream) }
                })
            })
        });
        copy::report(self, m.transfer, result)
    }

    /// Handles `CopyArray`.
    pub fn copy_array(&mut self, m: &CopyArray) -> Result<(), Refusal> {
        let side = |array: u64, at: [u64; 3], address: u64, pitch_bytes: u64, rows: u64| match array
        {
            0 => Ok(ArraySide::Memory { address, pitch_bytes, rows }),
            array => self.objects.array(array).map(|array| ArraySide::Array(array, at)),
        };
        let from = side(m.from_array, m.from_at, m.from_address, m.from_pitch_bytes, m.from_rows)?;
        let to = side(m.to_array, m.to_at, m.to_address, m.to_pitch_bytes, m.to_rows)?;
        let stream = self.objects.stream(m.stream)?;
        let copy = description(from, to, [m.width_bytes, m.rows, m.slices]);
        // SAFETY: the description outlives the call, and arrays are the session's own. The program
        // is responsible for the device addresses.
        Ok(unsafe { self.driver.cuMemcpy3DAsync_v2(&copy, stream) }.ok()?)
    }
}
