//! Allocation of device memory and of pinned host memory.

pub mod array;
pub mod array_copy;
pub mod batch_copy;
pub mod copy;
pub mod managed;
pub mod pointer;
pub mod pool;
pub mod texture;
pub mod virtual_memory;

use std::ffi::c_void;
use std::sync::Arc;

use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, put_if};
use crate::driver::objects::memory::pages;
use crate::driver::objects::memory::ranges::Origin;
use crate::driver::objects::streams::capture;
use crate::driver::objects::streams::context::Context;
use crate::driver::state::{Driver, driver};
use crate::driver::system::error::{Error, Result};

fn address_of(pointer: *const c_void) -> u64 {
    pointer.expose_provenance() as u64
}

/// Returns the driver and the current context, for calls that may wait for the device or make it
/// wait.
fn current() -> Result<(&'static Driver, Arc<Context>)> {
    let driver = driver()?;
    capture::check_thread()?;
    Ok((driver, driver.current()?))
}

pub unsafe fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> Result<()> {
    let driver = driver()?;
    let context = driver.current()?;
    put(free, driver.heap(context.device)?.free_bytes() as usize)?;
    put(total, driver.device(context.device)?.memory_bytes as usize)
}

pub unsafe fn cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize) -> Result<()> {
    let (driver, context) = current()?;
    if dptr.is_null() {
        return Err(Error::InvalidValue);
    }
    put(dptr, driver.allocate(&context, bytesize as u64, Origin::Device)?)
}

pub unsafe fn cuMemAllocPitch_v2(
    dptr: *mut CUdeviceptr,
    pPitch: *mut usize,
    WidthInBytes: usize,
    Height: usize,
    ElementSizeBytes: u32,
) -> Result<()> {
    let (driver, context) = current()?;
    if dptr.is_null() || pPitch.is_null() {
        return Err(Error::InvalidValue);
    }
    let (address, pitch) =
        driver.allocate_pitched(&context, WidthInBytes, Height, ElementSizeBytes)?;
    put(dptr, address)?;
    put(pPitch, pitch)
}

pub unsafe fn cuMemFree_v2(dptr: CUdeviceptr) -> Result<()> {
    let (driver, context) = current()?;
    context.empty_as_nvidias();
    if dptr == 0 { Ok(()) } else { driver.free(dptr) }
}

pub unsafe fn cuMemGetAddressRange_v2(
    pbase: *mut CUdeviceptr,
    psize: *mut usize,
    dptr: CUdeviceptr,
) -> Result<()> {
    let driver = driver()?;
    driver.current()?;
    let range = driver.ranges.containing(dptr).ok_or(Error::NotFound)?;
    put_if(pbase, range.base);
    put_if(psize, range.bytes as usize);
    Ok(())
}

pub unsafe fn cuMemHostAlloc(pp: *mut *mut c_void, bytesize: usize, flags: u32) -> Result<()> {
    let (driver, context) = current()?;
    if pp.is_null() {
        return Err(Error::InvalidValue);
    }
    put(pp, pages::pointer(driver.allocate_host(&context, bytesize as u64, flags)?))
}

pub unsafe fn cuMemAllocHost_v2(pp: *mut *mut c_void, bytesize: usize) -> Result<()> {
    // SAFETY: the caller upholds the contract about pp.
    unsafe { cuMemHostAlloc(pp, bytesize, 0) }
}

pub unsafe fn cuMemFreeHost(p: *mut c_void) -> Result<()> {
    let (driver, context) = current()?;
    context.empty_as_nvidias();
    driver.free_host(address_of(p))
}

pub unsafe fn cuMemHostRegister_v2(p: *mut c_void, bytesize: usize, flags: u32) -> Result<()> {
    let (driver, context) = current()?;
    driver.register_host(&context, address_of(p), bytesize as u64, flags)
}

pub unsafe fn cuMemHostUnregister(p: *mut c_void) -> Result<()> {
    let (driver, context) = current()?;
    // The device must finish its work on the pages before the program alone owns them.
    context.synchronize_holding_up()?;
    driver.unregister_host(address_of(p))
}

/// Returns the host address, because host and device addresses are equal here.
pub unsafe fn cuMemHostGetDevicePointer_v2(
    pdptr: *mut CUdeviceptr,
    p: *mut c_void,
    flags: u32,
) -> Result<()> {
    let driver = driver()?;
    driver.current()?;
    if flags != 0 {
        return Err(Error::InvalidValue);
    }
    let address = address_of(p);
    driver
        .ranges
        .containing(address)
        .filter(|range| range.origin.is_host())
        .ok_or(Error::InvalidValue)?;
    put(pdptr, address)
}

pub unsafe fn cuMemHostGetFlags(pFlags: *mut u32, p: *mut c_void) -> Result<()> {
    let driver = driver()?;
    driver.current()?;
    match driver.ranges.containing(address_of(p)).map(|range| range.origin) {
        Some(Origin::HostAllocated(flags) | Origin::HostRegistered(flags)) => put(pFlags, flags),
        _ => Err(Error::InvalidValue),
    }
}
