//! Registration of callbacks for a driver's notifications. This library never invokes them. They
//! would report that memory exceeds a budget, and no budget is set.

use crate::types::{CUasyncCallback, CUasyncCallbackHandle, CUdevice, CUresult};
use outhaul_lock::Mutex;
use std::collections::BTreeMap;

/// Maximum number of callbacks; a program that registers more has forgotten to unregister them.
const CALLBACKS_MAX: usize = 65_536;

/// The last handle, and the devices of the registered callbacks by handle.
static REGISTERED: Mutex<(usize, BTreeMap<usize, CUdevice>)> = Mutex::new((0, BTreeMap::new()));

/// Registers a callback.
pub fn register(
    device: CUdevice,
    callback: CUasyncCallback,
) -> Result<CUasyncCallbackHandle, CUresult> {
    let mut registered = REGISTERED.lock();
    if callback.is_none() || registered.1.len() >= CALLBACKS_MAX {
        return Err(CUresult::INVALID_VALUE);
    }
    registered.0 += 16;
    let handle = registered.0;
    registered.1.insert(handle, device);
    Ok(CUasyncCallbackHandle(handle))
}

/// Unregisters a callback. Fails if the handle does not belong to the device.
pub fn unregister(device: CUdevice, handle: CUasyncCallbackHandle) -> Result<(), CUresult> {
    let mut registered = REGISTERED.lock();
    if registered.1.get(&handle.0) != Some(&device) {
        return Err(CUresult::INVALID_VALUE);
    }
    registered.1.remove(&handle.0);
    Ok(())
}
