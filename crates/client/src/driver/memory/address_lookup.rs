//! Finds the device memory that contains an address.

use crate::base::arena::{Allocation, Arena};
use crate::driver::state::Driver;
use crate::objects::context_stack;
use outhaul_abi::types::{CUdeviceptr, CUresult};
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

/// Returns whether only devices access the address. The program cannot read or write there, so a
/// copy that names it as host memory must run on the device.
pub fn is_device_only(driver: &Driver, address: u64) -> bool {
    if device_of(driver, address).is_some() {
        let here = address as usize;
        return driver.managed.find(here).is_none() && driver.host.find(here).is_none();
    }
    // The node's driver chooses the addresses of variables, so the program may have memory there.
    let is_variable =
        context_stack::target().is_ok_and(|place| place.session.global(address).is_some());
    is_variable && !is_mapped(address)
}

/// Rejects addresses that cannot be host memory: null, the page behind it, which the system keeps
/// free, and ranges that end beyond the address space. Other addresses are the program's
/// responsibility, because the check of each page would slow every copy.
pub fn check_host(address: u64, bytes: u64) -> Result<(), CUresult> {
    let end = address.checked_add(bytes).ok_or(CUresult::INVALID_VALUE)?;
    let is_usual = address >= HOST_START && end <= HOST_END;
    if is_usual || address > HOST_START && is_mapped(address) && is_mapped(end - 1) {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

/// Start of the addresses that the system gives to programs.
const HOST_START: u64 = 4096;
/// End of the addresses that the system gives to programs that do not ask for more.
const HOST_END: u64 = if cfg!(target_arch = "aarch64") { 1 << 48 } else { 1 << 47 };

/// Returns whether the program has a page at the address.
fn is_mapped(address: u64) -> bool {
    let mut resident = 0;
    // SAFETY: sysconf has no requirements. mincore only reads page tables, and writes one byte for
    // one page to a local.
    unsafe {
        let page = address - address % libc::sysconf(libc::_SC_PAGESIZE) as u64;
        libc::mincore(page as *mut libc::c_void, 1, &raw mut resident) == 0
    }
}

/// Returns the allocation that contains the address, and the device that owns the memory. The owner
/// can differ from the device of the address range if the program mapped the memory.
pub fn find(driver: &Driver, address: CUdeviceptr) -> Option<(Allocation, i32)> {
    let device = device_of(driver, address)?;
    let found = arena(driver, device).find(address)?;
    Some((found, found.mapped_device().unwrap_or(device)))
}
