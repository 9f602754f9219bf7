//! Flat copies, and copies between unified addresses, which imply the side that they are on.

use crate::api::arguments::CudaResult;
use crate::api::copies::on_device::on_device;
use crate::api::copies::to_device::{arrive, to_device};
use crate::api::copies::to_host::to_host;
use crate::api::streams::event;
use crate::driver::memory::address_lookup::{check_host, is_device, is_device_only};
use crate::driver::state::{Driver, driver};
use crate::driver::streams::resolve;
use crate::objects::copy_shape::{DeviceBox, Extent, HostCopy, Mode};
use crate::session::bulk::transfer::HostBox;
use crate::session::callbacks::Callback;
use outhaul_abi::types::*;
use std::ffi::c_void;

/// Returns the description of a copy of one row.
fn row(device: CUdeviceptr, host: *const c_void, bytes: usize, mode: Mode) -> HostCopy {
    HostCopy {
        device: DeviceBox { address: device, pitch: bytes },
        host: HostBox::row(host.cast_mut().cast(), bytes),
        mode,
    }
}

/// Returns whether the device itself uses an address that the program passes as host memory: shared
/// memory, or device memory in a copy whose direction does not fit its pointers.
pub(super) fn is_on_device(driver: &Driver, host: u64) -> bool {
    driver.managed.is_shared(host) || is_device_only(driver, host)
}

/// Copies bytes from the program's memory to the device.
///
/// # Safety
/// `host` is null or valid for reads of `bytes` bytes.
pub unsafe fn flat_to_device(
    to: CUdeviceptr,
    host: *const c_void,
    bytes: usize,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    if bytes == 0 {
        return Ok(());
    }
    if is_on_device(driver()?, host as u64) {
        return flat_on_device(to, host as u64, bytes, stream, mode);
    }
    check_host(host as u64, bytes as u64)?;
    let resolved = resolve(stream)?;
    to_device(&row(to, host, bytes, mode), &resolved)?;
    arrive(stream, &resolved, mode)
}

/// Copies bytes from the device to the program's memory.
///
/// # Safety
/// `host` is null or valid for writes of `bytes` bytes.
pub unsafe fn flat_to_host(
    host: *mut c_void,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
    if bytes == 0 {
        return Ok(());
    }
    if is_on_device(driver()?, host as u64) {
        return flat_on_device(host as u64, from, bytes, stream, mode);
    }
    check_host(host as u64, bytes as u64)?;
    to_host(&row(from, host, bytes, mode), &resolve(stream)?)
}

/// Copies bytes between unified addresses, which imply the side that they are on.
pub fn unified(to: u64, from: u64, bytes: usize, stream: CUstream, mode: Mode) -> CudaResult {
    if bytes == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let on_device = |address| is_device(driver, address) || driver.managed.is_shared(address);
    match (on_device(to), on_device(from)) {
        (true, true) => flat_on_device(to, from, bytes, stream, mode),
        // SAFETY: the program guarantees that both ranges are valid.
        (true, false) => unsafe { flat_to_device(to, from as *const c_void, bytes, stream, mode) },
        // SAFETY: the program guarantees that both ranges are valid.
        (false, true) => unsafe { flat_to_host(to as *mut c_void, from, bytes, stream, mode) },
        (false, false) => on_host(to, from, bytes, stream),
    }
}

/// Copies bytes between two addresses that the device can access.
pub fn flat_on_device(
    to: u64,
    from: u64,
    bytes: usize,
    stream: CUstream,
    mode: Mode,
) -> CudaResult {
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

/// Copies between two host ranges in stream order, which makes the calling thread wait. In a
/// capture, adds the copy to the graph.
pub(in crate::api) fn on_host(to: u64, from: u64, bytes: usize, stream: CUstream) -> CudaResult {
    check_host(to, bytes as u64)?;
    check_host(from, bytes as u64)?;
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
    // An idle stream causes no wait here, although its next work would wait for the legacy stream.
    let recorded = event::record_anew(&stream)?;
    let waited = event::synchronize(recorded);
    event::destroy(recorded)?;
    waited?;
    // SAFETY: the program guarantees that both ranges are valid; `copy` allows an overlap.
    unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes) };
    Ok(())
}
