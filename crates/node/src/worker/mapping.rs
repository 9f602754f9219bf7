//! What the driver has mapped where, changed by one thread at a time: NVIDIA's driver 580.159 frees the same block twice when two threads unmap
//! at once, which took a worker down in one of five runs of NCCL on two devices.

use outhaul_abi::Driver;
use outhaul_abi::types::{CUmemAccessDesc, CUmemGenericAllocationHandle, CUresult};
use std::sync::{Mutex, MutexGuard};

fn one_at_a_time() -> MutexGuard<'static, ()> {
    static CHANGING: Mutex<()> = Mutex::new(());
    CHANGING.lock().unwrap_or_else(|e| e.into_inner())
}

/// # Safety
/// The range lies in the session's reservation and backs nothing.
pub unsafe fn map(driver: &Driver, address: u64, bytes: u64, offset: u64, handle: CUmemGenericAllocationHandle) -> Result<(), CUresult> {
    let _one = one_at_a_time();
    // SAFETY: the caller's promise.
    unsafe { driver.cuMemMap(address, bytes as usize, offset as usize, handle, 0) }.ok()
}

/// # Safety
/// The mapping is the session's, and the device is done with it.
pub unsafe fn unmap(driver: &Driver, address: u64, bytes: u64) -> Result<(), CUresult> {
    let _one = one_at_a_time();
    // SAFETY: the caller's promise.
    unsafe { driver.cuMemUnmap(address, bytes as usize) }.ok()
}

/// # Safety
/// The range is a mapping of the session's.
pub unsafe fn let_in(driver: &Driver, address: u64, bytes: u64, access: CUmemAccessDesc) -> Result<(), CUresult> {
    let _one = one_at_a_time();
    // SAFETY: the caller's promise, and the description lives through the call.
    unsafe { driver.cuMemSetAccess(address, bytes as usize, &access, 1) }.ok()
}
