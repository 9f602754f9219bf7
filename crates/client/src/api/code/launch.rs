//! Kernel launches. The client checks limits so that an invalid launch fails in the call itself,
//! and then posts the packed parameters.

use crate::api::arguments::CudaResult;
use crate::api::code::launch_attributes::attribute_bytes;
use crate::api::copies::segment_copies;
use crate::driver::contexts;
use crate::driver::managed::mapped_host_memory;
use crate::driver::state::driver;
use crate::driver::streams::resolve;
use crate::driver::submit::submit_kernel;
use crate::objects::code::kernel_facts::Facts;
use crate::objects::context_stack;
use crate::objects::copy_shape::Mode;
use crate::objects::device_facts::attribute;
use outhaul_abi::types::*;
use outhaul_wire::limits::PARAMETER_BYTES_MAX;
use outhaul_wire::messages::LaunchKernel;
use std::ffi::c_void;
use std::sync::LazyLock;

/// Whether a launch returns only when the kernel has completed, with the kernel's error.
/// Programmers set CUDA_LAUNCH_BLOCKING to find the kernel that fails.
static IS_BLOCKING: LazyLock<bool> =
    LazyLock::new(|| std::env::var("CUDA_LAUNCH_BLOCKING").is_ok_and(|value| value == "1"));

/// Dimensions of a launch.
pub(in crate::api) struct Shape {
    /// Number of blocks in the grid, by axis.
    pub grid: [u32; 3],
    /// Number of threads in a block, by axis.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared_bytes: u32,
}

