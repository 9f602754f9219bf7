//! Stream-ordered allocation and its pools.

use super::sharing;
use crate::api::arguments::{CudaResult, put};
use crate::api::graphs::memory as graph_memory;
use crate::api::streams::event;
use crate::driver::contexts;
use crate::driver::managed::sync_around_work;
use crate::driver::memory::address_lookup;
use crate::driver::memory::allocate;
use crate::driver::memory::context_synchronize;
use crate::driver::memory::free;
use crate::driver::state::{Driver, driver};
use crate::driver::streams::resolve;
use crate::objects::device_facts::attribute;
use crate::objects::memory::pool::{Pool, attribute as pool_attribute};
use crate::objects::streams::stream::Stream;
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::sync::Arc;

const SMALL_UNIT_BYTES: u64 = 512;
const LARGE_UNIT_BYTES: u64 = 2 << 20;
const ACCESS_NONE: CUmemAccess_flags = 0;
const ACCESS_READWRITE: CUmemAccess_flags = values::MEM_ACCESS_FLAGS_PROT_READWRITE;

/// Returns the pool with this handle, or `INVALID_VALUE`.
pub(in crate::api) fn pool(handle: CUmemoryPool) -> Result<Arc<Pool>, CUresult> {
    driver()?.pools.get(handle.0 as u64).ok_or(CUresult::INVALID_VALUE)
}

/// Returns a pool from which memory can be allocated.
pub fn own_pool(handle: CUmemoryPool) -> Result<Arc<Pool>, CUresult> {
    pool(handle)
        .and_then(|pool| if pool.is_imported { Err(CUresult::INVALID_VALUE) } else { Ok(pool) })
}

/// Returns the device's default or current pool.
pub(in crate::api) fn device_pool(
    driver: &Driver,
    device: CUdevice,
    current: bool,
) -> Result<Arc<Pool>, CUresult> {
    driver.facts.device(device)?;
    let primary = driver.primaries[device as usize].lock();
    Ok(if current { primary.current_pool.clone() } else { primary.default_pool.clone() })
}

pub unsafe fn cuDeviceGetDefaultMemPool(out: *mut CUmemoryPool, device: CUdevice) -> CudaResult {
    // SAFETY: the program's out-pointer for a handle.
    unsafe { put(out, CUmemoryPool(device_pool(driver()?, device, false)?.handle as usize)) }
}

pub unsafe fn cuDeviceGetMemPool(out: *mut CUmemoryPool, device: CUdevice) -> CudaResult {
    // SAFETY: the program's out-pointer for a handle.
    unsafe { put(out, CUmemoryPool(device_pool(driver()?, device, true)?.handle as usize)) }
}

pub unsafe fn cuDeviceSetMemPool(device: CUdevice, handle: CUmemoryPool) -> CudaResult {
    let driver = driver()?;
    driver.facts.device(device)?;
    let pool = own_pool(handle)?;
    if pool.device != device {
        return Err(CUresult::INVALID_VALUE);
    }
    driver.primaries[device as usize].lock().current_pool = pool;
    Ok(())
}

/// Returns the device of a location. Pools are of device memory only.
///
/// # Safety
/// `location` is null or readable.
unsafe fn device_at(
    location: *const CUmemLocation,
    kind: CUmemAllocationType,
) -> Result<CUdevice, CUresult> {
    // SAFETY: the caller upholds this function's contract.
    let location = unsafe { location.as_ref() }.ok_or(CUresult::INVALID_VALUE)?;
    if location.type_ != values::MEM_LOCATION_TYPE_DEVICE
        || kind != values::MEM_ALLOCATION_TYPE_PINNED
    {
        return Err(CUresult::NOT_SUPPORTED);
    }
    Ok(location.id)
}

pub unsafe fn cuMemGetDefaultMemPool(
    out: *mut CUmemoryPool,
    location: *mut CUmemLocation,
    kind: CUmemAllocationType,
) -> CudaResult {
    // SAFETY: the program's location, and its out-pointer for a handle.
    unsafe { cuDeviceGetDefaultMemPool(out, device_at(location, kind)?) }
}

pub unsafe fn cuMemGetMemPool(
    out: *mut CUmemoryPool,
    location: *mut CUmemLocation,
    kind: CUmemAllocationType,
) -> CudaResult {
    // SAFETY: the program's location, and its out-pointer for a handle.
    unsafe { cuDeviceGetMemPool(out, device_at(location, kind)?) }
}

