//! Copies between device addresses: on one device, between two devices of a node, or between nodes.

use crate::api::arguments::CudaResult;
use crate::api::copies::segment_copies;
use crate::driver::contexts;
use crate::driver::internode;
use crate::driver::memory::address_lookup;
use crate::driver::memory::ranges::{check_bounds, open_to};
use crate::driver::state;
use crate::driver::state::{Driver, driver};
use crate::driver::streams::resolve;
use crate::driver::submit::submit;
use crate::objects::context::Context;
use crate::objects::context_stack;
use crate::objects::copy_shape::{DeviceBox, Extent, Mode};
use crate::objects::streams::stream::Stream;
use outhaul_abi::types::*;
use outhaul_wire::messages::{CopyBetweenDevices, CopyOnDevice};
use std::sync::Arc;

/// Makes a copy in a context of another node, ordered after `stream`. The calling thread waits for
/// `stream` first, and `copy` must complete before it returns.
pub(super) fn on_other_node(
    context: Arc<Context>,
    stream: &Stream,
    copy: impl FnOnce(&Arc<Stream>) -> CudaResult,
) -> CudaResult {
    segment_copies::wait_if_synchronous(stream, Mode::Synchronous)?;
    let legacy = context.legacy.clone();
    context_stack::within(context, || copy(&legacy))
}

/// Copies between addresses that devices can access.
pub(in crate::api) fn on_device(
    to: DeviceBox,
    from: DeviceBox,
    extent: Extent,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    check_bounds(to.address, extent.span(to.pitch) as u64)?;
    check_bounds(from.address, extent.span(from.pitch) as u64)?;
    let (driver, stream) = (driver()?, resolve(stream)?);
    if state::several() {
        let here = context_stack::current()?;
        let of = |address| {
            address_lookup::find(driver, address)
                .map_or(Ok(here.clone()), |(_, device)| contexts::with_memory_of(driver, device))
        };
        let (of_to, of_from) = (of(to.address)?, of(from.address)?);
        if !std::ptr::eq(of_to.session, of_from.session) {
            return internode::copy((to, &of_to), (from, &of_from), extent, &stream, mode);
        }
        if !std::ptr::eq(of_to.session, here.session) {
            return on_other_node(of_to, &stream, |stream| {
                on_device(to, from, extent, CUstream::LEGACY, Mode::Synchronous)?;
                segment_copies::wait_if_synchronous(stream, Mode::Synchronous)
            });
        }
    }
    if let Some(contexts) = contexts_of_two(driver, to.address, from.address)? {
        return between_two((to, contexts.to), (from, contexts.from), extent, &stream, mode);
    }
    open_to(driver, to.address, || stream.device())?;
    open_to(driver, from.address, || stream.device())?;
    submit_on_device(to, from, extent, &stream)?;
    let seen = driver.managed.is_shared(to.address) || driver.managed.is_shared(from.address);
    if seen { segment_copies::wait_if_synchronous(&stream, mode) } else { Ok(()) }
}

/// Submits a copy within one node.
pub(super) fn submit_on_device(
    to: DeviceBox,
    from: DeviceBox,
    extent: Extent,
    stream: &Arc<Stream>,
) -> CudaResult {
    let copy = CopyOnDevice {
        to: to.address,
        to_pitch_bytes: to.pitch as u64,
        from: from.address,
        from_pitch_bytes: from.pitch as u64,
        width_bytes: extent.width as u64,
        rows: extent.rows as u64,
        stream: stream.handle,
    };
    submit(stream, &copy).map(drop)
}

/// Contexts on the two devices of a copy.
struct Contexts {
    /// Handle of a context on the target's device.
    to: u64,
    /// Handle of a context on the source's device.
    from: u64,
}

/// Returns a context for each side of a copy if the two sides are on different devices.
fn contexts_of_two(driver: &Driver, to: u64, from: u64) -> Result<Option<Contexts>, CUresult> {
    if driver.facts.devices.len() < 2 {
        return Ok(None);
    }
    let device = |address| address_lookup::find(driver, address).map(|(_, device)| device);
    match (device(to), device(from)) {
        (Some(to), Some(from)) if to != from => {
            let of = |device| contexts::of_device(driver, device).map(|c| c.handle);
            Ok(Some(Contexts { to: of(to)?, from: of(from)? }))
        }
        _ => Ok(None),
    }
}

/// Submits a copy from one device to another device of the same node.
fn between_two(
    to: (DeviceBox, u64),
    from: (DeviceBox, u64),
    extent: Extent,
    stream: &Arc<Stream>,
    mode: Mode,
) -> CudaResult {
    let copy = CopyBetweenDevices {
        to: to.0.address,
        to_pitch_bytes: to.0.pitch as u64,
        to_context: to.1,
        from: from.0.address,
        from_pitch_bytes: from.0.pitch as u64,
        from_context: from.1,
        width_bytes: extent.width as u64,
        rows: extent.rows as u64,
        stream: stream.handle,
        serialised: mode == Mode::Synchronous && stream.handle == 0,
    };
    submit(stream, &copy).map(drop)
}
