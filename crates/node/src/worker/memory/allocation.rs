//! Allocates device memory, and maps it with access for devices.

use super::mapping;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use std::collections::BTreeSet;

/// Returns `device`'s memory as a location.
pub fn at(device: CUdevice) -> CUmemLocation {
    CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id: device }
}

/// Returns the allocation properties for a device's memory.
pub fn properties(device: CUdevice, handle_types: i32) -> CUmemAllocationProp {
    CUmemAllocationProp {
        type_: values::MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: handle_types,
        location: at(device),
        win32HandleMetaData: std::ptr::null_mut(),
        compressionType: 0,
        gpuDirectRDMACapable: 0,
        usage: 0,
        reserved: [0; 4],
    }
}

/// Allocates device memory.
pub fn create(
    driver: &Driver,
    device: CUdevice,
    handle_types: i32,
    bytes: u64,
) -> Result<CUmemGenericAllocationHandle, CUresult> {
    mapping::create(driver, bytes, &properties(device, handle_types))
}

/// Maps memory and gives the device and `accessors` access to it.
pub fn back(
    driver: &Driver,
    device: CUdevice,
    accessors: &BTreeSet<CUdevice>,
    address: u64,
    bytes: u64,
    handle: CUmemGenericAllocationHandle,
) -> Result<(), CUresult> {
    // SAFETY: the range is in the session's reservation, and nothing is mapped there yet.
    unsafe { mapping::map(driver, address, bytes, 0, handle) }?;
    let devices = accessors.iter().chain([&device]);
    devices.into_iter().try_for_each(|one| allow_access(driver, *one, address, bytes)).inspect_err(
        |_| {
            // SAFETY: this function has just mapped the range, and nothing uses it.
            let _ = unsafe { mapping::unmap(driver, address, bytes) };
        },
    )
}

/// Gives a device access to mapped memory.
pub fn allow_access(
    driver: &Driver,
    device: CUdevice,
    address: u64,
    bytes: u64,
) -> Result<(), CUresult> {
    let access =
        CUmemAccessDesc { location: at(device), flags: values::MEM_ACCESS_FLAGS_PROT_READWRITE };
    // SAFETY: the range is one of the session's mappings.
    unsafe { mapping::allow_access(driver, address, bytes, access) }
}
