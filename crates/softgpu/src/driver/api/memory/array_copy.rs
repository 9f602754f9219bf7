//! Flat copies to and from arrays: parts of one row.

use std::ffi::c_void;

use outhaul_abi::types::*;

use crate::driver::objects::memory::copy::Copy;
use crate::driver::objects::memory::copy::CopySide;
use crate::driver::objects::memory::copy::Memory;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

enum End {
    Array(CUarray, usize),
    Memory(Memory, u64),
}

fn host(pointer: *const c_void) -> End {
    End::Memory(Memory::Host, pointer.expose_provenance() as u64)
}

fn copy(to: End, from: End, bytes: usize, stream: CUstream, blocking: bool) -> Result<()> {
    let driver = driver()?;
    let stream = driver.stream(stream.0 as u64)?;
    let side = |end: End| match end {
        End::Array(array, offset) => {
            let array = driver.arrays.get(array.0 as u64).ok_or(Error::InvalidHandle)?;
            array.side([offset, 0, 0], [bytes, 1, 1])
        }
        End::Memory(memory, address) => Ok(CopySide::flat(memory, address)),
    };
    driver.copy(&stream, Copy::flat(side(to)?, side(from)?, bytes as u64), blocking)
}

pub unsafe fn cuMemcpyHtoA_v2(
    dst: CUarray,
    dstOffset: usize,
    src: *const c_void,
    ByteCount: usize,
    stream: CUstream,
) -> Result<()> {
    copy(End::Array(dst, dstOffset), host(src), ByteCount, stream, true)
}

pub unsafe fn cuMemcpyHtoAAsync_v2(
    dst: CUarray,
    dstOffset: usize,
    src: *const c_void,
    ByteCount: usize,
    hStream: CUstream,
) -> Result<()> {
    copy(End::Array(dst, dstOffset), host(src), ByteCount, hStream, false)
}

pub unsafe fn cuMemcpyAtoH_v2(
    dst: *mut c_void,
    src: CUarray,
    srcOffset: usize,
    ByteCount: usize,
    stream: CUstream,
) -> Result<()> {
    copy(host(dst), End::Array(src, srcOffset), ByteCount, stream, true)
}

pub unsafe fn cuMemcpyAtoHAsync_v2(
    dst: *mut c_void,
    src: CUarray,
    srcOffset: usize,
    ByteCount: usize,
    hStream: CUstream,
) -> Result<()> {
    copy(host(dst), End::Array(src, srcOffset), ByteCount, hStream, false)
}

pub unsafe fn cuMemcpyDtoA_v2(
    dst: CUarray,
    dstOffset: usize,
    src: CUdeviceptr,
    ByteCount: usize,
    stream: CUstream,
) -> Result<()> {
    copy(End::Array(dst, dstOffset), End::Memory(Memory::Device, src), ByteCount, stream, true)
}

pub unsafe fn cuMemcpyAtoD_v2(
    dst: CUdeviceptr,
    src: CUarray,
    srcOffset: usize,
    ByteCount: usize,
    stream: CUstream,
) -> Result<()> {
    copy(End::Memory(Memory::Device, dst), End::Array(src, srcOffset), ByteCount, stream, true)
}

pub unsafe fn cuMemcpyAtoA_v2(
    dst: CUarray,
    dstOffset: usize,
    src: CUarray,
    srcOffset: usize,
    ByteCount: usize,
    stream: CUstream,
) -> Result<()> {
    copy(End::Array(dst, dstOffset), End::Array(src, srcOffset), ByteCount, stream, true)
}
