//! Stream-ordered allocation. A stream can reuse its own freed blocks at once. Other streams can
//! use a freed block after the device has reached the free.

use crate::base::epoch;
use crate::base::epoch::Epoch;
use crate::objects::streams::stream_key::Key;
use outhaul_abi::types::{CUmemAccess_flags, CUresult, values};
use outhaul_lock::Mutex;
use std::collections::{HashMap, HashSet};

/// Numbers of pool attributes, as in `CUmemPool_attribute`.
#[allow(missing_docs)]
pub mod attribute {
    pub const REUSE_FOLLOW_EVENT_DEPENDENCIES: i32 = 1;
    pub const REUSE_ALLOW_INTERNAL_DEPENDENCIES: i32 = 3;
    pub const RELEASE_THRESHOLD: i32 = 4;
    pub const RESERVED_CURRENT: i32 = 5;
    pub const RESERVED_HIGH: i32 = 6;
    pub const USED_CURRENT: i32 = 7;
    pub const USED_HIGH: i32 = 8;
}

/// Unit of a pool's maximum size in bytes, measured on NVIDIA's driver 580.159.
const MAX_UNIT_BYTES: u64 = 32 << 20;

/// A pool that the program created, or a device's default pool.
pub struct Pool {
    /// The handle that the program holds.
    pub handle: u64,
    /// Ordinal of the device.
    pub device: i32,
    /// Kinds of handles by which other processes may import the pool.
    pub handle_types: i32,
    /// Upper bound for the pool's bytes.
    pub bytes_max: u64,
    /// Whether the pool belongs to another process. An imported pool allocates nothing; it only
    /// refers to memory that the other process shares.
    pub is_imported: bool,
    state: Mutex<PoolState>,
    /// Access of other devices to the pool's memory.
    access: Mutex<HashMap<i32, CUmemAccess_flags>>,
}

#[derive(Default)]
struct PoolState {
    /// Blocks that were freed in a stream which may not have reached the free yet.
    pending_frees: Vec<PendingFree>,
    /// Blocks that any stream may use, as pairs of size and address.
    free: Vec<(u64, u64)>,
    /// Sizes of the blocks in use, by address.
    used: HashMap<u64, u64>,
    threshold: u64,
    reuse: [u64; 4],
    reserved: u64,
    reserved_high: u64,
    used_bytes: u64,
    used_high: u64,
}

struct PendingFree {
    stream: Key,
    bytes: u64,
    address: u64,
    freed: Epoch,
}

/// Work that is done, as a wait has shown.
#[derive(Clone, Copy)]
pub enum Passed {
    /// All work of a stream.
    Stream(Key),
    /// All work of a context, by its index.
    Context(u16),
}

impl Passed {
    fn covers(self, key: Key) -> bool {
        match self {
            Passed::Stream(stream) => key == stream,
            Passed::Context(context) => key.context == context,
        }
    }
}

impl Pool {
    /// Creates an empty pool.
    pub fn new(handle: u64, device: i32) -> Pool {
        Pool {
            handle,
            device,
            handle_types: 0,
            bytes_max: u64::MAX,
            is_imported: false,
            state: Mutex::new(PoolState { reuse: [0, 1, 1, 1], ..PoolState::default() }),
            access: Mutex::default(),
        }
    }

    /// Creates a pool that other processes may import by handles of the given types. The pool holds
    /// at most `bytes_max` bytes, rounded up as NVIDIA's driver does; 0 means any number.
    pub fn created(handle: u64, device: i32, handle_types: i32, bytes_max: u64) -> Pool {
        let bytes_max = match bytes_max {
            0 => u64::MAX,
            bytes => bytes.checked_next_multiple_of(MAX_UNIT_BYTES).unwrap_or(u64::MAX),
        };
        Pool { handle_types, bytes_max, ..Pool::new(handle, device) }
    }

