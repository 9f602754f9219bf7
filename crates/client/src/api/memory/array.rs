//! Arrays and mipmapped arrays. The worker's driver creates them, and the client keeps their
//! descriptors. Sparse arrays, arrays whose memory is mapped later, and planes of video formats are
//! deliberately absent.

use crate::api::arguments::{CudaResult, put};
use crate::driver::handles::{array, mipmapped_array};
use crate::driver::memory::context_synchronize;
use crate::driver::state::driver;
use crate::objects::context_stack;
use crate::objects::context_stack::{call, post};
use crate::objects::memory::arrays::{Array, MipmappedArray};
use outhaul_abi::types::*;
use outhaul_lock::Mutex;
use outhaul_wire::messages::{ArrayCreate, ArrayDestroy, MipmappedArrayGetLevel};
use std::sync::Arc;

/// Flags of arrays whose memory comes from functions that are not supported.
const FLAGS_REFUSED: u32 = values::ARRAY3D_SPARSE | values::ARRAY3D_DEFERRED_MAPPING;

/// Makes the worker create an array with the handle `handle`. If `levels` is not 0, the array is
/// mipmapped.
fn create_on_worker(handle: u64, d: &CUDA_ARRAY3D_DESCRIPTOR, levels: u32) -> CudaResult {
    let (width, height, depth) = (d.Width as u64, d.Height as u64, d.Depth as u64);
    let message = ArrayCreate {
        array: handle,
        width,
        height,
        depth,
        format: d.Format,
        channels: d.NumChannels,
        flags: d.Flags,
        levels,
    };
    call(&message)?.read(|()| Ok(()))
}

/// Creates an array of up to three dimensions.
pub fn create_3d(descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> Result<CUarray, CUresult> {
    let descriptor = CUDA_ARRAY3D_DESCRIPTOR { pad: 0, ..*descriptor };
    if descriptor.Flags & FLAGS_REFUSED != 0 {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let (driver, context) = (driver()?, context_stack::current()?);
    let handle = driver.arrays.reserve_on(context.session.number)?;
    create_on_worker(handle, &descriptor, 0).inspect_err(|_| driver.arrays.release(handle))?;
    driver.arrays.fill(
        handle,
        Array { handle, context: Arc::downgrade(&context), descriptor, is_level: false },
    );
    Ok(CUarray(handle as usize))
}

/// Creates an array of one or two dimensions.
pub fn create(d: &CUDA_ARRAY_DESCRIPTOR) -> Result<CUarray, CUresult> {
    let CUDA_ARRAY_DESCRIPTOR { Width, Height, Format, NumChannels } = *d;
    create_3d(&CUDA_ARRAY3D_DESCRIPTOR {
        Width,
        Height,
        Depth: 0,
        Format,
        NumChannels,
        Flags: 0,
        pad: 0,
    })
}

pub unsafe fn cuArrayGetDescriptor_v2(
    out: *mut CUDA_ARRAY_DESCRIPTOR,
    handle: CUarray,
) -> CudaResult {
    let CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Format, NumChannels, .. } =
        array(handle)?.descriptor;
    // SAFETY: the program's out-pointer for a struct.
    unsafe { put(out, CUDA_ARRAY_DESCRIPTOR { Width, Height, Format, NumChannels }) }
}

pub unsafe fn cuArray3DGetDescriptor_v2(
    out: *mut CUDA_ARRAY3D_DESCRIPTOR,
    handle: CUarray,
) -> CudaResult {
    // SAFETY: the program's out-pointer for a struct.
    unsafe { put(out, array(handle)?.descriptor) }
}

/// Destroys an array. Rejects an array that is a level of a mipmapped array.
pub fn destroy(array: Arc<Array>) -> CudaResult {
    if array.is_level {
        return Err(CUresult::INVALID_HANDLE);
    }
    let driver = driver()?;
    context_synchronize::synchronize_before_release(driver);
    driver.arrays.remove(array.handle);
    post(&ArrayDestroy { array: array.handle })
}

/// Creates a mipmapped array.
pub fn create_mipmapped(
    descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
    levels: u32,
) -> Result<CUmipmappedArray, CUresult> {
    if descriptor.Flags & FLAGS_REFUSED != 0 {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let descriptor = CUDA_ARRAY3D_DESCRIPTOR { pad: 0, ..*descriptor };
    // The driver limits the number of levels in the same way.
    let levels = levels.clamp(1, descriptor.levels_max());
    let (driver, context) = (driver()?, context_stack::current()?);
    let handle = driver.mipmapped_arrays.reserve_on(context.session.number)?;
    create_on_worker(handle, &descriptor, levels)
        .inspect_err(|_| driver.mipmapped_arrays.release(handle))?;
    let levels = Mutex::new(vec![None; levels as usize]);
    driver.mipmapped_arrays.fill(
        handle,
        MipmappedArray { handle, context: Arc::downgrade(&context), descriptor, levels },
    );
    Ok(CUmipmappedArray(handle as usize))
}

pub unsafe fn cuMipmappedArrayGetLevel(
    out: *mut CUarray,
    handle: CUmipmappedArray,
    level: u32,
) -> CudaResult {
    let (driver, mipmapped) = (driver()?, mipmapped_array(handle)?);
    let mut levels = mipmapped.levels.lock();
    let known =
        levels.get_mut(level as usize).filter(|_| !out.is_null()).ok_or(CUresult::INVALID_VALUE)?;
    let array = match *known {
        Some(array) => array,
        None => {
            let descriptor = mipmapped.descriptor.level(level);
            let context = mipmapped.context.clone();
            let target = context_stack::target()?;
            let make = |handle| Array { handle, context, descriptor, is_level: true };
            let array = driver.arrays.insert_on(target.session.number, make)?.handle;
            target
                .post(&MipmappedArrayGetLevel { mipmapped_array: mipmapped.handle, level, array })
                .inspect_err(|_| {
                    driver.arrays.remove(array);
                })?;
            *known.insert(array)
        }
    };
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, CUarray(array as usize)) }
}

/// Destroys a mipmapped array and its levels.
pub fn destroy_mipmapped(handle: CUmipmappedArray) -> CudaResult {
    let driver = driver()?;
    context_synchronize::synchronize_before_release(driver);
    let mipmapped =
        driver.mipmapped_arrays.remove(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    let levels = std::mem::take(&mut *mipmapped.levels.lock());
    for level in levels.into_iter().flatten() {
        driver.arrays.remove(level);
    }
    post(&ArrayDestroy { array: mipmapped.handle })
}
