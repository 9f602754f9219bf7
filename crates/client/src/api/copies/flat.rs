//! Flat copies, and copies between addresses that themselves show on which side they are.

use crate::api::arguments::CudaResult;
use crate::api::copies::on_device::on_device;
use crate::api::copies::to_device::{arrive, to_device};
use crate::api::copies::to_host::to_host;
use crate::api::streams::event;
use crate::driver::memory::addresses::is_device;
use crate::driver::state::driver;
use crate::driver::streams::resolve;
use crate::objects::copy_shape::{DeviceBox, Extent, HostCopy, Mode};
use crate::session::bulk::transfer::HostBox;
use crate::session::callbacks::Callback;
use outhaul_abi::types::*;
use std::ffi::c_void;

/// Returns a copy of one row.
fn row(device: CUdeviceptr, host: *const c_void, bytes: usize, mode: Mode) -> HostCopy {
    HostCopy {
        device: DeviceBox { address: device, pitch: bytes },
        host: HostBox::row(host.cast_mut().cast(), bytes),
        mode,
    }
}

fn flat_to_device(
    to: CUdeviceptr,
    host: *const c_void,
    bytes: usize,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    if bytes == 0 {
        return Ok(());
    }
    if host.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    if driver()?.mirrors.is_shared(host as u64) {
        return flat_on_device(to, host as u64, bytes, stream, mode);
    }
    let resolved = resolve(stream)?;
    to_device(&row(to, host, bytes, mode), &resolved)?;
    arrive(stream, &resolved, mode)
}

fn flat_to_host(
    host: *mut c_void,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    if bytes == 0 {
        return Ok(());
    }
    if host.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    if driver()?.mirrors.is_shared(host as u64) {
        return flat_on_device(host as u64, from, bytes, stream, mode);
    }
    to_host(&row(from, host, bytes, mode), &resolve(stream)?)
}

pub unsafe fn cuMemcpyHtoD_v2(
    to: CUdeviceptr,
    host: *const c_void,
    bytes: usize,
    default_stream: CUstream,
) -> CudaResult {
    flat_to_device(to, host, bytes, default_stream, Mode::Synchronous)
}

pub unsafe fn cuMemcpyHtoDAsync_v2(
    to: CUdeviceptr,
    host: *const c_void,
    bytes: usize,
    stream: CUstream,
) -> CudaResult {
    flat_to_device(to, host, bytes, stream, Mode::Asynchronous)
}

pub unsafe fn cuMemcpyDtoH_v2(
    host: *mut c_void,
    from: CUdeviceptr,
    bytes: usize,
    default_stream: CUstream,
) -> CudaResult {
    flat_to_host(host, from, bytes, default_stream, Mode::Synchronous)
}

pub unsafe fn cuMemcpyDtoHAsync_v2(
    host: *mut c_void,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> CudaResult {
    flat_to_host(host, from, bytes, stream, Mode::Asynchronous)
}

/// Copies between addresses that themselves show on which side they are.
pub(in crate::api) fn unified(
    to: u64,
    from: u64,
    bytes: usize,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    if bytes == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let on_device = |address| is_device(driver, address) || driver.mirrors.is_shared(address);
    match (on_device(to), on_device(from)) {
        (true, true) => flat_on_device(to, from, bytes, stream, mode),
        (true, false) => flat_to_device(to, from as *const c_void, bytes, stream, mode),
        (false, true) => flat_to_host(to as *mut c_void, from, bytes, stream, mode),
        (false, false) => on_host(to, from, bytes, stream),
    }
}

fn flat_on_device(to: u64, from: u64, bytes: usize, stream: CUstream, mode: Mode) -> CudaResult {
    if bytes == 0 {
        return Ok(());
    }
    on_device(
        DeviceBox { address: to, pitch: bytes },
        DeviceBox { address: from, pitch: bytes },
        Extent { width: bytes, rows: 1 },
        stream,
        mode,
    )
}

pub unsafe fn cuMemcpyDtoD_v2(
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: usize,
    default_stream: CUstream,
) -> CudaResult {
    flat_on_device(to, from, bytes, default_stream, Mode::Synchronous)
}

pub unsafe fn cuMemcpyDtoDAsync_v2(
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> CudaResult {
    flat_on_device(to, from, bytes, stream, Mode::Asynchronous)
}

/// Copies on the host in stream order, for which the program must wait.
pub(in crate::api) fn on_host(to: u64, from: u64, bytes: usize, stream: CUstream) -> CudaResult {
    if to == 0 || from == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let (driver, stream) = (driver()?, resolve(stream)?);
    if let Some(graph) = driver.captures.graph_of(&stream)? {
        let [to, from] = [to, from].map(|address| HostBox::row(address as *mut u8, bytes));
        return crate::api::streams::callback::capture(
            driver,
            &stream,
            graph,
            Callback::Copy { to, from },
        );
    }
    // An idle stream needs no wait, even if its next work would wait for the legacy stream.
    let event = event::record_anew(&stream)?;
    // SAFETY: the event was made just now.
    let waited = unsafe { crate::api::streams::event::cuEventSynchronize(event) };
    // SAFETY: as above, and no other thread has it.
    unsafe { crate::api::streams::event::cuEventDestroy_v2(event) }?;
    waited?;
    // SAFETY: the program promises both ranges, which may overlap as far as the driver is
    // concerned.
    unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes) };
    Ok(())
}

pub unsafe fn cuMemcpy(
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: usize,
    default_stream: CUstream,
) -> CudaResult {
    unified(to, from, bytes, default_stream, Mode::Synchronous)
}

pub unsafe fn cuMemcpyAsync(
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
) -> CudaResult {
    unified(to, from, bytes, stream, Mode::Asynchronous)
}
