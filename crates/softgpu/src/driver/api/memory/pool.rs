//! Stream-ordered allocation and memory pools.

use std::ffi::c_void;

use outhaul_abi::types::values::{MEM_ALLOCATION_TYPE_PINNED, MEM_LOCATION_TYPE_DEVICE};
use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, take, take_all};
use crate::driver::lock;
use crate::driver::objects::memory::pool::{Pool, attribute_is_wide};
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

fn handle(pool: CUmemoryPool) -> u64 {
    pool.0 as u64
}

pub unsafe fn cuMemAllocAsync(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    hStream: CUstream,
) -> Result<()> {
    let driver = driver()?;
    let stream = driver.stream(hStream.0 as u64)?;
    let device = stream.context()?.device as usize;
    let pool = *lock(&driver.current_pools).get(device).ok_or(Error::InvalidDevice)?;
    if dptr.is_null() {
        return Err(Error::InvalidValue);
    }
    put(dptr, driver.allocate_ordered(&stream, pool, bytesize as u64)?)
}

pub unsafe fn cuMemAllocFromPoolAsync(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    pool: CUmemoryPool,
    hStream: CUstream,
) -> Result<()> {
    let driver = driver()?;
    let stream = driver.stream(hStream.0 as u64)?;
    if dptr.is_null() || pool.is_null() {
        return Err(Error::InvalidValue);
    }
    put(dptr, driver.allocate_ordered(&stream, handle(pool), bytesize as u64)?)
}

pub unsafe fn cuMemFreeAsync(dptr: CUdeviceptr, hStream: CUstream) -> Result<()> {
    let driver = driver()?;
    let stream = driver.stream(hStream.0 as u64)?;
    driver.free_ordered(&stream, dptr)
}

fn ordinal(dev: CUdevice) -> Result<usize> {
    Ok(driver()?.device(dev)?.ordinal as usize)
}

pub unsafe fn cuDeviceGetDefaultMemPool(pool_out: *mut CUmemoryPool, dev: CUdevice) -> Result<()> {
    put(pool_out, CUmemoryPool(driver()?.default_pools[ordinal(dev)?] as usize))
}

pub unsafe fn cuDeviceGetMemPool(pool: *mut CUmemoryPool, dev: CUdevice) -> Result<()> {
    put(pool, CUmemoryPool(lock(&driver()?.current_pools)[ordinal(dev)?] as usize))
}

pub unsafe fn cuDeviceSetMemPool(dev: CUdevice, pool: CUmemoryPool) -> Result<()> {
    let driver = driver()?;
    let index = ordinal(dev)?;
    if driver.pools.get(handle(pool)).ok_or(Error::InvalidValue)?.device != dev {
        return Err(Error::InvalidValue);
    }
    lock(&driver.current_pools)[index] = handle(pool);
    Ok(())
}

pub unsafe fn cuMemPoolCreate(
    pool: *mut CUmemoryPool,
    poolProps: *const CUmemPoolProps,
) -> Result<()> {
    let driver = driver()?;
    let props = take(poolProps)?;
    if pool.is_null()
        || props.allocType != MEM_ALLOCATION_TYPE_PINNED
        || props.location.type_ != MEM_LOCATION_TYPE_DEVICE
    {
        return Err(Error::InvalidValue);
    }
    if props.handleTypes != 0 {
        return Err(Error::NotSupported);
    }
    let device = driver.device(props.location.id)?.ordinal;
    put(pool, CUmemoryPool(driver.pools.insert(Pool::new(device, props.maxSize as u64)) as usize))
}

pub unsafe fn cuMemPoolDestroy(pool: CUmemoryPool) -> Result<()> {
    let driver = driver()?;
    if driver.default_pools.contains(&handle(pool)) {
        return Err(Error::InvalidValue);
    }
    driver.pools.remove(handle(pool)).ok_or(Error::InvalidValue)?;
    for (current, default) in lock(&driver.current_pools).iter_mut().zip(&driver.default_pools) {
        if *current == handle(pool) {
            *current = *default;
        }
    }
    Ok(())
}

pub unsafe fn cuMemPoolGetAttribute(
    pool: CUmemoryPool,
    attr: CUmemPool_attribute,
    value: *mut c_void,
) -> Result<()> {
    let pool = driver()?.pools.get(handle(pool)).ok_or(Error::InvalidValue)?;
    let found = pool.attribute(attr)?;
    if attribute_is_wide(attr) {
        put(value.cast::<u64>(), found)
    } else {
        put(value.cast::<i32>(), found as i32)
    }
}

pub unsafe fn cuMemPoolSetAttribute(
    pool: CUmemoryPool,
    attr: CUmemPool_attribute,
    value: *mut c_void,
) -> Result<()> {
    let pool = driver()?.pools.get(handle(pool)).ok_or(Error::InvalidValue)?;
    let wanted = if attribute_is_wide(attr) {
        take(value.cast::<u64>().cast_const())?
    } else {
        take(value.cast::<u32>().cast_const())?.into()
    };
    pool.set_attribute(attr, wanted)
}

/// Checks the handle and trims nothing, because a pool holds no memory in reserve.
pub unsafe fn cuMemPoolTrimTo(pool: CUmemoryPool, _minBytesToKeep: usize) -> Result<()> {
    driver()?.pools.get(handle(pool)).map(drop).ok_or(Error::InvalidValue)
}

/// Records the requested access, which has no effect, because all devices can access all memory.
pub unsafe fn cuMemPoolSetAccess(
    pool: CUmemoryPool,
    map: *const CUmemAccessDesc,
    count: usize,
) -> Result<()> {
    let driver = driver()?;
    let pool = driver.pools.get(handle(pool)).ok_or(Error::InvalidValue)?;
    if map.is_null() {
        return Err(Error::InvalidValue);
    }
    for description in take_all(map, count)? {
        pool.set_access(driver.device(description.location.id)?.ordinal, description.flags);
    }
    Ok(())
}

pub unsafe fn cuMemPoolGetAccess(
    flags: *mut CUmemAccess_flags,
    memPool: CUmemoryPool,
    location: *mut CUmemLocation,
) -> Result<()> {
    let driver = driver()?;
    let pool = driver.pools.get(handle(memPool)).ok_or(Error::InvalidValue)?;
    put(flags, pool.access(driver.device(take(location.cast_const())?.id)?.ordinal))
}
