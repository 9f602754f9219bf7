//! Copies of part of a row, with an array on at least one side.

use crate::api::arguments::CudaResult;
use crate::api::copies::rows::copy_box;
use crate::api::copies::sides::{Box3, SideFields};
use crate::objects::copy_shape::Mode;
use outhaul_abi::types::*;
use std::ffi::c_void;

fn flat(
    to: SideFields,
    from: SideFields,
    bytes: usize,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    copy_box(&from, &to, Box3 { width: bytes, height: 1, depth: 1 }, stream, mode)
}

fn in_array(array: CUarray, offset: usize) -> SideFields {
    SideFields { kind: values::MEMORYTYPE_ARRAY, array, x: offset, ..SideFields::default() }
}

fn in_device(address: CUdeviceptr) -> SideFields {
    SideFields { kind: values::MEMORYTYPE_DEVICE, device: address, ..SideFields::default() }
}

fn in_host(address: *const c_void) -> SideFields {
    SideFields { kind: values::MEMORYTYPE_HOST, host: address as u64, ..SideFields::default() }
}

/// Copies bytes from the program's memory to an array.
///
/// # Safety
/// `from` is valid for reads of `bytes` bytes.
pub unsafe fn from_host(
    to: CUarray,
    offset: usize,
    from: *const c_void,
    bytes: usize,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    flat(in_array(to, offset), in_host(from), bytes, stream, mode)
}

/// Copies bytes from an array to the program's memory.
///
/// # Safety
/// `to` is valid for writes of `bytes` bytes.
pub unsafe fn to_host(
    to: *mut c_void,
    from: CUarray,
    offset: usize,
    bytes: usize,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    flat(in_host(to), in_array(from, offset), bytes, stream, mode)
}

/// Copies bytes from device memory to an array.
pub fn from_device(
    to: CUarray,
    offset: usize,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> CudaResult {
    flat(in_array(to, offset), in_device(from), bytes, stream, Mode::Synchronous)
}

/// Copies bytes from an array to device memory.
pub fn to_device(
    to: CUdeviceptr,
    from: CUarray,
    offset: usize,
    bytes: usize,
    stream: CUstream,
) -> CudaResult {
    flat(in_device(to), in_array(from, offset), bytes, stream, Mode::Synchronous)
}

/// Copies bytes from one array to another.
pub fn between(
    to: CUarray,
    to_offset: usize,
    from: CUarray,
    from_offset: usize,
    bytes: usize,
    stream: CUstream,
) -> CudaResult {
    let (to, from) = (in_array(to, to_offset), in_array(from, from_offset));
    flat(to, from, bytes, stream, Mode::Synchronous)
}
