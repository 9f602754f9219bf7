//! Several devices of one node: access between their memories, and copies between them.

use super::copy::unified;
use crate::api::arguments::{Done, put};
use crate::api::copies::rows::copy_3d;
use crate::managed::region;
use crate::objects::commands::call;
use crate::objects::context;
use crate::objects::context::Context;
use crate::objects::copy_shape::{DeviceBox, Extent, Mode};
use crate::objects::driver::{Driver, driver};
use crate::objects::facts::Device;
use crate::objects::memory;
use crate::objects::streams::stream::Stream;
use crate::session::ask_aside;
use outhaul_abi::types::*;
use outhaul_wire::codec::Reader;
use outhaul_wire::messages::{CopyBetweenDevices, PeerAccess, PeerAttribute, PeerAttributeReply};
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
    let (status, body) = ask_aside(source.session, &message)?;
    status.ok()?;
    let reply: PeerAttributeReply = Reader::new(&body).whole().map_err(|_| CUresult::UNKNOWN)?;
    Ok(reply.value)
}

pub unsafe fn cuDeviceCanAccessPeer(can: *mut i32, device: CUdevice, peer: CUdevice) -> Done {
    // SAFETY: the program's place for a number.
    unsafe { put(can, attribute(CAN_ACCESS, device, peer)?) }
}

pub unsafe fn cuDeviceGetP2PAttribute(
    value: *mut i32,
    what: CUdevice_P2PAttribute,
    source: CUdevice,
    target: CUdevice,
) -> Done {
    if what == CAN_ACCESS {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: the program's place for a number.
    unsafe { put(value, attribute(what, source, target)?) }
}

/// Returns the context of a handle, if it exists on the worker.
fn live(handle: CUcontext) -> Result<Arc<Context>, CUresult> {
    let driver = driver()?;
    let found = context::resolve(handle)?;
    if found.is_live(driver) { Ok(found) } else { Err(CUresult::INVALID_CONTEXT) }
}

pub unsafe fn cuCtxEnablePeerAccess(peer: CUcontext, flags: u32) -> Done {
    let current = context::current()?;
    let peer = live(peer)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    call(&PeerAccess { peer: peer.handle, enable: true }, |_| Ok(()))?;
    driver()?.peers.open(current.device, peer.device)
}

/// Disables access in this context. The memory remains reachable, because work in flight may use
/// it.
pub unsafe fn cuCtxDisablePeerAccess(peer: CUcontext) -> Done {
    context::current()?;
    call(&PeerAccess { peer: live(peer)?.handle, enable: false }, |_| Ok(()))
}

// ---- copies ----

pub(in crate::api) struct Contexts {
    /// Handle of a context of the target's device.
    pub to: u64,
    /// Handle of a context of the source's device.
    pub from: u64,
}

/// Returns a context for each side of a copy, if their memory is on different devices.
pub(in crate::api) fn contexts(
    driver: &Driver,
    to: u64,
    from: u64,
) -> Result<Option<Contexts>, CUresult> {
    if driver.facts.devices.len() < 2 {
        return Ok(None);
    }
    let device = |address| memory::find(driver, address).map(|(_, device)| device);
    match (device(to), device(from)) {
        (Some(to), Some(from)) if to != from => {
            let of = |device| context::of_device(driver, device).map(|c| c.handle);
            Ok(Some(Contexts { to: of(to)?, from: of(from)? }))
        }
        _ => Ok(None),
    }
}

pub(in crate::api) fn copy(
    to: (DeviceBox, u64),
    from: (DeviceBox, u64),
    extent: Extent,
    stream: &Stream,
    mode: Mode,
) -> Done {
    region::before_work(stream);
    stream.place.post(&CopyBetweenDevices {
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
    })?;
    stream.note_posted();
    Ok(())
}

/// Checks the contexts. The addresses show whose memory they are, so any contexts are accepted.
fn check(to: CUcontext, from: CUcontext) -> Done {
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
) -> Done {
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
) -> Done {
    check(to_context, from_context)?;
    unified(to, from, bytes, stream, Mode::Asynchronous)
}

/// Copies between devices.
///
/// # Safety
/// `copy` is null or readable.
unsafe fn copy_3d_peer(copy: *const CUDA_MEMCPY3D_PEER, stream: CUstream, mode: Mode) -> Done {
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

pub unsafe fn cuMemcpy3DPeer(copy: *const CUDA_MEMCPY3D_PEER, default_stream: CUstream) -> Done {
    // SAFETY: the program's descriptor.
    unsafe { copy_3d_peer(copy, default_stream, Mode::Synchronous) }
}

pub unsafe fn cuMemcpy3DPeerAsync(copy: *const CUDA_MEMCPY3D_PEER, stream: CUstream) -> Done {
    // SAFETY: the program's descriptor.
    unsafe { copy_3d_peer(copy, stream, Mode::Asynchronous) }
}
