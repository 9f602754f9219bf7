//! Virtual memory management. The client reserves addresses itself, and creates and maps memory by
//! posts. Only a call that grows the session's grant blocks.

use super::sharing::POSIX_FILE_DESCRIPTOR;
use crate::api::arguments::{CudaResult, put};
use crate::api::memory::managed::list;
use crate::driver::contexts;
use crate::driver::handles::{mapped_at, physical};
use crate::driver::memory::address_lookup::{arena, device_of, find};
use crate::driver::memory::allocate::grow;
use crate::driver::memory::context_synchronize::synchronize;
use crate::driver::memory::ranges::check_bounds;
use crate::driver::state::{Driver, driver};
use crate::objects::context_stack;
use crate::objects::memory::physical::Physical;
use crate::session::Target;
use outhaul_abi::types::*;
use outhaul_wire::messages::{
    PhysicalCreate, PhysicalRelease, VirtualMap, VirtualSetAccess, VirtualUnmap,
};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::Ordering::SeqCst;

/// Returns the device whose address range provides reserved addresses: the current context's
/// device, or the first one.
fn home() -> i32 {
    context_stack::with_current(|c| Ok(c.device)).unwrap_or(0)
}

pub unsafe fn cuMemAddressReserve(
    out: *mut CUdeviceptr,
    bytes: usize,
    alignment: usize,
    _requested: CUdeviceptr,
    flags: u64,
) -> CudaResult {
    let driver = driver()?;
    let device = home();
    let page = driver.facts.device(device)?.granularity_bytes;
    let (bytes, alignment) = (bytes as u64, alignment as u64);
    let is_aligned = alignment == 0 || alignment.is_power_of_two();
    if out.is_null() || flags != 0 || bytes == 0 || !bytes.is_multiple_of(page) || !is_aligned {
        return Err(CUresult::INVALID_VALUE);
    }
    let address = arena(driver, device).reserve(bytes, alignment).ok_or(CUresult::OUT_OF_MEMORY)?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, address) }
}

