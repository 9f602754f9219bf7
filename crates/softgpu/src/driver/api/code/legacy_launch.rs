//! Launches with the state that was set on a function, as before CUDA 4.0. Also launches one grid
//! on several devices, of which only one is supported.

use std::ffi::c_void;
use std::sync::Arc;

use outhaul_abi::types::values::{
    LAUNCH_PARAM_BUFFER_POINTER, LAUNCH_PARAM_BUFFER_SIZE, LAUNCH_PARAM_END,
};
use outhaul_abi::types::*;

use crate::driver::api::arguments::{take, take_all};
use crate::driver::api::code::launch::{cuLaunchCooperativeKernel, cuLaunchKernel};
use crate::driver::device::{BLOCK_DIM_MAX, THREADS_PER_BLOCK_MAX};
use crate::driver::lock;
use crate::driver::objects::code::function::Function;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

const MULTI_DEVICE_FLAGS_KNOWN: u32 = 3;

fn find(function: CUfunction) -> Result<Arc<Function>> {
    driver()?.function(function.0 as u64)
}

fn refused(_: CUresult) -> Error {
    Error::InvalidValue
}

pub unsafe fn cuFuncSetBlockShape(hfunc: CUfunction, x: i32, y: i32, z: i32) -> Result<()> {
    let function = find(hfunc)?;
    let block = [x, y, z].map(|extent| u32::try_from(extent).unwrap_or(0));
    let fits = block.iter().zip(BLOCK_DIM_MAX).all(|(extent, most)| *extent > 0 && *extent <= most);
    let threads: u64 = block.iter().map(|extent| u64::from(*extent)).product();
    if !fits
        || threads > u64::from(THREADS_PER_BLOCK_MAX.min(function.kernel.max_threads_per_block))
    {
        return Err(Error::InvalidValue);
    }
    lock(&function.launch_state).block = block;
    Ok(())
}

pub unsafe fn cuFuncSetSharedSize(hfunc: CUfunction, bytes: u32) -> Result<()> {
    let function = find(hfunc)?;
    if bytes > function.tuning.max_dynamic_shared_bytes.load(std::sync::atomic::Ordering::Relaxed) {
        return Err(Error::InvalidValue);
    }
    lock(&function.launch_state).shared_bytes = bytes;
    Ok(())
}

pub unsafe fn cuParamSetSize(hfunc: CUfunction, numbytes: u32) -> Result<()> {
    lock(&find(hfunc)?.launch_state).set_bytes(numbytes).map_err(refused)
}

pub unsafe fn cuParamSeti(hfunc: CUfunction, offset: i32, value: u32) -> Result<()> {
    lock(&find(hfunc)?.launch_state).set(offset, &value.to_le_bytes()).map_err(refused)
}

pub unsafe fn cuParamSetf(hfunc: CUfunction, offset: i32, value: f32) -> Result<()> {
    lock(&find(hfunc)?.launch_state).set(offset, &value.to_le_bytes()).map_err(refused)
}

pub unsafe fn cuParamSetv(
    hfunc: CUfunction,
    offset: i32,
    ptr: *mut c_void,
    numbytes: u32,
) -> Result<()> {
    let function = find(hfunc)?;
    let value = take_all(ptr.cast::<u8>().cast_const(), numbytes as usize)?;
    lock(&function.launch_state).set(offset, &value).map_err(refused)
}

fn launch(function: CUfunction, width: i32, height: i32, stream: CUstream) -> Result<()> {
    let found = find(function)?;
    let (Ok(width), Ok(height)) = (u32::try_from(width), u32::try_from(height)) else {
        return Err(Error::InvalidValue);
    };
    let state = lock(&found.launch_state).clone();
    let mut params = state.packed(found.kernel.param_bytes as usize);
    let mut bytes = params.len();
    let mut extra = [
        std::ptr::without_provenance_mut::<c_void>(LAUNCH_PARAM_BUFFER_POINTER),
        params.as_mut_ptr().cast(),
        std::ptr::without_provenance_mut(LAUNCH_PARAM_BUFFER_SIZE),
        (&raw mut bytes).cast(),
        std::ptr::without_provenance_mut(LAUNCH_PARAM_END),
    ];
    let [x, y, z] = state.block;
    // SAFETY: the list is terminated, and its pointers refer to locals.
    unsafe {
        cuLaunchKernel(
            function,
            width,
            height,
            1,
            x,
            y,
            z,
            state.shared_bytes,
            stream,
            std::ptr::null_mut(),
            extra.as_mut_ptr(),
        )
    }
}

pub unsafe fn cuLaunch(f: CUfunction) -> Result<()> {
    launch(f, 1, 1, CUstream::NULL)
}

pub unsafe fn cuLaunchGrid(f: CUfunction, grid_width: i32, grid_height: i32) -> Result<()> {
    launch(f, grid_width, grid_height, CUstream::NULL)
}

pub unsafe fn cuLaunchGridAsync(
    f: CUfunction,
    grid_width: i32,
    grid_height: i32,
    hStream: CUstream,
) -> Result<()> {
    launch(f, grid_width, grid_height, hStream)
}

/// Supports only one device, on which the launch is a normal cooperative launch.
pub unsafe fn cuLaunchCooperativeKernelMultiDevice(
    launchParamsList: *mut CUDA_LAUNCH_PARAMS,
    numDevices: u32,
    flags: u32,
) -> Result<()> {
    let p = take(launchParamsList.cast_const())?;
    let is_default = matches!(p.hStream, CUstream::NULL | CUstream::LEGACY | CUstream::PER_THREAD);
    if numDevices == 0 || flags & !MULTI_DEVICE_FLAGS_KNOWN != 0 || is_default {
        return Err(Error::InvalidValue);
    }
    if numDevices > 1 {
        return Err(Error::NotSupported);
    }
    let (grid, block) =
        ([p.gridDimX, p.gridDimY, p.gridDimZ], [p.blockDimX, p.blockDimY, p.blockDimZ]);
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        cuLaunchCooperativeKernel(
            p.function,
            grid[0],
            grid[1],
            grid[2],
            block[0],
            block[1],
            block[2],
            p.sharedMemBytes,
            p.hStream,
            p.kernelParams,
        )
    }
}
