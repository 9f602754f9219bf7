//! The geometry of copies. A copy is a box of rows that are a fixed distance apart in memory.

use crate::worker::io::frame::Refusal;
use outhaul_abi::types::*;
use std::ffi::c_void;

/// The rows of one side of a copy.
#[derive(Clone, Copy)]
pub struct Rows {
    /// Address of the first row.
    pub address: u64,
    /// Distance between the starts of two rows, in bytes.
    pub pitch_bytes: u64,
}

/// Returns a box's size in bytes. Returns an error if the size is 0 or overflows.
pub fn box_bytes(width: u64, rows: u64) -> Result<u64, Refusal> {
    width
        .checked_mul(rows)
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| Refusal::Violation(format!("a copy of {rows} rows of {width} bytes")))
}

/// One side of a two-dimensional copy.
pub enum RowsSide {
    /// Memory of this process.
    Host(*mut c_void),
    /// Device memory.
    Device(CUdeviceptr),
}

/// Describes a two-dimensional copy. Each side has its pitch in bytes.
pub fn two_dimensional(
    from: (RowsSide, u64),
    to: (RowsSide, u64),
    width: u64,
    rows: u64,
) -> CUDA_MEMCPY2D {
    // SAFETY: the struct contains only numbers and pointers; zero is valid for all of them.
    let mut copy: CUDA_MEMCPY2D = unsafe { std::mem::zeroed() };
    match from.0 {
        RowsSide::Host(p) => (copy.srcMemoryType, copy.srcHost) = (values::MEMORYTYPE_HOST, p),
        RowsSide::Device(p) => {
            (copy.srcMemoryType, copy.srcDevice) = (values::MEMORYTYPE_DEVICE, p)
        }
    }
    match to.0 {
        RowsSide::Host(p) => (copy.dstMemoryType, copy.dstHost) = (values::MEMORYTYPE_HOST, p),
        RowsSide::Device(p) => {
            (copy.dstMemoryType, copy.dstDevice) = (values::MEMORYTYPE_DEVICE, p)
        }
    }
    (copy.srcPitch, copy.dstPitch) = (from.1 as usize, to.1 as usize);
    (copy.WidthInBytes, copy.Height) = (width as usize, rows as usize);
    copy
}
