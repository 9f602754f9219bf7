//! Frees device memory. The arena decides which pages no longer contain blocks, and a post tells
//! the worker to unmap them.

use crate::base::arena::{Arena, Pages};
use crate::base::epoch;
use crate::base::epoch::Epoch;
use crate::driver::memory::address_lookup::{arena, device_of};
use crate::driver::state;
use crate::driver::state::{Driver, driver};
use crate::objects::context::Context;
use crate::objects::memory::pool::Passed;
use crate::session::Target;
use outhaul_abi::types::{CUdeviceptr, CUresult};
use outhaul_wire::messages::MemoryUnmap;

/// Frees an allocation. Returns `INVALID_VALUE` if no allocation begins at `address`.
pub fn free(address: CUdeviceptr) -> Result<(), CUresult> {
    free_by(address, false, |arena| free_in(arena, address))
}

/// Frees an allocation as `free` does. Returns `INVALID_VALUE` if the program has already freed it
/// in stream order, because a pool may hand the block out again.
pub fn free_once(address: CUdeviceptr) -> Result<(), CUresult> {
    free_by(address, true, |arena| free_in(arena, address))
}

fn free_in(arena: &mut Arena, address: CUdeviceptr) -> Option<Vec<Pages>> {
    Some(arena.free(address, epoch::now())?.into_iter().collect())
}

/// Frees an allocation that no work uses any more, so that the memory can be reused at once.
pub fn free_passed(address: CUdeviceptr) -> Result<(), CUresult> {
    free_by(address, false, |arena| arena.free_passed(address))
}

/// Frees an allocation by `free`. If `is_in_use` is set, a block of a pool must be in use.
fn free_by(
    address: CUdeviceptr,
    is_in_use: bool,
    free: impl FnOnce(&mut Arena) -> Option<Vec<Pages>>,
) -> Result<(), CUresult> {
    if address == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let device = device_of(driver, address).ok_or(CUresult::INVALID_VALUE)?;
    let mut guard = arena(driver, device);
    let allocation =
        guard.find(address).filter(|a| a.address == address).ok_or(CUresult::INVALID_VALUE)?;
    if state::several() {
        drop(guard);
        driver.internode_copies.wait_until_unused(allocation.address, allocation.bytes);
        guard = arena(driver, device);
    }
    if let Some(pool) = driver.pools.get(allocation.pool)
        && !pool.forget(address)
        && is_in_use
    {
        return Err(CUresult::INVALID_VALUE);
    }
    let pages = free(&mut guard).ok_or(CUresult::INVALID_VALUE)?;
    let context = driver.contexts.get(allocation.context).map_or(0, |c| c.index);
    unmap(driver, device, context, pages)
}

/// Puts blocks back into their memory pools if they were freed before `moment` in `what`: a stream
/// or a context that has completed its earlier work. Frees blocks above a pool's release threshold.
pub fn release_pooled(driver: &Driver, what: Passed, moment: Epoch) {
    for pool in driver.pools.all().into_iter().filter(|pool| pool.has_pending_frees()) {
        for address in pool.passed(what, moment) {
            let _ = free_passed(address);
        }
    }
}

/// Returns the addresses of the context's allocations on its device.
pub fn of_context(driver: &Driver, context: &Context) -> Vec<CUdeviceptr> {
    arena(driver, context.device).of_context(context.handle)
}

/// Frees all memory of a context that is about to end.
pub fn free_context(driver: &Driver, context: &Context) {
    let addresses = of_context(driver, context);
    let gone = addresses.iter().copied().collect();
    for pool in driver.pools.all() {
        pool.forget_all(&gone);
    }
    for address in addresses {
        let _ = free(address);
    }
}

/// Frees what was waiting for the context's work. The end of the context has been posted, so later
/// posts come after all its work.
pub fn context_gone(driver: &Driver, context: &Context) {
    release_pooled(driver, Passed::Context(context.index), epoch::now());
    let mut guard = arena(driver, context.device);
    let pages = guard.wake_all(context.handle);
    let _ = unmap(driver, context.device, 0, pages);
}

/// Posts commands to unmap pages. `context` is the index of the context whose earlier work may use
/// them, or 0.
pub fn unmap(
    driver: &Driver,
    device: i32,
    context: u16,
    pages: Vec<Pages>,
) -> Result<(), CUresult> {
    let device = driver.facts.device(device)?;
    let (place, device) = (Target { session: device.session, context }, device.node_ordinal);
    pages.into_iter().try_for_each(|Pages { address, bytes }| {
        place.post(&MemoryUnmap { device, address, bytes })
    })
}