pub unsafe fn cuMemAddressFree(address: CUdeviceptr, bytes: usize) -> CudaResult {
    let driver = driver()?;
    let device = device_of(driver, address).ok_or(CUresult::INVALID_VALUE)?;
    if arena(driver, device).unreserve(address, bytes as u64) {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

/// Location types of host memory: the host, one of its NUMA nodes, or the nearest NUMA node.
const HOST_LOCATIONS: std::ops::RangeInclusive<i32> = 2..=4;

/// Returns whether memory with these properties is supported: device memory, not shareable with
/// other machines.
fn is_served(properties: &CUmemAllocationProp) -> bool {
    let on_device = properties.location.type_ == values::MEM_LOCATION_TYPE_DEVICE
        && properties.type_ == values::MEM_ALLOCATION_TYPE_PINNED;
    on_device && properties.requestedHandleTypes & !POSIX_FILE_DESCRIPTOR == 0
}

/// Writes the granularity of allocations. The minimum is also the recommended granularity.
pub unsafe fn cuMemGetAllocationGranularity(
    granularity: *mut usize,
    properties: *const CUmemAllocationProp,
    option: CUmemAllocationGranularity_flags,
) -> CudaResult {
    const OPTIONS: i32 = 2;
    let driver = driver()?;
    // SAFETY: the program guarantees that `properties` is null or valid for reads.
    let Some(properties) = (unsafe { properties.as_ref() }) else {
        return Err(CUresult::INVALID_VALUE);
    };
    if !(0..OPTIONS).contains(&option) {
        return Err(CUresult::INVALID_VALUE);
    }
    // Host memory has a granularity too, because programs ask for it before they try to create such
    // memory. The attempt then fails.
    let on_host = HOST_LOCATIONS.contains(&properties.location.type_);
    if !on_host && !is_served(properties) {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let device = if on_host { home() } else { properties.location.id };
    // SAFETY: the program's out-pointer for a size.
    unsafe { put(granularity, driver.facts.device(device)?.granularity_bytes as usize) }
}

pub unsafe fn cuMemCreate(
    out: *mut CUmemGenericAllocationHandle,
    bytes: usize,
    properties: *const CUmemAllocationProp,
    flags: u64,
) -> CudaResult {
    // SAFETY: the program guarantees that `properties` is null or valid for reads.
    let Some(properties) = (unsafe { properties.as_ref() }) else {
        return Err(CUresult::INVALID_VALUE);
    };
    let driver = driver()?;
    let device = properties.location.id;
    if !is_served(properties) {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let bytes = bytes as u64;
    if out.is_null()
        || flags != 0
        || bytes == 0
        || !bytes.is_multiple_of(driver.facts.device(device)?.granularity_bytes)
    {
        return Err(CUresult::INVALID_VALUE);
    }
    charge(driver, device, bytes)?;
    let undo = || arena(driver, device).discharge(bytes);
    let facts = driver.facts.device(device)?;
    let made = driver
        .physical
        .insert_on(facts.session.number, |handle| Physical::new(handle, bytes, bytes, *properties))
        .inspect_err(|_| undo())?;
    let target = context_stack::target_in(facts.session);
    let message = PhysicalCreate { memory: made.handle, device: facts.node_ordinal, bytes };
    target.post(&message).inspect_err(|_| {
        driver.physical.remove(made.handle);
        undo();
    })?;
    if facts.memory_moves {
        // The driver may reject memory even within the grant, and programs expect the error from
        // this call.
        target.barrier().inspect_err(|_| _ = release(made.handle))?;
    }
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, made.handle) }
}

/// Charges memory to the session's grant, and grows the grant if necessary.
fn charge(driver: &Driver, device: i32, bytes: u64) -> CudaResult {
    let mut waited = false;
    loop {
        let charged = arena(driver, device).charge(bytes);
        let Err(missing) = charged else { return Ok(()) };
        let context = context_stack::current()?;
        if context.device != device {
            return Err(CUresult::INVALID_CONTEXT);
        }
        if grow(driver, &context, missing)? {
            continue;
        }
        if std::mem::replace(&mut waited, true) {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        synchronize(driver, &context)?;
    }
}

/// Releases a reference to physical memory. The memory is freed when neither a reference nor a
/// mapping is left.
pub fn release(handle: CUmemGenericAllocationHandle) -> CudaResult {
    let driver = driver()?;
    let memory = physical(handle)?;
    let mapped = memory.mapped.lock();
    let one_less = |references: u32| references.checked_sub(1);
    let before = memory.references.fetch_update(SeqCst, SeqCst, one_less);
    let is_used = before.map_err(|_| CUresult::INVALID_VALUE)? > 1 || !mapped.is_empty();
    drop(mapped);
    if is_used { Ok(()) } else { free(driver, &memory) }
}

/// Frees physical memory that has neither a reference nor a mapping, unless another thread does.
fn free(driver: &Driver, memory: &Physical) -> CudaResult {
    let handle = memory.handle;
    if driver.physical.remove(handle).is_none() {
        return Ok(());
    }
    arena(driver, memory.properties.location.id).discharge(memory.charged_bytes);
    context_stack::target_in(driver.session_of(handle)?).post(&PhysicalRelease { memory: handle })
}

/// Maps physical memory at a reserved address.
pub fn map(
    address: CUdeviceptr,
    bytes: usize,
    offset: usize,
    handle: CUmemGenericAllocationHandle,
    flags: u64,
) -> CudaResult {
    let driver = driver()?;
    let memory = physical(handle)?;
    let bytes = bytes as u64;
    let device = device_of(driver, address).ok_or(CUresult::INVALID_VALUE)?;
    let facts = driver.facts.device(device)?;
    let (session, page) = (driver.session_of(handle)?, facts.granularity_bytes);
    let aligned = address.is_multiple_of(page) && bytes.is_multiple_of(page) && bytes > 0;
    if flags != 0
        || offset != 0
        || !aligned
        || bytes > memory.bytes
        || !std::ptr::eq(session, facts.session)
    {
        return Err(CUresult::INVALID_VALUE);
    }
    let owner = context_stack::current().map_or(0, |c| c.handle);
    if !arena(driver, device).map(address, bytes, owner, memory.properties.location.id) {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut mapped = memory.mapped.lock();
    // Another thread may have released the last reference since the lookup, and freed the memory.
    if mapped.is_empty() && memory.references.load(SeqCst) == 0 {
        drop(mapped);
        arena(driver, device).unmap(address, bytes);
        return Err(CUresult::INVALID_VALUE);
    }
    mapped.insert(address, BTreeMap::new());
    drop(mapped);
    context_stack::target_in(session).post(&VirtualMap {
        memory: handle,
        address,
        bytes,
        offset: 0,
    })
}

/// Unmaps all mappings in a range.
pub fn unmap(address: CUdeviceptr, bytes: usize) -> CudaResult {
    let driver = driver()?;
    let device = device_of(driver, address).ok_or(CUresult::INVALID_VALUE)?;
    driver.internode_copies.wait_until_unused(address, bytes as u64);
    let gone = arena(driver, device).unmap(address, bytes as u64).ok_or(CUresult::INVALID_VALUE)?;
    let mut unused = Vec::new();
    for memory in driver.physical.all() {
        let mut mapped = memory.mapped.lock();
        let before = mapped.len();
        mapped.retain(|start, _| !gone.contains(start));
        let has_lost_last = mapped.is_empty() && before > 0;
        if has_lost_last && memory.references.load(SeqCst) == 0 {
            unused.push(memory.clone());
        }
    }
    // Without a context there is no work either, so the node need not wait for any.
    let session = driver.facts.device(device)?.session;
    let target = contexts::target_of_device(driver, device);
    let target = target.unwrap_or(Target { session, context: 0 });
    target.post(&VirtualUnmap { address, bytes: bytes as u64 })?;
    unused.iter().try_for_each(|memory| free(driver, memory))
}

pub unsafe fn cuMemSetAccess(
    address: CUdeviceptr,
    bytes: usize,
    descriptions: *const CUmemAccessDesc,
    count: usize,
) -> CudaResult {
    let driver = driver()?;
    if descriptions.is_null() || count == 0 || bytes == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let bytes = bytes as u64;
    check_bounds(address, bytes)?;
    let owner = device_of(driver, address).ok_or(CUresult::INVALID_VALUE)?;
    let page = driver.facts.device(owner)?.granularity_bytes;
    // The worker would end the session for such a range, as it serves no program that checks.
    if !address.is_multiple_of(page)
        || !bytes.is_multiple_of(page)
        || find(driver, address).is_none_or(|(found, _)| !found.is_mapped())
    {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: the program guarantees that `descriptions` has `count` entries.
    let descriptions = unsafe { list(descriptions, count)? };
    for CUmemAccessDesc { location, flags } in descriptions.iter().copied() {
        if location.type_ != values::MEM_LOCATION_TYPE_DEVICE {
            return Err(CUresult::NOT_SUPPORTED);
        }
        if !matches!(flags, 0 | 1 | values::MEM_ACCESS_FLAGS_PROT_READWRITE) {
            return Err(CUresult::INVALID_VALUE);
        }
        let (device, owner) = (driver.facts.device(location.id)?, driver.facts.device(owner)?);
        if !std::ptr::eq(device.session, owner.session) {
            return Err(CUresult::PEER_ACCESS_UNSUPPORTED);
        }
        let message = VirtualSetAccess { address, bytes, device: device.node_ordinal, flags };
        context_stack::target_in(device.session).post(&message)?;
        for memory in driver.physical.all() {
            let mut mapped = memory.mapped.lock();
            mapped.range_mut(address..address + bytes).for_each(|(_, set)| {
                set.insert(location.id, flags);
            });
        }
    }
    Ok(())
}

pub unsafe fn cuMemGetAccess(
    flags: *mut u64,
    location: *const CUmemLocation,
    address: CUdeviceptr,
) -> CudaResult {
    // SAFETY: the program guarantees that `location` is null or valid for reads.
    let Some(location) = (unsafe { location.as_ref() }) else {
        return Err(CUresult::INVALID_VALUE);
    };
    let driver = driver()?;
    driver.facts.device(location.id)?;
    let (found, device) = find(driver, address).ok_or(CUresult::INVALID_VALUE)?;
    let set = match mapped_at(driver, found.address) {
        Some(memory) => {
            let mapped = memory.mapped.lock();
            mapped.get(&found.address).and_then(|set| set.get(&location.id)).copied().unwrap_or(0)
        }
        None if device == location.id => values::MEM_ACCESS_FLAGS_PROT_READWRITE,
        None => 0,
    };
    // SAFETY: the program's out-pointer for flags.
    unsafe { put(flags, set as u64) }
}

pub unsafe fn cuMemRetainAllocationHandle(
    out: *mut CUmemGenericAllocationHandle,
    address: *mut c_void,
) -> CudaResult {
    let driver = driver()?;
    let (found, _) = find(driver, address as u64).ok_or(CUresult::INVALID_VALUE)?;
    let memory = mapped_at(driver, found.address).ok_or(CUresult::INVALID_VALUE)?;
    let mapped = memory.mapped.lock();
    if !mapped.contains_key(&found.address) {
        return Err(CUresult::INVALID_VALUE);
    }
    memory.references.fetch_add(1, SeqCst);
    drop(mapped);
    // SAFETY: the program's out-pointer for a handle.
    unsafe { put(out, memory.handle) }
}

pub unsafe fn cuMemGetAllocationPropertiesFromHandle(
    out: *mut CUmemAllocationProp,
    handle: CUmemGenericAllocationHandle,
) -> CudaResult {
    // SAFETY: the program's out-pointer for a struct.
    unsafe { put(out, physical(handle)?.properties) }
}
