//! Callbacks for what a driver says by itself. Nothing is ever said: it would be that memory is
//! short of a budget, and none is set.

use crate::types::{CUasyncCallback, CUasyncCallbackHandle, CUdevice, CUresult};
use outhaul_lock::Mutex;
use std::collections::BTreeMap;

/// A program that registers more forgets to take them back.
const CALLBACKS_MAX: usize = 65_536;

/// The devices of those that are registered.
static REGISTERED: Mutex<(usize, BTreeMap<usize, CUdevice>)> = Mutex::new((0, BTreeMap::new()));

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

pub fn unregister(device: CUdevice, handle: CUasyncCallbackHandle) -> Result<(), CUresult> {
    let mut registered = REGISTERED.lock();
    if registered.1.get(&handle.0) != Some(&device) {
        return Err(CUresult::INVALID_VALUE);
    }
    registered.1.remove(&handle.0);
    Ok(())
}
