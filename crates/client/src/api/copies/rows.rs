//! Two- and three-dimensional copies, and the copies of a graph's copy nodes.

use crate::api::arguments::CudaResult;
use crate::api::copies::array_rows;
use crate::api::copies::flat::on_host;
use crate::api::copies::host_rows::reached_in_graph;
use crate::api::copies::on_device::on_device;
use crate::api::copies::sides::{Box3, BoxSide, SideFields};
use crate::api::copies::to_device::{arrive, to_device};
use crate::api::copies::to_host::to_host;
use crate::driver::state::driver;
use crate::driver::streams::resolve;
use crate::objects::copy_shape::{DeviceBox, Extent, HostCopy, Mode};
use crate::session::bulk::transfer::HostBox;
use outhaul_abi::types::*;

/// Copies a box between two sides in stream order. An empty box is a no-op.
pub(in crate::api) fn copy_box(
    from: &SideFields,
    to: &SideFields,
    size: Box3,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    if size.width == 0 || size.height == 0 || size.depth == 0 {
        return Ok(());
    }
    if [from.kind, to.kind].contains(&values::MEMORYTYPE_ARRAY) {
        return array_rows::copy(from, to, size, stream, mode);
    }
    let sides = (BoxSide::new(from, size)?, BoxSide::new(to, size)?);
    let slice = Extent { width: size.width, rows: size.height };
    (0..size.depth)
        .try_for_each(|z| copy_slice(sides.0.at(z), sides.1.at(z), slice, stream, mode))?;
    let from_host = matches!(from.kind, values::MEMORYTYPE_HOST | values::MEMORYTYPE_UNIFIED);
    if from_host { arrive(stream, &*resolve(stream)?, mode) } else { Ok(()) }
}

fn copy_slice(
    from: BoxSide,
    to: BoxSide,
    extent: Extent,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    let rows = |side: BoxSide| DeviceBox { address: side.address, pitch: side.pitch };
    let copy = |device: BoxSide, host: BoxSide| HostCopy {
        device: rows(device),
        host: host.host_box(extent),
        mode,
    };
    match (from.device, to.device) {
        (false, true) => to_device(&copy(to, from), &resolve(stream)?),
        (true, false) => to_host(&copy(from, to), &resolve(stream)?),
        (true, true) => on_device(rows(to), rows(from), extent, stream, mode),
        (false, false) => (0..extent.rows).try_for_each(|row| {
            let at = |side: BoxSide| side.address + (row * side.pitch) as u64;
            on_host(at(to), at(from), extent.width, stream)
        }),
    }
}

/// Copies the box that a two-dimensional descriptor describes.
pub fn copy_2d(c: &CUDA_MEMCPY2D, stream: CUstream, mode: Mode) -> CudaResult {
    let from = SideFields {
        kind: c.srcMemoryType,
        host: c.srcHost as u64,
        device: c.srcDevice,
        array: c.srcArray,
        pitch: c.srcPitch,
        height: 0,
        x: c.srcXInBytes,
        y: c.srcY,
        z: 0,
    };
    let to = SideFields {
        kind: c.dstMemoryType,
        host: c.dstHost as u64,
        device: c.dstDevice,
        array: c.dstArray,
        pitch: c.dstPitch,
        height: 0,
        x: c.dstXInBytes,
        y: c.dstY,
        z: 0,
    };
    copy_box(&from, &to, Box3 { width: c.WidthInBytes, height: c.Height, depth: 1 }, stream, mode)
}

fn sides_3d(c: &CUDA_MEMCPY3D) -> (SideFields, SideFields, Box3) {
    let from = SideFields {
        kind: c.srcMemoryType,
        host: c.srcHost as u64,
        device: c.srcDevice,
        array: c.srcArray,
        pitch: c.srcPitch,
        height: c.srcHeight,
        x: c.srcXInBytes,
        y: c.srcY,
        z: c.srcZ,
    };
    let to = SideFields {
        kind: c.dstMemoryType,
        host: c.dstHost as u64,
        device: c.dstDevice,
        array: c.dstArray,
        pitch: c.dstPitch,
        height: c.dstHeight,
        x: c.dstXInBytes,
        y: c.dstY,
        z: c.dstZ,
    };
    (from, to, Box3 { width: c.WidthInBytes, height: c.Height, depth: c.Depth })
}

/// Copies the box that a three-dimensional descriptor describes.
pub fn copy_3d(copy: &CUDA_MEMCPY3D, stream: CUstream, mode: Mode) -> CudaResult {
    let (from, to, size) = sides_3d(copy);
    copy_box(&from, &to, size, stream, mode)
}

/// How a graph's copy node copies.
pub(in crate::api) enum NodeCopy {
    /// Copy on the device. The words are address, pitch and height of the target, then of the
    /// source, then width, height and depth.
    Device(Vec<u64>),
    ToDevice {
        host: HostBox,
        to: (u64, usize),
    },
    ToHost {
        host: HostBox,
        from: (u64, usize),
    },
    OnHost {
        to: HostBox,
        from: HostBox,
    },
}

/// Chooses how a graph's copy node copies: on the device, to or from the program's memory, or
/// within that memory. Returns `INVALID_VALUE` for an empty copy. Returns `NOT_SUPPORTED` if only
/// one side is host memory and there are several slices.
pub(in crate::api) fn node_copy(copy: &CUDA_MEMCPY3D) -> Result<NodeCopy, CUresult> {
    let (from, to, size) = sides_3d(copy);
    if size.width == 0 || size.height == 0 || size.depth == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let (mut from, mut to) = (BoxSide::new(&from, size)?, BoxSide::new(&to, size)?);
    let host = |side: BoxSide| side.host_box(Extent { width: size.width, rows: size.height });
    let regions = &driver()?.host;
    let is_hosts = |side: BoxSide| !side.device || regions.find(side.address as usize).is_some();
    // NVIDIA's driver itself copies between two host ranges, in the call that launches the graph.
    // That call returns only when the device has reached the copy. Until then all calls in the
    // context block, even calls that a host function of the graph needs. So the client copies
    // instead.
    if size.depth == 1 && is_hosts(from) && is_hosts(to) {
        return Ok(NodeCopy::OnHost { to: host(to), from: host(from) });
    }
    for side in [&mut from, &mut to] {
        side.device = side.device || size.depth == 1 && reached_in_graph(driver()?, &host(*side))?;
    }
    match (from.device, to.device) {
        (true, true) => {}
        (false, true) if size.depth == 1 => {
            return Ok(NodeCopy::ToDevice { host: host(from), to: (to.address, to.pitch) });
        }
        (true, false) if size.depth == 1 => {
            return Ok(NodeCopy::ToHost { host: host(to), from: (from.address, from.pitch) });
        }
        _ => return Err(CUresult::NOT_SUPPORTED),
    }
    let side =
        |side: BoxSide| [side.address, side.pitch as u64, (side.slice / side.pitch.max(1)) as u64];
    Ok(NodeCopy::Device(
        [side(to), side(from), [size.width as u64, size.height as u64, size.depth as u64]].concat(),
    ))
}
