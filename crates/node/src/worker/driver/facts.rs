//! Facts that a client learns once: the driver's version, and the properties of each device that
//! never change.

use crate::RELEASE;
use crate::accounting::tenants::identity;
use crate::worker::memory::Memory;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::codec::List;
use outhaul_wire::handshake::{self, Device, KeyShare, Kind, Welcome};
use std::ffi::{CStr, c_char};

const TEXT_BYTES: usize = 256;
/// Value for an attribute that the driver does not know.
const NO_ATTRIBUTE: i32 = i32::MIN;

/// Returns the number of devices.
pub fn device_count(driver: &Driver) -> Result<i32, CUresult> {
    let mut count = 0;
    // SAFETY: the count goes to a local.
    unsafe { driver.cuDeviceGetCount(&mut count) }.ok()?;
    Ok(count)
}

/// Returns the identities of the session's devices, by ordinal.
pub fn identities(driver: &Driver) -> Result<Vec<u64>, CUresult> {
    let of = |ordinal| {
        let mut uuid = CUuuid::default();
        // SAFETY: the UUID goes to a local.
        unsafe { driver.cuDeviceGetUuid_v2(&mut uuid, ordinal) }.ok()?;
        Ok(identity(&uuid.bytes))
    };
    (0..device_count(driver)?).map(of).collect()
}

/// Returns the encoded welcome.
pub fn welcome(driver: &Driver, memory: &Memory, key_share: KeyShare) -> Result<Vec<u8>, CUresult> {
    let mut driver_version = 0;
    // SAFETY: the version goes to a local.
    unsafe { driver.cuDriverGetVersion(&mut driver_version) }.ok()?;
    let texts = (0..device_count(driver)?)
        .map(|d| Ok((name(driver, d)?, pci_bus_id(driver, d)?)))
        .collect::<Result<Vec<_>, CUresult>>()?;
    let devices = texts
        .iter()
        .enumerate()
        .map(|(i, (name, bus))| device(driver, memory, i, name, bus))
        .collect::<Result<Vec<_>, CUresult>>()?;
    Ok(handshake::encode(
        Kind::Welcome,
        &Welcome { release: RELEASE, driver_version, devices: List(devices), key_share },
    ))
}

fn device<'a>(
    driver: &Driver,
    memory: &Memory,
    ordinal: usize,
    name: &'a str,
    pci_bus_id: &'a str,
) -> Result<Device<'a>, CUresult> {
    let mut uuid = CUuuid::default();
    let mut total = 0;
    // SAFETY: both go to locals.
    unsafe {
        driver.cuDeviceGetUuid_v2(&mut uuid, ordinal as i32).ok()?;
        driver.cuDeviceTotalMem_v2(&mut total, ordinal as i32).ok()?;
    }
    let arena = memory.device(ordinal);
    let attribute = |id: usize| {
        let mut value = 0;
        // SAFETY: the value goes to a local.
        let result = unsafe { driver.cuDeviceGetAttribute(&mut value, id as i32, ordinal as i32) };
        if result == CUresult::SUCCESS { value } else { NO_ATTRIBUTE }
    };
    Ok(Device {
        name,
        uuid: uuid.bytes,
        pci_bus_id,
        total_bytes: arena.limited(total as u64),
        granularity_bytes: arena.granularity_bytes,
        arena_base: arena.base,
        arena_bytes: arena.bytes,
        granted_bytes: arena.granted_bytes,
        is_limited: arena.is_limited,
        memory_moves: arena.moves(),
        attributes: List((0..values::DEVICE_ATTRIBUTE_COUNT).map(attribute).collect()),
    })
}

fn text(fill: impl FnOnce(*mut c_char, i32) -> CUresult) -> Result<String, CUresult> {
    let mut buffer = [0 as c_char; TEXT_BYTES];
    fill(buffer.as_mut_ptr(), (TEXT_BYTES - 1) as i32).ok()?;
    // SAFETY: the driver wrote a C string, and the last byte is NUL in any case.
    Ok(unsafe { CStr::from_ptr(buffer.as_ptr()) }.to_string_lossy().into_owned())
}

fn name(driver: &Driver, device: CUdevice) -> Result<String, CUresult> {
    // SAFETY: the buffer has the length that is passed.
    text(|buffer, length| unsafe { driver.cuDeviceGetName(buffer, length, device) })
}

fn pci_bus_id(driver: &Driver, device: CUdevice) -> Result<String, CUresult> {
    // SAFETY: the buffer has the length that is passed.
    text(|buffer, length| unsafe { driver.cuDeviceGetPCIBusId(buffer, length, device) })
}
