//! Rows of the program's memory: whether the device reaches them, and what must happen before they
//! are read.

use crate::driver::managed::mapped_host_memory::{reach, reach_if_named};
use crate::driver::state::Driver;
use crate::objects::copy_shape::DeviceBox;
use crate::objects::memory::host_memory;
use crate::objects::memory::host_memory::Region;
use crate::session::bulk::transfer::HostBox;
use outhaul_abi::types::*;
use std::ops::Range;

/// Finds addresses of pinned memory in a small copy to the device, because kernels may use
/// them.
///
/// # Safety
/// The rows are readable.
pub(super) unsafe fn note_named(to: DeviceBox, host: &HostBox) {
    if !host_memory::may_be_named() || host.bytes() > host_memory::named_bytes_max() as u64 {
        return;
    }
    for row in 0..host.rows {
        // SAFETY: the caller upholds this function's contract.
        let bytes = unsafe {
            let start = host.address.add(row * host.pitch_bytes);
            std::slice::from_raw_parts(start, host.width_bytes)
        };
        let unaligned = (to.address + (row * to.pitch) as u64).wrapping_neg() as usize
            % size_of::<CUdeviceptr>();
        reach_if_named(bytes.get(unaligned..).unwrap_or_default());
    }
}

/// Blocks until earlier commands of the program have written all that they write to this memory,
/// before it is read.
pub(super) fn wait_for_earlier_writes(driver: &Driver, rows: &HostBox) {
    let Range { start, end } = rows.span();
    driver
        .sessions
        .iter()
        .for_each(|session| session.transfers.wait_for_writes(start, end - start));
    if let Some(segment) = driver.host.find(start).and_then(|region| region.segment) {
        segment.wait_for_writes();
    }
    driver.captures.wait_for_launches();
    // Another node may have the pages.
    driver.managed.bring(start..end);
    driver.sessions.iter().for_each(|session| session.callbacks.wait_all());
}

/// Whether the device uses these rows of the program's memory at the program's own address. Then a
/// graph's copies happen on the device, in order with its other work there. Bytes in messages could
/// arrive after later direct writes.
pub(in crate::api) fn reached_in_place(driver: &Driver, rows: &HostBox) -> Result<bool, CUresult> {
    match region_of(driver, rows) {
        Some(region) if region.is_in_place()? => reach(driver, region.start).map(|_| true),
        _ => Ok(false),
    }
}

/// Does as `reached_in_place`, for a graph's copies. From now on the device also reaches memory to
/// which the program has a device pointer: kernels of the graph may use it.
pub(in crate::api) fn reached_in_graph(driver: &Driver, rows: &HostBox) -> Result<bool, CUresult> {
    let is_reached = |region: Region| region.is_asked() && reach(driver, region.start).is_ok();
    Ok(reached_in_place(driver, rows)? || region_of(driver, rows).is_some_and(is_reached))
}

/// Returns the pinned memory that contains the rows.
fn region_of(driver: &Driver, rows: &HostBox) -> Option<Region> {
    let span = rows.span();
    let region = driver.host.find(span.start)?;
    (span.end <= region.start + region.bytes).then_some(region)
}
