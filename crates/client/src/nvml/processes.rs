//! Processes on a device. A session reports only its own process, and hides other processes on the
//! node.

#![allow(non_snake_case, clippy::missing_safety_doc)]

use super::device::{cuda_ordinal, facts, ordinal};
use super::entry::{CudaResult, driver, put};
use super::memory::memory;
use crate::driver::state;
use crate::objects::device_facts::Device;
use outhaul_abi::nvml::*;
use std::sync::atomic::Ordering::Relaxed;

/// NVML's value for "not a slice of a GPU".
const NO_INSTANCE: u32 = u32::MAX;

/// Returns whether this process has a context on the device.
fn is_on(device: &Device) -> bool {
    let Ok(driver) = state::driver() else { return false };
    let Some(device) = cuda_ordinal(driver, device) else { return false };
    let primary = driver.primaries[device as usize].lock().active;
    primary
        || driver
            .contexts
            .all()
            .iter()
            .any(|c| c.device == device && !c.primary && !c.destroyed.load(Relaxed))
}

/// Writes a list in NVML's way. `count` has the capacity of `place`, and receives the number of
/// records.
///
/// # Safety
/// `count` is null or valid for reads and writes; `place` is null or valid for writes of `count`
/// records.
unsafe fn put_list<T>(count: *mut u32, place: *mut T, record: Option<T>) -> CudaResult {
    if count.is_null() {
        return Err(nvmlReturn_t::INVALID_ARGUMENT);
    }
    // SAFETY: checked for null; the caller guarantees that `count` is valid for reads and writes.
    let room = unsafe { count.replace(u32::from(record.is_some())) };
    match record {
        None => Ok(()),
        Some(_) if room == 0 => Err(nvmlReturn_t::INSUFFICIENT_SIZE),
        // SAFETY: `room` is at least 1, so the caller guarantees that `place` is null or valid for
        // writes of a record.
        Some(record) => unsafe { put(place, record) },
    }
}

fn compute<T>(
    device: nvmlDevice_t,
    record: impl FnOnce(u32, u64) -> T,
) -> Result<Option<T>, nvmlReturn_t> {
    if !is_on(facts(device)?) {
        return Ok(None);
    }
    Ok(Some(record(std::process::id(), memory(device)?.used_bytes)))
}

/// Returns no process, because graphics and MPS are not supported.
fn no_process<T>(device: nvmlDevice_t) -> Result<Option<T>, nvmlReturn_t> {
    ordinal(driver()?, device).map(|_| None)
}

fn first_form(pid: u32, bytes: u64) -> nvmlProcessInfo_v1_t {
    nvmlProcessInfo_v1_t { pid, usedGpuMemory: bytes }
}

fn later_form(pid: u32, bytes: u64) -> nvmlProcessInfo_t {
    nvmlProcessInfo_t {
        pid,
        usedGpuMemory: bytes,
        gpuInstanceId: NO_INSTANCE,
        computeInstanceId: NO_INSTANCE,
    }
}

macro_rules! lists {
    ($($name:ident, $record:ident, $found:expr;)*) => {$(
        /// Lists the processes.
        pub unsafe fn $name(
            device: nvmlDevice_t,
            count: *mut u32,
            place: *mut $record,
        ) -> CudaResult {
            let found: Option<$record> = $found(device)?;
            // SAFETY: the program guarantees what `put_list` requires of `count` and `place`.
            unsafe { put_list(count, place, found) }
        }
    )*};
}

lists! {
    nvmlDeviceGetComputeRunningProcesses, nvmlProcessInfo_v1_t, |device| compute(device,
        first_form);
    nvmlDeviceGetComputeRunningProcesses_v2, nvmlProcessInfo_t, |device| compute(device,
        later_form);
    nvmlDeviceGetComputeRunningProcesses_v3, nvmlProcessInfo_t, |device| compute(device,
        later_form);
    nvmlDeviceGetGraphicsRunningProcesses, nvmlProcessInfo_v1_t, no_process;
    nvmlDeviceGetGraphicsRunningProcesses_v2, nvmlProcessInfo_t, no_process;
    nvmlDeviceGetGraphicsRunningProcesses_v3, nvmlProcessInfo_t, no_process;
    nvmlDeviceGetMPSComputeRunningProcesses, nvmlProcessInfo_v1_t, no_process;
    nvmlDeviceGetMPSComputeRunningProcesses_v2, nvmlProcessInfo_t, no_process;
    nvmlDeviceGetMPSComputeRunningProcesses_v3, nvmlProcessInfo_t, no_process;
}
