//! Access of devices to each other's memory, which only devices of one node have, and copies
//! between devices.

use super::flat::unified;
use crate::api::arguments::CudaResult;
use crate::api::copies::rows;
use crate::driver::contexts;
use crate::driver::state::driver;
use crate::objects::context::Context;
use crate::objects::context_stack;
use crate::objects::context_stack::call;
use crate::objects::copy_shape::Mode;
use crate::objects::device_facts::Device;
use outhaul_abi::types::*;
use outhaul_wire::messages::{PeerAccess, PeerAttribute};
use std::sync::Arc;

/// Number that asks the worker whether access is possible at all. CUDA has no attribute with this
/// number.
const CAN_ACCESS: i32 = 0;

/// Returns 1 if `device` can access the memory of `peer`, otherwise 0.
pub fn can_access(device: CUdevice, peer: CUdevice) -> Result<i32, CUresult> {
    known_attribute(CAN_ACCESS, device, peer)
}

/// Returns an attribute of a pair of devices. Rejects `CAN_ACCESS`, because CUDA has no such
/// attribute.
pub fn attribute(
    attribute: CUdevice_P2PAttribute,
    source: CUdevice,
    target: CUdevice,
) -> Result<i32, CUresult> {
    if attribute == CAN_ACCESS {
        return Err(CUresult::INVALID_VALUE);
    }
    known_attribute(attribute, source, target)
}

fn known_attribute(attribute: i32, source: CUdevice, target: CUdevice) -> Result<i32, CUresult> {
    let facts = &driver()?.facts;
    let (source, target) = (facts.device(source)?, facts.device(target)?);
    ask_attribute(attribute, source, target)
}

/// Asks the node's driver about a pair of its devices. Returns 0 for devices of two nodes, which
/// cannot access each other.
pub fn ask_attribute(attribute: i32, source: &Device, target: &Device) -> Result<i32, CUresult> {
    if !std::ptr::eq(source.session, target.session) {
        return Ok(0);
    }
    let message =
        PeerAttribute { attribute, source: source.node_ordinal, target: target.node_ordinal };
    source.session.call_apart(&message)?.read(|reply| Ok(reply.value))
}

/// Returns the context of a handle. Fails unless the context exists on the worker.
fn live(handle: CUcontext) -> Result<Arc<Context>, CUresult> {
    let driver = driver()?;
    let found = contexts::resolve(handle)?;
    if found.is_live(driver) { Ok(found) } else { Err(CUresult::INVALID_CONTEXT) }
}

/// Enables access from the current context to another context's memory.
pub fn enable(peer: CUcontext, flags: u32) -> CudaResult {
    let current = context_stack::current()?;
    let peer = live(peer)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    call(&PeerAccess { peer: peer.handle, enable: true })?.read(|_| Ok(()))?;
    let driver = driver()?;
    driver.peers.open(&driver.facts, current.device, peer.device)
}

/// Disables the current context's access to another context's memory. The memory stays reachable,
/// because work in flight may use it.
pub fn disable(peer: CUcontext) -> CudaResult {
    context_stack::current()?;
    call(&PeerAccess { peer: live(peer)?.handle, enable: false })?.read(|_| Ok(()))
}

/// Checks that both contexts exist. They need not match the addresses, which already identify the
/// device.
fn check(to: CUcontext, from: CUcontext) -> CudaResult {
    live(to)?;
    live(from).map(|_| ())
}

/// Copies bytes between the memory of two contexts.
pub fn copy(
    to: CUdeviceptr,
    to_context: CUcontext,
    from: CUdeviceptr,
    from_context: CUcontext,
    bytes: usize,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    check(to_context, from_context)?;
    unified(to, from, bytes, stream, mode)
}

/// Copies a box between the memory of two contexts.
pub fn copy_3d(copy: &CUDA_MEMCPY3D_PEER, stream: CUstream, mode: Mode) -> CudaResult {
    check(copy.dstContext, copy.srcContext)?;
    let arrays = [copy.dstMemoryType, copy.srcMemoryType].contains(&values::MEMORYTYPE_ARRAY);
    if arrays && live(copy.dstContext)?.device != live(copy.srcContext)?.device {
        return Err(CUresult::NOT_SUPPORTED);
    }
    // SAFETY: both structs have the same layout, except that this one has the contexts where the
    // other one has reserved words.
    let copy = unsafe { &*std::ptr::from_ref(copy).cast::<CUDA_MEMCPY3D>() };
    rows::copy_3d(copy, stream, mode)
}
