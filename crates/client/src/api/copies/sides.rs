//! The two sides of a two- or three-dimensional copy, and its size.

use crate::api::copies::flat::is_on_device;
use crate::driver::memory::address_lookup::{check_host, is_device};
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
            values::MEMORYTYPE_HOST => (is_on_device(driver, fields.host), fields.host),
            values::MEMORYTYPE_DEVICE => (true, fields.device),
            values::MEMORYTYPE_UNIFIED => (
                is_device(driver, fields.device) || driver.managed.is_shared(fields.device),
                fields.device,
            ),
            // Copies with arrays take another path, `array_rows`, and graphs have no node for them.
            values::MEMORYTYPE_ARRAY => return Err(CUresult::NOT_SUPPORTED),
            _ => return Err(CUresult::INVALID_VALUE),
        };
        let side = fields.placed(device, base, size).ok_or(CUresult::INVALID_VALUE)?;
        if !device {
            check_host(side.address, side.span(size) as u64)?;
        }
        Ok(side)
    }

    /// Returns the number of bytes from the first byte of a box to its end.
    pub fn span(self, size: Box3) -> usize {
        self.slice * (size.depth - 1) + self.pitch * (size.height - 1) + size.width
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

impl SideFields {
    /// Returns the side of a copy of this size, if its memory starts at `base`. Returns `None` if
    /// rows or slices overlap, or if the box exceeds the address space.
    fn placed(&self, device: bool, base: u64, size: Box3) -> Option<BoxSide> {
        let (width, height) = (size.width.checked_add(self.x)?, size.height.checked_add(self.y)?);
        // A pitch of 0 means rows without gaps; a height of 0 means slices without gaps.
        let pitch = if self.pitch == 0 { width } else { self.pitch };
        let rows = if self.height == 0 { height } else { self.height };
        let is_deep_enough = size.depth == 1 && self.z == 0 || rows >= height;
        let is_wide_enough = size.height == 1 && size.depth == 1 || pitch >= width;
        if base == 0 || !is_deep_enough || !is_wide_enough {
            return None;
        }
        let slice = pitch.checked_mul(rows)?;
        let offset = |slices: usize, rows: usize, bytes: usize| {
            let (slices, rows) = (slices.checked_mul(slice)?, rows.checked_mul(pitch)?);
            base.checked_add(slices.checked_add(rows)?.checked_add(bytes)? as u64)
        };
        offset(self.z.checked_add(size.depth)?, height, width)?;
        let address = offset(self.z, self.y, self.x)?;
        Some(BoxSide { device, address, pitch, slice })
    }
}
