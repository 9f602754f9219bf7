//! Page-locked host memory for evicted chunks, and a stock of it for later evictions. All of it is
//! charged to the session's host memory. Locking pages takes longer than a copy. So this module
//! keeps used memory, and prepares some in advance.

use crate::accounting::ledger::Allowance;
use outhaul_abi::Driver;
use outhaul_lock::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

/// Size of a huge page in bytes. Huge pages are faster to allocate, and there are fewer to lock.
const HUGE_PAGE_BYTES: usize = 2 << 20;
const HOST_REGISTER_PORTABLE: u32 = 1;

/// Memory of this process that is page-locked if the driver accepts that.
pub struct HostChunk {
    /// The memory's address.
    pub address: *mut c_void,
    bytes: usize,
}

// SAFETY: ordinary memory that has one owner.
unsafe impl Send for HostChunk {}

/// The host memory for a session's chunks.
pub struct HostChunks {
    driver: Arc<Driver>,
    account: Allowance,
    ready: Mutex<Ready>,
}

/// Ready chunks by size; no list is empty.
type Ready = BTreeMap<u64, Vec<HostChunk>>;

impl HostChunks {
    /// Creates a stock without ready chunks.
    pub fn new(driver: Arc<Driver>, account: Allowance) -> HostChunks {
        HostChunks { driver, account, ready: Mutex::default() }
    }

    fn ready(&self) -> MutexGuard<'_, Ready> {
        self.ready.lock()
    }

    /// Returns the number of ready chunks by size.
    pub fn ready_counts(&self) -> BTreeMap<u64, usize> {
        self.ready().iter().map(|(bytes, chunks)| (*bytes, chunks.len())).collect()
    }

    /// Returns a ready chunk, or a new one if the session's account allows it. Frees ready chunks
    /// of other sizes if necessary.
    pub fn take(&self, bytes: u64) -> Option<HostChunk> {
        self.take_ready(bytes).or_else(|| {
            loop {
                match self.allocate(bytes) {
                    None if self.give_back_largest() => {}
                    allocated => return allocated,
                }
            }
        })
    }

    fn take_ready(&self, bytes: u64) -> Option<HostChunk> {
        let mut ready = self.ready();
        let chunks = ready.get_mut(&bytes)?;
        let chunk = chunks.pop();
        if chunks.is_empty() {
            ready.remove(&bytes);
        }
        chunk
    }

    /// Keeps an unused chunk for later, unless too much memory is locked.
    pub fn put_by(&self, chunk: HostChunk) {
        if self.is_crowded() {
            self.free(chunk);
        } else {
            self.ready().entry(chunk.bytes as u64).or_default().push(chunk);
        }
    }

    /// Prepares one more chunk of `bytes` bytes. Returns false if that would lock too much memory.
    pub fn make_ready(&self, bytes: u64) -> bool {
        if self.account.left_bytes().saturating_sub(bytes) < self.kept_free_bytes() {
            return false;
        }
        let chunk = self.allocate(bytes);
        let made = chunk.is_some();
        chunk.into_iter().for_each(|chunk| self.put_by(chunk));
        made
    }

    /// Frees one ready chunk of `bytes` bytes.
    pub fn give_back(&self, bytes: u64) -> bool {
        let chunk = self.take_ready(bytes);
        let there = chunk.is_some();
        chunk.into_iter().for_each(|chunk| self.free(chunk));
        there
    }

    /// Frees a ready chunk of the largest size.
    pub fn give_back_largest(&self) -> bool {
        let largest_bytes = self.ready().keys().next_back().copied();
        largest_bytes.is_some_and(|bytes| self.give_back(bytes))
    }

    /// Returns whether sessions use so much host memory that no chunk should be kept ready. The
    /// remaining memory is for evictions.
    pub fn is_crowded(&self) -> bool {
        self.account.left_bytes() < self.kept_free_bytes()
    }

    fn kept_free_bytes(&self) -> u64 {
        self.account.limit_bytes() / 2
    }

    fn allocate(&self, bytes: u64) -> Option<HostChunk> {
        if !self.account.take(bytes) {
            return None;
        }
        HostChunk::allocate(&self.driver, bytes as usize).or_else(|| {
            self.account.give_back(bytes);
            None
        })
    }

    /// Frees a chunk.
    pub fn free(&self, chunk: HostChunk) {
        self.account.give_back(chunk.bytes as u64);
        chunk.free(&self.driver);
    }
}

impl HostChunk {
    fn allocate(driver: &Driver, bytes: usize) -> Option<HostChunk> {
        let chunk = HostChunk { address: reserve(bytes)?, bytes };
        // SAFETY: the pages are the chunk's own and contain nothing yet.
        let there = unsafe {
            libc::madvise(chunk.address, bytes, libc::MADV_HUGEPAGE);
            libc::madvise(chunk.address, bytes, libc::MADV_POPULATE_WRITE) == 0
        };
        // Linux before 5.14 does not support this advice; the pages are then allocated when they
        // are locked.
        if !there && std::io::Error::last_os_error().raw_os_error() != Some(libc::EINVAL) {
            // SAFETY: the pages are the chunk's own.
            unsafe { libc::munmap(chunk.address, bytes) };
            return None;
        }
        // Without a registration, copies are slower but correct. A context that ends takes the
        // registration with it, but not the memory. SAFETY: the pages are the chunk's own and exist
        // as long as the chunk.
        let _ =
            unsafe { driver.cuMemHostRegister_v2(chunk.address, bytes, HOST_REGISTER_PORTABLE) };
        Some(chunk)
    }

    fn free(self, driver: &Driver) {
        // SAFETY: the pages are the chunk's own, and no copy uses them any more.
        unsafe {
            let _ = driver.cuMemHostUnregister(self.address);
            libc::munmap(self.address, self.bytes);
        }
    }
}

/// Reserves addresses that start at the boundary of a huge page.
fn reserve(bytes: usize) -> Option<*mut c_void> {
    let (access, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: the pages are new and replace no other mapping. Only the parts outside the boundaries
    // are freed.
    unsafe {
        let whole = libc::mmap(null_mut(), bytes + HUGE_PAGE_BYTES, access, flags, -1, 0);
        if whole == libc::MAP_FAILED {
            return None;
        }
        let before = whole.align_offset(HUGE_PAGE_BYTES);
        let address = whole.byte_add(before);
        if before > 0 {
            libc::munmap(whole, before);
        }
        libc::munmap(address.byte_add(bytes), HUGE_PAGE_BYTES - before);
        Some(address)
    }
}
