//! Several devices of one node: access between their memories, and copies between them.

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

/// Number of the question whether there is access at all.
const CAN_ACCESS: i32 = 0;

/// Returns whether a device reaches the memory of another one.
pub fn can_access(device: CUdevice, peer: CUdevice) -> Result<i32, CUresult> {
    known_attribute(CAN_ACCESS, device, peer)
}

/// Returns an attribute of two devices. `can_access` is not one of them.
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

/// Asks the node's driver about two of its devices. Devices of two nodes do not reach each other.
pub fn ask_attribute(attribute: i32, source: &Device, target: &Device) -> Result<i32, CUresult> {
    if !std::ptr::eq(source.session, target.session) {
        return Ok(0);
    }
    let message =
        PeerAttribute { attribute, source: source.node_ordinal, target: target.node_ordinal };
    source.session.call_apart(&message)?.read(|reply| Ok(reply.value))
}

/// Returns the context of a handle, if it exists on the worker.
fn live(handle: CUcontext) -> Result<Arc<Context>, CUresult> {
    let driver = driver()?;
    let found = contexts::resolve(handle)?;
    if found.is_live(driver) { Ok(found) } else { Err(CUresult::INVALID_CONTEXT) }
}

/// Enables access of the current context to the memory of another one.
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

/// Disables access in this context. The memory remains reachable, because work in flight may use
/// it.
pub fn disable(peer: CUcontext) -> CudaResult {
    context_stack::current()?;
    call(&PeerAccess { peer: live(peer)?.handle, enable: false })?.read(|_| Ok(()))
}

/// Checks the contexts. The addresses show whose memory they are, so any contexts are accepted.
fn check(to: CUcontext, from: CUcontext) -> CudaResult {
    live(to)?;
    live(from).map(|_| ())
}

/// Copies between the memories of two contexts.
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

/// Copies a box between the memories of two contexts.
pub fn copy_3d(copy: &CUDA_MEMCPY3D_PEER, stream: CUstream, mode: Mode) -> CudaResult {
    check(copy.dstContext, copy.srcContext)?;
    let arrays = [copy.dstMemoryType, copy.srcMemoryType].contains(&values::MEMORYTYPE_ARRAY);
    if arrays && live(copy.dstContext)?.device != live(copy.srcContext)?.device {
        return Err(CUresult::NOT_SUPPORTED);
    }
    // SAFETY: the contexts are where the other description has reserved words.
    let copy = unsafe { &*std::ptr::from_ref(copy).cast::<CUDA_MEMCPY3D>() };
    rows::copy_3d(copy, stream, mode)
}
