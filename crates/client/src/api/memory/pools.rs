//! Stream-ordered allocation, and memory pools.

use super::sharing;
use crate::api::arguments::{CudaResult, put};
use crate::api::graphs::capture::check_thread;
use crate::api::graphs::memory as graph_memory;
use crate::api::memory::managed::list;
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

/// Returns the pool of a handle. Fails with `INVALID_VALUE` if the handle is invalid.
pub(in crate::api) fn pool(handle: CUmemoryPool) -> Result<Arc<Pool>, CUresult> {
    driver()?.pools.get(handle.0 as u64).ok_or(CUresult::INVALID_VALUE)
}

/// Returns a pool that this process can allocate from. Rejects imported pools.
pub fn own_pool(handle: CUmemoryPool) -> Result<Arc<Pool>, CUresult> {
    pool(handle)
        .and_then(|pool| if pool.is_imported { Err(CUresult::INVALID_VALUE) } else { Ok(pool) })
}

/// Returns a device's current pool if `current`, else its default pool.
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

/// Returns the device of a location. Rejects host locations, because pools support only device
/// memory.
///
/// # Safety
/// `location` is null or valid for reads.
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
    // SAFETY: the program guarantees that `out` and `location` are null or valid as CUDA requires.
    unsafe { cuDeviceGetDefaultMemPool(out, device_at(location, kind)?) }
}

pub unsafe fn cuMemGetMemPool(
    out: *mut CUmemoryPool,
    location: *mut CUmemLocation,
    kind: CUmemAllocationType,
) -> CudaResult {
    // SAFETY: the program guarantees that `out` and `location` are null or valid as CUDA requires.
    unsafe { cuDeviceGetMemPool(out, device_at(location, kind)?) }
}

pub unsafe fn cuMemSetMemPool(
    location: *mut CUmemLocation,
    kind: CUmemAllocationType,
    handle: CUmemoryPool,
) -> CudaResult {
    // SAFETY: the program guarantees that `location` is null or valid for reads.
    unsafe { cuDeviceSetMemPool(device_at(location, kind)?, handle) }
}

fn allocate(
    out: *mut CUdeviceptr,
    bytes: usize,
    stream: &Arc<Stream>,
    pool: impl FnOnce() -> Result<Arc<Pool>, CUresult>,
) -> CudaResult {
    if out.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    contexts::target_or_none()?.session.deferred.check()?;
    let (driver, pool) = (driver()?, pool()?);
    if bytes == 0 {
        // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
        return unsafe { put(out, 0) };
    }
    if let Some(capture) = driver.captures.of_stream(stream)? {
        let address = graph_memory::capture_allocation(driver, stream, &capture, bytes)?;
        // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
        return unsafe { put(out, address) };
    }
    check_thread()?;
    let unit =
        if bytes as u64 >= LARGE_UNIT_BYTES / 2 { LARGE_UNIT_BYTES } else { SMALL_UNIT_BYTES };
    let rounded = (bytes as u64).div_ceil(unit) * unit;
    let address = match pool.take(stream.key(), rounded) {
        Some(address) => address,
        None => {
            if !pool.has_room(rounded) {
                trim(&pool, 0)?;
            }
            if !pool.has_room(rounded) {
                return Err(CUresult::OUT_OF_MEMORY);
            }
            // The pool's device can differ from both the stream's device and the current one.
            let context = contexts::with_memory_of(driver, pool.device)?;
            let grow = || allocate::allocate_in(&context, rounded as usize, pool.handle);
            // A pool that keeps unused blocks of other sizes must release them rather than fail.
            // Growing the grant has waited for the device, so freed blocks no longer wait for
            // streams.
            let address = match grow() {
                Err(CUresult::OUT_OF_MEMORY) if trim(&pool, 0)? => grow()?,
                grown => grown?,
            };
            pool.add(address, rounded);
            address
        }
    };
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
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

/// Frees memory in stream order.
pub fn free_in_stream(address: CUdeviceptr, stream: CUstream) -> CudaResult {
    if address == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let stream = resolve(stream)?;
    if let Some(capture) = driver.captures.of_stream(&stream)? {
        return graph_memory::capture_free(driver, &stream, &capture, address);
    }
    check_thread()?;
    if let Some(closed) = sharing::close_pooled(driver, address) {
        stream.note_unknown();
        return closed;
    }
    let (found, _) = address_lookup::find(driver, address).ok_or(CUresult::INVALID_VALUE)?;
    match driver.pools.get(found.pool) {
        // The stream's next synchronisation must not be skipped, because it releases the block.
        Some(pool) if found.address == address && pool.put(stream.key(), address) => {
            sync_around_work::before_mark();
            if stream.handle == 0 {
                // On NVIDIA's driver, a free in the legacy stream orders the blocking streams'
                // earlier work before their later work. An allocation in the legacy stream does
                // not.
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
    // SAFETY: the program guarantees that `properties` is null or valid for reads.
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
    let bytes_max = properties.maxSize as u64;
    let pool =
        driver.pools.insert(|handle| Pool::created(handle, device, handle_types, bytes_max))?;
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
    // Blocks that wait for a stream can be freed only after that stream's work. No later call would
    // free them, so the function waits now.
    if pool.has_pending_frees() {
        context_synchronize::synchronize_all(driver, |context| {
            pool.has_pending_frees_of(context.index)
        })?;
    }
    trim(&pool, 0)?;
    driver.pools.remove(pool.handle);
    Ok(())
}

/// Frees unused blocks on the device until the pool keeps at most `keep` bytes. Returns whether any
/// block was freed.
fn trim(pool: &Pool, keep: u64) -> Result<bool, CUresult> {
    let released = pool.trim(keep);
    released.iter().try_for_each(|address| free::free_passed(*address))?;
    Ok(!released.is_empty())
}

/// Frees unused blocks until the pool keeps at most `keep` bytes.
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
    // SAFETY: checked for null. The first attributes are `int`s and the others 64 bits wide, as the
    // program guarantees.
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
    // SAFETY: checked for null; the program guarantees that `value` is valid for writes of the
    // attribute's size.
    unsafe {
        if is_wide(what) {
            value.cast::<u64>().write(number)
        } else {
            value.cast::<u32>().write(number as u32)
        }
    };
    Ok(())
}

/// Sets which devices have access to a pool. The pool's own device always has access. The access of
/// other devices is permanent, because the worker opens a device's memory as a whole.
pub unsafe fn cuMemPoolSetAccess(
    handle: CUmemoryPool,
    descriptions: *const CUmemAccessDesc,
    count: usize,
) -> CudaResult {
    let driver = driver()?;
    let pool = pool(handle)?;
    // SAFETY: the program guarantees that `descriptions` is null or has `count` entries.
    let descriptions = unsafe { list(descriptions, count)? };
    for CUmemAccessDesc { location, flags } in descriptions.iter().copied() {
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
    // SAFETY: the program guarantees that `location` is null or valid for reads.
    let Some(location) = (unsafe { location.as_ref() }) else {
        return Err(CUresult::INVALID_VALUE);
    };
    // SAFETY: the program's out-pointer for flags.
    unsafe { put(flags, pool.access(location.id)) }
}
