//! Ranges of device memory that a call names: refuses what leaves its allocation, and opens the
//! memory of one device to another.

use crate::base::log;
use crate::driver::memory::address_lookup::{arena, device_of, find, is_device};
use crate::driver::state::{Driver, driver};
use crate::objects::context_stack;
use crate::objects::streams::stream::Stream;
use outhaul_abi::types::{CUdeviceptr, CUresult};

/// Refuses a range that leaves its allocation, and lets the current device reach another device's
/// memory.
pub fn check_range(address: CUdeviceptr, bytes: u64) -> Result<(), CUresult> {
    check_bounds(address, bytes)?;
    open_to(driver()?, address, || Ok(context_stack::current()?.device))
}

/// Does as `check_range`, for the stream's device, which may not be the current one.
pub fn check_range_in(stream: &Stream, address: CUdeviceptr, bytes: u64) -> Result<(), CUresult> {
    check_bounds(address, bytes)?;
    open_to(driver()?, address, || stream.device())
}

/// Lets a device reach the memory at the address. For memory that the program maps, the program
/// itself sets the access.
pub fn open_to(
    driver: &Driver,
    address: CUdeviceptr,
    who: impl FnOnce() -> Result<i32, CUresult>,
) -> Result<(), CUresult> {
    if driver.facts.devices.len() < 2 {
        return Ok(());
    }
    match find(driver, address) {
        Some((found, device)) if !found.is_mapped() => {
            driver.peers.open(&driver.facts, who()?, device)
        }
        _ => Ok(()),
    }
}

/// Refuses a range that leaves its allocation, as the driver does at the call. Unknown addresses,
/// as of a module's variable, are accepted.
pub fn check_bounds(address: CUdeviceptr, bytes: u64) -> Result<(), CUresult> {
    let driver = driver()?;
    let Some(device) = device_of(driver, address) else {
        if driver.host.find(address as usize).is_some() {
            // The program uses pinned memory as device memory.
            return crate::driver::managed::mapped_host_memory::reach(driver, address as usize)
                .map(|_| ());
        }
        if !is_device(driver, address) {
            log::note(|| {
                format!("{bytes} bytes at {address:#x} are not device memory of this session")
            });
        }
        return if address == 0 && bytes > 0 { Err(CUresult::INVALID_VALUE) } else { Ok(()) };
    };
    let end = address.checked_add(bytes).ok_or(CUresult::INVALID_VALUE)?;
    let arena = arena(driver, device);
    // Pieces that the program mapped next to each other are one range to it.
    let mut at = address;
    while at < end {
        let allocation = arena.find(at).ok_or(CUresult::INVALID_VALUE)?;
        at = allocation.address + allocation.bytes;
    }
    Ok(())
}
