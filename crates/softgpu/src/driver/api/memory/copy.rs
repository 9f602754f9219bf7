//! Copies and fills. Functions without a stream parameter receive the default stream as their last
//! argument.

use std::ffi::c_void;
use std::sync::Arc;

use outhaul_abi::types::values::{
    MEMORYTYPE_ARRAY, MEMORYTYPE_DEVICE, MEMORYTYPE_HOST, MEMORYTYPE_UNIFIED,
};
use outhaul_abi::types::*;

use crate::driver::api::arguments::take;
use crate::driver::objects::memory::copy::Copy;
use crate::driver::objects::memory::copy::CopySide;
use crate::driver::objects::memory::copy::Fill;
use crate::driver::objects::memory::copy::Memory;
use crate::driver::objects::streams::context::Context;
use crate::driver::objects::streams::event::{DISABLE_TIMING, Event};
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

fn flat(
    to: (Memory, u64),
    from: (Memory, u64),
    bytes: usize,
    stream: CUstream,
    blocking: bool,
) -> Result<()> {
    submit(
        Copy::flat(CopySide::flat(to.0, to.1), CopySide::flat(from.0, from.1), bytes as u64),
        stream,
        blocking,
    )
}

fn submit(copy: Copy, stream: CUstream, blocking: bool) -> Result<()> {
    let driver = driver()?;
    let stream = driver.stream(stream.0 as u64)?;
    driver.copy(&stream, copy, blocking)
}

fn host(pointer: *const c_void) -> (Memory, u64) {
    (Memory::Host, pointer.expose_provenance() as u64)
}

fn device(address: CUdeviceptr) -> (Memory, u64) {
    (Memory::Device, address)
}

fn anywhere(address: CUdeviceptr) -> (Memory, u64) {
    (Memory::Unified, address)
}

pub unsafe fn cuMemcpy(
    dst: CUdeviceptr,
    src: CUdeviceptr,
    ByteCount: usize,
    stream: CUstream,
) -> Result<()> {
    flat(anywhere(dst), anywhere(src), ByteCount, stream, true)
}

pub unsafe fn cuMemcpyAsync(
    dst: CUdeviceptr,
    src: CUdeviceptr,
    ByteCount: usize,
    hStream: CUstream,
) -> Result<()> {
    flat(anywhere(dst), anywhere(src), ByteCount, hStream, false)
}

pub unsafe fn cuMemcpyHtoD_v2(
    dstDevice: CUdeviceptr,
    srcHost: *const c_void,
    ByteCount: usize,
    stream: CUstream,
) -> Result<()> {
    flat(device(dstDevice), host(srcHost), ByteCount, stream, true)
}

pub unsafe fn cuMemcpyHtoDAsync_v2(
    dstDevice: CUdeviceptr,
    srcHost: *const c_void,
    ByteCount: usize,
    hStream: CUstream,
) -> Result<()> {
    flat(device(dstDevice), host(srcHost), ByteCount, hStream, false)
}

pub unsafe fn cuMemcpyDtoH_v2(
    dstHost: *mut c_void,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
    stream: CUstream,
) -> Result<()> {
    flat(host(dstHost), device(srcDevice), ByteCount, stream, true)
}

pub unsafe fn cuMemcpyDtoHAsync_v2(
    dstHost: *mut c_void,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
    hStream: CUstream,
) -> Result<()> {
    flat(host(dstHost), device(srcDevice), ByteCount, hStream, false)
}

pub unsafe fn cuMemcpyDtoD_v2(
    dstDevice: CUdeviceptr,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
    stream: CUstream,
) -> Result<()> {
    flat(device(dstDevice), device(srcDevice), ByteCount, stream, true)
}

pub unsafe fn cuMemcpyDtoDAsync_v2(
    dstDevice: CUdeviceptr,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
    hStream: CUstream,
) -> Result<()> {
    flat(device(dstDevice), device(srcDevice), ByteCount, hStream, false)
}

