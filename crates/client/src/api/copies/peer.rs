//! Several devices of one node: access between their memories, and copies between them.

use super::flat::unified;
use crate::api::arguments::{CudaResult, put};
use crate::api::copies::rows::copy_3d;
use crate::driver::contexts;
use crate::driver::state::driver;
use crate::objects::context::Context;
use crate::objects::context_stack;
use crate::objects::context_stack::target;
use crate::objects::copy_shape::Mode;
use crate::objects::facts::Device;
use outhaul_abi::types::*;
use outhaul_wire::messages::{PeerAccess, PeerAttribute};
use std::sync::Arc;

/// Number of the question whether there is access at all.
const CAN_ACCESS: i32 = 0;

fn attribute(attribute: i32, source: CUdevice, target: CUdevice) -> Result<i32, CUresult> {
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

pub unsafe fn cuDeviceCanAccessPeer(can: *mut i32, device: CUdevice, peer: CUdevice) -> CudaResult {
    // SAFETY: the program's place for a number.
    unsafe { put(can, attribute(CAN_ACCESS, device, peer)?) }
}

pub unsafe fn cuDeviceGetP2PAttribute(
    value: *mut i32,
    what: CUdevice_P2PAttribute,
    source: CUdevice,
    target: CUdevice,
) -> CudaResult {
    if what == CAN_ACCESS {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: the program's place for a number.
    unsafe { put(value, attribute(what, source, target)?) }
}

/// Returns the context of a handle, if it exists on the worker.
fn live(handle: CUcontext) -> Result<Arc<Context>, CUresult> {
    let driver = driver()?;
    let found = contexts::resolve(handle)?;
    if found.is_live(driver) { Ok(found) } else { Err(CUresult::INVALID_CONTEXT) }
}

pub unsafe fn cuCtxEnablePeerAccess(peer: CUcontext, flags: u32) -> CudaResult {
    let current = context_stack::current()?;
    let peer = live(peer)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    target()?.call(&PeerAccess { peer: peer.handle, enable: true })?.read(|_| Ok(()))?;
    let driver = driver()?;
    driver.peers.open(&driver.facts, current.device, peer.device)
}

/// Disables access in this context. The memory remains reachable, because work in flight may use
/// it.
pub unsafe fn cuCtxDisablePeerAccess(peer: CUcontext) -> CudaResult {
    context_stack::current()?;
    target()?.call(&PeerAccess { peer: live(peer)?.handle, enable: false })?.read(|_| Ok(()))
}

/// Checks the contexts. The addresses show whose memory they are, so any contexts are accepted.
fn check(to: CUcontext, from: CUcontext) -> CudaResult {
    live(to)?;
    live(from).map(|_| ())
}

pub unsafe fn cuMemcpyPeer(
    to: CUdeviceptr,
    to_context: CUcontext,
    from: CUdeviceptr,
    from_context: CUcontext,
    bytes: usize,
    default_stream: CUstream,
) -> CudaResult {
    check(to_context, from_context)?;
    unified(to, from, bytes, default_stream, Mode::Synchronous)
}

pub unsafe fn cuMemcpyPeerAsync(
    to: CUdeviceptr,
    to_context: CUcontext,
    from: CUdeviceptr,
    from_context: CUcontext,
    bytes: usize,
    stream: CUstream,
) -> CudaResult {
    check(to_context, from_context)?;
    unified(to, from, bytes, stream, Mode::Asynchronous)
}

/// Copies between devices.
///
/// # Safety
/// `copy` is null or readable.
unsafe fn copy_3d_peer(
    copy: *const CUDA_MEMCPY3D_PEER,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    // SAFETY: the caller's promise.
    let Some(c) = (unsafe { copy.as_ref() }) else { return Err(CUresult::INVALID_VALUE) };
    check(c.dstContext, c.srcContext)?;
    let arrays = [c.dstMemoryType, c.srcMemoryType].contains(&values::MEMORYTYPE_ARRAY);
    if arrays && live(c.dstContext)?.device != live(c.srcContext)?.device {
        return Err(CUresult::NOT_SUPPORTED);
    }
    // SAFETY: the contexts are where the other description has reserved words.
    unsafe { copy_3d(copy.cast(), stream, mode) }
}

pub unsafe fn cuMemcpy3DPeer(
    copy: *const CUDA_MEMCPY3D_PEER,
    default_stream: CUstream,
) -> CudaResult {
    // SAFETY: the program's descriptor.
    unsafe { copy_3d_peer(copy, default_stream, Mode::Synchronous) }
}

pub unsafe fn cuMemcpy3DPeerAsync(copy: *const CUDA_MEMCPY3D_PEER, stream: CUstream) -> CudaResult {
    // SAFETY: the program's descriptor.
    unsafe { copy_3d_peer(copy, stream, Mode::Asynchronous) }
}