/// Rejects what the native driver rejects in the call itself.
fn check(function: &Facts, shape: &Shape) -> CudaResult {
    let device = driver()?.facts.device(context_stack::with_current(|c| Ok(c.device))?)?;
    let within = |dimensions: &[u32; 3], first: i32| {
        (0..3).all(|i| {
            dimensions[i] > 0
                && dimensions[i]
                    <= device.attribute(first + i as i32).map_or(u32::MAX, |v| v as u32)
        })
    };
    let threads = shape.block.iter().fold(1, |all: u64, d| all.saturating_mul((*d).into()));
    let fits = within(&shape.grid, attribute::MAX_GRID_DIM_X)
        && within(&shape.block, attribute::MAX_BLOCK_DIM_X)
        && threads <= u64::from(function.threads_per_block_max())
        && shape.shared_bytes <= function.dynamic_shared_bytes_max();
    if fits { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// Returns the parameter buffer, with each value at its offset in the kernel's layout.
///
/// # Safety
/// `params` is null or points to one valid pointer per parameter. Each pointer is null or valid for
/// reads of the parameter's size.
unsafe fn pack(function: &Facts, params: *mut *mut c_void) -> Result<Vec<u8>, CUresult> {
    let mut buffer = vec![0; function.param_bytes()];
    if !function.params.is_empty() && params.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    for (i, (offset, size)) in function.params.iter().enumerate() {
        // SAFETY: the caller upholds this function's contract; the buffer includes every parameter.
        unsafe {
            let value = params.add(i).read().cast::<u8>();
            if value.is_null() {
                return Err(CUresult::INVALID_VALUE);
            }
            std::ptr::copy_nonoverlapping(
                value,
                buffer.as_mut_ptr().add(*offset as usize),
                *size as usize,
            );
        }
    }
    Ok(buffer)
}

/// Returns a copy of the parameter buffer that the program packed itself.
///
/// # Safety
/// `extra` is a list of names and values that ends with `CU_LAUNCH_PARAM_END`. The values are as
/// CUDA requires.
unsafe fn packed(extra: *mut *mut c_void) -> Result<Vec<u8>, CUresult> {
    let (mut pointer, mut bytes) = (std::ptr::null(), 0);
    let mut at = 0;
    loop {
        // SAFETY: the loop has not reached the list's end yet, so `at` is inside the list.
        let word = |i: usize| unsafe { extra.add(i).read() };
        match word(at) as usize {
            values::LAUNCH_PARAM_END => break,
            values::LAUNCH_PARAM_BUFFER_POINTER => pointer = word(at + 1).cast::<u8>().cast_const(),
            values::LAUNCH_PARAM_BUFFER_SIZE => {
                // SAFETY: the caller guarantees that the value points to the size.
                bytes = unsafe { word(at + 1).cast::<usize>().read() }
            }
            _ => return Err(CUresult::INVALID_VALUE),
        }
        at += 2;
    }
    if bytes > PARAMETER_BYTES_MAX || pointer.is_null() && bytes > 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(if bytes == 0 {
        Vec::new()
    } else {
        // SAFETY: the caller guarantees that `pointer` is valid for reads of `bytes` bytes.
        unsafe { std::slice::from_raw_parts(pointer, bytes) }.to_vec()
    })
}

/// Checks the launch's dimensions, and returns the packed parameters.
///
/// # Safety
/// As for `pack` if `extra` is null, else as for `packed`.
pub(in crate::api) unsafe fn parameters(
    function: &Facts,
    shape: &Shape,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<Vec<u8>, CUresult> {
    check(function, shape)?;
    // SAFETY: the caller upholds this function's contract.
    let buffer = unsafe { if extra.is_null() { pack(function, params) } else { packed(extra) } }?;
    if buffer.len() < function.param_bytes() { Err(CUresult::INVALID_VALUE) } else { Ok(buffer) }
}

/// Posts a launch. Waits for the kernel if CUDA_LAUNCH_BLOCKING asks for it.
///
/// # Safety
/// As for `parameters`.
unsafe fn start(
    function: CUfunction,
    shape: &Shape,
    stream: CUstream,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
    cooperative: bool,
    attributes: &[u8],
) -> CudaResult {
    let function = driver()?.function(function.0 as u64)?;
    super::cluster::check(function.facts()?, shape.grid, attributes)?;
    // SAFETY: the caller upholds this function's contract.
    let params = unsafe { parameters(function.facts()?, shape, params, extra)? };
    let stream = resolve(stream)?;
    contexts::check_same(function.context, &stream)?;
    let is_captured =
        || driver().is_ok_and(|driver| !matches!(driver.captures.graph_of(&stream), Ok(None)));
    mapped_host_memory::reach_named(&params, is_captured)?;
    let kernel = LaunchKernel {
        function: function.handle,
        grid: shape.grid,
        block: shape.block,
        shared_bytes: shape.shared_bytes,
        stream: stream.handle,
        cooperative,
        attributes,
        params: &params,
    };
    submit_kernel(&stream, &kernel)?;
    if *IS_BLOCKING && !is_captured() {
        segment_copies::wait_if_synchronous(&stream, Mode::Synchronous)
    } else {
        Ok(())
    }
}

/// Launches a kernel.
///
/// # Safety
/// As for `parameters`.
pub unsafe fn launch(
    function: CUfunction,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    stream: CUstream,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CudaResult {
    let shape = Shape { grid, block, shared_bytes };
    // SAFETY: the caller upholds this function's contract.
    unsafe { start(function, &shape, stream, params, extra, false, &[]) }
}

/// Launches a cooperative kernel, whose blocks must all fit on the device at once.
///
/// # Safety
/// As for `parameters`.
pub unsafe fn launch_cooperative(
    function: CUfunction,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    stream: CUstream,
    params: *mut *mut c_void,
) -> CudaResult {
    super::occupancy::check_cooperative(function, grid, block, shared_bytes)?;
    let shape = Shape { grid, block, shared_bytes };
    // SAFETY: the caller upholds this function's contract.
    unsafe { start(function, &shape, stream, params, std::ptr::null_mut(), true, &[]) }
}

/// Launches a kernel with attributes.
///
/// # Safety
/// As for `parameters`; in addition `config.attrs` is null or valid for reads of `config.numAttrs`
/// records.
pub unsafe fn launch_configured(
    config: &CUlaunchConfig,
    function: CUfunction,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
    default_stream: CUstream,
) -> CudaResult {
    let shape = Shape {
        grid: [config.gridDimX, config.gridDimY, config.gridDimZ],
        block: [config.blockDimX, config.blockDimY, config.blockDimZ],
        shared_bytes: config.sharedMemBytes,
    };
    let stream = if config.hStream.is_null() { default_stream } else { config.hStream };
    // SAFETY: the caller upholds this function's contract.
    unsafe { start(function, &shape, stream, params, extra, false, attribute_bytes(config)?) }
}