fn peers(to: CUcontext, from: CUcontext) -> Result<[Arc<Context>; 2]> {
    let driver = driver()?;
    Ok([driver.slot(to.0 as u64)?.context()?, driver.slot(from.0 as u64)?.context()?])
}

/// Copies after all work in both contexts' default streams, and before their later work.
fn serialised(
    contexts: [Arc<Context>; 2],
    stream: CUstream,
    copy: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let stream = driver()?.stream(stream.0 as u64)?;
    let own = stream.context()?;
    let others = || contexts.iter().filter(|context| !Arc::ptr_eq(context, &own));
    for context in others() {
        let before = Arc::new(Event::new(context, DISABLE_TIMING)?);
        before.record(&context.legacy, false)?;
        stream.wait_event(&before, false)?;
    }
    copy()?;
    let after = Arc::new(Event::new(&own, DISABLE_TIMING)?);
    after.record(&stream, false)?;
    others().try_for_each(|context| context.legacy.wait_event(&after, false))
}

pub unsafe fn cuMemcpyPeer(
    dstDevice: CUdeviceptr,
    dstContext: CUcontext,
    srcDevice: CUdeviceptr,
    srcContext: CUcontext,
    ByteCount: usize,
    stream: CUstream,
) -> Result<()> {
    serialised(peers(dstContext, srcContext)?, stream, || {
        flat(device(dstDevice), device(srcDevice), ByteCount, stream, true)
    })
}

pub unsafe fn cuMemcpyPeerAsync(
    dstDevice: CUdeviceptr,
    dstContext: CUcontext,
    srcDevice: CUdeviceptr,
    srcContext: CUcontext,
    ByteCount: usize,
    hStream: CUstream,
) -> Result<()> {
    peers(dstContext, srcContext)?;
    flat(device(dstDevice), device(srcDevice), ByteCount, hStream, false)
}

/// One side of a box copy: the memory's start and layout, and the box's position.
struct Corner {
    kind: i32,
    host: u64,
    device: u64,
    array: CUarray,
    pitch: usize,
    height: usize,
    x: usize,
    y: usize,
    z: usize,
}

impl Corner {
    fn side(&self, extent: [usize; 3]) -> Result<CopySide> {
        let (memory, base) = match self.kind {
            MEMORYTYPE_ARRAY => {
                let array =
                    driver()?.arrays.get(self.array.0 as u64).ok_or(Error::InvalidHandle)?;
                return array.side([self.x, self.y, self.z], extent);
            }
            MEMORYTYPE_HOST => (Memory::Host, self.host),
            MEMORYTYPE_DEVICE => (Memory::Device, self.device),
            MEMORYTYPE_UNIFIED => (Memory::Unified, self.device),
            _ => return Err(Error::InvalidValue),
        };
        let rows = self
            .z
            .checked_mul(self.height)
            .and_then(|rows| rows.checked_add(self.y))
            .ok_or(Error::InvalidValue)?;
        let offset = rows
            .checked_mul(self.pitch)
            .and_then(|bytes| bytes.checked_add(self.x))
            .ok_or(Error::InvalidValue)?;
        let address = base.checked_add(offset as u64).ok_or(Error::InvalidValue)?;
        Ok(CopySide { address, pitch: self.pitch as u64, height: self.height as u64, memory })
    }
}

fn copy_2d(copy: *const CUDA_MEMCPY2D, stream: CUstream, blocking: bool) -> Result<()> {
    let c = take(copy)?;
    let from = Corner {
        kind: c.srcMemoryType,
        host: c.srcHost.expose_provenance() as u64,
        device: c.srcDevice,
        array: c.srcArray,
        pitch: c.srcPitch,
        height: c.Height,
        x: c.srcXInBytes,
        y: c.srcY,
        z: 0,
    };
    let to = Corner {
        kind: c.dstMemoryType,
        host: c.dstHost.expose_provenance() as u64,
        device: c.dstDevice,
        array: c.dstArray,
        pitch: c.dstPitch,
        height: c.Height,
        x: c.dstXInBytes,
        y: c.dstY,
        z: 0,
    };
    submit(box_between(&to, &from, [c.WidthInBytes, c.Height, 1])?, stream, blocking)
}

