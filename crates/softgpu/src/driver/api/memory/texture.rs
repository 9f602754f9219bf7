//! Functions for texture and surface objects.

use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, take};
use crate::driver::objects::memory::textures::Described;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

pub unsafe fn cuTexObjectCreate(
    pTexObject: *mut CUtexObject,
    pResDesc: *const CUDA_RESOURCE_DESC,
    pTexDesc: *const CUDA_TEXTURE_DESC,
    pResViewDesc: *const CUDA_RESOURCE_VIEW_DESC,
) -> Result<()> {
    let driver = driver()?;
    let context = driver.current()?;
    let view = if pResViewDesc.is_null() { None } else { Some(take(pResViewDesc)?) };
    let described = Described { resource: take(pResDesc)?, texture: take(pTexDesc)?, view };
    if pTexObject.is_null() {
        return Err(Error::InvalidValue);
    }
    put(pTexObject, driver.create_texture(&context, described)?)
}

/// Destroys a texture object. Succeeds for object 0, like NVIDIA's driver.
pub unsafe fn cuTexObjectDestroy(texObject: CUtexObject) -> Result<()> {
    let driver = driver()?;
    driver.current()?;
    if texObject == 0 { Ok(()) } else { driver.destroy_texture(texObject) }
}

pub unsafe fn cuTexObjectGetResourceDesc(
    pResDesc: *mut CUDA_RESOURCE_DESC,
    texObject: CUtexObject,
) -> Result<()> {
    put(pResDesc, driver()?.textures.texture(texObject)?.resource)
}

pub unsafe fn cuTexObjectGetTextureDesc(
    pTexDesc: *mut CUDA_TEXTURE_DESC,
    texObject: CUtexObject,
) -> Result<()> {
    put(pTexDesc, driver()?.textures.texture(texObject)?.texture)
}

pub unsafe fn cuTexObjectGetResourceViewDesc(
    pResViewDesc: *mut CUDA_RESOURCE_VIEW_DESC,
    texObject: CUtexObject,
) -> Result<()> {
    put(pResViewDesc, driver()?.textures.texture(texObject)?.view.ok_or(Error::InvalidValue)?)
}

pub unsafe fn cuSurfObjectCreate(
    pSurfObject: *mut CUsurfObject,
    pResDesc: *const CUDA_RESOURCE_DESC,
) -> Result<()> {
    let driver = driver()?;
    let context = driver.current()?;
    let resource = take(pResDesc)?;
    if pSurfObject.is_null() {
        return Err(Error::InvalidValue);
    }
    put(pSurfObject, driver.create_surface(&context, resource)?)
}

pub unsafe fn cuSurfObjectDestroy(surfObject: CUsurfObject) -> Result<()> {
    let driver = driver()?;
    driver.current()?;
    if surfObject == 0 { Ok(()) } else { driver.destroy_surface(surfObject) }
}

pub unsafe fn cuSurfObjectGetResourceDesc(
    pResDesc: *mut CUDA_RESOURCE_DESC,
    surfObject: CUsurfObject,
) -> Result<()> {
    put(pResDesc, driver()?.textures.surface(surfObject)?)
}
