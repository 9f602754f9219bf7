//! Creates and destroys arrays. Deliberately absent: sparse arrays, planes and compressed formats.

use outhaul_abi::types::{CUDA_ARRAY3D_DESCRIPTOR, values};

use crate::driver::device::Device;
use crate::driver::objects::memory::array::{Array, MipmappedArray, channel};
use crate::driver::objects::memory::ranges::{Origin, Range};
use crate::driver::objects::streams::context::Context;
use crate::driver::state::Driver;
use crate::driver::system::error::{Error, Result};
use crate::engine::Image;

const FLAGS_KNOWN: u32 = values::ARRAY3D_LAYERED
    | values::ARRAY3D_SURFACE_LDST
    | values::ARRAY3D_CUBEMAP
    | values::ARRAY3D_TEXTURE_GATHER;

/// Returns the device attributes that limit width, height, and depth or layers. An attribute is 0
/// where the extent must be 0.
fn limits(d: &CUDA_ARRAY3D_DESCRIPTOR) -> [i32; 3] {
    let (layered, cube) =
        (d.Flags & values::ARRAY3D_LAYERED != 0, d.Flags & values::ARRAY3D_CUBEMAP != 0);
    match (layered, cube) {
        (false, true) => [52, 52, 54],
        (true, true) => [53, 53, 54],
        (true, false) if d.Height == 0 => [42, 0, 43],
        (true, false) => [27, 28, 29],
        _ if d.Depth > 0 => [24, 25, 26],
        _ if d.Height > 0 => [22, 23, 0],
        _ => [21, 0, 0],
    }
}

/// CUDA's formats from this number on are packed, compressed or of several planes. They are not
/// supported here.
const PACKED_FORMATS: i32 = 0x50;

fn check(d: &CUDA_ARRAY3D_DESCRIPTOR, device: &Device) -> Result<()> {
    let (layered, cube) =
        (d.Flags & values::ARRAY3D_LAYERED != 0, d.Flags & values::ARRAY3D_CUBEMAP != 0);
    let within = |extent: usize, attribute: i32| match attribute {
        0 => extent == 0,
        attribute => extent > 0 && extent <= device.attribute(attribute).unwrap_or(0) as usize,
    };
    let extents = [d.Width, d.Height, d.Depth];
    let fits = extents.iter().zip(limits(d)).all(|(extent, attribute)| within(*extent, attribute));
    let faces = !cube
        || (d.Width == d.Height && if layered { d.Depth.is_multiple_of(6) } else { d.Depth == 6 });
    if fits && faces && matches!(d.NumChannels, 1 | 2 | 4) {
        Ok(())
    } else {
        Err(Error::InvalidValue)
    }
}

impl Driver {
    fn allocate_array(
        &self,
        context: &Context,
        descriptor: CUDA_ARRAY3D_DESCRIPTOR,
        is_level: bool,
    ) -> Result<u64> {
        let d = &descriptor;
        let unknown =
            if d.Format < PACKED_FORMATS { Error::InvalidValue } else { Error::NotSupported };
        let channel = channel(d.Format).ok_or(unknown)?;
        if d.Flags & !FLAGS_KNOWN != 0 {
            return Err(Error::NotSupported);
        }
        let extent = [d.Width, d.Height.max(1), d.Depth.max(1)].map(|n| n as u32);
        let row_bytes = u64::from(extent[0]) * channel.bytes() * u64::from(d.NumChannels);
        let slice_bytes = row_bytes * u64::from(extent[1]);
        let address = self.allocate(context, slice_bytes * u64::from(extent[2]), Origin::Array)?;
        let image =
            Image { address, extent, row_bytes, slice_bytes, channel, channels: d.NumChannels };
        Ok(self.arrays.insert(Array { context: context.handle, descriptor, image, is_level }))
    }

    /// Creates an array and returns its handle.
    pub fn create_array(
        &self,
        context: &Context,
        descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    ) -> Result<u64> {
        check(&descriptor, self.device(context.device)?)?;
        self.allocate_array(context, descriptor, false)
    }

    /// Creates a mipmapped array and returns its handle.
    pub fn create_mipmapped_array(
        &self,
        context: &Context,
        descriptor: CUDA_ARRAY3D_DESCRIPTOR,
        levels: u32,
    ) -> Result<u64> {
        check(&descriptor, self.device(context.device)?)?;
        let mut made = MipmappedArray { context: context.handle, levels: Vec::new() };
        for level in 0..levels.clamp(1, descriptor.levels_max()) {
            match self.allocate_array(context, descriptor.level(level), true) {
                Ok(handle) => made.levels.push(handle),
                Err(error) => {
                    made.levels.into_iter().for_each(|level| self.free_array(level));
                    return Err(error);
                }
            }
        }
        Ok(self.mipmapped_arrays.insert(made))
    }

    /// Frees an array when no earlier work can use it any more.
    pub fn destroy_array(&self, handle: u64) -> Result<()> {
        let array =
            self.arrays.get(handle).filter(|array| !array.is_level).ok_or(Error::InvalidHandle)?;
        self.wait_for(array.context)?;
        self.free_array(handle);
        Ok(())
    }

    /// Frees a mipmapped array and its levels.
    pub fn destroy_mipmapped_array(&self, handle: u64) -> Result<()> {
        let mipmapped = self.mipmapped_arrays.get(handle).ok_or(Error::InvalidHandle)?;
        self.wait_for(mipmapped.context)?;
        self.mipmapped_arrays.remove(handle);
        mipmapped.levels.iter().for_each(|level| self.free_array(*level));
        Ok(())
    }

    /// Waits for a context's work, if the context still exists.
    pub fn wait_for(&self, context: u64) -> Result<()> {
        match self.slot(context).and_then(|slot| slot.context()) {
            Ok(context) => context.synchronize(),
            Err(_) => Ok(()),
        }
    }

    fn free_array(&self, handle: u64) {
        let Some(array) = self.arrays.remove(handle) else { return };
        let own = |range: &Range| range.origin == Origin::Array;
        if let Some(range) = self.ranges.take(array.image.address, own) {
            self.give_back(&range);
        }
    }
}
