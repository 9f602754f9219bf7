//! Occupancy queries. Replies of the node are cached by kernel and launch dimensions.

use crate::api::arguments::{CudaResult, put};
use crate::api::code::launch_attributes::attribute_bytes;
use crate::driver::answer_cache::call_cached_of;
use crate::driver::state::driver;
use crate::marshal;
use crate::objects::context_stack;
use crate::objects::device_facts::attribute;
use outhaul_abi::types::*;
use outhaul_wire::messages::{
    OccupancyClusters, OccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
};

const MAX_THREADS_PER_MULTIPROCESSOR: i32 = 39;

fn active_blocks(
    function: u64,
    threads: i32,
    shared_bytes: usize,
    flags: u32,
) -> Result<i32, CUresult> {
    let mut blocks = 0;
    let question = OccupancyMaxActiveBlocksPerMultiprocessorWithFlags {
        func: function,
        block_size: threads,
        dynamic_smem_size: shared_bytes as u64,
        flags,
    };
    call_cached_of(CUfunction(function as usize), &question, |reply| {
        blocks = reply.num_blocks;
        Ok(())
    })?;
    Ok(blocks)
}

/// Checks that all blocks of a cooperative launch fit on the device at once.
pub fn check_cooperative(
    function: CUfunction,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
) -> CudaResult {
    let product = |numbers: [u32; 3]| {
        numbers.into_iter().fold(1, |all: u64, number| all.saturating_mul(number.into()))
    };
    let (threads, blocks) = (product(block), product(grid));
    let device = driver()?.facts.device(context_stack::with_current(|c| Ok(c.device))?)?;
    let threads = i32::try_from(threads).map_err(|_| CUresult::INVALID_VALUE)?;
    let room =
        active_blocks(marshal::function(function)?, threads, shared_bytes as usize, 0)? as u64;
    let multiprocessors = device.attribute(attribute::MULTIPROCESSOR_COUNT)? as u64;
    if blocks > room * multiprocessors {
        Err(CUresult::COOPERATIVE_LAUNCH_TOO_LARGE)
    } else {
        Ok(())
    }
}

pub unsafe fn cuOccupancyMaxPotentialBlockSize(
    grid: *mut i32,
    block: *mut i32,
    function: CUfunction,
    shared_of: CUoccupancyB2DSize,
    shared_bytes: usize,
    block_limit: i32,
) -> CudaResult {
    // SAFETY: both functions have the same contract.
    unsafe {
        cuOccupancyMaxPotentialBlockSizeWithFlags(
            grid,
            block,
            function,
            shared_of,
            shared_bytes,
            block_limit,
            0,
        )
    }
}

/// Finds the block size with the highest occupancy. Tries the limit, then smaller multiples of the
/// warp size, until one fills the multiprocessor.
pub unsafe fn cuOccupancyMaxPotentialBlockSizeWithFlags(
    grid: *mut i32,
    block: *mut i32,
    function: CUfunction,
    shared_of: CUoccupancyB2DSize,
    shared_bytes: usize,
    block_limit: i32,
    flags: u32,
) -> CudaResult {
    let driver = driver()?;
    let device = driver.facts.device(context_stack::with_current(|c| Ok(c.device))?)?;
    let kernel = driver.function(function.0 as u64)?;
    let warp = device.attribute(attribute::WARP_SIZE)?;
    let full = device.attribute(MAX_THREADS_PER_MULTIPROCESSOR)?;
    let largest = device
        .attribute(attribute::MAX_THREADS_PER_BLOCK)?
        .min(kernel.facts()?.threads_per_block_max() as i32);
    let limit = if block_limit > 0 { largest.min(block_limit) } else { largest };
    let (mut best_threads, mut best_block, mut best_blocks) = (0, 0, 0);
    let mut threads = limit;
    while threads > 0 {
        // SAFETY: the program guarantees a function that takes a block size and returns bytes.
        let shared = shared_of.map_or(shared_bytes, |f| unsafe { f(threads) });
        let blocks = active_blocks(kernel.handle, threads, shared, flags)?;
        if blocks * threads > best_threads {
            (best_threads, best_block, best_blocks) = (blocks * threads, threads, blocks);
        }
        if best_threads >= full {
            break;
        }
        threads = (threads - 1) / warp * warp;
    }
    // SAFETY: the program's out-pointers for numbers.
    unsafe {
        put(grid, best_blocks * device.attribute(attribute::MULTIPROCESSOR_COUNT)?)?;
        put(block, best_block)
    }
}

/// Returns the maximum number of active clusters if `active`, otherwise the maximum cluster size.
///
/// # Safety
/// `config.attrs` is null or valid for reads of `config.numAttrs` records.
pub unsafe fn clusters(
    function: CUfunction,
    config: &CUlaunchConfig,
    active: bool,
) -> Result<i32, CUresult> {
    let question = OccupancyClusters {
        function: marshal::function(function)?,
        grid: [config.gridDimX, config.gridDimY, config.gridDimZ],
        block: [config.blockDimX, config.blockDimY, config.blockDimZ],
        shared_bytes: config.sharedMemBytes,
        // SAFETY: the caller upholds this function's contract.
        attributes: unsafe { attribute_bytes(config) }?,
        active,
    };
    let mut found = 0;
    call_cached_of(function, &question, |reply| {
        found = reply.value;
        Ok(())
    })?;
    Ok(found)
}
