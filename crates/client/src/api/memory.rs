//! Driver API functions about memory.

pub mod array;
pub mod discard;
pub mod host;
pub mod managed;
pub mod pointer;
pub mod pools;
pub mod shared_pools;
pub mod shared_segments;
pub mod sharing;
pub mod virtual_memory;

use crate::api::arguments::CudaResult;
use crate::driver::contexts;
use crate::driver::memory::address_lookup::arena;
use crate::driver::memory::allocate;
use crate::driver::memory::context_synchronize;
use crate::driver::memory::free;
use crate::driver::state::{Driver, driver};
use crate::managed::registry;
use crate::objects::context_stack;
use crate::objects::context_stack::call;
use crate::session::host_segment;
use outhaul_abi::types::*;
use outhaul_wire::messages::MemGetInfo;
use std::sync::atomic::Ordering::SeqCst;

const PITCH_ALIGNMENT_BYTES: usize = 512;

/// Allocates device memory.
pub fn allocate_on_device(bytes: usize) -> Result<CUdeviceptr, CUresult> {
    allocate::allocate(bytes, 0)
}

/// Allocates rows of device memory. Returns the address, and the pitch: the distance between rows
/// in bytes.
pub fn allocate_rows(
    width: usize,
    height: usize,
    element: u32,
) -> Result<(CUdeviceptr, usize), CUresult> {
    if width == 0 || height == 0 || !matches!(element, 4 | 8 | 16) {
        return Err(CUresult::INVALID_VALUE);
    }
    let row = width.next_multiple_of(PITCH_ALIGNMENT_BYTES);
    let bytes = row.checked_mul(height).ok_or(CUresult::OUT_OF_MEMORY)?;
    Ok((allocate::allocate(bytes, 0)?, row))
}

/// Frees device memory, whichever function allocated it.
pub fn free_on_device(address: CUdeviceptr) -> CudaResult {
    let driver = driver()?;
    contexts::target_or_none()?.session.deferred.check()?;
    crate::api::memory::managed::forget(driver, address)?;
    wait_before_free(driver, address)?;
    if let Some(closed) = crate::api::memory::sharing::close_pooled(driver, address) {
        return closed;
    }
    driver.graph_memory.free(address).unwrap_or_else(|| free::free_once(address))
}

/// Waits for the device before a free, as NVIDIA's driver does. Programs rely on that wait:
/// afterwards their own memory contains the results of all earlier copies.
fn wait_before_free(driver: &Driver, address: CUdeviceptr) -> CudaResult {
    let Ok(context) = context_stack::current() else { return Ok(()) };
    // Waits for the legacy stream do not suffice, because they do not include non-blocking streams.
    let is_brought = context.brought.load(SeqCst) >= context.session.touching();
    let may_show = registry::in_use() || host_segment::is_any_reached() || !is_brought;
    if address == 0 || !may_show || context_synchronize::is_idle(driver, &context) {
        return Ok(());
    }
    context_synchronize::synchronize_unless_capturing(driver, &context).map(drop)
}

/// Returns the free and the total bytes of device memory. Pages whose blocks the program has freed
/// count as free, even if they are still mapped.
pub fn free_and_total() -> Result<(usize, usize), CUresult> {
    let (free, total) = call(&MemGetInfo {})?.read(|reply| Ok((reply.free, reply.total)))?;
    let (driver, context) = (driver()?, context_stack::current()?);
    let unused = arena(driver, context.device).unused_bytes();
    Ok(((free + unused).min(total) as usize, total as usize))
}

pub unsafe fn cuMemGetAddressRange_v2(
    base: *mut CUdeviceptr,
    bytes: *mut usize,
    address: CUdeviceptr,
) -> CudaResult {
    driver()?;
    let (start, size) = pointer::range(address).ok_or(CUresult::NOT_FOUND)?;
    // SAFETY: the program guarantees that both pointers are null or valid for writes.
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
