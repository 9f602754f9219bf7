//! Devices, as the handshake identified them. Like native NVML, this module lists all devices of
//! the nodes in their drivers' order, regardless of CUDA_VISIBLE_DEVICES.

#![allow(non_snake_case, clippy::missing_safety_doc)]

use super::entry::{CudaResult, code_of, driver, put, put_text};
use crate::api::copies::peer::ask_attribute;
use crate::base::pci::PciAddress;
use crate::driver::state::Driver;
use crate::objects::device_facts::{Device, attribute};
use crate::session::Response;
use outhaul_abi::nvml::*;
use outhaul_abi::types::CUuuid;
use outhaul_wire::codec::Reader;
use outhaul_wire::limits::GPUS_MAX;
use outhaul_wire::messages::{NvmlPciIds, NvmlPciIdsReply};
use std::ffi::{CStr, c_char};

/// Storage whose addresses serve as handles. A device's handle is the address of the byte at its
/// ordinal.
static HANDLES: [u8; GPUS_MAX] = [0; GPUS_MAX];

/// Returns the device's ordinal among the devices of all nodes.
pub fn ordinal(driver: &Driver, device: nvmlDevice_t) -> Result<i32, nvmlReturn_t> {
    let ordinal = device.0.wrapping_sub(HANDLES.as_ptr() as usize);
    if ordinal < driver.facts.node_devices.len() {
        Ok(ordinal as i32)
    } else {
        Err(nvmlReturn_t::INVALID_ARGUMENT)
    }
}

/// Returns the facts of the device with the handle `device`.
pub fn facts(device: nvmlDevice_t) -> Result<&'static Device, nvmlReturn_t> {
    let driver = driver()?;
    Ok(&driver.facts.node_devices[ordinal(driver, device)? as usize])
}

/// Returns the facts of the device with the ordinal `index`.
pub fn facts_at(index: u32) -> Result<&'static Device, nvmlReturn_t> {
    driver()?
        .facts
        .node_devices
        .get(index as usize)
        .map(|d| &**d)
        .ok_or(nvmlReturn_t::INVALID_ARGUMENT)
}

/// Returns the ordinal by which the CUDA driver knows a device, if the program sees it.
pub fn cuda_ordinal(driver: &Driver, device: &Device) -> Option<i32> {
    let ordinal = driver.facts.devices.iter().position(|seen| std::ptr::eq(&**seen, device));
    ordinal.map(|ordinal| ordinal as i32)
}

/// # Safety
/// `place` is null or valid for writes of a handle.
unsafe fn put_handle(place: *mut nvmlDevice_t, ordinal: usize) -> CudaResult {
    // SAFETY: the caller upholds this function's contract.
    unsafe { put(place, nvmlDevice_t(HANDLES.as_ptr() as usize + ordinal)) }
}

pub unsafe fn nvmlDeviceGetCount(count: *mut u32) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(count, driver()?.facts.node_devices.len() as u32) }
}

pub unsafe fn nvmlDeviceGetCount_v2(count: *mut u32) -> CudaResult {
    // SAFETY: both functions have the same contract.
    unsafe { nvmlDeviceGetCount(count) }
}

pub unsafe fn nvmlDeviceGetHandleByIndex(index: u32, device: *mut nvmlDevice_t) -> CudaResult {
    if index as usize >= driver()?.facts.node_devices.len() {
        return Err(nvmlReturn_t::INVALID_ARGUMENT);
    }
    // SAFETY: the program's out-pointer for a handle.
    unsafe { put_handle(device, index as usize) }
}

pub unsafe fn nvmlDeviceGetHandleByIndex_v2(index: u32, device: *mut nvmlDevice_t) -> CudaResult {
    // SAFETY: both functions have the same contract.
    unsafe { nvmlDeviceGetHandleByIndex(index, device) }
}

/// Writes the handle of the first device for which `fits` accepts the program's text.
///
/// # Safety
/// `text` is null or a C string; `device` is null or valid for writes of a handle.
unsafe fn find(
    text: *const c_char,
    device: *mut nvmlDevice_t,
    fits: impl Fn(&Device, &str) -> bool,
) -> CudaResult {
    let driver = driver()?;
    if text.is_null() {
        return Err(nvmlReturn_t::INVALID_ARGUMENT);
    }
    // SAFETY: checked for null; the caller guarantees a C string.
    let text =
        unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| nvmlReturn_t::INVALID_ARGUMENT)?;
    let found = driver
        .facts
        .node_devices
        .iter()
        .position(|d| fits(d, text))
        .ok_or(nvmlReturn_t::NOT_FOUND)?;
    // SAFETY: the caller upholds this function's contract.
    unsafe { put_handle(device, found) }
}

pub unsafe fn nvmlDeviceGetHandleByPciBusId(
    bus_id: *const c_char,
    device: *mut nvmlDevice_t,
) -> CudaResult {
    // SAFETY: the program guarantees what `find` requires of `bus_id` and `device`.
    unsafe {
        find(bus_id, device, |d, text| {
            PciAddress::parse(text).is_some_and(|address| address == d.pci_address())
        })
    }
}

pub unsafe fn nvmlDeviceGetHandleByPciBusId_v2(
    bus_id: *const c_char,
    device: *mut nvmlDevice_t,
) -> CudaResult {
    // SAFETY: both functions have the same contract.
    unsafe { nvmlDeviceGetHandleByPciBusId(bus_id, device) }
}

