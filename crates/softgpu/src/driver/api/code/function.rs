//! Functions: their attributes, parameters and occupancy.

use std::ffi::c_char;
use std::sync::Arc;

use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, put_if, take};
use crate::driver::api::code::launch::shape_of;
use crate::driver::objects::code::cluster;
use crate::driver::objects::code::function::{Function, param_info};
use crate::driver::objects::code::occupancy;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

/// The state `CU_FUNCTION_LOADING_STATE_LOADED`.
const LOADED: i32 = 1;

fn find(function: CUfunction) -> Result<Arc<Function>> {
    driver()?.function(function.0 as u64)
}

pub unsafe fn cuFuncGetAttribute(
    pi: *mut i32,
    attrib: CUfunction_attribute,
    hfunc: CUfunction,
) -> Result<()> {
    let (driver, function) = (driver()?, find(hfunc)?);
    let device = driver.slot(function.module.context)?.device;
    put(pi, function.tuning.get(&function.kernel, driver.device(device)?, attrib)?)
}

pub unsafe fn cuFuncSetAttribute(
    hfunc: CUfunction,
    attrib: CUfunction_attribute,
    value: i32,
) -> Result<()> {
    let function = find(hfunc)?;
    function.tuning.set(&function.kernel, attrib, value)
}

pub unsafe fn cuFuncSetCacheConfig(hfunc: CUfunction, config: CUfunc_cache) -> Result<()> {
    find(hfunc)?.tuning.set_cache_config(config)
}

pub unsafe fn cuFuncSetSharedMemConfig(hfunc: CUfunction, config: CUsharedconfig) -> Result<()> {
    find(hfunc)?;
    if (0..=values::SHARED_MEM_CONFIG_LAST).contains(&config) {
        Ok(())
    } else {
        Err(Error::InvalidValue)
    }
}

pub unsafe fn cuFuncGetModule(hmod: *mut CUmodule, hfunc: CUfunction) -> Result<()> {
    put(hmod, CUmodule(find(hfunc)?.module.handle as usize))
}

pub unsafe fn cuFuncGetName(name: *mut *const c_char, hfunc: CUfunction) -> Result<()> {
    put(name, find(hfunc)?.name.as_ptr())
}

pub unsafe fn cuFuncGetParamInfo(
    func: CUfunction,
    paramIndex: usize,
    paramOffset: *mut usize,
    paramSize: *mut usize,
) -> Result<()> {
    let (offset, size) = param_info(&find(func)?.kernel, paramIndex)?;
    put(paramOffset, offset)?;
    put_if(paramSize, size);
    Ok(())
}

pub unsafe fn cuFuncIsLoaded(state: *mut CUfunctionLoadingState, hfunc: CUfunction) -> Result<()> {
    find(hfunc)?;
    put(state, LOADED)
}

pub unsafe fn cuFuncLoad(hfunc: CUfunction) -> Result<()> {
    driver()?.prepare(&find(hfunc)?.kernel)
}

fn resident(function: &Function, block_size: i32, shared: usize) -> Result<i32> {
    let block_size =
        u32::try_from(block_size).ok().filter(|size| *size > 0).ok_or(Error::InvalidValue)?;
    Ok(occupancy::blocks(function, block_size, shared as u64) as i32)
}

pub unsafe fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    numBlocks: *mut i32,
    func: CUfunction,
    blockSize: i32,
    dynamicSMemSize: usize,
) -> Result<()> {
    put(numBlocks, resident(&*find(func)?, blockSize, dynamicSMemSize)?)
}

/// Ignores the flag, which concerns cache overrides that have no effect here.
pub unsafe fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    numBlocks: *mut i32,
    func: CUfunction,
    blockSize: i32,
    dynamicSMemSize: usize,
    flags: u32,
) -> Result<()> {
    if flags > 1 {
        return Err(Error::InvalidValue);
    }
    put(numBlocks, resident(&*find(func)?, blockSize, dynamicSMemSize)?)
}

pub unsafe fn cuOccupancyMaxPotentialBlockSize(
    minGridSize: *mut i32,
    blockSize: *mut i32,
    func: CUfunction,
    blockSizeToDynamicSMemSize: CUoccupancyB2DSize,
    dynamicSMemSize: usize,
    blockSizeLimit: i32,
) -> Result<()> {
    let (driver, function) = (driver()?, find(func)?);
    let limit = u32::try_from(blockSizeLimit).map_err(|_| Error::InvalidValue)?;
    let (size, resident) =
        occupancy::best_block_size(&function, limit, |size| match blockSizeToDynamicSMemSize {
            // SAFETY: the program guarantees that its function accepts a block size.
            Some(bytes_for) => unsafe { bytes_for(size as i32) as u64 },
            None => dynamicSMemSize as u64,
        });
    let device = driver.slot(function.module.context)?.device;
    put(minGridSize, (resident * driver.device(device)?.multiprocessors()) as i32)?;
    put(blockSize, size as i32)
}

pub unsafe fn cuOccupancyMaxPotentialBlockSizeWithFlags(
    minGridSize: *mut i32,
    blockSize: *mut i32,
    func: CUfunction,
    blockSizeToDynamicSMemSize: CUoccupancyB2DSize,
    dynamicSMemSize: usize,
    blockSizeLimit: i32,
    flags: u32,
) -> Result<()> {
    if flags > 1 {
        return Err(Error::InvalidValue);
    }
    // SAFETY: the caller upholds the contract about the same arguments.
    unsafe {
        cuOccupancyMaxPotentialBlockSize(
            minGridSize,
            blockSize,
            func,
            blockSizeToDynamicSMemSize,
            dynamicSMemSize,
            blockSizeLimit,
        )
    }
}

pub unsafe fn cuOccupancyAvailableDynamicSMemPerBlock(
    dynamicSmemSize: *mut usize,
    func: CUfunction,
    numBlocks: i32,
    blockSize: i32,
) -> Result<()> {
    let function = find(func)?;
    let blocks = u32::try_from(numBlocks)
        .ok()
        .filter(|blocks| *blocks > 0 && blockSize > 0)
        .ok_or(Error::InvalidValue)?;
    put(dynamicSmemSize, occupancy::available_shared_bytes(&function, blocks) as usize)
}

pub unsafe fn cuOccupancyMaxActiveClusters(
    numClusters: *mut i32,
    func: CUfunction,
    config: *const CUlaunchConfig,
) -> Result<()> {
    let (driver, function, shape) = (driver()?, find(func)?, shape_of(&take(config)?)?);
    let device = driver.slot(function.module.context)?.device;
    let (threads, shared) = (shape.threads() as u32, u64::from(shape.dynamic_shared_bytes));
    put(
        numClusters,
        cluster::resident(
            &function,
            shape.cluster,
            threads,
            shared,
            driver.device(device)?.multiprocessors(),
        )? as i32,
    )
}

pub unsafe fn cuOccupancyMaxPotentialClusterSize(
    clusterSize: *mut i32,
    func: CUfunction,
    config: *const CUlaunchConfig,
) -> Result<()> {
    let (function, shape) = (find(func)?, shape_of(&take(config)?)?);
    put(
        clusterSize,
        cluster::largest(&function, shape.threads() as u32, u64::from(shape.dynamic_shared_bytes))?
            as i32,
    )
}