    /// Returns whether the pool may grow by `bytes`.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.lock().reserved.checked_add(bytes).is_some_and(|total| total <= self.bytes_max)
    }

    /// Creates the local object for another process's pool.
    pub fn imported(handle: u64, device: i32) -> Pool {
        Pool { is_imported: true, ..Pool::new(handle, device) }
    }

    /// Sets a device's access to the pool's memory.
    pub fn set_access(&self, device: i32, flags: CUmemAccess_flags) {
        self.access.lock().insert(device, flags);
    }

    /// Returns a device's access to the pool's memory.
    pub fn access(&self, device: i32) -> CUmemAccess_flags {
        let own = if device == self.device { values::MEM_ACCESS_FLAGS_PROT_READWRITE } else { 0 };
        self.access.lock().get(&device).copied().unwrap_or(own)
    }

    fn lock(&self) -> outhaul_lock::MutexGuard<'_, PoolState> {
        self.state.lock()
    }

    /// Takes a block of exactly `bytes` bytes that `stream` may use now.
    pub fn take(&self, stream: Key, bytes: u64) -> Option<u64> {
        let mut state = self.lock();
        let own = state
            .pending_frees
            .iter()
            .position(|block| block.stream == stream && block.bytes == bytes);
        let address = match own {
            Some(i) => state.pending_frees.swap_remove(i).address,
            None => {
                let i = state.free.iter().position(|(size, _)| *size == bytes)?;
                state.free.swap_remove(i).1
            }
        };
        state.note_used(address, bytes);
        Some(address)
    }

    /// Adds a block that was allocated for the pool and is in use.
    pub fn add(&self, address: u64, bytes: u64) {
        let mut state = self.lock();
        state.reserved += bytes;
        state.reserved_high = state.reserved_high.max(state.reserved);
        state.note_used(address, bytes);
    }

    /// Frees a block in a stream. Returns whether the block was in use.
    pub fn put(&self, stream: Key, address: u64) -> bool {
        let mut state = self.lock();
        let Some(bytes) = state.used.remove(&address) else { return false };
        state.used_bytes -= bytes;
        state.pending_frees.push(PendingFree { stream, bytes, address, freed: epoch::now() });
        true
    }

    /// Removes a block that cuMemFree has freed. Returns whether the block was in use.
    pub fn forget(&self, address: u64) -> bool {
        let mut state = self.lock();
        let Some(bytes) = state.used.remove(&address) else { return false };
        state.used_bytes -= bytes;
        state.reserved -= bytes;
        true
    }

    /// Removes blocks that were freed with their context.
    pub fn forget_all(&self, gone: &HashSet<u64>) {
        let mut state = self.lock();
        let PoolState { pending_frees, free, used, .. } = &mut *state;
        pending_frees.retain(|block| !gone.contains(&block.address));
        free.retain(|(_, address)| !gone.contains(address));
        used.retain(|address, _| !gone.contains(address));
        state.used_bytes = state.used.values().sum();
        let kept = state
            .pending_frees
            .iter()
            .map(|block| block.bytes)
            .chain(state.free.iter().map(|(bytes, _)| *bytes));
        state.reserved = state.used_bytes + kept.sum::<u64>();
    }

    /// Returns whether any freed block waits until its stream reaches the free.
    pub fn has_pending_frees(&self) -> bool {
        !self.lock().pending_frees.is_empty()
    }

    /// Returns whether any freed block waits for a stream of the context.
    pub fn has_pending_frees_of(&self, context: u16) -> bool {
        self.lock().pending_frees.iter().any(|block| block.stream.context == context)
    }

    /// Notes that the device has reached the frees before `moment` in the work that `what` covers.
    /// Returns the blocks that the caller must free on the device.
    pub fn passed(&self, what: Passed, moment: Epoch) -> Vec<u64> {
        let mut state = self.lock();
        let PoolState { pending_frees, free, .. } = &mut *state;
        let passed =
            pending_frees.extract_if(.., |block| block.freed < moment && what.covers(block.stream));
        free.extend(passed.map(|block| (block.bytes, block.address)));
        let threshold = state.threshold;
        state.release_down_to(threshold)
    }

    /// Removes free blocks until the pool holds at most `keep` bytes, and returns their addresses.
    pub fn trim(&self, keep: u64) -> Vec<u64> {
        self.lock().release_down_to(keep)
    }

    /// Returns the value of an attribute.
    pub fn get(&self, attribute: i32) -> Result<u64, CUresult> {
        let state = self.lock();
        Ok(match attribute {
            attribute::REUSE_FOLLOW_EVENT_DEPENDENCIES
                ..=attribute::REUSE_ALLOW_INTERNAL_DEPENDENCIES => state.reuse[attribute as usize],
            attribute::RELEASE_THRESHOLD => state.threshold,
            attribute::RESERVED_CURRENT => state.reserved,
            attribute::RESERVED_HIGH => state.reserved_high,
            attribute::USED_CURRENT => state.used_bytes,
            attribute::USED_HIGH => state.used_high,
            _ => return Err(CUresult::INVALID_VALUE),
        })
    }

    /// Sets an attribute.
    pub fn set(&self, attribute: i32, value: u64) -> Result<(), CUresult> {
        let mut state = self.lock();
        match attribute {
            attribute::REUSE_FOLLOW_EVENT_DEPENDENCIES
                ..=attribute::REUSE_ALLOW_INTERNAL_DEPENDENCIES => {
                state.reuse[attribute as usize] = value
            }
            attribute::RELEASE_THRESHOLD => state.threshold = value,
            // Programs can only reset a high-water mark.
            attribute::RESERVED_HIGH if value == 0 => state.reserved_high = state.reserved,
            attribute::USED_HIGH if value == 0 => state.used_high = state.used_bytes,
            _ => return Err(CUresult::INVALID_VALUE),
        }
        Ok(())
    }
}

