//! Checks of device memory ranges in calls. Rejects ranges that exceed their allocation, and opens
//! one device's memory to another device.

use crate::base::log;
use crate::driver::contexts;
use crate::driver::managed::mapped_host_memory;
use crate::driver::memory::address_lookup::{arena, device_of, find};
use crate::driver::state::{Driver, driver};
use crate::objects::context_stack;
use crate::objects::device_facts::attribute;
use crate::objects::streams::stream::Stream;
use crate::session::Target;
use outhaul_abi::memory::memory_operation::MemoryOperation;
use outhaul_abi::types::{CUdeviceptr, CUresult, CUstreamBatchMemOpParams};
use outhaul_wire::messages::MemoryRange;

/// Rejects a range that exceeds its allocation. Gives the current device access if another device
/// owns the memory.
pub fn check_range(address: CUdeviceptr, bytes: u64) -> Result<(), CUresult> {
    check_bounds(address, bytes)?;
    open_to(driver()?, address, || Ok(context_stack::current()?.device))
}

/// Checks a range as `check_range` does, but for the stream's device, which may differ from the
/// current one.
pub fn check_range_in(stream: &Stream, address: CUdeviceptr, bytes: u64) -> Result<(), CUresult> {
    check_bounds(address, bytes)?;
    open_to(driver()?, address, || stream.device())
}

/// Gives the device that `who` returns access to the memory at the address. Skips memory that the
/// program mapped itself, because the program sets that access.
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

/// Rejects a range that exceeds its allocation, as the native driver does in the call itself.
/// Asks the node about unknown addresses, for instance of module variables whose address a kernel
/// found.
pub fn check_bounds(address: CUdeviceptr, bytes: u64) -> Result<(), CUresult> {
    let driver = driver()?;
    let Some(device) = device_of(driver, address) else {
        if driver.host.find(address as usize).is_some() {
            check_pinned(driver, address, bytes)?;
            // The program passes pinned memory as device memory.
            return mapped_host_memory::reach(driver, address as usize).map(|_| ());
        }
        return if bytes == 0 { Ok(()) } else { check_variable(address, bytes) };
    };
    let end = address.checked_add(bytes).ok_or(CUresult::INVALID_VALUE)?;
    let arena = arena(driver, device);
    // The program may map pieces next to each other and use them as one range.
    let mut at = address;
    while at < end {
        let allocation = arena.find(at).ok_or(CUresult::INVALID_VALUE)?;
        at = allocation.address + allocation.bytes;
    }
    Ok(())
}

/// Returns whether streams of the current device can flush what other devices have written.
pub fn can_flush_remote_writes() -> bool {
    let attribute =
        |device| driver()?.facts.device(device)?.attribute(attribute::CAN_FLUSH_REMOTE_WRITES);
    context_stack::current()
        .and_then(|context| attribute(context.device))
        .is_ok_and(|can_flush| can_flush != 0)
}

/// Rejects a range that starts in pinned memory and goes beyond it. The range may go through
/// several pieces that have no gaps.
fn check_pinned(driver: &Driver, address: CUdeviceptr, bytes: u64) -> Result<(), CUresult> {
    let end = address.checked_add(bytes).ok_or(CUresult::INVALID_VALUE)? as usize;
    let mut at = address as usize;
    while at < end {
        let region = driver.host.find(at).ok_or(CUresult::INVALID_VALUE)?;
        at = region.start + region.bytes;
    }
    Ok(())
}

/// Rejects a range outside the arenas unless it is inside a module variable.
fn check_variable(address: CUdeviceptr, bytes: u64) -> Result<(), CUresult> {
    let target = contexts::target_or_none()?;
    let known = target.session.global(address);
    let (start, size) = match known {
        Some(variable) => variable,
        None if address == 0 => return Err(CUresult::INVALID_VALUE),
        None => ask(target, address).inspect_err(|_| {
            log::note(|| {
                format!("{bytes} bytes at {address:#x} are not device memory of this session")
            });
        })?,
    };
    let is_inside = address.checked_add(bytes).is_some_and(|end| end <= start + size);
    if is_inside { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// Asks the node for the start and the size in bytes of the device memory at an address.
fn ask(target: Target, address: CUdeviceptr) -> Result<(u64, u64), CUresult> {
    target.call(&MemoryRange { at: address })?.read(|reply| Ok((reply.start, reply.bytes)))
}

/// Checks memory operations of a stream, and lets the device reach the pinned memory that they use.
/// `operations` has the bytes of their descriptions.
pub fn check_operations(operations: &[u8]) -> Result<(), CUresult> {
    for bytes in operations.chunks_exact(size_of::<CUstreamBatchMemOpParams>()) {
        // SAFETY: the chunk has the bytes of one description, and all patterns of bits are valid.
        let description =
            unsafe { bytes.as_ptr().cast::<CUstreamBatchMemOpParams>().read_unaligned() };
        let operation = MemoryOperation::parse(&description, can_flush_remote_writes())?;
        if let Some(word) = operation.word() {
            check_range(word.address, word.width.bytes())?;
        }
    }
    let in_graph = || driver().is_ok_and(|driver| driver.captures.any());
    mapped_host_memory::reach_named(operations, in_graph)
}
