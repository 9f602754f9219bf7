//! Devices: enumeration, identity and attributes.

use std::ffi::c_char;

use outhaul_abi::types::*;

use crate::driver::api::arguments::{name, put, put_text, take_all};
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

/// Supported atomic operations: signed, unsigned, as reductions, of 32 and 64 bits.
const ATOMIC_CAPABILITIES: u32 = 0x1f;

pub unsafe fn cuDeviceGetCount(count: *mut i32) -> Result<()> {
    put(count, driver()?.devices.len() as i32)
}

pub unsafe fn cuDeviceGet(device: *mut CUdevice, ordinal: i32) -> Result<()> {
    put(device, driver()?.device(ordinal)?.ordinal)
}

pub unsafe fn cuDeviceGetName(buffer: *mut c_char, len: i32, dev: CUdevice) -> Result<()> {
    put_text(buffer, len, &driver()?.device(dev)?.name())
}

pub unsafe fn cuDeviceGetUuid(uuid: *mut CUuuid, dev: CUdevice) -> Result<()> {
    put(uuid, CUuuid { bytes: driver()?.device(dev)?.uuid() })
}

pub unsafe fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice) -> Result<()> {
    put(uuid, CUuuid { bytes: driver()?.device(dev)?.uuid() })
}

pub unsafe fn cuDeviceGetPCIBusId(pciBusId: *mut c_char, len: i32, dev: CUdevice) -> Result<()> {
    put_text(pciBusId, len, &driver()?.device(dev)?.pci_bus_id())
}

pub unsafe fn cuDeviceGetByPCIBusId(dev: *mut CUdevice, pciBusId: *const c_char) -> Result<()> {
    let wanted = name(pciBusId)?;
    let device = driver()?
        .devices
        .iter()
        .find(|device| device.has_pci_bus_id(wanted))
        .ok_or(Error::InvalidDevice)?;
    put(dev, device.ordinal)
}

pub unsafe fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice) -> Result<()> {
    put(bytes, driver()?.device(dev)?.memory_bytes as usize)
}

pub unsafe fn cuDeviceComputeCapability(
    major: *mut i32,
    minor: *mut i32,
    dev: CUdevice,
) -> Result<()> {
    let (most, least) = driver()?.device(dev)?.capability;
    put(major, most as i32)?;
    put(minor, least as i32)
}

pub unsafe fn cuDeviceGetAttribute(
    pi: *mut i32,
    attrib: CUdevice_attribute,
    dev: CUdevice,
) -> Result<()> {
    put(pi, driver()?.device(dev)?.attribute(attrib).ok_or(Error::InvalidValue)?)
}

/// Returns the operations that a program asks about. Fails if the list is empty or has an unknown
/// operation.
fn operations(asked: *const CUatomicOperation, count: u32) -> Result<Vec<CUatomicOperation>> {
    let asked = take_all(asked, count as usize)?;
    let known = asked.iter().all(|operation| (0..values::ATOMIC_OPERATIONS).contains(operation));
    if known && !asked.is_empty() { Ok(asked) } else { Err(Error::InvalidValue) }
}

fn put_capabilities(place: *mut u32, asked: &[CUatomicOperation], bits: u32) -> Result<()> {
    if place.is_null() {
        return Err(Error::InvalidValue);
    }
    // SAFETY: checked for null; the program guarantees that it is valid for writes of one word per
    // operation.
    (0..asked.len()).for_each(|index| unsafe { place.add(index).write_unaligned(bits) });
    Ok(())
}

/// Reports no native host atomics, like the corresponding device attribute.
pub unsafe fn cuDeviceGetHostAtomicCapabilities(
    capabilities: *mut u32,
    asked: *const CUatomicOperation,
    count: u32,
    dev: CUdevice,
) -> Result<()> {
    driver()?.device(dev)?;
    put_capabilities(capabilities, &operations(asked, count)?, 0)
}

/// Reports all atomic operations, because all devices' memory is the memory of one machine.
pub unsafe fn cuDeviceGetP2PAtomicCapabilities(
    capabilities: *mut u32,
    asked: *const CUatomicOperation,
    count: u32,
    srcDevice: CUdevice,
    dstDevice: CUdevice,
) -> Result<()> {
    let driver = driver()?;
    let (source, target) = (driver.device(srcDevice)?.ordinal, driver.device(dstDevice)?.ordinal);
    let asked = operations(asked, count)?;
    if source == target {
        return Err(Error::InvalidDevice);
    }
    put_capabilities(capabilities, &asked, ATOMIC_CAPABILITIES)
}

/// Returns device attributes as a structure.
pub unsafe fn cuDeviceGetProperties(prop: *mut CUdevprop, dev: CUdevice) -> Result<()> {
    let device = driver()?.device(dev)?;
    let number = |attribute| device.attribute(attribute).ok_or(Error::InvalidValue);
    let three = |first| Ok([number(first)?, number(first + 1)?, number(first + 2)?]);
    put(
        prop,
        CUdevprop {
            maxThreadsPerBlock: number(1)?,
            maxThreadsDim: three(2)?,
            maxGridSize: three(5)?,
            sharedMemPerBlock: number(8)?,
            totalConstantMemory: number(9)?,
            SIMDWidth: number(10)?,
            memPitch: number(11)?,
            regsPerBlock: number(12)?,
            clockRate: number(13)?,
            textureAlign: number(14)?,
        },
    )
}

/// Reports that any two devices can access each other, because all memory is that of one machine.
pub unsafe fn cuDeviceCanAccessPeer(
    canAccessPeer: *mut i32,
    dev: CUdevice,
    peerDev: CUdevice,
) -> Result<()> {
    let driver = driver()?;
    put(canAccessPeer, i32::from(driver.device(dev)?.ordinal != driver.device(peerDev)?.ordinal))
}

/// Supports these attributes: performance rank, access, native atomics, array access.
pub unsafe fn cuDeviceGetP2PAttribute(
    value: *mut i32,
    attrib: CUdevice_P2PAttribute,
    srcDevice: CUdevice,
    dstDevice: CUdevice,
) -> Result<()> {
    let driver = driver()?;
    if driver.device(srcDevice)?.ordinal == driver.device(dstDevice)?.ordinal {
        return Err(Error::InvalidDevice);
    }
    match attrib {
        1 | 4 => put(value, 0),
        2 | 3 => put(value, 1),
        _ => Err(Error::InvalidValue),
    }
}

/// Reports that affinity to a number of multiprocessors is not supported.
pub unsafe fn cuDeviceGetExecAffinitySupport(
    pi: *mut i32,
    _type: CUexecAffinityType,
    dev: CUdevice,
) -> Result<()> {
    driver()?.device(dev)?;
    put(pi, 0)
}

/// Returns the maximum width of a linear texture, which is that of a real GPU for every format.
pub unsafe fn cuDeviceGetTexture1DLinearMaxWidth(
    maxWidthInElements: *mut usize,
    _format: CUarray_format,
    _numChannels: u32,
    dev: CUdevice,
) -> Result<()> {
    const ATTRIBUTE: i32 = 69;
    let width = driver()?.device(dev)?.attribute(ATTRIBUTE).ok_or(Error::InvalidValue)?;
    put(maxWidthInElements, width as usize)
}
