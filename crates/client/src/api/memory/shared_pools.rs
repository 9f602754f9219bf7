//! Memory pools that processes of one node share. A pool's descriptor identifies only the device.
//! The importing process gets the memory through a handle for each allocation.

use super::pools::{device_pool, pool};
use super::sharing::{POSIX_FILE_DESCRIPTOR, open, seal, share, unseal};
use crate::api::arguments::{CudaResult, put};
use crate::driver::memory::address_lookup::find;
use crate::driver::state::driver;
use crate::objects::context_stack;
use crate::objects::memory::pool::Pool;
use crate::objects::memory::shared_memory::{TICKET_BYTES, Ticket};
use outhaul_abi::types::*;
use outhaul_wire::messages::MemoryShareReply;
use std::ffi::c_void;
use std::os::fd::IntoRawFd;

/// First bytes of a pool descriptor's contents. The device's UUID follows.
const MAGIC: [u8; 8] = *b"outhpool";

pub unsafe fn cuMemPoolExportToShareableHandle(
    out: *mut c_void,
    handle: CUmemoryPool,
    kind: CUmemAllocationHandleType,
    flags: u64,
) -> CudaResult {
    let (driver, pool) = (driver()?, pool(handle)?);
    let is_default = device_pool(driver, pool.device, false)?.handle == pool.handle;
    let possible = kind == POSIX_FILE_DESCRIPTOR
        && pool.handle_types & kind != 0
        && !pool.is_imported
        && !is_default;
    if out.is_null() || flags != 0 || !possible {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut bytes = [0; TICKET_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..24].copy_from_slice(&driver.facts.device(pool.device)?.uuid);
    let descriptor = seal(&bytes).map_err(|_| CUresult::OPERATING_SYSTEM)?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes of a
    // descriptor. From now on the program owns the descriptor.
    unsafe { put(out.cast::<i32>(), descriptor.into_raw_fd()) }
}

/// Imports a pool. The `descriptor` parameter is a file descriptor in the form of a pointer.
pub unsafe fn cuMemPoolImportFromShareableHandle(
    out: *mut CUmemoryPool,
    descriptor: *mut c_void,
    kind: CUmemAllocationHandleType,
    flags: u64,
) -> CudaResult {
    let driver = driver()?;
    let descriptor = i32::try_from(descriptor.addr()).map_err(|_| CUresult::INVALID_VALUE)?;
    if out.is_null() || kind != POSIX_FILE_DESCRIPTOR || flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let bytes =
        unseal(descriptor).filter(|bytes| bytes[..8] == MAGIC).ok_or(CUresult::INVALID_VALUE)?;
    let device = driver
        .facts
        .devices
        .iter()
        .position(|device| device.uuid == bytes[8..24])
        .ok_or(CUresult::INVALID_DEVICE)?;
    let pool = driver.pools.insert(|handle| Pool::imported(handle, device as i32))?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, CUmemoryPool(pool.handle as usize)) }
}

pub unsafe fn cuMemPoolExportPointer(
    out: *mut CUmemPoolPtrExportData,
    address: CUdeviceptr,
) -> CudaResult {
    context_stack::current()?;
    let driver = driver()?;
    let (found, _) = find(driver, address)
        .filter(|(found, _)| found.address == address)
        .ok_or(CUresult::INVALID_VALUE)?;
    let is_shareable = driver.pools.get(found.pool).is_some_and(|pool| pool.handle_types != 0);
    if out.is_null() || found.is_mapped() || !is_shareable {
        return Err(CUresult::INVALID_VALUE);
    }
    let MemoryShareReply { socket, key, bytes: whole_bytes, offset } = share(driver, 0, address)?;
    let ticket = Ticket { socket, key, whole_bytes, offset, bytes: found.bytes };
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, CUmemPoolPtrExportData { reserved: ticket.encode() }) }
}

pub unsafe fn cuMemPoolImportPointer(
    out: *mut CUdeviceptr,
    handle: CUmemoryPool,
    data: *mut CUmemPoolPtrExportData,
) -> CudaResult {
    let (driver, pool, context) = (driver()?, pool(handle)?, context_stack::current()?);
    // SAFETY: the program guarantees that `data` is null or valid for reads.
    let Some(data) = (unsafe { data.as_ref() }) else { return Err(CUresult::INVALID_VALUE) };
    let ticket = Ticket::decode(&data.reserved)
        .filter(|_| pool.is_imported && !out.is_null())
        .ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, open(driver, &context, ticket, true)?) }
}