pub unsafe fn cuMemSetMemPool(
    location: *mut CUmemLocation,
    kind: CUmemAllocationType,
    handle: CUmemoryPool,
) -> CudaResult {
    // SAFETY: the program's location.
    unsafe { cuDeviceSetMemPool(device_at(location, kind)?, handle) }
}

fn allocate(
    out: *mut CUdeviceptr,
    bytes: usize,
    stream: &Arc<Stream>,
    pool: impl FnOnce() -> Result<Arc<Pool>, CUresult>,
) -> CudaResult {
    if out.is_null() || bytes == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    contexts::target_or_none()?.session.deferred.check()?;
    let (driver, pool) = (driver()?, pool()?);
    if let Some(capture) = driver.captures.of_stream(stream)? {
        let address = graph_memory::capture_allocation(driver, stream, &capture, bytes)?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        return unsafe { put(out, address) };
    }
    let unit =
        if bytes as u64 >= LARGE_UNIT_BYTES / 2 { LARGE_UNIT_BYTES } else { SMALL_UNIT_BYTES };
    let rounded = (bytes as u64).div_ceil(unit) * unit;
    let address = match pool.take(stream.key(), rounded) {
        Some(address) => address,
        None => {
            // The pool's device may be neither the stream's nor the current device.
            let context = contexts::with_memory_of(driver, pool.device)?;
            let grow = || allocate::allocate_in(&context, rounded as usize, pool.handle);
            // A pool that keeps more than necessary must release blocks of other sizes rather than
            // fail. Growing has waited, so freed blocks wait for no stream any more.
            let address = match grow() {
                Err(CUresult::OUT_OF_MEMORY) if trim(&pool, 0)? => grow()?,
                grown => grown?,
            };
            pool.add(address, rounded);
            address
        }
    };
    // SAFETY: not null, and the program guarantees that it is valid for writes.
    unsafe { put(out, address) }
}

pub unsafe fn cuMemAllocAsync(out: *mut CUdeviceptr, bytes: usize, stream: CUstream) -> CudaResult {
    let stream = resolve(stream)?;
    allocate(out, bytes, &stream, || device_pool(driver()?, stream.device()?, true))
}

pub unsafe fn cuMemAllocFromPoolAsync(
    out: *mut CUdeviceptr,
    bytes: usize,
    handle: CUmemoryPool,
    stream: CUstream,
) -> CudaResult {
    allocate(out, bytes, &resolve(stream)?, || own_pool(handle))
}

/// Frees memory in the order of a stream.
pub fn free_in_stream(address: CUdeviceptr, stream: CUstream) -> CudaResult {
    if address == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let stream = resolve(stream)?;
    if let Some(capture) = driver.captures.of_stream(&stream)? {
        return graph_memory::capture_free(driver, &stream, &capture, address);
    }
    if let Some(closed) = sharing::close_pooled(driver, address) {
        stream.note_unknown();
        return closed;
    }
    let (found, _) = address_lookup::find(driver, address).ok_or(CUresult::INVALID_VALUE)?;
    match driver.pools.get(found.pool) {
        // The next synchronisation of the stream must not be skipped, because it makes the block
        // free.
        Some(pool) if found.address == address && pool.put(stream.key(), address) => {
            sync_around_work::before_mark();
            if stream.handle == 0 {
                // A free in the legacy stream orders earlier and later work of blocking streams, as
                // on NVIDIA's driver. An allocation there does not.
                event::destroy(event::record_anew(&stream)?)?;
            }
            stream.note_unknown();
            Ok(())
        }
        Some(_) => Err(CUresult::INVALID_VALUE),
        None => driver.graph_memory.free(address).unwrap_or_else(|| free::free(address)),
    }
}