impl PoolState {
    fn note_used(&mut self, address: u64, bytes: u64) {
        self.used.insert(address, bytes);
        self.used_bytes += bytes;
        self.used_high = self.used_high.max(self.used_bytes);
    }

    fn release_down_to(&mut self, keep: u64) -> Vec<u64> {
        let mut released = Vec::new();
        while self.reserved > keep {
            let Some((bytes, address)) = self.free.pop() else { break };
            self.reserved -= bytes;
            released.push(address);
        }
        released
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Key = Key { context: 1, id: 7 };
    const ANOTHER: Key = Key { context: 1, id: 8 };
    const ELSEWHERE: Key = Key { context: 2, id: 7 };

    /// Returns a pool that keeps all its blocks, with one block in use.
    fn pool() -> Pool {
        let pool = Pool::new(1, 0);
        pool.set(attribute::RELEASE_THRESHOLD, u64::MAX).unwrap();
        pool.add(0x1000, 512);
        pool
    }

    #[test]
    fn a_block_serves_its_own_stream_at_once_and_others_later() {
        let pool = pool();
        assert!(pool.put(ONE, 0x1000) && !pool.put(ONE, 0x1000));
        assert_eq!((pool.take(ANOTHER, 512), pool.take(ELSEWHERE, 512)), (None, None));
        assert_eq!(pool.take(ONE, 512), Some(0x1000));
        pool.put(ONE, 0x1000);
        assert!(pool.passed(Passed::Stream(ONE), epoch::now()).is_empty());
        assert_eq!(pool.take(ANOTHER, 512), Some(0x1000));
        assert_eq!(
            (pool.get(attribute::USED_CURRENT), pool.get(attribute::RESERVED_HIGH)),
            (Ok(512), Ok(512))
        );
    }

    #[test]
    fn a_wait_releases_only_earlier_frees_of_its_own_stream_or_context() {
        let pool = pool();
        let before = epoch::now();
        pool.put(ONE, 0x1000);
        pool.passed(Passed::Stream(ONE), before);
        pool.passed(Passed::Stream(ANOTHER), epoch::now());
        pool.passed(Passed::Context(2), epoch::now());
        assert_eq!(pool.take(ANOTHER, 512), None);
        pool.passed(Passed::Context(1), epoch::now());
        assert_eq!(pool.take(ANOTHER, 512), Some(0x1000));
    }

    #[test]
    fn blocks_beyond_the_threshold_are_released_at_a_synchronization() {
        let pool = pool();
        pool.set(attribute::RELEASE_THRESHOLD, 0).unwrap();
        pool.put(ONE, 0x1000);
        assert_eq!(pool.passed(Passed::Context(1), epoch::now()), [0x1000]);
        assert_eq!(pool.get(attribute::RESERVED_CURRENT), Ok(0));
    }

    #[test]
    fn blocks_freed_with_their_context_leave_the_pool() {
        let pool = pool();
        pool.add(0x2000, 512);
        pool.add(0x3000, 1024);
        pool.put(ONE, 0x1000);
        pool.passed(Passed::Stream(ONE), epoch::now());
        pool.put(ONE, 0x2000);
        pool.forget_all(&HashSet::from([0x1000, 0x2000]));
        assert_eq!((pool.take(ONE, 512), pool.take(ANOTHER, 512)), (None, None));
        assert_eq!(
            (pool.get(attribute::USED_CURRENT), pool.get(attribute::RESERVED_CURRENT)),
            (Ok(1024), Ok(1024))
        );
    }
}
