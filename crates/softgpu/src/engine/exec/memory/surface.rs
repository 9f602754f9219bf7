//! Surfaces: reads and writes of an image's bytes by coordinates. Along a row, coordinates count
//! bytes instead of elements. A surface object's number is the address of a [`Surface`].

use super::image::Image;
use super::texture::{Geometry, Request, no_object};
use crate::engine::Fault;
use crate::engine::exec::blocks::block::{Block, Thread, fail};

/// An image with a tag that identifies a surface.
pub struct Surface {
    tag: u64,
    /// The image.
    pub image: Image,
}

const TAG: u64 = u64::from_le_bytes(*b"surface ");

/// The effect of an access outside the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Outside {
    Trap,
    Clamp,
    /// Reads return zeros, and writes have no effect.
    Zero,
}

/// Packs an instruction into one number, for compiled code.
pub fn packed(geometry: Geometry, outside: Outside, bytes: u32, is_store: bool) -> u32 {
    let coordinates = geometry.coordinates() as u32;
    coordinates
        | u32::from(geometry.is_layered()) << 4
        | (outside as u32) << 8
        | u32::from(is_store) << 12
        | bytes << 16
}

enum Found {
    Inside(u64),
    Outside,
    Trap,
}

impl Surface {
    /// Returns a surface of the image.
    pub fn new(image: Image) -> Surface {
        Surface { tag: TAG, image }
    }

    unsafe fn find<'a>(object: u64) -> Option<&'a Surface> {
        let surface: *const Surface = std::ptr::with_exposed_provenance(object as usize);
        if surface.is_null() || !surface.is_aligned() {
            return None;
        }
        // SAFETY: as for textures.
        unsafe { ((&raw const (*surface).tag).read() == TAG).then(|| &*surface) }
    }

    /// Returns the address of the bytes that a request accesses.
    fn place(&self, request: &Request, what: u32) -> Found {
        let (coordinates, layered, bytes) =
            ((what & 0xF) as usize, what >> 4 & 1 != 0, i64::from(what >> 16));
        let image = &self.image;
        let row = i64::from(image.extent[0]) * image.element_bytes() as i64;
        // The byte in the row, the row, and the slice, with the end of each.
        let mut at = [0i64; 3];
        let ends = [row - bytes + 1, i64::from(image.extent[1]), i64::from(image.extent[2])];
        for (to, bits) in at.iter_mut().take(coordinates).zip(&request.at[usize::from(layered)..]) {
            *to = i64::from(*bits as i32);
        }
        if layered {
            at[2] = i64::from(request.at[0]);
        }
        if at[0] % bytes != 0 || ends[0] < 1 {
            return Found::Trap;
        }
        if !at.iter().zip(ends).all(|(n, end)| (0..end).contains(n)) {
            match what >> 8 & 0xF {
                n if n == Outside::Clamp as u32 => {
                    at = std::array::from_fn(|d| at[d].clamp(0, ends[d] - 1))
                }
                n if n == Outside::Zero as u32 => return Found::Outside,
                _ => return Found::Trap,
            }
        }
        let [x, y, z] = at.map(|n| n as u64);
        Found::Inside(image.address + z * image.slice_bytes + y * image.row_bytes + x)
    }
}

/// Implements `suld` and `sust`. The bytes are in the request's `result`.
pub unsafe extern "C" fn access(
    block: *mut Block,
    thread: *mut Thread,
    object: u64,
    what: u32,
    request: *mut Request,
) {
    // SAFETY: compiled code passes the running thread, its block, and a request on its stack. An
    // access has at most 16 bytes.
    unsafe {
        let Some(surface) = Surface::find(object) else { no_object(block, thread, object) };
        let (bytes, is_store) = ((what >> 16) as usize, what >> 12 & 1 != 0);
        let data: *mut u8 = (&raw mut (*request).result).cast();
        match surface.place(&*request, what) {
            Found::Trap => fail(block, Fault::Trap),
            Found::Outside => (*request).result = [0; 4],
            Found::Inside(address) => {
                let place: *mut u8 = std::ptr::with_exposed_provenance_mut(address as usize);
                let (from, to) = if is_store { (data, place) } else { (place, data) };
                std::ptr::copy_nonoverlapping(from, to, bytes);
            }
        }
    }
}

/// Implements `suq`: returns the width, height or depth.
pub unsafe extern "C" fn query(
    block: *mut Block,
    thread: *mut Thread,
    object: u64,
    what: u32,
) -> u32 {
    // SAFETY: as for `access`.
    unsafe {
        let Some(surface) = Surface::find(object) else { no_object(block, thread, object) };
        surface.image.extent[what as usize % 3]
    }
}
