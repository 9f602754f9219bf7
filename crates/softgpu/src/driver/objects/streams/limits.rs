//! The limits of a context: how much memory its kernels may use for what (`CUlimit`).

use crate::driver::system::error::{Error, Result};
use crate::engine::RuntimeUse;
use std::collections::BTreeMap;

/// The limit on the size of a thread's stack.
pub const STACK: i32 = 0;
/// The size of a thread's stack in bytes, unless it is set.
pub const STACK_BYTES: usize = 1024;
const PRINTF_FIFO: i32 = 1;
const MALLOC_HEAP: i32 = 2;
/// How deep kernels may nest that wait for kernels that they launched.
pub const SYNC_DEPTH: i32 = 3;
const PENDING_LAUNCHES: i32 = 4;
const L2_FETCH: i32 = 5;
const PERSISTING_L2: i32 = 6;

/// Local memory that a GPU gives a thread at most, in bytes. A stack must be smaller.
const LOCAL_BYTES_MAX: usize = 512 << 10;
/// The L2 cache fetches at most this many bytes at once.
const L2_FETCH_BYTES_MAX: usize = 128;
/// The least heap and FIFO that an H200 gives, in bytes.
const HEAP_BYTES_MIN: usize = 4 << 20;
const FIFO_BYTES_MIN: usize = 512 << 10;

/// A context's limits.
pub struct Limits {
    values: BTreeMap<i32, usize>,
    /// The functions that launched kernels use. Their limits are fixed.
    used: RuntimeUse,
}

impl Default for Limits {
    fn default() -> Limits {
        let values = [
            (STACK, STACK_BYTES),
            (PRINTF_FIFO, 1 << 20),
            (MALLOC_HEAP, 8 << 20),
            (SYNC_DEPTH, 2),
            (PENDING_LAUNCHES, 2048),
            (L2_FETCH, 64),
            (PERSISTING_L2, 0),
        ];
        Limits { values: values.into(), used: RuntimeUse::default() }
    }
}

impl Limits {
    /// Returns a limit.
    pub fn get(&self, id: i32) -> Result<usize> {
        self.values.get(&id).copied().ok_or(Error::InvalidValue)
    }

    /// Sets a limit. Fails if it is too large, or if a kernel that uses it was launched.
    pub fn set(&mut self, id: i32, value: usize) -> Result<()> {
        let granted = match id {
            STACK if value >= LOCAL_BYTES_MAX => return Err(Error::InvalidValue),
            L2_FETCH if value > L2_FETCH_BYTES_MAX => return Err(Error::InvalidValue),
            PRINTF_FIFO if self.used.prints => return Err(Error::InvalidValue),
            MALLOC_HEAP if self.used.allocates => return Err(Error::InvalidValue),
            PRINTF_FIFO => value.max(FIFO_BYTES_MIN),
            MALLOC_HEAP => value.max(HEAP_BYTES_MIN),
            _ => value,
        };
        *self.values.get_mut(&id).ok_or(Error::InvalidValue)? = granted;
        Ok(())
    }

    /// Returns the sizes in bytes of the heap and of the buffer for printed text, each 0 unless
    /// launched kernels use it.
    pub fn used_bytes(&self) -> (u64, u64) {
        let size = |used: bool, id: i32| if used { self.values[&id] as u64 } else { 0 };
        (size(self.used.allocates, MALLOC_HEAP), size(self.used.prints, PRINTF_FIFO))
    }

    /// Fixes the limits that a launched kernel uses. Returns the size of the heap in bytes.
    pub fn fix(&mut self, launched: RuntimeUse) -> u64 {
        self.used.allocates |= launched.allocates;
        self.used.prints |= launched.prints;
        self.values[&MALLOC_HEAP] as u64
    }
}
