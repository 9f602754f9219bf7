//! Stream-ordered allocation. A freed block can be allocated in its own stream at once, and in
//! others once the device has passed the free.

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

/// A pool of the program, or a device's default pool.
pub struct Pool {
    /// The handle that the program holds.
    pub handle: u64,
    /// Ordinal of the device.
    pub device: i32,
    /// Kinds of handles by which other processes may import it.
    pub handle_types: i32,
    /// Whether it belongs to another process. Then it finds memory that the process shares, and
    /// allocates none.
    pub is_imported: bool,
    state: Mutex<PoolState>,
    /// Access that other devices have.
    access: Mutex<HashMap<i32, CUmemAccess_flags>>,
}

#[derive(Default)]
struct PoolState {
    /// Blocks freed in a stream that may not have reached the free.
    pending_frees: Vec<PendingFree>,
    /// Blocks that any stream may use: size, address.
    free: Vec<(u64, u64)>,
    /// Bytes of blocks in use, by address.
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

/// Something that a wait has shown to be done.
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
            is_imported: false,
            state: Mutex::new(PoolState { reuse: [0, 1, 1, 1], ..PoolState::default() }),
            access: Mutex::default(),
        }
    }

    /// Creates a pool that other processes may import by these kinds of handles.
    pub fn shareable(handle: u64, device: i32, handle_types: i32) -> Pool {
        Pool { handle_types, ..Pool::new(handle, device) }
    }

    /// Creates the counterpart of another process's pool.
    pub fn imported(handle: u64, device: i32) -> Pool {
        Pool { is_imported: true, ..Pool::new(handle, device) }
    }

    /// Sets the access of a device.
    pub fn set_access(&self, device: i32, flags: CUmemAccess_flags) {
        self.access.lock().insert(device, flags);
    }

    /// Returns the access of a device.
    pub fn access(&self, device: i32) -> CUmemAccess_flags {
        let own = if device == self.device { values::MEM_ACCESS_FLAGS_PROT_READWRITE } else { 0 };
        self.access.lock().get(&device).copied().unwrap_or(own)
    }

    fn lock(&self) -> outhaul_lock::MutexGuard<'_, PoolState> {
        self.state.lock()
    }

    /// Takes a block of exactly this size that the stream may use now.
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

    /// Adds a block in use, which was allocated for the pool.
    pub fn add(&self, address: u64, bytes: u64) {
        let mut state = self.lock();
        state.reserved += bytes;
        state.reserved_high = state.reserved_high.max(state.reserved);
        state.note_used(address, bytes);
    }

    /// Frees a block in a stream. Returns false if the block is not in use.
    pub fn put(&self, stream: Key, address: u64) -> bool {
        let mut state = self.lock();
        let Some(bytes) = state.used.remove(&address) else { return false };
        state.used_bytes -= bytes;
        state.pending_frees.push(PendingFree { stream, bytes, address, freed: epoch::now() });
        true
    }

    /// Removes a block that was freed by cuMemFree.
    pub fn forget(&self, address: u64) {
        let mut state = self.lock();
        if let Some(bytes) = state.used.remove(&address) {
            state.used_bytes -= bytes;
            state.reserved -= bytes;
        }
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

    /// Whether blocks wait until streams have passed their frees.
    pub fn has_pending_frees(&self) -> bool {
        !self.lock().pending_frees.is_empty()
    }

    /// Whether blocks wait for streams of the context.
    pub fn has_pending_frees_of(&self, context: u16) -> bool {
        self.lock().pending_frees.iter().any(|block| block.stream.context == context)
    }

    /// Notes that the device has passed the frees before `moment`. Returns the blocks to free on
    /// the device.
    pub fn passed(&self, what: Passed, moment: Epoch) -> Vec<u64> {
        let mut state = self.lock();
        let PoolState { pending_frees, free, .. } = &mut *state;
        let passed =
            pending_frees.extract_if(.., |block| block.freed < moment && what.covers(block.stream));
        free.extend(passed.map(|block| (block.bytes, block.address)));
        let threshold = state.threshold;
        state.release_down_to(threshold)
    }

    /// Removes free blocks until the pool holds at most `keep` bytes, and returns them.
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
            // A high-water mark can only be reset.
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

    /// A pool that keeps all its blocks, with one block in use.
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
