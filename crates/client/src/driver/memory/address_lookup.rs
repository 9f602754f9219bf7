//! Finds the device memory that contains an address.

use crate::base::arena::{Allocation, Arena};
use crate::driver::state::Driver;
use crate::objects::context_stack;
use outhaul_abi::types::CUdeviceptr;
use outhaul_lock::MutexGuard;
use std::sync::OnceLock;

/// Locks a device's arena.
pub fn arena(driver: &Driver, device: i32) -> MutexGuard<'_, Arena> {
    driver.arenas[device as usize].lock()
}

/// Returns the device whose address range contains the address.
pub fn device_of(driver: &Driver, address: CUdeviceptr) -> Option<i32> {
    let high = driver
        .facts
        .devices
        .iter()
        .position(|d| (d.arena_base..d.arena_base + d.arena_bytes).contains(&address));
    let is_low = |low: &OnceLock<(u64, u64)>| {
        low.get().is_some_and(|(base, bytes)| (*base..base + bytes).contains(&address))
    };
    high.or_else(|| driver.low.iter().position(is_low)).map(|i| i as i32)
}

/// Returns whether the address is in a device's address range or in a module variable.
pub fn is_device(driver: &Driver, address: u64) -> bool {
    if device_of(driver, address).is_some() {
        return true;
    }
    context_stack::target().is_ok_and(|place| place.session.global(address).is_some())
}

/// Returns the allocation that contains the address, and the device that owns the memory. The owner
/// can differ from the device of the address range if the program mapped the memory.
pub fn find(driver: &Driver, address: CUdeviceptr) -> Option<(Allocation, i32)> {
    let device = device_of(driver, address)?;
    let found = arena(driver, device).find(address)?;
    Some((found, found.mapped_device().unwrap_or(device)))
}