/// Converts either 3D structure; the two differ only in the contexts that they name.
macro_rules! boxes_3d {
    ($copy:ident) => {{
        let from = Corner {
            kind: $copy.srcMemoryType,
            host: $copy.srcHost.expose_provenance() as u64,
            device: $copy.srcDevice,
            array: $copy.srcArray,
            pitch: $copy.srcPitch,
            height: $copy.srcHeight,
            x: $copy.srcXInBytes,
            y: $copy.srcY,
            z: $copy.srcZ,
        };
        let to = Corner {
            kind: $copy.dstMemoryType,
            host: $copy.dstHost.expose_provenance() as u64,
            device: $copy.dstDevice,
            array: $copy.dstArray,
            pitch: $copy.dstPitch,
            height: $copy.dstHeight,
            x: $copy.dstXInBytes,
            y: $copy.dstY,
            z: $copy.dstZ,
        };
        box_between(&to, &from, [$copy.WidthInBytes, $copy.Height, $copy.Depth])
    }};
}

/// Converts C's description of a box copy.
pub(in crate::driver::api) fn box_of_3d(copy: &CUDA_MEMCPY3D) -> Result<Copy> {
    boxes_3d!(copy)
}

fn copy_3d(copy: *const CUDA_MEMCPY3D, stream: CUstream, blocking: bool) -> Result<()> {
    submit(box_of_3d(&take(copy)?)?, stream, blocking)
}

pub unsafe fn cuMemcpy3DPeer(pCopy: *const CUDA_MEMCPY3D_PEER, stream: CUstream) -> Result<()> {
    let copy = take(pCopy)?;
    serialised(peers(copy.dstContext, copy.srcContext)?, stream, || {
        submit(boxes_3d!(copy)?, stream, true)
    })
}

pub unsafe fn cuMemcpy3DPeerAsync(
    pCopy: *const CUDA_MEMCPY3D_PEER,
    hStream: CUstream,
) -> Result<()> {
    let copy = take(pCopy)?;
    peers(copy.dstContext, copy.srcContext)?;
    submit(boxes_3d!(copy)?, hStream, false)
}

fn box_between(to: &Corner, from: &Corner, extent: [usize; 3]) -> Result<Copy> {
    let [width, height, depth] = extent.map(|n| n as u64);
    Ok(Copy { to: to.side(extent)?, from: from.side(extent)?, width, height, depth })
}

pub unsafe fn cuMemcpy2D_v2(pCopy: *const CUDA_MEMCPY2D, stream: CUstream) -> Result<()> {
    copy_2d(pCopy, stream, true)
}

pub unsafe fn cuMemcpy2DUnaligned_v2(pCopy: *const CUDA_MEMCPY2D, stream: CUstream) -> Result<()> {
    copy_2d(pCopy, stream, true)
}

pub unsafe fn cuMemcpy2DAsync_v2(pCopy: *const CUDA_MEMCPY2D, hStream: CUstream) -> Result<()> {
    copy_2d(pCopy, hStream, false)
}

pub unsafe fn cuMemcpy3D_v2(pCopy: *const CUDA_MEMCPY3D, stream: CUstream) -> Result<()> {
    copy_3d(pCopy, stream, true)
}

pub unsafe fn cuMemcpy3DAsync_v2(pCopy: *const CUDA_MEMCPY3D, hStream: CUstream) -> Result<()> {
    copy_3d(pCopy, hStream, false)
}

