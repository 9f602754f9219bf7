//! Managed memory. Host and device share all memory here, so managed memory is ordinary memory. The
//! program's advice about memory use is recorded and has no effect.

use std::ffi::{c_char, c_void};
use std::ops::Range;

use outhaul_abi::memory::managed_hints::location;
use outhaul_abi::types::values::{MEM_ATTACH_GLOBAL, MEM_ATTACH_HOST, MEM_ATTACH_SINGLE};
use outhaul_abi::types::*;

use crate::driver::api::arguments::{name, put, put_if, take_all};
use crate::driver::lock;
use crate::driver::objects::memory::ranges::Origin;
use crate::driver::state::{Driver, driver};
use crate::driver::system::error::{Error, Result};

pub unsafe fn cuMemAllocManaged(dptr: *mut CUdeviceptr, bytesize: usize, flags: u32) -> Result<()> {
    let driver = driver()?;
    let context = driver.current()?;
    if dptr.is_null() || !matches!(flags, MEM_ATTACH_GLOBAL | MEM_ATTACH_HOST) {
        return Err(Error::InvalidValue);
    }
    put(dptr, driver.allocate(&context, bytesize as u64, Origin::Managed)?)
}

pub unsafe fn cuLibraryGetManaged(
    dptr: *mut CUdeviceptr,
    bytes: *mut usize,
    library: CUlibrary,
    name_: *const c_char,
) -> Result<()> {
    let driver = driver()?;
    let library = driver.libraries.get(library.0 as u64).ok_or(Error::InvalidHandle)?;
    let (address, size) =
        driver.managed_variables(&library)?.instance.global(name(name_)?).ok_or(Error::NotFound)?;
    if address.is_null() {
        return Err(Error::NotFound);
    }
    put_if(dptr, address.expose_provenance() as u64);
    put_if(bytes, size as usize);
    Ok(())
}

/// Returns the address range, which must be inside one range of managed memory.
fn managed(driver: &Driver, address: u64, bytes: usize) -> Result<Range<u64>> {
    let range = driver
        .ranges
        .containing(address)
        .filter(|range| range.origin.is_managed())
        .ok_or(Error::InvalidValue)?;
    let end = address
        .checked_add(bytes as u64)
        .filter(|end| bytes > 0 && *end <= range.end())
        .ok_or(Error::InvalidValue)?;
    Ok(address..end)
}

fn refused(code: CUresult) -> Error {
    if code == CUresult::INVALID_DEVICE { Error::InvalidDevice } else { Error::InvalidValue }
}

pub unsafe fn cuMemAdvise(
    devPtr: CUdeviceptr,
    count: usize,
    advice: CUmem_advise,
    device: CUdevice,
) -> Result<()> {
    // SAFETY: takes no pointers.
    unsafe { cuMemAdvise_v2(devPtr, count, advice, location(device)) }
}

pub unsafe fn cuMemAdvise_v2(
    devPtr: CUdeviceptr,
    count: usize,
    advice: CUmem_advise,
    place: CUmemLocation,
) -> Result<()> {
    let driver = driver()?;
    let range = managed(driver, devPtr, count)?;
    lock(&driver.hints).advise(range, advice, place, driver.devices.len()).map_err(refused)
}

pub unsafe fn cuMemPrefetchAsync(
    devPtr: CUdeviceptr,
    count: usize,
    dstDevice: CUdevice,
    hStream: CUstream,
) -> Result<()> {
    // SAFETY: takes no pointers.
    unsafe { cuMemPrefetchAsync_v2(devPtr, count, location(dstDevice), 0, hStream) }
}

pub unsafe fn cuMemPrefetchAsync_v2(
    devPtr: CUdeviceptr,
    count: usize,
    place: CUmemLocation,
    flags: u32,
    hStream: CUstream,
) -> Result<()> {
    let driver = driver()?;
    driver.stream(hStream.0 as u64)?;
    let range = managed(driver, devPtr, count)?;
    if flags != 0 {
        return Err(Error::InvalidValue);
    }
    lock(&driver.hints).prefetch(range, place, driver.devices.len()).map_err(refused)
}

