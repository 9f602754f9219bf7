//! Copy batches. CUDA guarantees no order inside a batch; here the copies run one after another.

use outhaul_abi::types::*;

use crate::driver::api::arguments::{put_if, take_all};
use crate::driver::objects::memory::copy::Copy;
use crate::driver::objects::memory::copy::CopySide;
use crate::driver::objects::memory::copy::Memory;
use crate::driver::objects::streams::stream::Stream;
use crate::driver::state::{Driver, driver};
use crate::driver::system::error::{Error, Result};

/// Returns whether the source may be read only during the call.
fn is_during_call(order: i32) -> Result<bool> {
    match order {
        values::SRC_ACCESS_ORDER_DURING_API_CALL => Ok(true),
        values::SRC_ACCESS_ORDER_STREAM | values::SRC_ACCESS_ORDER_ANY => Ok(false),
        _ => Err(Error::InvalidValue),
    }
}

/// Submits each copy, and waits if any source may be read only during the call. Reports which copy
/// failed.
fn each(
    count: usize,
    failIdx: *mut usize,
    stream: CUstream,
    copy: impl Fn(&Driver, &Stream, usize) -> Result<bool>,
) -> Result<()> {
    if count == 0 || matches!(stream, CUstream::NULL | CUstream::LEGACY) {
        put_if(failIdx, usize::MAX);
        return Err(Error::InvalidValue);
    }
    let driver = driver()?;
    let stream = driver.stream(stream.0 as u64)?;
    let mut wait = false;
    for index in 0..count {
        wait |= copy(driver, &stream, index).inspect_err(|_| put_if(failIdx, index))?;
    }
    if wait { stream.synchronize() } else { Ok(()) }
}

pub unsafe fn cuMemcpyBatchAsync(
    dsts: *const CUdeviceptr,
    srcs: *const CUdeviceptr,
    sizes: *const usize,
    count: usize,
    attrs: *const CUmemcpyAttributes,
    attrsIdxs: *const usize,
    numAttrs: usize,
    failIdx: *mut usize,
    hStream: CUstream,
) -> Result<()> {
    let (to, from, sizes) =
        (take_all(dsts, count)?, take_all(srcs, count)?, take_all(sizes, count)?);
    let (attributes, starts) = (take_all(attrs, numAttrs)?, take_all(attrsIdxs, numAttrs)?);
    let ascending = starts.first() == Some(&0)
        && starts.is_sorted_by(|a, b| a < b)
        && starts.last().is_some_and(|last| *last < count);
    each(if ascending { count } else { 0 }, failIdx, hStream, |driver, stream, index| {
        let attribute = &attributes[starts.partition_point(|start| *start <= index) - 1];
        let during_call = is_during_call(attribute.srcAccessOrder)?;
        let side = |address| CopySide::flat(Memory::Unified, address);
        driver.copy(
            stream,
            Copy::flat(side(to[index]), side(from[index]), sizes[index] as u64),
            false,
        )?;
        Ok(during_call)
    })
}

pub unsafe fn cuMemcpyBatchAsync_v2(
    dsts: *const CUdeviceptr,
    srcs: *const CUdeviceptr,
    sizes: *const usize,
    count: usize,
    attrs: *const CUmemcpyAttributes,
    attrsIdxs: *const usize,
    numAttrs: usize,
    hStream: CUstream,
) -> Result<()> {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        cuMemcpyBatchAsync(
            dsts,
            srcs,
            sizes,
            count,
            attrs,
            attrsIdxs,
            numAttrs,
            std::ptr::null_mut(),
            hStream,
        )
    }
}

fn element_bytes(driver: &Driver, operand: &CUmemcpy3DOperand) -> Result<Option<u64>> {
    match operand.type_ {
        values::OPERAND_TYPE_POINTER => Ok(None),
        values::OPERAND_TYPE_ARRAY => {
            let array = driver.arrays.get(operand.op[0]).ok_or(Error::InvalidHandle)?;
            Ok(Some(array.image.element_bytes()))
        }
        _ => Err(Error::InvalidValue),
    }
}

fn side(
    driver: &Driver,
    operand: &CUmemcpy3DOperand,
    element_bytes: u64,
    [width, height, depth]: [u64; 3],
) -> Result<CopySide> {
    let [first, a, b, c] = operand.op;
    let bytes = a.checked_mul(element_bytes).ok_or(Error::InvalidValue)?;
    if operand.type_ == values::OPERAND_TYPE_ARRAY {
        let array = driver.arrays.get(first).ok_or(Error::InvalidHandle)?;
        return array
            .side([bytes, b, c].map(|n| n as usize), [width, height, depth].map(|n| n as usize));
    }
    // 0 means rows and slices without gaps.
    let (pitch, height) = (if bytes == 0 { width } else { bytes }, if b == 0 { height } else { b });
    Ok(CopySide { address: first, pitch, height, memory: Memory::Unified })
}

fn copy_3d(driver: &Driver, stream: &Stream, op: &CUDA_MEMCPY3D_BATCH_OP) -> Result<bool> {
    let during_call = is_during_call(op.srcAccessOrder)?;
    let elements = match (element_bytes(driver, &op.src)?, element_bytes(driver, &op.dst)?) {
        (Some(a), Some(b)) if a != b => return Err(Error::InvalidValue),
        (Some(bytes), _) | (None, Some(bytes)) => bytes,
        (None, None) => 1,
    };
    let width = (op.width as u64).checked_mul(elements).ok_or(Error::InvalidValue)?;
    let (height, depth) = (op.height as u64, op.depth as u64);
    if width == 0 || height == 0 || depth == 0 {
        return Err(Error::InvalidValue);
    }
    let size = [width, height, depth];
    let (to, from) =
        (side(driver, &op.dst, elements, size)?, side(driver, &op.src, elements, size)?);
    if (height > 1 || depth > 1) && (to.pitch < width || from.pitch < width)
        || depth > 1 && (to.height < height || from.height < height)
    {
        return Err(Error::InvalidValue);
    }
    driver.copy(stream, Copy { to, from, width, height, depth }, false)?;
    Ok(during_call)
}

pub unsafe fn cuMemcpy3DBatchAsync(
    numOps: usize,
    opList: *const CUDA_MEMCPY3D_BATCH_OP,
    failIdx: *mut usize,
    flags: u64,
    hStream: CUstream,
) -> Result<()> {
    let ops = take_all(opList, numOps)?;
    let count = if flags == 0 { numOps } else { 0 };
    each(count, failIdx, hStream, |driver, stream, index| copy_3d(driver, stream, &ops[index]))
}

pub unsafe fn cuMemcpy3DBatchAsync_v2(
    numOps: usize,
    opList: *const CUDA_MEMCPY3D_BATCH_OP,
    flags: u64,
    hStream: CUstream,
) -> Result<()> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { cuMemcpy3DBatchAsync(numOps, opList, std::ptr::null_mut(), flags, hStream) }
}
