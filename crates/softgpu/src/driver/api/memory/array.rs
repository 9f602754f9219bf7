//! Functions for arrays and mipmapped arrays.

use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, take};
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

pub unsafe fn cuArrayCreate_v2(
    pHandle: *mut CUarray,
    pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR,
) -> Result<()> {
    let CUDA_ARRAY_DESCRIPTOR { Width, Height, Format, NumChannels } = take(pAllocateArray)?;
    let descriptor =
        CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Depth: 0, Format, NumChannels, Flags: 0, pad: 0 };
    // SAFETY: the caller upholds the contract about pHandle; the descriptor is a local.
    unsafe { cuArray3DCreate_v2(pHandle, &descriptor) }
}

pub unsafe fn cuArray3DCreate_v2(
    pHandle: *mut CUarray,
    pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR,
) -> Result<()> {
    let driver = driver()?;
    let context = driver.current()?;
    let descriptor = take(pAllocateArray)?;
    if pHandle.is_null() {
        return Err(Error::InvalidValue);
    }
    put(pHandle, CUarray(driver.create_array(&context, descriptor)? as usize))
}

pub unsafe fn cuArrayGetDescriptor_v2(
    pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR,
    hArray: CUarray,
) -> Result<()> {
    let d = driver()?.arrays.get(hArray.0 as u64).ok_or(Error::InvalidHandle)?.descriptor;
    let (Format, NumChannels) = (d.Format, d.NumChannels);
    put(
        pArrayDescriptor,
        CUDA_ARRAY_DESCRIPTOR { Width: d.Width, Height: d.Height, Format, NumChannels },
    )
}

pub unsafe fn cuArray3DGetDescriptor_v2(
    pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR,
    hArray: CUarray,
) -> Result<()> {
    put(
        pArrayDescriptor,
        driver()?.arrays.get(hArray.0 as u64).ok_or(Error::InvalidHandle)?.descriptor,
    )
}

pub unsafe fn cuArrayDestroy(hArray: CUarray) -> Result<()> {
    let driver = driver()?;
    driver.current()?.empty_as_nvidias();
    driver.destroy_array(hArray.0 as u64)
}

/// Always fails, because only arrays whose memory is mapped later have requirements. Such arrays
/// are not supported.
pub unsafe fn cuArrayGetMemoryRequirements(
    _memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
    array: CUarray,
    _device: CUdevice,
) -> Result<()> {
    driver()?.arrays.get(array.0 as u64).ok_or(Error::InvalidHandle)?;
    Err(Error::InvalidValue)
}

pub unsafe fn cuMipmappedArrayCreate(
    pHandle: *mut CUmipmappedArray,
    pMipmappedArrayDesc: *const CUDA_ARRAY3D_DESCRIPTOR,
    numMipmapLevels: u32,
) -> Result<()> {
    let driver = driver()?;
    let context = driver.current()?;
    let descriptor = take(pMipmappedArrayDesc)?;
    if pHandle.is_null() {
        return Err(Error::InvalidValue);
    }
    put(
        pHandle,
        CUmipmappedArray(
            driver.create_mipmapped_array(&context, descriptor, numMipmapLevels)? as usize
        ),
    )
}

pub unsafe fn cuMipmappedArrayGetLevel(
    pLevelArray: *mut CUarray,
    hMipmappedArray: CUmipmappedArray,
    level: u32,
) -> Result<()> {
    let mipmapped =
        driver()?.mipmapped_arrays.get(hMipmappedArray.0 as u64).ok_or(Error::InvalidHandle)?;
    put(
        pLevelArray,
        CUarray(*mipmapped.levels.get(level as usize).ok_or(Error::InvalidValue)? as usize),
    )
}

pub unsafe fn cuMipmappedArrayDestroy(hMipmappedArray: CUmipmappedArray) -> Result<()> {
    let driver = driver()?;
    driver.current()?.empty_as_nvidias();
    driver.destroy_mipmapped_array(hMipmappedArray.0 as u64)
}

/// Always fails, like [`cuArrayGetMemoryRequirements`].
pub unsafe fn cuMipmappedArrayGetMemoryRequirements(
    _memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
    mipmap: CUmipmappedArray,
    _device: CUdevice,
) -> Result<()> {
    driver()?.mipmapped_arrays.get(mipmap.0 as u64).ok_or(Error::InvalidHandle)?;
    Err(Error::InvalidValue)
}
