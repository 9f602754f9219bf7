//! Creates, maps, unmaps and releases device memory by handle, in one thread at a time. NVIDIA's
//! driver 580.159 frees one block twice if two threads unmap at once, or if one unmaps while
//! another releases. That crashed workers in runs of NCCL on two devices.

use outhaul_abi::Driver;
use outhaul_abi::types::{
    CUmemAccessDesc, CUmemAllocationProp, CUmemGenericAllocationHandle, CUresult,
};
use outhaul_lock::{Mutex, MutexGuard};
use std::ffi::c_void;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// CUDA's handle type for file descriptors.
pub const POSIX_FILE_DESCRIPTOR: i32 = 1;

fn one_at_a_time() -> MutexGuard<'static, ()> {
    static CHANGING: Mutex<()> = Mutex::new(());
    CHANGING.lock()
}

/// Creates device memory.
pub fn create(
    driver: &Driver,
    bytes: u64,
    properties: &CUmemAllocationProp,
) -> Result<CUmemGenericAllocationHandle, CUresult> {
    let _one = one_at_a_time();
    let mut handle = 0;
    // SAFETY: the out-pointer is a local; the driver reads the properties only during the call.
    unsafe { driver.cuMemCreate(&mut handle, bytes as usize, properties, 0) }.ok()?;
    Ok(handle)
}

/// Releases device memory.
///
/// # Safety
/// The handle is the session's own and is not used any more.
pub unsafe fn release(
    driver: &Driver,
    handle: CUmemGenericAllocationHandle,
) -> Result<(), CUresult> {
    let _one = one_at_a_time();
    // SAFETY: the caller upholds this function's contract.
    unsafe { driver.cuMemRelease(handle) }.ok()
}

/// Returns a descriptor of device memory.
///
/// # Safety
/// The handle is the session's own.
pub unsafe fn export(
    driver: &Driver,
    handle: CUmemGenericAllocationHandle,
) -> Result<OwnedFd, CUresult> {
    let _one = one_at_a_time();
    let mut descriptor: i32 = -1;
    let place: *mut c_void = (&raw mut descriptor).cast();
    // SAFETY: the caller upholds this function's contract, and the out-pointer is a local.
    unsafe { driver.cuMemExportToShareableHandle(place, handle, POSIX_FILE_DESCRIPTOR, 0) }.ok()?;
    // SAFETY: the driver has just created the descriptor for this process, which owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Imports the memory behind a descriptor. Returns its handle, and by how many bytes that has
/// increased `figure`, what the driver counts as this process's memory, if `figure` says anything.
pub fn import(
    driver: &Driver,
    descriptor: &OwnedFd,
    figure: impl Fn() -> Option<u64>,
) -> Result<(CUmemGenericAllocationHandle, Option<u64>), CUresult> {
    let _one = one_at_a_time();
    let before = figure();
    let mut handle = 0;
    let source = std::ptr::without_provenance_mut(descriptor.as_raw_fd() as usize);
    // SAFETY: the descriptor is open; the driver takes its number as a pointer. The out-pointer is
    // a local.
    unsafe { driver.cuMemImportFromShareableHandle(&mut handle, source, POSIX_FILE_DESCRIPTOR) }
        .ok()?;
    let grown_bytes = before.and_then(|before| figure().map(|after| after.saturating_sub(before)));
    Ok((handle, grown_bytes))
}

/// Maps device memory.
///
/// # Safety
/// The range is in the session's reservation, and nothing is mapped there.
pub unsafe fn map(
    driver: &Driver,
    address: u64,
    bytes: u64,
    offset: u64,
    handle: CUmemGenericAllocationHandle,
) -> Result<(), CUresult> {
    let _one = one_at_a_time();
    // SAFETY: the caller upholds this function's contract.
    unsafe { driver.cuMemMap(address, bytes as usize, offset as usize, handle, 0) }.ok()
}

/// Unmaps device memory.
///
/// # Safety
/// The mapping is the session's own, and the device no longer uses it.
pub unsafe fn unmap(driver: &Driver, address: u64, bytes: u64) -> Result<(), CUresult> {
    let _one = one_at_a_time();
    // SAFETY: the caller upholds this function's contract.
    unsafe { driver.cuMemUnmap(address, bytes as usize) }.ok()
}

/// Gives a device access to mapped memory.
///
/// # Safety
/// The range is one of the session's mappings.
pub unsafe fn allow_access(
    driver: &Driver,
    address: u64,
    bytes: u64,
    access: CUmemAccessDesc,
) -> Result<(), CUresult> {
    let _one = one_at_a_time();
    // SAFETY: the caller upholds this function's contract, and the description outlives the call.
    unsafe { driver.cuMemSetAccess(address, bytes as usize, &access, 1) }.ok()
}
