//! Managed memory whose contents the program no longer needs. The contents may be kept, so nothing
//! is sent.

use super::managed::{cuMemPrefetchBatchAsync, list, range};
use crate::api::arguments::CudaResult;
use crate::driver::streams::resolve;
use outhaul_abi::types::*;

/// Checks the arguments, and keeps the contents.
///
/// # Safety
/// `addresses` and `sizes` are null or valid for reads of `count` entries.
unsafe fn discard(
    addresses: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    flags: u64,
    stream: CUstream,
) -> CudaResult {
    // SAFETY: the caller upholds this function's contract.
    let (addresses, sizes) = unsafe { (list(addresses, count)?, list(sizes, count)?) };
    if flags != 0 || count == 0 || resolve(stream)?.handle == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    addresses.iter().zip(sizes).try_for_each(|(address, bytes)| range(*address, *bytes).map(drop))
}

pub unsafe fn cuMemDiscardBatchAsync(
    addresses: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    flags: u64,
    stream: CUstream,
) -> CudaResult {
    // SAFETY: the program guarantees that the arrays are null or have `count` entries.
    unsafe { discard(addresses, sizes, count, flags, stream) }
}

pub unsafe fn cuMemDiscardAndPrefetchBatchAsync(
    addresses: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    places: *mut CUmemLocation,
    starts: *mut usize,
    place_count: usize,
    flags: u64,
    stream: CUstream,
) -> CudaResult {
    // SAFETY: the program guarantees that the arrays are null or have the lengths that it passes.
    unsafe {
        discard(addresses, sizes, count, flags, stream)?;
        cuMemPrefetchBatchAsync(addresses, sizes, count, places, starts, place_count, flags, stream)
    }
}
