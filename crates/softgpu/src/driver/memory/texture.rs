//! Creates texture and surface objects: converts CUDA's descriptions to the engine's structures.
//! Deliberately absent: block-compressed views.

use std::collections::BTreeSet;

use outhaul_abi::types::{CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, values};

use crate::driver::lock;
use crate::driver::objects::memory::array::{Array, channel};
use crate::driver::objects::memory::textures::{Described, Table, insert};
use crate::driver::objects::streams::context::Context;
use crate::driver::state::Driver;
use crate::driver::system::error::{Error, Result};
use crate::engine::{Address, Channel, Image, Sampler, Surface, Texture};

const READ_AS_INTEGER: u32 = 0x01;
const NORMALIZED_COORDINATES: u32 = 0x02;
const SRGB: u32 = 0x10;
const DISABLE_TRILINEAR_OPTIMIZATION: u32 = 0x20;
const FLAGS_KNOWN: u32 =
    READ_AS_INTEGER | NORMALIZED_COORDINATES | SRGB | DISABLE_TRILINEAR_OPTIMIZATION;
const TEXTURE_ALIGNMENT_ATTRIBUTE: i32 = 14;
const PITCH_ALIGNMENT_ATTRIBUTE: i32 = 51;
const LINEAR_WIDTH_ATTRIBUTE: i32 = 69;

/// Number of destroyed objects at which the driver waits for the device and drops them.
const RETIRED_MAX: usize = 1024;

fn address_mode(number: i32) -> Result<Address> {
    match number {
        0 => Ok(Address::Wrap),
        1 => Ok(Address::Clamp),
        2 => Ok(Address::Mirror),
        3 => Ok(Address::Border),
        _ => Err(Error::InvalidValue),
    }
}

fn is_linear(filter: i32) -> Result<bool> {
    match filter {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Error::InvalidValue),
    }
}

fn sampler(d: &CUDA_TEXTURE_DESC, image: &Image, is_mipmapped: bool) -> Result<Sampler> {
    // Seamless cube maps would need the elements of adjacent faces.
    if d.flags & !FLAGS_KNOWN != 0 {
        return Err(Error::NotSupported);
    }
    let [x, y, z] = d.addressMode;
    let sampler = Sampler {
        address: [address_mode(x)?, address_mode(y)?, address_mode(z)?],
        linear: is_linear(d.filterMode)?,
        normalized_coordinates: d.flags & NORMALIZED_COORDINATES != 0,
        normalized_read: d.flags & READ_AS_INTEGER == 0 && image.channel.can_normalize(),
        srgb: d.flags & SRGB != 0,
        border: d.borderColor,
        linear_levels: is_linear(d.mipmapFilterMode)?,
        level_bias: if is_mipmapped { d.mipmapLevelBias } else { 0.0 },
        level_range: if is_mipmapped {
            [d.minMipmapLevelClamp, d.maxMipmapLevelClamp]
        } else {
            [0.0; 2]
        },
    };
    let gives_floats = sampler.normalized_read || image.channel.is_float();
    let integer_filter = (sampler.linear || is_mipmapped && sampler.linear_levels) && !gives_floats;
    if integer_filter || is_mipmapped && !sampler.normalized_coordinates {
        return Err(Error::InvalidValue);
    }
    Ok(sampler)
}

/// Returns the channel type and the number of channels of a `CUresourceViewFormat`. Returns `None`
/// for the format that keeps the array's channels.
fn view_format(format: i32) -> Result<Option<(Channel, u32)>> {
    use Channel::*;
    let channels = [1, 2, 4];
    match format {
        0 => Ok(None),
        1..=24 => {
            let index = format as usize - 1;
            Ok(Some(([U8, S8, U16, S16, U32, S32, F16, F32][index / 3], channels[index % 3])))
        }
        _ => Err(Error::NotSupported),
    }
}

/// Returns the levels that a view shows.
fn viewed(mut levels: Vec<Image>, view: &CUDA_RESOURCE_VIEW_DESC) -> Result<Vec<Image>> {
    let (first, last) = (view.firstMipmapLevel as usize, view.lastMipmapLevel as usize);
    if first > last || last >= levels.len() {
        return Err(Error::InvalidValue);
    }
    levels = levels[first..=last].to_vec();
    for image in &mut levels {
        if let Some((channel, channels)) = view_format(view.format)? {
            if channel.bytes() * u64::from(channels) != image.element_bytes() {
                return Err(Error::InvalidValue);
            }
            (image.channel, image.channels) = (channel, channels);
        }
        if (view.firstLayer, view.lastLayer) != (0, 0) {
            let layers = image.extent[2];
            if view.firstLayer > view.lastLayer || view.lastLayer >= layers {
                return Err(Error::InvalidValue);
            }
            image.address += u64::from(view.firstLayer) * image.slice_bytes;
            image.extent[2] = view.lastLayer - view.firstLayer + 1;
        }
    }
    Ok(levels)
}

impl Driver {
    fn array_of(&self, context: &Context, handle: u64) -> Result<std::sync::Arc<Array>> {
        self.arrays
            .get(handle)
            .filter(|array| array.context == context.handle)
            .ok_or(Error::InvalidHandle)
    }