pub unsafe fn cuMemPrefetchBatchAsync(
    dptrs: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    prefetchLocs: *mut CUmemLocation,
    prefetchLocIdxs: *mut usize,
    numPrefetchLocs: usize,
    flags: u64,
    hStream: CUstream,
) -> Result<()> {
    let (addresses, sizes) =
        (take_all(dptrs.cast_const(), count)?, take_all(sizes.cast_const(), count)?);
    let places = take_all(prefetchLocs.cast_const(), numPrefetchLocs)?;
    let starts = take_all(prefetchLocIdxs.cast_const(), numPrefetchLocs)?;
    let ascending = starts.first() == Some(&0)
        && starts.is_sorted_by(|a, b| a < b)
        && starts.last().is_some_and(|last| *last < count);
    if flags != 0 || count == 0 || !ascending {
        return Err(Error::InvalidValue);
    }
    for (index, (address, bytes)) in addresses.into_iter().zip(sizes).enumerate() {
        let place = places[starts.partition_point(|start| *start <= index) - 1];
        // SAFETY: takes no pointers.
        unsafe { cuMemPrefetchAsync_v2(address, bytes, place, 0, hStream) }?;
    }
    Ok(())
}

/// Discards memory. The memory may keep its content, because the program no longer needs it.
fn discard(
    dptrs: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    flags: u64,
    stream: CUstream,
) -> Result<()> {
    let driver = driver()?;
    let (addresses, sizes) =
        (take_all(dptrs.cast_const(), count)?, take_all(sizes.cast_const(), count)?);
    if flags != 0 || count == 0 || driver.stream(stream.0 as u64)?.is_legacy() {
        return Err(Error::InvalidValue);
    }
    addresses
        .into_iter()
        .zip(sizes)
        .try_for_each(|(address, bytes)| managed(driver, address, bytes).map(drop))
}

pub unsafe fn cuMemDiscardBatchAsync(
    dptrs: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    flags: u64,
    hStream: CUstream,
) -> Result<()> {
    discard(dptrs, sizes, count, flags, hStream)
}

pub unsafe fn cuMemDiscardAndPrefetchBatchAsync(
    dptrs: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    prefetchLocs: *mut CUmemLocation,
    prefetchLocIdxs: *mut usize,
    numPrefetchLocs: usize,
    flags: u64,
    hStream: CUstream,
) -> Result<()> {
    discard(dptrs, sizes, count, flags, hStream)?;
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        cuMemPrefetchBatchAsync(
            dptrs,
            sizes,
            count,
            prefetchLocs,
            prefetchLocIdxs,
            numPrefetchLocs,
            flags,
            hStream,
        )
    }
}

pub unsafe fn cuMemRangeGetAttribute(
    data: *mut c_void,
    dataSize: usize,
    attribute: CUmem_range_attribute,
    devPtr: CUdeviceptr,
    count: usize,
) -> Result<()> {
    let driver = driver()?;
    let range = managed(driver, devPtr, count)?;
    let values = lock(&driver.hints).attribute(range, attribute, dataSize).map_err(refused)?;
    if data.is_null() {
        return Err(Error::InvalidValue);
    }
    // SAFETY: checked for null; the program guarantees that it is valid for writes of `dataSize`
    // bytes, which is the length of `values`.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), data.cast(), values.len()) };
    Ok(())
}

pub unsafe fn cuMemRangeGetAttributes(
    data: *mut *mut c_void,
    dataSizes: *mut usize,
    attributes: *mut CUmem_range_attribute,
    numAttributes: usize,
    devPtr: CUdeviceptr,
    count: usize,
) -> Result<()> {
    let places = take_all(data.cast_const(), numAttributes)?;
    let sizes = take_all(dataSizes.cast_const(), numAttributes)?;
    let attributes = take_all(attributes.cast_const(), numAttributes)?;
    for ((place, bytes), attribute) in places.into_iter().zip(sizes).zip(attributes) {
        // SAFETY: the program guarantees that each pointer is valid for writes.
        unsafe { cuMemRangeGetAttribute(place, bytes, attribute, devPtr, count) }?;
    }
    Ok(())
}

pub unsafe fn cuStreamAttachMemAsync(
    hStream: CUstream,
    dptr: CUdeviceptr,
    length: usize,
    flags: u32,
) -> Result<()> {
    let driver = driver()?;
    driver.stream(hStream.0 as u64)?;
    let range = driver
        .ranges
        .containing(dptr)
        .filter(|range| range.origin.is_managed() && range.base == dptr)
        .ok_or(Error::InvalidValue)?;
    let alone = flags == MEM_ATTACH_SINGLE && !matches!(hStream, CUstream::NULL | CUstream::LEGACY);
    if !(alone || matches!(flags, MEM_ATTACH_GLOBAL | MEM_ATTACH_HOST))
        || !(length == 0 || length as u64 == range.bytes)
    {
        return Err(Error::InvalidValue);
    }
    Ok(())
}
