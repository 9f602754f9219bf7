//! Virtual memory: reserved addresses, physical memory, mappings and their permitted accesses.

use std::ffi::c_void;
use std::os::fd::BorrowedFd;

use outhaul_abi::types::values::{MEM_ALLOCATION_TYPE_PINNED, MEM_LOCATION_TYPE_DEVICE};
use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, take, take_all};
use crate::driver::objects::memory::pages::Access;
use crate::driver::objects::memory::pages::PAGE_BYTES;
use crate::driver::state::{Driver, driver};
use crate::driver::system::error::{Error, Result};

/// The handle type `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`.
const HANDLE_POSIX_FD: i32 = 1;
/// The host's number, used in place of a device's ordinal.
const HOST: i32 = -1;
const ACCESS_NONE: i32 = 0;
const ACCESS_READ: i32 = 1;
const ACCESS_READ_WRITE: i32 = 3;

/// Returns the device that a description of physical memory names.
fn device_of(prop: &CUmemAllocationProp) -> Result<i32> {
    if prop.type_ != MEM_ALLOCATION_TYPE_PINNED || prop.location.type_ != MEM_LOCATION_TYPE_DEVICE {
        return Err(Error::InvalidValue);
    }
    if prop.requestedHandleTypes & !HANDLE_POSIX_FD != 0 {
        return Err(Error::NotSupported);
    }
    Ok(driver()?.device(prop.location.id)?.ordinal)
}

pub unsafe fn cuMemAddressReserve(
    ptr: *mut CUdeviceptr,
    size: usize,
    alignment: usize,
    addr: CUdeviceptr,
    flags: u64,
) -> Result<()> {
    let driver = driver()?;
    if ptr.is_null() || flags != 0 {
        return Err(Error::InvalidValue);
    }
    put(ptr, driver.reserve_addresses(size as u64, alignment as u64, addr)?)
}

pub unsafe fn cuMemAddressFree(ptr: CUdeviceptr, size: usize) -> Result<()> {
    driver()?.free_addresses(ptr, size as u64)
}

pub unsafe fn cuMemCreate(
    handle: *mut CUmemGenericAllocationHandle,
    size: usize,
    prop: *const CUmemAllocationProp,
    flags: u64,
) -> Result<()> {
    let driver = driver()?;
    let prop = take(prop)?;
    let device = device_of(&prop)?;
    if handle.is_null() || flags != 0 {
        return Err(Error::InvalidValue);
    }
    put(handle, driver.create_physical(size as u64, device, prop.requestedHandleTypes != 0)?)
}

pub unsafe fn cuMemRelease(handle: CUmemGenericAllocationHandle) -> Result<()> {
    driver()?.allocations.remove(handle).map(drop).ok_or(Error::InvalidValue)
}

pub unsafe fn cuMemMap(
    ptr: CUdeviceptr,
    size: usize,
    offset: usize,
    handle: CUmemGenericAllocationHandle,
    flags: u64,
) -> Result<()> {
    if flags != 0 {
        return Err(Error::InvalidValue);
    }
    driver()?.map(ptr, size as u64, offset as u64, handle)
}

pub unsafe fn cuMemUnmap(ptr: CUdeviceptr, size: usize) -> Result<()> {
    driver()?.unmap(ptr, size as u64)
}

/// Returns a device's ordinal, or the host's number.
fn place(driver: &Driver, location: &CUmemLocation) -> Result<i32> {
    if location.type_ == MEM_LOCATION_TYPE_DEVICE {
        Ok(driver.device(location.id)?.ordinal)
    } else {
        Ok(HOST)
    }
}