fn fill(fill: Fill, stream: CUstream, blocking: bool) -> Result<()> {
    let driver = driver()?;
    let stream = driver.stream(stream.0 as u64)?;
    driver.fill(&stream, fill, blocking)
}

fn fill_rows(
    address: u64,
    pitch: usize,
    value: u32,
    element_bytes: u64,
    width: usize,
    height: usize,
    stream: CUstream,
    blocking: bool,
) -> Result<()> {
    fill(
        Fill {
            address,
            pitch: pitch as u64,
            value,
            element_bytes,
            width: width as u64,
            height: height as u64,
        },
        stream,
        blocking,
    )
}

pub unsafe fn cuMemsetD8_v2(
    dstDevice: CUdeviceptr,
    uc: u8,
    N: usize,
    stream: CUstream,
) -> Result<()> {
    fill(Fill::flat(dstDevice, u32::from(uc), 1, N as u64), stream, true)
}

pub unsafe fn cuMemsetD16_v2(
    dstDevice: CUdeviceptr,
    us: u16,
    N: usize,
    stream: CUstream,
) -> Result<()> {
    fill(Fill::flat(dstDevice, u32::from(us), 2, N as u64), stream, true)
}

pub unsafe fn cuMemsetD32_v2(
    dstDevice: CUdeviceptr,
    ui: u32,
    N: usize,
    stream: CUstream,
) -> Result<()> {
    fill(Fill::flat(dstDevice, ui, 4, N as u64), stream, true)
}

pub unsafe fn cuMemsetD8Async(
    dstDevice: CUdeviceptr,
    uc: u8,
    N: usize,
    hStream: CUstream,
) -> Result<()> {
    fill(Fill::flat(dstDevice, u32::from(uc), 1, N as u64), hStream, false)
}

pub unsafe fn cuMemsetD16Async(
    dstDevice: CUdeviceptr,
    us: u16,
    N: usize,
    hStream: CUstream,
) -> Result<()> {
    fill(Fill::flat(dstDevice, u32::from(us), 2, N as u64), hStream, false)
}

pub unsafe fn cuMemsetD32Async(
    dstDevice: CUdeviceptr,
    ui: u32,
    N: usize,
    hStream: CUstream,
) -> Result<()> {
    fill(Fill::flat(dstDevice, ui, 4, N as u64), hStream, false)
}

pub unsafe fn cuMemsetD2D8_v2(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    uc: u8,
    Width: usize,
    Height: usize,
    stream: CUstream,
) -> Result<()> {
    fill_rows(dstDevice, dstPitch, u32::from(uc), 1, Width, Height, stream, true)
}

pub unsafe fn cuMemsetD2D16_v2(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    us: u16,
    Width: usize,
    Height: usize,
    stream: CUstream,
) -> Result<()> {
    fill_rows(dstDevice, dstPitch, u32::from(us), 2, Width, Height, stream, true)
}

pub unsafe fn cuMemsetD2D32_v2(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    ui: u32,
    Width: usize,
    Height: usize,
    stream: CUstream,
) -> Result<()> {
    fill_rows(dstDevice, dstPitch, ui, 4, Width, Height, stream, true)
}

pub unsafe fn cuMemsetD2D8Async(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    uc: u8,
    Width: usize,
    Height: usize,
    hStream: CUstream,
) -> Result<()> {
    fill_rows(dstDevice, dstPitch, u32::from(uc), 1, Width, Height, hStream, false)
}

pub unsafe fn cuMemsetD2D16Async(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    us: u16,
    Width: usize,
    Height: usize,
    hStream: CUstream,
) -> Result<()> {
    fill_rows(dstDevice, dstPitch, u32::from(us), 2, Width, Height, hStream, false)
}

pub unsafe fn cuMemsetD2D32Async(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    ui: u32,
    Width: usize,
    Height: usize,
    hStream: CUstream,
) -> Result<()> {
    fill_rows(dstDevice, dstPitch, ui, 4, Width, Height, hStream, false)
}
