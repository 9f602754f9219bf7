//! Memory pools. A pool holds no memory in reserve. A pool keeps its attributes because programs
//! read the values that they set.

use crate::driver::lock;
use crate::driver::system::error::{Error, Result};
use outhaul_abi::types::values::MEM_ACCESS_FLAGS_PROT_READWRITE;
use outhaul_lock::Mutex;
use std::collections::BTreeMap;

/// Unit of a pool's maximum size in bytes, measured on NVIDIA's driver 580.159.
const MAX_UNIT_BYTES: u64 = 32 << 20;

const RELEASE_THRESHOLD: i32 = 4;
const RESERVED_NOW: i32 = 5;
const RESERVED_HIGH: i32 = 6;
const USED_NOW: i32 = 7;
const USED_HIGH: i32 = 8;

/// A `CUmemoryPool`.
pub struct Pool {
    /// Ordinal of the device.
    pub device: i32,
    /// Upper bound for the bytes in use.
    bytes_max: u64,
    state: Mutex<PoolState>,
}

struct PoolState {
    used_bytes: u64,
    used_high_bytes: u64,
    /// Attributes that programs may set: reuse policies (1 to 3) and the release threshold.
    settings: BTreeMap<i32, u64>,
    /// Permitted accesses of each device.
    access: BTreeMap<i32, i32>,
}

/// Returns whether an attribute has 64 bits. Attributes below the release threshold are ints.
pub fn attribute_is_wide(attribute: i32) -> bool {
    attribute >= RELEASE_THRESHOLD
}

impl Pool {
    /// Returns an empty pool for at most `bytes_max` bytes, rounded up as NVIDIA's driver does; 0
    /// means any number.
    pub fn new(device: i32, bytes_max: u64) -> Pool {
        let bytes_max = match bytes_max {
            0 => u64::MAX,
            bytes => bytes.checked_next_multiple_of(MAX_UNIT_BYTES).unwrap_or(u64::MAX),
        };
        let settings = BTreeMap::from([(1, 1), (2, 1), (3, 1), (RELEASE_THRESHOLD, 0)]);
        let access = BTreeMap::from([(device, MEM_ACCESS_FLAGS_PROT_READWRITE)]);
        Pool {
            device,
            bytes_max,
            state: Mutex::new(PoolState { used_bytes: 0, used_high_bytes: 0, settings, access }),
        }
    }

    /// Sets a device's permitted accesses to the pool.
    pub fn set_access(&self, device: i32, flags: i32) {
        lock(&self.state).access.insert(device, flags);
    }

    /// Returns a device's permitted accesses to the pool.
    pub fn access(&self, device: i32) -> i32 {
        lock(&self.state).access.get(&device).copied().unwrap_or(0)
    }

    /// Returns an attribute's value.
    pub fn attribute(&self, attribute: i32) -> Result<u64> {
        let state = lock(&self.state);
        match attribute {
            RESERVED_NOW | USED_NOW => Ok(state.used_bytes),
            RESERVED_HIGH | USED_HIGH => Ok(state.used_high_bytes),
            other => state.settings.get(&other).copied().ok_or(Error::InvalidValue),
        }
    }

    /// Sets an attribute's value.
    pub fn set_attribute(&self, attribute: i32, value: u64) -> Result<()> {
        let mut state = lock(&self.state);
        match attribute {
            RESERVED_HIGH | USED_HIGH if value == 0 => state.used_high_bytes = state.used_bytes,
            other => *state.settings.get_mut(&other).ok_or(Error::InvalidValue)? = value,
        }
        Ok(())
    }

    /// Subtracts `bytes` from the memory in use.
    pub fn count_freed(&self, bytes: u64) {
        lock(&self.state).used_bytes -= bytes;
    }

    /// Adds `bytes` to the memory in use, unless that would exceed the pool's maximum. Returns
    /// whether it did. The caller allocates the memory afterwards, because another thread may free
    /// it at once.
    pub fn count_used(&self, bytes: u64) -> bool {
        let mut state = lock(&self.state);
        let total = state.used_bytes.checked_add(bytes).filter(|total| *total <= self.bytes_max);
        let Some(total) = total else { return false };
        state.used_bytes = total;
        state.used_high_bytes = state.used_high_bytes.max(total);
        true
    }
}
