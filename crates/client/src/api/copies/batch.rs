//! Batches of copies. CUDA does not define an order inside a batch, so the client may make the
//! copies one after another. If the call must not return before a source has been read, it waits
//! as long as necessary.

use super::flat::unified;
use crate::api::arguments::CudaResult;
use crate::api::copies::rows::copy_box;
use crate::api::copies::sides::{Box3, SideFields};
use crate::api::streams::stream::synchronize;
use crate::driver::handles;
use crate::marshal;
use crate::objects::copy_shape::Mode;
use outhaul_abi::types::*;

/// Returns the mode of a copy for its source's access order. Rejects an unknown order.
fn mode(order: i32) -> Result<Mode, CUresult> {
    match order {
        values::SRC_ACCESS_ORDER_DURING_API_CALL => Ok(Mode::Synchronous),
        values::SRC_ACCESS_ORDER_STREAM | values::SRC_ACCESS_ORDER_ANY => Ok(Mode::Asynchronous),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Makes each copy of a batch. Writes the index of a failed copy to `fail_index`.
fn each(
    count: usize,
    fail_index: *mut usize,
    stream: CUstream,
    copy: impl Fn(usize) -> Result<Mode, CUresult>,
) -> CudaResult {
    let failed = |index: usize| {
        if !fail_index.is_null() {
            // SAFETY: checked for null; the program guarantees that `fail_index` is valid for
            // writes.
            unsafe { fail_index.write(index) };
        }
    };
    // CUDA rejects the legacy stream, because a batch has no order but the legacy stream orders
    // everything.
    if count == 0 || matches!(stream, CUstream::NULL | CUstream::LEGACY) {
        failed(usize::MAX);
        return Err(CUresult::INVALID_VALUE);
    }
    let mut wait = false;
    for index in 0..count {
        wait |= copy(index).inspect_err(|_| failed(index))? == Mode::Synchronous;
    }
    // Copies on the device may still be running.
    if wait { synchronize(stream) } else { Ok(()) }
}

/// Returns an array that the program passes. Rejects a null pointer.
///
/// # Safety
/// `first` is null or valid for reads of `count` elements for `'a`.
unsafe fn list<'a, T>(first: *const T, count: usize) -> Result<&'a [T], CUresult> {
    if first.is_null() || !marshal::may_be_list::<T>(count) {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: checked for null; the caller upholds this function's contract.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

pub unsafe fn cuMemcpyBatchAsync(
    to: *const CUdeviceptr,
    from: *const CUdeviceptr,
    sizes: *const usize,
    count: usize,
    attributes: *const CUmemcpyAttributes,
    starts: *const usize,
    attribute_count: usize,
    fail_index: *mut usize,
    stream: CUstream,
) -> CudaResult {
    // SAFETY: the program guarantees that each array is null or has the length that it passes.
    let (to, from, sizes, attributes, starts) = unsafe {
        (
            list(to, count)?,
            list(from, count)?,
            list(sizes, count)?,
            list(attributes, attribute_count)?,
            list(starts, attribute_count)?,
        )
    };
    let ascending = starts.first() == Some(&0)
        && starts.is_sorted_by(|a, b| a < b)
        && starts.last().is_some_and(|last| *last < count);
    each(if ascending { count } else { 0 }, fail_index, stream, |index| {
        let attribute = &attributes[starts.partition_point(|start| *start <= index) - 1];
        let mode = mode(attribute.srcAccessOrder)?;
        unified(to[index], from[index], sizes[index], stream, mode)?;
        Ok(mode)
    })
}

fn element_bytes(operand: &CUmemcpy3DOperand) -> Result<Option<usize>, CUresult> {
    match operand.type_ {
        values::OPERAND_TYPE_POINTER => Ok(None),
        values::OPERAND_TYPE_ARRAY => {
            let array = handles::array(CUarray(operand.op[0] as usize))?;
            array.descriptor.element_bytes().map(Some).ok_or(CUresult::NOT_SUPPORTED)
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

fn side(operand: &CUmemcpy3DOperand, element_bytes: usize) -> SideFields {
    let [first, a, b, c] = operand.op.map(|word| word as usize);
    if operand.type_ == values::OPERAND_TYPE_ARRAY {
        let (kind, array) = (values::MEMORYTYPE_ARRAY, CUarray(first));
        return SideFields {
            kind,
            array,
            x: a.saturating_mul(element_bytes),
            y: b,
            z: c,
            ..SideFields::default()
        };
    }
    let (kind, device) = (values::MEMORYTYPE_UNIFIED, first as u64);
    SideFields {
        kind,
        device,
        pitch: a.saturating_mul(element_bytes),
        height: b,
        ..SideFields::default()
    }
}

fn copy_3d(op: &CUDA_MEMCPY3D_BATCH_OP, stream: CUstream) -> Result<Mode, CUresult> {
    let mode = mode(op.srcAccessOrder)?;
    let elements = match (element_bytes(&op.src)?, element_bytes(&op.dst)?) {
        (Some(a), Some(b)) if a != b => return Err(CUresult::INVALID_VALUE),
        (Some(bytes), _) | (None, Some(bytes)) => bytes,
        (None, None) => 1,
    };
    let width = op.width.checked_mul(elements).ok_or(CUresult::INVALID_VALUE)?;
    if width == 0 || op.height == 0 || op.depth == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let size = Box3 { width, height: op.height, depth: op.depth };
    copy_box(&side(&op.src, elements), &side(&op.dst, elements), size, stream, mode)?;
    Ok(mode)
}

pub unsafe fn cuMemcpy3DBatchAsync(
    count: usize,
    ops: *const CUDA_MEMCPY3D_BATCH_OP,
    fail_index: *mut usize,
    flags: u64,
    stream: CUstream,
) -> CudaResult {
    // SAFETY: the program guarantees that `ops` is null or has `count` entries.
    let ops = unsafe { list(ops, count)? };
    each(if flags == 0 { count } else { 0 }, fail_index, stream, |index| {
        copy_3d(&ops[index], stream)
    })
}