pub unsafe fn cuMemSetAccess(
    ptr: CUdeviceptr,
    size: usize,
    desc: *const CUmemAccessDesc,
    count: usize,
) -> Result<()> {
    let driver = driver()?;
    let descriptions = take_all(desc, count)?;
    if descriptions.is_empty() {
        return Err(Error::InvalidValue);
    }
    for description in descriptions {
        let who = place(driver, &description.location)?;
        let access = match description.flags {
            ACCESS_NONE => Access::None,
            ACCESS_READ => Access::Read,
            ACCESS_READ_WRITE => Access::ReadWrite,
            _ => return Err(Error::InvalidValue),
        };
        driver.set_access(ptr, size as u64, who, access)?;
    }
    Ok(())
}

pub unsafe fn cuMemGetAccess(
    flags: *mut u64,
    location: *const CUmemLocation,
    ptr: CUdeviceptr,
) -> Result<()> {
    let driver = driver()?;
    let who = place(driver, &take(location)?)?;
    let bits = match driver.access_at(ptr, who)? {
        Access::None => ACCESS_NONE,
        Access::Read => ACCESS_READ,
        Access::ReadWrite => ACCESS_READ_WRITE,
    };
    put(flags, bits as u64)
}

pub unsafe fn cuMemGetAllocationGranularity(
    granularity: *mut usize,
    prop: *const CUmemAllocationProp,
    option: CUmemAllocationGranularity_flags,
) -> Result<()> {
    device_of(&take(prop)?)?;
    if !matches!(option, 0 | 1) {
        return Err(Error::InvalidValue);
    }
    put(granularity, PAGE_BYTES as usize)
}

pub unsafe fn cuMemGetAllocationPropertiesFromHandle(
    prop: *mut CUmemAllocationProp,
    handle: CUmemGenericAllocationHandle,
) -> Result<()> {
    let allocation = driver()?.allocations.get(handle).ok_or(Error::InvalidValue)?;
    put(
        prop,
        CUmemAllocationProp {
            type_: MEM_ALLOCATION_TYPE_PINNED,
            requestedHandleTypes: if allocation.memory.is_exportable { HANDLE_POSIX_FD } else { 0 },
            location: CUmemLocation {
                type_: MEM_LOCATION_TYPE_DEVICE,
                id: allocation.memory.device,
            },
            win32HandleMetaData: std::ptr::null_mut(),
            compressionType: 0,
            gpuDirectRDMACapable: 0,
            usage: 0,
            reserved: [0; 4],
        },
    )
}

pub unsafe fn cuMemRetainAllocationHandle(
    handle: *mut CUmemGenericAllocationHandle,
    addr: *mut c_void,
) -> Result<()> {
    put(handle, driver()?.physical_at(addr.expose_provenance() as u64)?)
}

pub unsafe fn cuMemExportToShareableHandle(
    shareableHandle: *mut c_void,
    handle: CUmemGenericAllocationHandle,
    handleType: CUmemAllocationHandleType,
    flags: u64,
) -> Result<()> {
    let driver = driver()?;
    if shareableHandle.is_null() || flags != 0 || handleType != HANDLE_POSIX_FD {
        return Err(Error::InvalidValue);
    }
    put(shareableHandle.cast::<i32>(), driver.export_physical(handle)?)
}

/// Imports physical memory. The pointer argument contains the descriptor itself.
pub unsafe fn cuMemImportFromShareableHandle(
    handle: *mut CUmemGenericAllocationHandle,
    osHandle: *mut c_void,
    shHandleType: CUmemAllocationHandleType,
) -> Result<()> {
    let driver = driver()?;
    let fd =
        i32::try_from(osHandle.addr()).ok().filter(|fd| *fd >= 0).ok_or(Error::InvalidValue)?;
    if handle.is_null() || shHandleType != HANDLE_POSIX_FD {
        return Err(Error::InvalidValue);
    }
    // SAFETY: the program owns the descriptor and keeps it open during the call.
    let fd = unsafe { BorrowedFd::borrow_raw(fd) }
        .try_clone_to_owned()
        .map_err(|_| Error::InvalidValue)?;
    let device = driver.current().map_or(0, |context| context.device);
    put(handle, driver.import_physical(&fd, device)?)
}