    /// Returns linear memory as an image of `rows` rows at `pitch`.
    fn linear_image(
        &self,
        resource: &CUDA_RESOURCE_DESC,
        width: Option<u64>,
        rows: u64,
        pitch: u64,
    ) -> Result<Image> {
        let [address, format, bytes_or_width, ..] = resource.res;
        let channels = (format >> 32) as u32;
        let channel = channel(format as i32).ok_or(Error::NotSupported)?;
        if !matches!(channels, 1 | 2 | 4) {
            return Err(Error::InvalidValue);
        }
        let element_bytes = channel.bytes() * u64::from(channels);
        let width = width.unwrap_or(bytes_or_width / element_bytes);
        let row_bytes = width.checked_mul(element_bytes).ok_or(Error::InvalidValue)?;
        let before = rows
            .checked_sub(1)
            .and_then(|rows| rows.checked_mul(pitch))
            .ok_or(Error::InvalidValue)?;
        let bytes = before.checked_add(row_bytes).ok_or(Error::InvalidValue)?;
        if width == 0
            || width > u64::from(u32::MAX)
            || rows > u64::from(u32::MAX)
            || !self.ranges.covers(address, bytes)
        {
            return Err(Error::InvalidValue);
        }
        let extent = [width as u32, rows as u32, 1];
        Ok(Image { address, extent, row_bytes: pitch, slice_bytes: bytes, channel, channels })
    }

    /// Returns a resource's levels as images.
    fn levels(&self, context: &Context, resource: &CUDA_RESOURCE_DESC) -> Result<Vec<Image>> {
        let attribute =
            |id| self.device(context.device).map(|device| device.attribute(id).unwrap_or(1) as u64);
        let [address, _, width, height, pitch, ..] = resource.res;
        match resource.resType {
            values::RESOURCE_TYPE_ARRAY => Ok(vec![self.array_of(context, address)?.image]),
            values::RESOURCE_TYPE_MIPMAPPED_ARRAY => {
                let mipmapped = self.mipmapped_arrays.get(address).ok_or(Error::InvalidHandle)?;
                mipmapped
                    .levels
                    .iter()
                    .map(|level| Ok(self.array_of(context, *level)?.image))
                    .collect()
            }
            _ if !address.is_multiple_of(attribute(TEXTURE_ALIGNMENT_ATTRIBUTE)?) => {
                Err(Error::InvalidValue)
            }
            values::RESOURCE_TYPE_LINEAR => {
                let image = self.linear_image(resource, None, 1, 0)?;
                if u64::from(image.extent[0]) > attribute(LINEAR_WIDTH_ATTRIBUTE)? {
                    return Err(Error::InvalidValue);
                }
                Ok(vec![image])
            }
            values::RESOURCE_TYPE_PITCH2D => {
                let image = self.linear_image(resource, Some(width), height, pitch)?;
                let row_bytes = u64::from(image.extent[0]) * image.element_bytes();
                if !pitch.is_multiple_of(attribute(PITCH_ALIGNMENT_ATTRIBUTE)?) || pitch < row_bytes
                {
                    return Err(Error::InvalidValue);
                }
                Ok(vec![image])
            }
            _ => Err(Error::InvalidValue),
        }
    }

    /// Creates a texture object and returns its number.
    pub fn create_texture(&self, context: &Context, described: Described) -> Result<u64> {
        let Described { resource, texture, view } = described;
        if resource.flags != 0 {
            return Err(Error::InvalidValue);
        }
        let mut levels = self.levels(context, &resource)?;
        let is_linear_memory = resource.resType == values::RESOURCE_TYPE_LINEAR;
        if let Some(view) = &view {
            if !matches!(
                resource.resType,
                values::RESOURCE_TYPE_ARRAY | values::RESOURCE_TYPE_MIPMAPPED_ARRAY
            ) {
                return Err(Error::InvalidValue);
            }
            levels = viewed(levels, view)?;
        }
        let mut description = texture;
        if is_linear_memory {
            // Addressing and filtering do not apply to linear memory.
            (description.addressMode, description.filterMode) = ([1; 3], 0);
        }
        let sampler = sampler(
            &description,
            &levels[0],
            resource.resType == values::RESOURCE_TYPE_MIPMAPPED_ARRAY,
        )?;
        Ok(insert(
            &self.textures.textures,
            context.handle,
            Texture::new(levels, is_linear_memory, sampler),
            described,
        ))
    }

    fn retire<T: Send + 'static, D>(&self, table: &Table<T, D>, object: u64) -> Result<()> {
        let made = lock(table).remove(&object).ok_or(Error::InvalidValue)?;
        let mut retired = lock(&self.textures.retired);
        retired.push((made.context, made.engine));
        if retired.len() < RETIRED_MAX {
            return Ok(());
        }
        let passed = std::mem::take(&mut *retired);
        drop(retired);
        for context in passed.iter().map(|(context, _)| *context).collect::<BTreeSet<_>>() {
            // The context's own calls report its faults.
            let _ = self.wait_for(context);
        }
        Ok(())
    }

    /// Destroys a texture object.
    pub fn destroy_texture(&self, object: u64) -> Result<()> {
        self.retire(&self.textures.textures, object)
    }

    /// Creates a surface object and returns its number.
    pub fn create_surface(&self, context: &Context, resource: CUDA_RESOURCE_DESC) -> Result<u64> {
        if resource.resType != values::RESOURCE_TYPE_ARRAY || resource.flags != 0 {
            return Err(Error::InvalidValue);
        }
        let array = self.array_of(context, resource.res[0])?;
        if array.descriptor.Flags & values::ARRAY3D_SURFACE_LDST == 0 {
            return Err(Error::InvalidValue);
        }
        Ok(insert(&self.textures.surfaces, context.handle, Surface::new(array.image), resource))
    }

    /// Destroys a surface object.
    pub fn destroy_surface(&self, object: u64) -> Result<()> {
        self.retire(&self.textures.surfaces, object)
    }
}
