//! The driver's devices and their identities.

use crate::accounting::tenants::identity;
use outhaul_abi::Driver;
use outhaul_abi::types::*;

/// Returns the number of devices.
pub fn device_count(driver: &Driver) -> Result<i32, CUresult> {
    let mut count = 0;
    // SAFETY: the out-pointer is a local.
    unsafe { driver.cuDeviceGetCount(&mut count) }.ok()?;
    Ok(count)
}

/// Returns the identities of the session's devices, by ordinal.
pub fn identities(driver: &Driver) -> Result<Vec<u64>, CUresult> {
    let of = |ordinal| Ok(identity(&uuid_of(driver, ordinal)?.bytes));
    (0..device_count(driver)?).map(of).collect()
}

/// Returns a device's UUID.
pub fn uuid_of(driver: &Driver, device: CUdevice) -> Result<CUuuid, CUresult> {
    let mut uuid = CUuuid::default();
    // SAFETY: the out-pointer is a local.
    unsafe { driver.cuDeviceGetUuid_v2(&mut uuid, device) }.ok()?;
    Ok(uuid)
}
