//! The function that this library exports in addition to the driver API, under Outhaul's own name.

#![allow(non_snake_case)]

use crate::driver::state::driver;
use outhaul_abi::types::{CUdevice, CUresult};

/// Writes how many bytes of the device's memory this process uses to `bytes`. NVML answers that for
/// NVIDIA's driver. A driver library with a function of this name answers a node's workers itself.
///
/// # Safety
/// `bytes` is valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn outhaulProcessMemory(bytes: *mut u64, device: CUdevice) -> CUresult {
    match driver().and_then(|driver| driver.heap(device)) {
        Ok(heap) if !bytes.is_null() => {
            // SAFETY: the caller upholds this function's contract.
            unsafe { bytes.write(heap.own_bytes()) };
            CUresult::SUCCESS
        }
        Ok(_) => CUresult::INVALID_VALUE,
        Err(error) => CUresult(error.code()),
    }
}
