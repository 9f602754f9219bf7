//! Launches in the style before CUDA 4.0, with parameters that were set on the function. Also
//! launches of one cooperative grid on several devices, of which only those on one device are
//! supported.

use super::launch;
use crate::api::arguments::CudaResult;
use crate::driver::state::driver;
use crate::marshal;
use crate::objects::code::function::Function;
use crate::objects::context_stack;
use crate::objects::device_facts::attribute;
use outhaul_abi::code::legacy_launch::LaunchState;
use outhaul_abi::types::*;
use outhaul_lock::MutexGuard;
use std::ffi::c_void;
use std::sync::Arc;

/// Known flags: `CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC` and its post-launch
/// counterpart.
const MULTI_DEVICE_FLAGS_KNOWN: u32 = 3;

fn find(handle: CUfunction) -> Result<Arc<Function>, CUresult> {
    driver()?.function(handle.0 as u64)
}

fn state(function: &Function) -> MutexGuard<'_, LaunchState> {
    function.launch_state.lock()
}

pub unsafe fn cuFuncSetBlockShape(handle: CUfunction, x: i32, y: i32, z: i32) -> CudaResult {
    let function = find(handle)?;
    let device = driver()?.facts.device(context_stack::with_current(|c| Ok(c.device))?)?;
    let block = [x, y, z];
    let fits = |axis: usize| {
        block[axis] > 0
            && block[axis]
                <= device.attribute(attribute::MAX_BLOCK_DIM_X + axis as i32).unwrap_or(i32::MAX)
    };
    let threads = block.iter().fold(1, |all: i64, extent| all.saturating_mul(i64::from(*extent)));
    if !(0..3).all(fits) || threads > i64::from(function.facts()?.threads_per_block_max()) {
        return Err(CUresult::INVALID_VALUE);
    }
    state(&function).block = block.map(|extent| extent as u32);
    Ok(())
}

pub unsafe fn cuFuncSetSharedSize(handle: CUfunction, bytes: u32) -> CudaResult {
    let function = find(handle)?;
    if bytes > function.facts()?.dynamic_shared_bytes_max() {
        return Err(CUresult::INVALID_VALUE);
    }
    state(&function).shared_bytes = bytes;
    Ok(())
}

pub unsafe fn cuParamSetSize(handle: CUfunction, bytes: u32) -> CudaResult {
    state(&*find(handle)?).set_bytes(bytes)
}

pub unsafe fn cuParamSeti(handle: CUfunction, offset: i32, value: u32) -> CudaResult {
    state(&*find(handle)?).set(offset, &value.to_le_bytes())
}

pub unsafe fn cuParamSetf(handle: CUfunction, offset: i32, value: f32) -> CudaResult {
    state(&*find(handle)?).set(offset, &value.to_le_bytes())
}

pub unsafe fn cuParamSetv(
    handle: CUfunction,
    offset: i32,
    value: *mut c_void,
    bytes: u32,
) -> CudaResult {
    let function = find(handle)?;
    marshal::not_null(value.cast_const())?;
    // SAFETY: checked for null; the program guarantees that `value` is valid for reads of `bytes`
    // bytes.
    let value = unsafe { std::slice::from_raw_parts(value.cast::<u8>(), bytes as usize) };
    state(&function).set(offset, value)
}

/// Launches a function with the block shape and the parameters that were set on it.
pub fn launch(handle: CUfunction, width: i32, height: i32, stream: CUstream) -> CudaResult {
    let function = find(handle)?;
    let (Ok(width), Ok(height)) = (u32::try_from(width), u32::try_from(height)) else {
        return Err(CUresult::INVALID_VALUE);
    };
    let state = state(&function).clone();
    let mut params = state.packed(function.facts()?.param_bytes());
    let mut bytes = params.len();
    let mut extra = [
        values::LAUNCH_PARAM_BUFFER_POINTER as *mut c_void,
        params.as_mut_ptr().cast(),
        values::LAUNCH_PARAM_BUFFER_SIZE as *mut c_void,
        (&raw mut bytes).cast(),
        values::LAUNCH_PARAM_END as *mut c_void,
    ];
    let (grid, none) = ([width, height, 1], std::ptr::null_mut());
    let (shared_bytes, extra) = (state.shared_bytes, extra.as_mut_ptr());
    // SAFETY: the list ends with `LAUNCH_PARAM_END`, and its values point to locals.
    unsafe { launch::launch(handle, grid, state.block, shared_bytes, stream, none, extra) }
}

/// Launches an ordinary cooperative kernel if the program names one device. Rejects several
/// devices, because devices report that they do not support such launches.
pub unsafe fn cuLaunchCooperativeKernelMultiDevice(
    list: *mut CUDA_LAUNCH_PARAMS,
    count: u32,
    flags: u32,
) -> CudaResult {
    // SAFETY: the program guarantees that `list` is null or valid for reads of `count`
    // descriptions.
    let Some(p) = (unsafe { list.as_ref() }) else { return Err(CUresult::INVALID_VALUE) };
    let is_default = matches!(p.hStream, CUstream::NULL | CUstream::LEGACY | CUstream::PER_THREAD);
    if count == 0 || flags & !MULTI_DEVICE_FLAGS_KNOWN != 0 || is_default {
        return Err(CUresult::INVALID_VALUE);
    }
    if count > 1 {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let (grid, block) =
        ([p.gridDimX, p.gridDimY, p.gridDimZ], [p.blockDimX, p.blockDimY, p.blockDimZ]);
    // SAFETY: the program guarantees what the launch requires of `kernelParams`.
    unsafe {
        launch::launch_cooperative(
            p.function,
            grid,
            block,
            p.sharedMemBytes,
            p.hStream,
            p.kernelParams,
        )
    }
}