pub unsafe fn nvmlDeviceGetHandleByUUID(
    uuid: *const c_char,
    device: *mut nvmlDevice_t,
) -> CudaResult {
    // SAFETY: the program guarantees what `find` requires of `uuid` and `device`.
    unsafe { find(uuid, device, |d, text| text.eq_ignore_ascii_case(&uuid_text(d))) }
}

pub unsafe fn nvmlDeviceGetIndex(device: nvmlDevice_t, index: *mut u32) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(index, ordinal(driver()?, device)? as u32) }
}

pub unsafe fn nvmlDeviceGetName(
    device: nvmlDevice_t,
    name: *mut c_char,
    length: u32,
) -> CudaResult {
    // SAFETY: the program guarantees that `name` is null or valid for writes of `length` bytes.
    unsafe { put_text(name, length, &facts(device)?.name) }
}

fn uuid_text(device: &Device) -> String {
    format!("GPU-{}", CUuuid { bytes: device.uuid })
}

pub unsafe fn nvmlDeviceGetUUID(
    device: nvmlDevice_t,
    uuid: *mut c_char,
    length: u32,
) -> CudaResult {
    // SAFETY: the program guarantees that `uuid` is null or valid for writes of `length` bytes.
    unsafe { put_text(uuid, length, &uuid_text(facts(device)?)) }
}

/// Returns the device's PCI ids. CUDA does not report them, so both are 0 if the node has no NVML.
fn pci_ids(device: &Device) -> Result<NvmlPciIdsReply, nvmlReturn_t> {
    let Response { status, body, .. } =
        device.session.call_apart(&NvmlPciIds { device: device.node_ordinal }).map_err(code_of)?;
    match status.ok().map_err(code_of) {
        Ok(()) => Reader::new(&body).whole().map_err(|_| nvmlReturn_t::UNKNOWN),
        Err(nvmlReturn_t::NOT_SUPPORTED) => Ok(NvmlPciIdsReply { device_id: 0, subsystem_id: 0 }),
        Err(code) => Err(code),
    }
}

fn fixed_text<const N: usize>(text: &str) -> [c_char; N] {
    let mut buffer = [0; N];
    for (place, byte) in buffer[..N - 1].iter_mut().zip(text.bytes()) {
        *place = byte as c_char;
    }
    buffer
}

pub unsafe fn nvmlDeviceGetPciInfo_v3(device: nvmlDevice_t, pci: *mut nvmlPciInfo_t) -> CudaResult {
    let facts = facts(device)?;
    let PciAddress { domain, bus, device: slot } = facts.pci_address();
    let ids = pci_ids(facts)?;
    let info = nvmlPciInfo_t {
        busIdLegacy: fixed_text(&format!("{domain:04X}:{bus:02X}:{slot:02X}.0")),
        domain,
        bus,
        device: slot,
        pciDeviceId: ids.device_id,
        pciSubSystemId: ids.subsystem_id,
        busId: fixed_text(&format!("{domain:08X}:{bus:02X}:{slot:02X}.0")),
    };
    // SAFETY: the program's out-pointer for the struct.
    unsafe { put(pci, info) }
}

pub unsafe fn nvmlDeviceGetCudaComputeCapability(
    device: nvmlDevice_t,
    major: *mut i32,
    minor: *mut i32,
) -> CudaResult {
    let capability = facts(device)?.capability() as i32;
    // SAFETY: the program's out-pointers for numbers.
    unsafe {
        put(major, capability / 10)?;
        put(minor, capability % 10)
    }
}

pub unsafe fn nvmlDeviceGetArchitecture(
    device: nvmlDevice_t,
    architecture: *mut u32,
) -> CudaResult {
    const UNKNOWN: u32 = u32::MAX;
    let number = match facts(device)?.capability() {
        30..50 => 2,
        50..60 => 3,
        60..70 => 4,
        70..75 => 5,
        75..80 => 6,
        89 => 8,
        80..90 => 7,
        90..100 => 9,
        100..130 => 10,
        _ => UNKNOWN,
    };
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(architecture, number) }
}

/// Writes CUDA's compute mode, because NVML uses the same values.
pub unsafe fn nvmlDeviceGetComputeMode(device: nvmlDevice_t, mode: *mut u32) -> CudaResult {
    let value = facts(device)?
        .attribute(attribute::COMPUTE_MODE)
        .map_err(|_| nvmlReturn_t::NOT_SUPPORTED)?;
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(mode, value as u32) }
}

/// Writes 0, because a node offers a MIG slice like any other device.
pub unsafe fn nvmlDeviceIsMigDeviceHandle(device: nvmlDevice_t, is_mig: *mut u32) -> CudaResult {
    facts(device)?;
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(is_mig, 0) }
}

/// Writes what the node's driver reports about peer access and atomics. Other kinds are
/// unsupported, because the client does not know the links and buses between devices.
pub unsafe fn nvmlDeviceGetP2PStatus(
    one: nvmlDevice_t,
    other: nvmlDevice_t,
    kind: u32,
    status: *mut u32,
) -> CudaResult {
    const KINDS: u32 = 5;
    const OK: u32 = 0;
    const NOT_SUPPORTED: u32 = 5;
    const ACCESS: i32 = 2;
    const NATIVE_ATOMICS: i32 = 3;
    let (one, other) = (facts(one)?, facts(other)?);
    let attribute = match kind {
        0 | 1 => Some(ACCESS),
        3 => Some(NATIVE_ATOMICS),
        KINDS.. => return Err(nvmlReturn_t::INVALID_ARGUMENT),
        _ => None,
    };
    let is_supported =
        attribute.is_some_and(|attribute| ask_attribute(attribute, one, other) == Ok(1));
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(status, if is_supported { OK } else { NOT_SUPPORTED }) }
}
