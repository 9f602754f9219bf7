//! The log of failed calls, which this process keeps, and callbacks for events that the node's
//! driver never reports.

use crate::api::arguments::{CudaResult, put};
use crate::driver::state::driver;
use outhaul_abi::error_log::{self, ERRORS};
use outhaul_abi::notifications;
use outhaul_abi::types::*;
use std::ffi::{c_char, c_void};

pub unsafe fn cuLogsCurrent(out: *mut CUlogIterator, flags: u32) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { error_log::current(out, flags) }
}

pub unsafe fn cuLogsDumpToMemory(
    iterator: *mut CUlogIterator,
    buffer: *mut c_char,
    size: *mut usize,
    flags: u32,
) -> CudaResult {
    // SAFETY: the program guarantees that the pointers are null or valid as CUDA requires.
    unsafe { error_log::dump_to_memory(iterator, buffer, size, flags) }
}

pub unsafe fn cuLogsDumpToFile(
    iterator: *mut CUlogIterator,
    path: *const c_char,
    flags: u32,
) -> CudaResult {
    // SAFETY: the program guarantees that `iterator` is null or valid, and that `path` is null or a
    // C string.
    unsafe { error_log::dump_to_file(iterator, path, flags) }
}

pub unsafe fn cuLogsRegisterCallback(
    callback: CUlogsCallback,
    data: *mut c_void,
    out: *mut CUlogsCallbackHandle,
) -> CudaResult {
    // SAFETY: the program's out-pointer for a handle.
    unsafe { error_log::register(callback, data, out) }
}

pub unsafe fn cuLogsUnregisterCallback(callback: CUlogsCallbackHandle) -> CudaResult {
    ERRORS.unregister(callback)
}

pub unsafe fn cuDeviceRegisterAsyncNotification(
    device: CUdevice,
    callback: CUasyncCallback,
    _data: *mut c_void,
    out: *mut CUasyncCallbackHandle,
) -> CudaResult {
    driver()?.facts.device(device)?;
    if out.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, notifications::register(device, callback)?) }
}

pub unsafe fn cuDeviceUnregisterAsyncNotification(
    device: CUdevice,
    callback: CUasyncCallbackHandle,
) -> CudaResult {
    driver()?.facts.device(device)?;
    notifications::unregister(device, callback)
}
