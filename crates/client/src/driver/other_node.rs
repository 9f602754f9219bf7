//! Calls about objects on a node that is not the calling thread's. Such calls are rejected, or made
//! as if a context of the object's node were current. A program with one node pays only for a
//! check.

use crate::driver::contexts::{is_here, of_device, of_node, target_or_none};
use crate::driver::memory::address_lookup;
use crate::driver::state::{driver, several};
use crate::objects::context::Context;
use crate::objects::context_stack::within;
use outhaul_abi::types::{CUdeviceptr, CUresult};
use outhaul_wire::handle::{Handle, HandleKind};
use std::sync::Arc;

/// Makes a call. If the object of `handle` is not on the calling thread's node, a context of the
/// object's node is current during the call.
pub fn call_on_its_node(
    handle: usize,
    call: impl FnOnce() -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    if !several() {
        return call();
    }
    match elsewhere(handle as u64)? {
        Some(context) => within(context, call),
        None => call(),
    }
}

/// Makes a call as `call_on_its_node` does, but for the memory at an address.
pub fn call_on_node_of_memory(
    address: CUdeviceptr,
    call: impl FnOnce() -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    if !several() {
        return call();
    }
    match owner_elsewhere(address)? {
        Some(context) => within(context, call),
        None => call(),
    }
}

/// Returns a context of the device that owns the memory at the address. Returns `None` if the
/// device is on the calling thread's node, or if the address is unknown.
pub fn owner_elsewhere(address: CUdeviceptr) -> Result<Option<Arc<Context>>, CUresult> {
    let driver = driver()?;
    let Some((_, device)) = address_lookup::find(driver, address) else { return Ok(None) };
    if is_here(driver.facts.device(device)?.session.number) {
        Ok(None)
    } else {
        of_device(driver, device).map(Some)
    }
}

/// Returns a context of the object's node. Returns `None` if the object is on the calling thread's
/// node, or belongs to no node.
fn elsewhere(handle: u64) -> Result<Option<Arc<Context>>, CUresult> {
    let belongs = |h: &Handle| !matches!(h.kind, HandleKind::Kernel | HandleKind::Library);
    let Some(found) = Handle::unpack(handle).filter(belongs).filter(|h| !is_here(h.node)) else {
        return Ok(None);
    };
    let driver = driver()?;
    if found.kind == HandleKind::Stream {
        return Ok(driver.streams.get(handle).and_then(|stream| stream.context.upgrade()));
    }
    Ok(of_node(driver, found.node))
}

/// Rejects an object on node `node` unless that is the calling thread's node.
pub fn check_here(node: u8) -> Result<(), CUresult> {
    if target_or_none()?.session.number == node { Ok(()) } else { Err(CUresult::INVALID_CONTEXT) }
}

/// Rejects an object as `check_here` does, by its handle. Returns the handle.
pub fn check_object(handle: u64) -> Result<u64, CUresult> {
    check_here(Handle::unpack(handle).ok_or(CUresult::INVALID_HANDLE)?.node)?;
    Ok(handle)
}
