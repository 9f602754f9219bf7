//! Segments of device memory that programs of one node share by key, as outhaul.h describes. The
//! node keeps the segments, so they outlive the program that created them.

use super::sharing::{drop_memory, map, receive, unmap};
use crate::api::arguments::{CudaResult, put};
use crate::driver::memory::context_synchronize::synchronize;
use crate::driver::state::{Driver, driver};
use crate::objects::context_stack;
use crate::objects::context_stack::call;
use crate::objects::memory::physical::Physical;
use outhaul_abi::types::{CUdeviceptr, CUresult, values};
use outhaul_lock::MutexGuard;
use outhaul_wire::messages::{ShmAttach, ShmGet, ShmRemove, ShmSetRights, ShmStat};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

const READ_ONLY: u32 = 0o10000;
const STAT: i32 = 1;
const SET: i32 = 2;
const REMOVE: i32 = 3;

/// Status struct of outhaul.h.
#[repr(C)]
pub struct Status {
    bytes: usize,
    key: i32,
    rights: u32,
    attached: u32,
    removed: u32,
}

fn attached(driver: &Driver) -> MutexGuard<'_, BTreeMap<u64, Arc<Physical>>> {
    driver.sharing.segments.lock()
}

/// Finds or creates the segment with a key, and writes the segment's number. The segment has at
/// least `bytes` bytes. Returns `INVALID_VALUE` for a null pointer or a negative key, otherwise the
/// node's error.
///
/// # Safety
/// `id` is null or valid for writes.
pub unsafe fn outhaulShmGet(id: *mut i32, key: i32, bytes: usize, flags: u32) -> CudaResult {
    context_stack::current()?;
    if id.is_null() || key < 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let found = call(&ShmGet { key, bytes: bytes as u64, flags })?.read(|reply| Ok(reply.id))?;
    // SAFETY: checked for null; the program guarantees that `id` is valid for writes.
    unsafe { put(id, found) }
}

/// Maps a segment with access for its own device and the current one, and writes the address.
/// Returns `INVALID_VALUE` for a null pointer or an unknown flag, otherwise the node's error.
///
/// # Safety
/// `address` is null or valid for writes.
pub unsafe fn outhaulShmAttach(address: *mut CUdeviceptr, id: i32, flags: u32) -> CudaResult {
    let (driver, context) = (driver()?, context_stack::current()?);
    if address.is_null() || flags & !READ_ONLY != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let read_only = flags & READ_ONLY != 0;
    let flags = if read_only {
        values::MEM_ACCESS_FLAGS_PROT_READ
    } else {
        values::MEM_ACCESS_FLAGS_PROT_READWRITE
    };
    let memory = receive(driver, None, |place, memory| {
        place.call(&ShmAttach { id, memory, flags })?.read(|reply| Ok((reply.device, reply.bytes)))
    })?;
    let base = map(driver, &memory, (0, memory.bytes), flags, &context).inspect_err(|_| {
        let _ = drop_memory(driver, memory.handle);
    })?;
    attached(driver).insert(base, memory);
    // SAFETY: checked for null; the program guarantees that `address` is valid for writes.
    unsafe { put(address, base) }
}

/// Detaches a segment. First waits for submitted work, so that other programs see what this one has
/// written, even if it ends now.
pub unsafe fn outhaulShmDetach(address: CUdeviceptr) -> CudaResult {
    let (driver, context) = (driver()?, context_stack::current()?);
    synchronize(driver, &context)?;
    let memory = attached(driver).remove(&address).ok_or(CUresult::INVALID_VALUE)?;
    unmap(driver, address, memory.bytes, address, memory.bytes)?;
    drop_memory(driver, memory.handle)
}

/// Reads a segment's status, sets its rights, or removes it. Returns `INVALID_VALUE` for an unknown
/// command or a missing argument, otherwise the node's error.
///
/// # Safety
/// `argument` is null or valid for the type that outhaul.h specifies for `command`.
pub unsafe fn outhaulShmControl(id: i32, command: i32, argument: *mut c_void) -> CudaResult {
    context_stack::current()?;
    match command {
        STAT => {
            let status = call(&ShmStat { id })?.read(|s| {
                let (bytes, removed) = (s.bytes as usize, u32::from(s.removed));
                Ok(Status { bytes, key: s.key, rights: s.rights, attached: s.attached, removed })
            })?;
            // SAFETY: the program's out-pointer for a struct.
            unsafe { put(argument.cast(), status) }
        }
        SET => {
            // SAFETY: the caller guarantees that `argument` is null or valid for reads.
            let rights =
                *unsafe { argument.cast::<u32>().as_ref() }.ok_or(CUresult::INVALID_VALUE)?;
            call(&ShmSetRights { id, rights })?.read(|_| Ok(()))
        }
        REMOVE => call(&ShmRemove { id })?.read(|_| Ok(())),
        _ => Err(CUresult::INVALID_VALUE),
    }
}
