//! The two sides of a two- or three-dimensional copy, and its size.

use crate::driver::memory::address_lookup::is_device;
use crate::driver::state::driver;
use crate::objects::copy_shape::Extent;
use crate::session::bulk::transfer::HostBox;
use outhaul_abi::types::*;

/// One side of a two- or three-dimensional copy, starting at its first byte.
#[derive(Clone, Copy)]
pub(in crate::api) struct BoxSide {
    /// Whether the device itself uses the address.
    pub device: bool,
    /// Address of the first byte.
    pub address: u64,
    /// Distance between the starts of consecutive rows, in bytes.
    pub pitch: usize,
    /// Distance between the starts of consecutive slices, in bytes.
    pub slice: usize,
}

/// The fields of one side, taken from either descriptor.
#[derive(Default)]
pub(in crate::api) struct SideFields {
    /// Kind of memory, as in `CUmemorytype`.
    pub kind: i32,
    /// Address in host memory.
    pub host: u64,
    /// Address in device or unified memory.
    pub device: u64,
    /// The array, if the kind is `MEMORYTYPE_ARRAY`.
    pub array: CUarray,
    /// Distance between the starts of consecutive rows in bytes, or 0 for rows without gaps.
    pub pitch: usize,
    /// Number of rows in a slice, or 0 for slices without gaps.
    pub height: usize,
    /// Offset of the copy in each row, in bytes.
    pub x: usize,
    /// First row in each slice.
    pub y: usize,
    /// First slice.
    pub z: usize,
}

/// A box of `depth` slices with `height` rows of `width` bytes each.
#[derive(Clone, Copy)]
pub(in crate::api) struct Box3 {
    /// Number of bytes in a row.
    pub width: usize,
    /// Number of rows in a slice.
    pub height: usize,
    /// Number of slices.
    pub depth: usize,
}

impl BoxSide {
    /// Returns one side of a copy of this size. Fails with `INVALID_VALUE` if the fields are
    /// invalid.
    pub fn new(fields: &SideFields, size: Box3) -> Result<BoxSide, CUresult> {
        let driver = driver()?;
        let (device, base) = match fields.kind {
            values::MEMORYTYPE_HOST => (driver.managed.is_shared(fields.host), fields.host),
            values::MEMORYTYPE_DEVICE => (true, fields.device),
            values::MEMORYTYPE_UNIFIED => (
                is_device(driver, fields.device) || driver.managed.is_shared(fields.device),
                fields.device,
            ),
            // Copies with arrays take another path, `array_rows`, and graphs have no node for them.
            values::MEMORYTYPE_ARRAY => return Err(CUresult::NOT_SUPPORTED),
            _ => return Err(CUresult::INVALID_VALUE),
        };
        // A pitch of 0 means rows without gaps; a height of 0 means slices without gaps.
        let pitch = if fields.pitch == 0 { size.width + fields.x } else { fields.pitch };
        let height = if fields.height == 0 { size.height + fields.y } else { fields.height };
        let deep_enough = size.depth == 1 && fields.z == 0 || height >= size.height + fields.y;
        let wide_enough = size.height == 1 && size.depth == 1 || pitch >= size.width + fields.x;
        if base == 0 || !deep_enough || !wide_enough {
            return Err(CUresult::INVALID_VALUE);
        }
        let slice = pitch * height;
        Ok(BoxSide {
            device,
            address: base + (fields.z * slice + fields.y * pitch + fields.x) as u64,
            pitch,
            slice,
        })
    }

    /// Returns the rows of the side's first slice as host memory.
    pub fn host_box(self, extent: Extent) -> HostBox {
        HostBox {
            address: self.address as *mut u8,
            pitch_bytes: self.pitch,
            width_bytes: extent.width,
            rows: extent.rows,
        }
    }

    /// Returns the side that starts `z` slices further.
    pub fn at(self, z: usize) -> BoxSide {
        BoxSide { address: self.address + (z * self.slice) as u64, ..self }
    }
}
