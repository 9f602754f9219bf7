//! Pinned host memory.

use crate::api::arguments::{CudaResult, put};
use crate::driver::memory::address_lookup::{check_host, device_of};
use crate::driver::memory::context_synchronize;
use crate::driver::state::{Driver, driver};
use crate::objects::context_stack;
use crate::objects::memory::host_memory::Owner;
use outhaul_abi::types::*;
use std::ffi::c_void;

/// Memory that the device can access, as all pinned memory is.
const HOST_DEVICE_MAP: u32 = 2;
const HOST_ALLOC_FLAGS: u32 = 7;
const HOST_REGISTER_IOMEMORY: u32 = 4;
const HOST_REGISTER_FLAGS: u32 = 0xF;

fn owner() -> Result<Owner, CUresult> {
    let context = context_stack::current()?;
    Ok(Owner { context: context.handle, device: context.device, id: driver()?.next_id() })
}

pub unsafe fn cuMemAllocHost_v2(out: *mut *mut c_void, bytes: usize) -> CudaResult {
    // SAFETY: both functions have the same contract.
    unsafe { cuMemHostAlloc(out, bytes, 0) }
}

pub unsafe fn cuMemHostAlloc(out: *mut *mut c_void, bytes: usize, flags: u32) -> CudaResult {
    if out.is_null() || flags & !HOST_ALLOC_FLAGS != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let driver = driver()?;
    let target = context_stack::target()?;
    target.session.deferred.check()?;
    if bytes == 0 {
        // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
        return unsafe { put(out, std::ptr::null_mut()) };
    }
    let address = driver.host.allocate(bytes, flags, owner()?, target)?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, address as *mut c_void) }
}

/// Frees pinned memory when no work uses it any more. Accepts a null pointer.
pub fn free(address: *mut c_void) -> CudaResult {
    let driver = driver()?;
    if address.is_null() {
        return context_stack::current().map(drop);
    }
    driver.captures.wait_for_launches();
    // Like NVIDIA's driver, the function waits for copies that use the memory.
    if let Some(region) = driver.host.find(address as usize) {
        driver
            .sessions
            .iter()
            .for_each(|session| session.transfers.wait_for_writes(region.start, region.bytes));
        take_back(driver, region.start)?;
        context_synchronize::synchronize_before_release(driver);
    }
    driver.host.free(address as usize)
}

pub unsafe fn cuMemHostGetFlags(flags: *mut u32, host: *mut c_void) -> CudaResult {
    let region = driver()?.host.find(host as usize).ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(flags, region.flags | HOST_DEVICE_MAP) }
}

pub unsafe fn cuMemHostRegister_v2(host: *mut c_void, bytes: usize, flags: u32) -> CudaResult {
    if flags & !HOST_REGISTER_FLAGS != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    if flags & HOST_REGISTER_IOMEMORY != 0 {
        return Err(CUresult::NOT_SUPPORTED);
    }
    check_host(host as u64, bytes as u64)?;
    if device_of(driver()?, host as u64).is_some() {
        return Err(CUresult::INVALID_VALUE);
    }
    driver()?.host.register(host as usize, bytes, flags, owner()?)
}

/// Unregisters pinned memory that the program allocated itself.
pub fn unregister(host: *mut c_void) -> CudaResult {
    let driver = driver()?;
    driver.captures.wait_for_launches();
    // The program may unmap the memory afterwards, so no copy to it may be in flight.
    if let Some(region) = driver.host.find(host as usize) {
        driver
            .sessions
            .iter()
            .for_each(|session| session.transfers.wait_for_writes(region.start, region.bytes));
    }
    take_back(driver, host as usize)?;
    context_synchronize::synchronize_before_release(driver);
    driver.host.unregister(host as usize)
}

/// Ends the registrations that a context made. The memory itself stays with the program.
pub(in crate::api) fn forget_all(driver: &Driver, context: u64) {
    for region in driver.host.registered_in(context) {
        driver
            .sessions
            .iter()
            .for_each(|session| session.transfers.wait_for_writes(region.start, region.bytes));
        driver.managed.close(region.start);
        let _ = driver.host.unregister(region.start);
    }
}

/// Closes the managed region that begins at `start`, if any. First waits for all device work that
/// may use the memory, as NVIDIA's driver does.
fn take_back(driver: &Driver, start: usize) -> CudaResult {
    if driver.managed.find(start).is_some_and(|(_, first)| first == start) {
        let context = context_stack::current()?;
        context_synchronize::synchronize_unless_capturing(driver, &context)?;
        driver.managed.close(start);
    }
    Ok(())
}
