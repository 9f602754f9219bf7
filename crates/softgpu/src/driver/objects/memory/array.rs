//! Arrays: images in device memory that only copies, textures and surfaces access. An array is
//! stored row by row, and programs do not see its address.

use crate::driver::objects::memory::copy::{CopySide, Memory};
use crate::driver::system::error::{Error, Result};
use crate::engine::{Channel, Image};
use outhaul_abi::types::{CUDA_ARRAY3D_DESCRIPTOR, values};

/// A `CUarray`.
pub struct Array {
    /// Handle of the context in which the array was created.
    pub context: u64,
    /// The description that the program gave.
    pub descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    /// The elements in memory.
    pub image: Image,
    /// Whether the array is a level, which is destroyed with its mipmapped array.
    pub is_level: bool,
}

/// A `CUmipmappedArray`.
pub struct MipmappedArray {
    /// Handle of the context in which the array was created.
    pub context: u64,
    /// Handles of the levels.
    pub levels: Vec<u64>,
}

/// Returns the channel type for a `CUarray_format`.
pub fn channel(format: i32) -> Option<Channel> {
    Some(match format {
        values::FORMAT_UNSIGNED_INT8 => Channel::U8,
        values::FORMAT_SIGNED_INT8 => Channel::S8,
        values::FORMAT_UNSIGNED_INT16 => Channel::U16,
        values::FORMAT_SIGNED_INT16 => Channel::S16,
        values::FORMAT_UNSIGNED_INT32 => Channel::U32,
        values::FORMAT_SIGNED_INT32 => Channel::S32,
        values::FORMAT_HALF => Channel::F16,
        values::FORMAT_FLOAT => Channel::F32,
        _ => return None,
    })
}

impl Array {
    /// Returns the copy side for a box at `[x, y, z]`, if the box is inside the array.
    pub fn side(
        &self,
        [x, y, z]: [usize; 3],
        [width, height, depth]: [usize; 3],
    ) -> Result<CopySide> {
        let image = &self.image;
        let element_bytes = image.element_bytes() as usize;
        let extents = [
            image.extent[0] as usize * element_bytes,
            image.extent[1] as usize,
            image.extent[2] as usize,
        ];
        let inside = [(x, width), (y, height), (z, depth)].iter().zip(extents).all(
            |((at, size), extent)| {
                let end = at.checked_add(*size);
                end.is_some_and(|end| end <= extent)
            },
        );
        if !inside || !x.is_multiple_of(element_bytes) || !width.is_multiple_of(element_bytes) {
            return Err(Error::InvalidValue);
        }
        let address =
            image.address + z as u64 * image.slice_bytes + y as u64 * image.row_bytes + x as u64;
        Ok(CopySide {
            address,
            pitch: image.row_bytes,
            height: u64::from(image.extent[1]),
            memory: Memory::Device,
        })
    }
}
