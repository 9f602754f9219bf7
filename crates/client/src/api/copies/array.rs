//! Copies with an array on one side or on both, of part of a row.

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

pub unsafe fn cuMemcpyHtoA_v2(
    to: CUarray,
    offset: usize,
    from: *const c_void,
    bytes: usize,
    default_stream: CUstream,
) -> CudaResult {
    flat(in_array(to, offset), in_host(from), bytes, default_stream, Mode::Synchronous)
}

pub unsafe fn cuMemcpyHtoAAsync_v2(
    to: CUarray,
    offset: usize,
    from: *const c_void,
    bytes: usize,
    stream: CUstream,
) -> CudaResult {
    flat(in_array(to, offset), in_host(from), bytes, stream, Mode::Asynchronous)
}

pub unsafe fn cuMemcpyAtoH_v2(
    to: *mut c_void,
    from: CUarray,
    offset: usize,
    bytes: usize,
    default_stream: CUstream,
) -> CudaResult {
    flat(in_host(to), in_array(from, offset), bytes, default_stream, Mode::Synchronous)
}

pub unsafe fn cuMemcpyAtoHAsync_v2(
    to: *mut c_void,
    from: CUarray,
    offset: usize,
    bytes: usize,
    stream: CUstream,
) -> CudaResult {
    flat(in_host(to), in_array(from, offset), bytes, stream, Mode::Asynchronous)
}

pub unsafe fn cuMemcpyDtoA_v2(
    to: CUarray,
    offset: usize,
    from: CUdeviceptr,
    bytes: usize,
    default_stream: CUstream,
) -> CudaResult {
    flat(in_array(to, offset), in_device(from), bytes, default_stream, Mode::Synchronous)
}

pub unsafe fn cuMemcpyAtoD_v2(
    to: CUdeviceptr,
    from: CUarray,
    offset: usize,
    bytes: usize,
    default_stream: CUstream,
) -> CudaResult {
    flat(in_device(to), in_array(from, offset), bytes, default_stream, Mode::Synchronous)
}

pub unsafe fn cuMemcpyAtoA_v2(
    to: CUarray,
    to_offset: usize,
    from: CUarray,
    from_offset: usize,
    bytes: usize,
    default_stream: CUstream,
) -> CudaResult {
    flat(
        in_array(to, to_offset),
        in_array(from, from_offset),
        bytes,
        default_stream,
        Mode::Synchronous,
    )
}
