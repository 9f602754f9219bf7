//! Functions that this library exports in addition to the driver API, under Outhaul's own names.
//! include/outhaul.h declares and documents them.

#![allow(missing_docs)]
#![allow(non_snake_case, clippy::missing_safety_doc)]

use crate::api::memory::shared_segments;
use crate::entry::guard;
use outhaul_abi::types::{CUdeviceptr, CUresult};
use std::ffi::c_void;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn outhaulShmGet(
    id: *mut i32,
    key: i32,
    bytes: usize,
    flags: u32,
) -> CUresult {
    // SAFETY: the caller upholds the header's contract.
    guard("outhaulShmGet", || unsafe { shared_segments::outhaulShmGet(id, key, bytes, flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn outhaulShmAttach(
    address: *mut CUdeviceptr,
    id: i32,
    flags: u32,
) -> CUresult {
    // SAFETY: the caller upholds the header's contract.
    guard("outhaulShmAttach", || unsafe { shared_segments::outhaulShmAttach(address, id, flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn outhaulShmDetach(address: CUdeviceptr) -> CUresult {
    // SAFETY: the caller upholds the header's contract.
    guard("outhaulShmDetach", || unsafe { shared_segments::outhaulShmDetach(address) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn outhaulShmControl(
    id: i32,
    command: i32,
    argument: *mut c_void,
) -> CUresult {
    // SAFETY: the caller upholds the header's contract.
    guard("outhaulShmControl", || unsafe {
        shared_segments::outhaulShmControl(id, command, argument)
    })
}
