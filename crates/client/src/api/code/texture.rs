//! Texture and surface objects. A kernel receives such an object as a number in its parameters. The
//! client cannot recognise and translate that number. So the program gets the number of the
//! worker's driver, and creating an object blocks.

use crate::api::arguments::{CudaResult, put};
use crate::driver::handles;
use crate::driver::state::{Driver, driver};
use crate::objects::code::textures::Texture;
use crate::objects::context_stack;
use crate::objects::context_stack::{call, post};
use outhaul_abi::types::*;
use outhaul_wire::messages::{SurfaceCreate, SurfaceDestroy, TextureCreate, TextureDestroy};

fn here() -> Result<(&'static Driver, u16), CUresult> {
    Ok((driver()?, context_stack::with_current(|c| Ok(c.index))?))
}

fn texture(object: CUtexObject) -> Result<Texture, CUresult> {
    let (driver, context) = here()?;
    driver.textures.textures().get(&(context, object)).copied().ok_or(CUresult::INVALID_VALUE)
}

/// Returns the message that creates a texture for `resource`. The caller sets `texture` and `view`.
fn resource_message(resource: &CUDA_RESOURCE_DESC) -> Result<TextureCreate<'static>, CUresult> {
    let mut message = TextureCreate {
        kind: resource.resType,
        array: 0,
        address: 0,
        format: 0,
        channels: 0,
        width: 0,
        height: 0,
        pitch_bytes: 0,
        texture: &[],
        view: &[],
    };
    let handle = resource.res[0];
    match resource.resType {
        values::RESOURCE_TYPE_ARRAY => {
            message.array = handles::array(CUarray(handle as usize))?.handle
        }
        values::RESOURCE_TYPE_MIPMAPPED_ARRAY => {
            message.array = handles::mipmapped_array(CUmipmappedArray(handle as usize))?.handle
        }
        values::RESOURCE_TYPE_LINEAR | values::RESOURCE_TYPE_PITCH2D => {
            let [address, format, width, height, pitch, ..] = resource.res;
            (message.address, message.width) = (address, width);
            (message.format, message.channels) = (format as i32, (format >> 32) as u32);
            if resource.resType == values::RESOURCE_TYPE_PITCH2D {
                (message.height, message.pitch_bytes) = (height, pitch);
            }
        }
        _ => return Err(CUresult::INVALID_VALUE),
    }
    if resource.flags == 0 { Ok(message) } else { Err(CUresult::INVALID_VALUE) }
}

/// Creates a texture object.
///
/// # Safety
/// Each pointer is null or valid for reads.
pub unsafe fn create(
    resource: *const CUDA_RESOURCE_DESC,
    description: *const CUDA_TEXTURE_DESC,
    view: *const CUDA_RESOURCE_VIEW_DESC,
) -> Result<CUtexObject, CUresult> {
    let (driver, context) = here()?;
    // SAFETY: the caller upholds this function's contract.
    let (resource, description, view) =
        unsafe { (resource.as_ref(), description.as_ref(), view.as_ref()) };
    let (Some(&resource), Some(&description)) = (resource, description) else {
        return Err(CUresult::INVALID_VALUE);
    };
    let texture = crate::marshal::bytes(&description);
    let message = TextureCreate {
        texture,
        view: view.map_or(&[], crate::marshal::bytes),
        ..resource_message(&resource)?
    };
    let object = call(&message)?.read(|reply| Ok(reply.texture))?;
    driver
        .textures
        .textures()
        .insert((context, object), Texture { resource, texture: description, view: view.copied() });
    Ok(object)
}

/// Destroys a texture object. Accepts object 0, as NVIDIA's driver does.
pub fn destroy(object: CUtexObject) -> CudaResult {
    let (driver, context) = here()?;
    if object == 0 {
        return Ok(());
    }
    driver.textures.textures().remove(&(context, object)).ok_or(CUresult::INVALID_VALUE)?;
    post(&TextureDestroy { texture: object })
}

pub unsafe fn cuTexObjectGetResourceDesc(
    out: *mut CUDA_RESOURCE_DESC,
    object: CUtexObject,
) -> CudaResult {
    // SAFETY: the program's out-pointer for a struct.
    unsafe { put(out, texture(object)?.resource) }
}

pub unsafe fn cuTexObjectGetTextureDesc(
    out: *mut CUDA_TEXTURE_DESC,
    object: CUtexObject,
) -> CudaResult {
    // SAFETY: the program's out-pointer for a struct.
    unsafe { put(out, texture(object)?.texture) }
}

pub unsafe fn cuTexObjectGetResourceViewDesc(
    out: *mut CUDA_RESOURCE_VIEW_DESC,
    object: CUtexObject,
) -> CudaResult {
    // SAFETY: the program's out-pointer for a struct.
    unsafe { put(out, texture(object)?.view.ok_or(CUresult::INVALID_VALUE)?) }
}

pub unsafe fn cuSurfObjectCreate(
    out: *mut CUsurfObject,
    resource: *const CUDA_RESOURCE_DESC,
) -> CudaResult {
    let (driver, context) = here()?;
    // SAFETY: the program guarantees that `resource` is null or valid for reads.
    let Some(&resource) = (unsafe { resource.as_ref() }) else {
        return Err(CUresult::INVALID_VALUE);
    };
    if out.is_null() || resource.resType != values::RESOURCE_TYPE_ARRAY || resource.flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let array = handles::array(CUarray(resource.res[0] as usize))?.handle;
    let object = call(&SurfaceCreate { array })?.read(|reply| Ok(reply.surface))?;
    driver.textures.surfaces().insert((context, object), resource);
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, object) }
}

/// Destroys a surface object. Accepts object 0, as NVIDIA's driver does.
pub fn destroy_surface(object: CUsurfObject) -> CudaResult {
    let (driver, context) = here()?;
    if object == 0 {
        return Ok(());
    }
    driver.textures.surfaces().remove(&(context, object)).ok_or(CUresult::INVALID_VALUE)?;
    post(&SurfaceDestroy { surface: object })
}

pub unsafe fn cuSurfObjectGetResourceDesc(
    out: *mut CUDA_RESOURCE_DESC,
    object: CUsurfObject,
) -> CudaResult {
    let (driver, context) = here()?;
    let resource = driver
        .textures
        .surfaces()
        .get(&(context, object))
        .copied()
        .ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: the program's out-pointer for a struct.
    unsafe { put(out, resource) }
}
