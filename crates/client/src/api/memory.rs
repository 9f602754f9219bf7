//! Device memory.

pub mod array;
pub mod discard;
pub mod host;
pub mod managed;
pub mod pointer;
pub mod pools;
pub mod segments;
pub mod shared_pools;
pub mod sharing;
pub mod virtual_memory;

use crate::api::arguments::{CudaResult, put};
use crate::driver::contexts;
use crate::driver::memory::allocate;
use crate::driver::memory::free;
use crate::driver::memory::synchronize;
use crate::driver::state::{Driver, driver};
use crate::managed::mirrors;
use crate::objects::context_stack;
use crate::objects::context_stack::target;
use crate::session::host_segment;
use outhaul_abi::types::*;
use outhaul_wire::messages::MemGetInfo;
use std::sync::atomic::Ordering::SeqCst;

const PITCH_ALIGNMENT_BYTES: usize = 512;

pub unsafe fn cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize) -> CudaResult {
    if address.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, and the program promises room.
    unsafe { put(address, allocate::allocate(bytes, 0)?) }
}

pub unsafe fn cuMemAllocPitch_v2(
    address: *mut CUdeviceptr,
    pitch: *mut usize,
    width: usize,
    height: usize,
    element: u32,
) -> CudaResult {
    if address.is_null()
        || pitch.is_null()
        || width == 0
        || height == 0
        || !matches!(element, 4 | 8 | 16)
    {
        return Err(CUresult::INVALID_VALUE);
    }
    let row = width.next_multiple_of(PITCH_ALIGNMENT_BYTES);
    let bytes = row.checked_mul(height).ok_or(CUresult::OUT_OF_MEMORY)?;
    // SAFETY: neither is null, and the program promises room.
    unsafe {
        put(address, allocate::allocate(bytes, 0)?)?;
        put(pitch, row)
    }
}

pub unsafe fn cuMemFree_v2(address: CUdeviceptr) -> CudaResult {
    let driver = driver()?;
    contexts::target_or_none()?.session.deferred.check()?;
    crate::api::memory::managed::forget(driver, address)?;
    settle_here(driver, address)?;
    if let Some(closed) = crate::api::memory::sharing::close_pooled(driver, address) {
        return closed;
    }
    driver.graph_memory.free(address).unwrap_or_else(|| free::free(address))
}

/// Waits for the device before a free, as natively. Programs rely on that: afterwards their own
/// memory contains what was on its way there.
fn settle_here(driver: &Driver, address: CUdeviceptr) -> CudaResult {
    let Ok(context) = context_stack::current() else { return Ok(()) };
    // Waits for the legacy stream do not suffice, because they exclude non-blocking streams.
    let is_brought = context.brought.load(SeqCst) >= context.session.touching();
    let may_show = mirrors::in_use() || host_segment::is_any_reached() || !is_brought;
    if address == 0 || !may_show || synchronize::is_idle(driver, &context) {
        return Ok(());
    }
    synchronize::settle(driver, &context).map(drop)
}

pub unsafe fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> CudaResult {
    if free.is_null() || total.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let (free_bytes, total_bytes) =
        target()?.call(&MemGetInfo {})?.read(|reply| Ok((reply.free, reply.total)))?;
    // SAFETY: not null, and the program promises room.
    unsafe { put(free, free_bytes as usize).and_then(|()| put(total, total_bytes as usize)) }
}

pub unsafe fn cuMemGetAddressRange_v2(
    base: *mut CUdeviceptr,
    bytes: *mut usize,
    address: CUdeviceptr,
) -> CudaResult {
    driver()?;
    let (start, size) = pointer::range(address).ok_or(CUresult::NOT_FOUND)?;
    // SAFETY: null, or the program's places.
    unsafe {
        if !base.is_null() {
            base.write(start);
        }
        if !bytes.is_null() {
            bytes.write(size as usize);
        }
    }
    Ok(())
}
