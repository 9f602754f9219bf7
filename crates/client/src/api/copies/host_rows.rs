//! Rows of the program's memory: whether the device accesses them directly, and what must happen
//! before they are read.

use crate::driver::managed::mapped_host_memory::{reach, reach_if_named};
use crate::driver::state::Driver;
use crate::objects::copy_shape::DeviceBox;
use crate::objects::memory::host_memory;
use crate::objects::memory::host_memory::Region;
use crate::session::bulk::transfer::HostBox;
use outhaul_abi::types::*;
use std::ops::Range;

/// Searches a small copy to the device for addresses of pinned memory, because kernels may use
/// them. Makes such memory reachable.
///
/// # Safety
/// The rows are valid for reads.
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

/// Blocks until earlier commands have finished their writes to these rows, because the rows are
/// about to be read.
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
    // The current contents may be on another node.
    driver.managed.bring(start..end);
    driver.sessions.iter().for_each(|session| session.callbacks.wait_all());
}

/// Returns whether the device accesses these rows at the program's address. A graph's copies of
/// such rows run on the device, in order with the device's other work. Data in messages could
/// arrive after later direct writes.
pub(in crate::api) fn reached_in_place(driver: &Driver, rows: &HostBox) -> Result<bool, CUresult> {
    match region_of(driver, rows) {
        Some(region) if region.is_in_place()? => reach(driver, region.start).map(|_| true),
        _ => Ok(false),
    }
}

/// Checks as `reached_in_place` does, but for a graph's copies. Memory for which the program has a
/// device pointer becomes reachable, because kernels of the graph may use it.
pub(in crate::api) fn reached_in_graph(driver: &Driver, rows: &HostBox) -> Result<bool, CUresult> {
    let is_reached = |region: Region| region.is_asked() && reach(driver, region.start).is_ok();
    Ok(reached_in_place(driver, rows)? || region_of(driver, rows).is_some_and(is_reached))
}

/// Returns the pinned memory that contains all rows.
fn region_of(driver: &Driver, rows: &HostBox) -> Option<Region> {
    let span = rows.span();
    let region = driver.host.find(span.start)?;
    (span.end <= region.start + region.bytes).then_some(region)
}
