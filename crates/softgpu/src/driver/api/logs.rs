//! The log of failed calls, and callbacks for notifications that the driver never sends.

use std::ffi::{c_char, c_void};

use outhaul_abi::error_log::{self, ERRORS};
use outhaul_abi::notifications;
use outhaul_abi::types::*;

use crate::driver::api::arguments::put;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

/// Returns the only error of these functions: invalid arguments.
fn refused(_: CUresult) -> Error {
    Error::InvalidValue
}

pub unsafe fn cuLogsCurrent(iterator_out: *mut CUlogIterator, flags: u32) -> Result<()> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { error_log::current(iterator_out, flags) }.map_err(refused)
}

pub unsafe fn cuLogsDumpToMemory(
    iterator: *mut CUlogIterator,
    buffer: *mut c_char,
    size: *mut usize,
    flags: u32,
) -> Result<()> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { error_log::dump_to_memory(iterator, buffer, size, flags) }.map_err(refused)
}

pub unsafe fn cuLogsDumpToFile(
    iterator: *mut CUlogIterator,
    pathToFile: *const c_char,
    flags: u32,
) -> Result<()> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { error_log::dump_to_file(iterator, pathToFile, flags) }.map_err(refused)
}

pub unsafe fn cuLogsRegisterCallback(
    callbackFunc: CUlogsCallback,
    userData: *mut c_void,
    callback_out: *mut CUlogsCallbackHandle,
) -> Result<()> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { error_log::register(callbackFunc, userData, callback_out) }.map_err(refused)
}

pub unsafe fn cuLogsUnregisterCallback(callback: CUlogsCallbackHandle) -> Result<()> {
    ERRORS.unregister(callback).map_err(refused)
}

pub unsafe fn cuDeviceRegisterAsyncNotification(
    device: CUdevice,
    callbackFunc: CUasyncCallback,
    _userData: *mut c_void,
    callback: *mut CUasyncCallbackHandle,
) -> Result<()> {
    driver()?.device(device)?;
    if callback.is_null() {
        return Err(Error::InvalidValue);
    }
    put(callback, notifications::register(device, callbackFunc).map_err(refused)?)
}

pub unsafe fn cuDeviceUnregisterAsyncNotification(
    device: CUdevice,
    callback: CUasyncCallbackHandle,
) -> Result<()> {
    driver()?.device(device)?;
    notifications::unregister(device, callback).map_err(refused)
}
