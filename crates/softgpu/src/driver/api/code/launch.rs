//! Launches: collects the parameters, which C passes in several ways, into one buffer.

use std::ffi::c_void;

use outhaul_abi::types::values::{
    LAUNCH_PARAM_BUFFER_POINTER, LAUNCH_PARAM_BUFFER_SIZE, LAUNCH_PARAM_END,
};
use outhaul_abi::types::*;

use crate::driver::api::arguments::{take, take_all};
use crate::driver::objects::code::kernel_call::Shape;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};
use crate::engine;

/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`.
pub(in crate::driver::api) const ATTRIBUTE_COOPERATIVE: i32 = 2;
/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
pub(in crate::driver::api) const ATTRIBUTE_CLUSTER_DIMENSION: i32 = 4;
const ATTRIBUTES_MAX: u32 = 64;
/// Maximum number of words in `extra`, a list of pairs that the program must terminate. Two kinds
/// of pairs exist.
const EXTRA_WORDS_MAX: usize = 16;

/// Returns a launch's parameter buffer.
pub(in crate::driver::api) fn pack(
    kernel: &engine::Kernel,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<Vec<u8>> {
    if !params.is_null() && !extra.is_null() {
        return Err(Error::InvalidValue);
    }
    if !extra.is_null() {
        return from_extra(kernel, extra);
    }
    let mut buffer = vec![0_u8; kernel.param_bytes as usize];
    let values = take_all(params.cast_const(), kernel.params.len())?;
    for (param, value) in kernel.params.iter().zip(values) {
        let place = buffer.get_mut(param.offset_bytes as usize..).ok_or(Error::InvalidValue)?;
        let place = place.get_mut(..param.size_bytes as usize).ok_or(Error::InvalidValue)?;
        if value.is_null() {
            return Err(Error::InvalidValue);
        }
        // SAFETY: the program guarantees that each pointer is valid for reads of its parameter's
        // size.
        unsafe {
            std::ptr::copy_nonoverlapping(
                value.cast::<u8>().cast_const(),
                place.as_mut_ptr(),
                place.len(),
            )
        };
    }
    Ok(buffer)
}

fn from_extra(kernel: &engine::Kernel, extra: *mut *mut c_void) -> Result<Vec<u8>> {
    let (mut bytes, mut size) = (std::ptr::null::<u8>(), 0);
    for index in (0..EXTRA_WORDS_MAX).step_by(2) {
        // SAFETY: the program guarantees that the list ends with LAUNCH_PARAM_END and that a value
        // follows every other key.
        let key = unsafe { extra.add(index).read() }.addr();
        if key == LAUNCH_PARAM_END {
            break;
        }
        // SAFETY: as above.
        let value = unsafe { extra.add(index + 1).read() };
        match key {
            LAUNCH_PARAM_BUFFER_POINTER => bytes = value.cast::<u8>().cast_const(),
            LAUNCH_PARAM_BUFFER_SIZE => size = take(value.cast::<usize>().cast_const())?,
            _ => return Err(Error::InvalidValue),
        }
    }
    let mut buffer = take_all(bytes, size.min(kernel.param_bytes as usize))?;
    let used = kernel
        .params
        .iter()
        .map(|param| (param.offset_bytes + param.size_bytes) as usize)
        .max()
        .unwrap_or(0);
    if buffer.len() < used {
        return Err(Error::InvalidValue);
    }
    buffer.resize(kernel.param_bytes as usize, 0);
    Ok(buffer)
}

fn launch(
    f: CUfunction,
    shape: Shape,
    stream: CUstream,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<()> {
    let driver = driver()?;
    let stream = driver.stream(stream.0 as u64)?;
    let function = driver.function(f.0 as u64)?;
    let buffer = pack(&function.kernel, params, extra)?;
    driver.launch(&stream, driver.kernel_call(f.0 as u64, function, shape, buffer)?)
}

pub unsafe fn cuLaunchKernel(
    f: CUfunction,
    gridDimX: u32,
    gridDimY: u32,
    gridDimZ: u32,
    blockDimX: u32,
    blockDimY: u32,
    blockDimZ: u32,
    sharedMemBytes: u32,
    hStream: CUstream,
    kernelParams: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<()> {
    let shape = Shape {
        grid: [gridDimX, gridDimY, gridDimZ],
        block: [blockDimX, blockDimY, blockDimZ],
        dynamic_shared_bytes: sharedMemBytes,
        cooperative: false,
        cluster: None,
    };
    launch(f, shape, hStream, kernelParams, extra)
}

pub unsafe fn cuLaunchCooperativeKernel(
    f: CUfunction,
    gridDimX: u32,
    gridDimY: u32,
    gridDimZ: u32,
    blockDimX: u32,
    blockDimY: u32,
    blockDimZ: u32,
    sharedMemBytes: u32,
    hStream: CUstream,
    kernelParams: *mut *mut c_void,
) -> Result<()> {
    let shape = Shape {
        grid: [gridDimX, gridDimY, gridDimZ],
        block: [blockDimX, blockDimY, blockDimZ],
        dynamic_shared_bytes: sharedMemBytes,
        cooperative: true,
        cluster: None,
    };
    launch(f, shape, hStream, kernelParams, std::ptr::null_mut())
}

/// Returns a cluster attribute's three 32-bit numbers.
pub(in crate::driver::api) fn cluster_of(value: &[u64; 8]) -> [u32; 3] {
    [value[0] as u32, (value[0] >> 32) as u32, value[1] as u32]
}

/// Returns a launch's shape. Attributes other than the cooperative flag and the cluster dimension
/// are hints that change no result.
pub(in crate::driver::api) fn shape_of(config: &CUlaunchConfig) -> Result<Shape> {
    let mut shape = Shape {
        grid: [config.gridDimX, config.gridDimY, config.gridDimZ],
        block: [config.blockDimX, config.blockDimY, config.blockDimZ],
        dynamic_shared_bytes: config.sharedMemBytes,
        cooperative: false,
        cluster: None,
    };
    if config.numAttrs > ATTRIBUTES_MAX {
        return Err(Error::InvalidValue);
    }
    for attribute in take_all(config.attrs, config.numAttrs as usize)? {
        match attribute.id {
            ATTRIBUTE_COOPERATIVE => shape.cooperative = attribute.value[0] as u32 != 0,
            ATTRIBUTE_CLUSTER_DIMENSION => shape.cluster = Some(cluster_of(&attribute.value)),
            _ => {}
        }
    }
    Ok(shape)
}

pub unsafe fn cuLaunchKernelEx(
    config: *const CUlaunchConfig,
    f: CUfunction,
    kernelParams: *mut *mut c_void,
    extra: *mut *mut c_void,
    default_stream: CUstream,
) -> Result<()> {
    let config = take(config)?;
    let stream = if config.hStream.is_null() { default_stream } else { config.hStream };
    launch(f, shape_of(&config)?, stream, kernelParams, extra)
}