pub unsafe fn cuMemPoolCreate(
    out: *mut CUmemoryPool,
    properties: *const CUmemPoolProps,
) -> CudaResult {
    // SAFETY: null, or the program promises a readable struct.
    let Some(properties) = (unsafe { properties.as_ref() }) else {
        return Err(CUresult::INVALID_VALUE);
    };
    let driver = driver()?;
    if properties.location.type_ != values::MEM_LOCATION_TYPE_DEVICE {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let (device, handle_types) = (properties.location.id, properties.handleTypes);
    let possible =
        driver.facts.device(device)?.attribute(attribute::MEMPOOL_SUPPORTED_HANDLE_TYPES)?;
    if handle_types & !possible != 0 {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let pool = driver.pools.insert(|handle| Pool::shareable(handle, device, handle_types))?;
    // SAFETY: the program's out-pointer for a handle.
    unsafe { put(out, CUmemoryPool(pool.handle as usize)) }
}

pub unsafe fn cuMemPoolDestroy(handle: CUmemoryPool) -> CudaResult {
    let driver = driver()?;
    let pool = pool(handle)?;
    if device_pool(driver, pool.device, false)?.handle == pool.handle {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut primary = driver.primaries[pool.device as usize].lock();
    if primary.current_pool.handle == pool.handle {
        primary.current_pool = primary.default_pool.clone();
    }
    drop(primary);
    // Blocks that wait for a stream are freed once it has passed them. No later call would do that,
    // so this waits.
    if pool.has_pending_frees() {
        context_synchronize::synchronize_all(driver, |context| {
            pool.has_pending_frees_of(context.index)
        })?;
    }
    trim(&pool, 0)?;
    driver.pools.remove(pool.handle);
    Ok(())
}

/// Frees blocks on the device until the pool holds at most `keep` bytes. Returns false if no block
/// was free.
fn trim(pool: &Pool, keep: u64) -> Result<bool, CUresult> {
    let released = pool.trim(keep);
    released.iter().try_for_each(|address| free::free_passed(*address))?;
    Ok(!released.is_empty())
}

/// Frees what a pool holds beyond `keep` bytes.
pub fn trim_to(pool: Arc<Pool>, keep: usize) -> CudaResult {
    trim(&pool, keep as u64).map(|_| ())
}

fn is_wide(what: CUmemPool_attribute) -> bool {
    what >= pool_attribute::RELEASE_THRESHOLD
}

pub unsafe fn cuMemPoolSetAttribute(
    handle: CUmemoryPool,
    what: CUmemPool_attribute,
    value: *mut c_void,
) -> CudaResult {
    if value.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null; the first attributes are ints, the others 64 bits wide.
    let number = unsafe {
        if is_wide(what) {
            value.cast::<u64>().read()
        } else {
            u64::from(value.cast::<u32>().read())
        }
    };
    own_pool(handle)?.set(what, number)
}

pub unsafe fn cuMemPoolGetAttribute(
    handle: CUmemoryPool,
    what: CUmemPool_attribute,
    value: *mut c_void,
) -> CudaResult {
    if value.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let number = own_pool(handle)?.get(what)?;
    // SAFETY: as above.
    unsafe {
        if is_wide(what) {
            value.cast::<u64>().write(number)
        } else {
            value.cast::<u32>().write(number as u32)
        }
    };
    Ok(())
}

/// Sets the access to a pool. Its own device always has access. Access of other devices is
/// permanent, because the worker opens a device's memory as a whole.
pub unsafe fn cuMemPoolSetAccess(
    handle: CUmemoryPool,
    descriptions: *const CUmemAccessDesc,
    count: usize,
) -> CudaResult {
    let driver = driver()?;
    let pool = pool(handle)?;
    for i in 0..count {
        // SAFETY: the program promises `count` descriptions.
        let CUmemAccessDesc { location, flags } = unsafe { descriptions.add(i).read() };
        if location.type_ != values::MEM_LOCATION_TYPE_DEVICE {
            return Err(CUresult::NOT_SUPPORTED);
        }
        driver.facts.device(location.id)?;
        match flags {
            ACCESS_READWRITE => driver.peers.open(&driver.facts, location.id, pool.device)?,
            ACCESS_NONE if location.id != pool.device => {}
            _ => return Err(CUresult::INVALID_VALUE),
        }
        pool.set_access(location.id, flags);
    }
    Ok(())
}

pub unsafe fn cuMemPoolGetAccess(
    flags: *mut CUmemAccess_flags,
    handle: CUmemoryPool,
    location: *mut CUmemLocation,
) -> CudaResult {
    let pool = pool(handle)?;
    // SAFETY: null, or the program promises a readable struct.
    let Some(location) = (unsafe { location.as_ref() }) else {
        return Err(CUresult::INVALID_VALUE);
    };
    // SAFETY: the program's out-pointer for flags.
    unsafe { put(flags, pool.access(location.id)) }
}
