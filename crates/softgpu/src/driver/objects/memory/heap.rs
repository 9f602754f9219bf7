//! A device's global memory: a private range of the address space, from which blocks are allocated.
//!
//! The heap behaves like a GPU's memory. Large blocks take whole 2 MiB pages, small blocks share a
//! page, and an access outside every live page faults. Linux commits pages when they are first
//! touched, so a large memory costs nothing until it is used. Deliberately absent: handles,
//! contexts and origins of memory, which `ranges` keeps.

use outhaul_lock::Mutex;
use std::collections::BTreeMap;

use crate::driver::lock;
use crate::driver::objects::memory::pages::{self, PAGE_BYTES};
use crate::driver::objects::memory::shared_gpu::SharedGpu;
use crate::driver::system::error::{Error, Result};

/// Block alignment. `cuMemAlloc` guarantees 256 bytes and aligns to 512.
pub const BLOCK_ALIGN: u64 = 512;
/// Minimum size of a block that has its own pages.
const LARGE_BYTES: u64 = PAGE_BYTES / 2;
/// Ratio of address space to memory, large enough that memory runs out before fragmentation
/// matters.
const SPAN_FACTOR: u64 = 4;
/// Size of the address space below 4 GiB for one device.
const LOW_BYTES: u64 = 512 << 20;

/// A device's memory.
pub struct Heap {
    base: u64,
    limit_bytes: u64,
    /// Memory use of all processes, if other processes share the device.
    shared_gpu: Option<SharedGpu>,
    state: Mutex<HeapState>,
}

struct HeapState {
    /// Free address space in whole pages: lengths by start address.
    free: BTreeMap<u64, u64>,
    /// Pages shared by small blocks: free pieces by page address.
    small: BTreeMap<u64, Pieces>,
    /// Free address space below 4 GiB in whole pages, reserved when a program first requests it.
    low: Option<BTreeMap<u64, u64>>,
    used_bytes: u64,
}

type Pieces = BTreeMap<u64, u64>;

impl Heap {
    /// Reserves a device's address space.
    pub fn new(limit_bytes: u64, shared_gpu: Option<SharedGpu>) -> Result<Heap> {
        let span = limit_bytes.next_multiple_of(PAGE_BYTES) * SPAN_FACTOR;
        let base = pages::reserve(span, PAGE_BYTES, None)?;
        let state = HeapState {
            free: BTreeMap::from([(base, span)]),
            small: BTreeMap::new(),
            low: None,
            used_bytes: 0,
        };
        Ok(Heap { base, limit_bytes, shared_gpu, state: Mutex::new(state) })
    }

    /// Returns whether the address belongs to the device's address space above 4 GiB.
    pub fn reserves(&self, address: u64) -> bool {
        let span = self.limit_bytes.next_multiple_of(PAGE_BYTES) * SPAN_FACTOR;
        (self.base..self.base + span).contains(&address)
    }

    /// Allocates a block and returns its address. The caller passes the same size to `free`.
    pub fn allocate(&self, bytes: u64) -> Result<u64> {
        let mut state = lock(&self.state);
        if bytes >= LARGE_BYTES {
            self.allocate_pages(&mut state, bytes)
        } else {
            self.allocate_piece(&mut state, bytes)
        }
    }

    /// Allocates a block like [`Self::allocate`], but below 4 GiB, where each block has its own
    /// pages.
    pub fn allocate_low(&self, bytes: u64) -> Result<u64> {
        let mut state = lock(&self.state);
        let bytes = bytes.checked_next_multiple_of(PAGE_BYTES).ok_or(Error::OutOfMemory)?;
        if state.low.is_none() {
            state.low =
                Some(BTreeMap::from([(pages::reserve_low(LOW_BYTES, PAGE_BYTES)?, LOW_BYTES)]));
        }
        self.take(&mut state, bytes)?;
        let opened = match state.low.as_mut().and_then(|low| take_first_fit(low, bytes)) {
            None => Err(Error::OutOfMemory),
            Some(address) => pages::open(address, bytes).map(|()| address),
        };
        opened.inspect_err(|_| self.give_back(&mut state, bytes))
    }

    /// Frees a block of `bytes` bytes.
    pub fn free(&self, address: u64, bytes: u64) {
        let mut state = lock(&self.state);
        if address < pages::LOW_END {
            let bytes = bytes.next_multiple_of(PAGE_BYTES);
            pages::close(address, bytes);
            state.low.iter_mut().for_each(|low| give_back(low, address, bytes));
            self.give_back(&mut state, bytes);
            return;
        }
        if bytes >= LARGE_BYTES {
            self.free_pages(&mut state, address, bytes.next_multiple_of(PAGE_BYTES));
            return;
        }
        let page = address - (address - self.base) % PAGE_BYTES;
        let Some(pieces) = state.small.get_mut(&page) else { return };
        give_back(pieces, address, piece_bytes(bytes));
        if pieces.get(&page) == Some(&PAGE_BYTES) {
            state.small.remove(&page);
            self.free_pages(&mut state, page, PAGE_BYTES);
        }
    }

    /// Counts memory outside the heap (physical memory of the virtual-memory API) against the
    /// device's memory size.
    pub fn charge(&self, bytes: u64) -> Result<()> {
        self.take(&mut lock(&self.state), bytes)
    }

    /// Stops counting memory that [`Self::charge`] counted.
    pub fn discharge(&self, bytes: u64) {
        self.give_back(&mut lock(&self.state), bytes);
    }

    /// Returns the number of free bytes.
    pub fn free_bytes(&self) -> u64 {
        let own = lock(&self.state).used_bytes;
        self.limit_bytes.saturating_sub(self.shared_gpu.as_ref().map_or(own, SharedGpu::used_bytes))
    }

    /// Returns the number of bytes that this process uses.
    pub fn own_bytes(&self) -> u64 {
        lock(&self.state).used_bytes
    }

    fn take(&self, state: &mut HeapState, bytes: u64) -> Result<()> {
        let Some(total) =
            state.used_bytes.checked_add(bytes).filter(|total| *total <= self.limit_bytes)
        else {
            return Err(Error::OutOfMemory);
        };
        if let Some(shared_gpu) = &self.shared_gpu {
            // If two processes request the remaining memory at once, both may be refused, but never
            // are both served.
            shared_gpu.take(bytes);
            if shared_gpu.used_bytes() > self.limit_bytes {
                shared_gpu.give_back(bytes);
                return Err(Error::OutOfMemory);
            }
        }
        state.used_bytes = total;
        Ok(())
    }

    fn give_back(&self, state: &mut HeapState, bytes: u64) {
        state.used_bytes -= bytes;
        if let Some(shared_gpu) = &self.shared_gpu {
            shared_gpu.give_back(bytes);
        }
    }

    fn allocate_pages(&self, state: &mut HeapState, bytes: u64) -> Result<u64> {
        let bytes = bytes.checked_next_multiple_of(PAGE_BYTES).ok_or(Error::OutOfMemory)?;
        self.take(state, bytes)?;
        let opened = match take_first_fit(&mut state.free, bytes) {
            None => Err(Error::OutOfMemory),
            Some(address) => pages::open(address, bytes)
                .map(|()| address)
                .inspect_err(|_| give_back(&mut state.free, address, bytes)),
        };
        opened.inspect_err(|_| self.give_back(state, bytes))
    }

    fn free_pages(&self, state: &mut HeapState, address: u64, bytes: u64) {
        pages::close(address, bytes);
        give_back(&mut state.free, address, bytes);
        self.give_back(state, bytes);
    }

    fn allocate_piece(&self, state: &mut HeapState, bytes: u64) -> Result<u64> {
        let bytes = piece_bytes(bytes);
        if let Some(address) =
            state.small.values_mut().find_map(|pieces| take_first_fit(pieces, bytes))
        {
            return Ok(address);
        }
        let page = self.allocate_pages(state, PAGE_BYTES)?;
        state.small.insert(page, BTreeMap::from([(page + bytes, PAGE_BYTES - bytes)]));
        Ok(page)
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        pages::unmap(self.base, self.limit_bytes.next_multiple_of(PAGE_BYTES) * SPAN_FACTOR);
    }
}

fn piece_bytes(bytes: u64) -> u64 {
    bytes.max(1).next_multiple_of(BLOCK_ALIGN)
}

fn take_first_fit(free: &mut BTreeMap<u64, u64>, bytes: u64) -> Option<u64> {
    let (start, length) =
        free.iter().find(|(_, length)| **length >= bytes).map(|(s, l)| (*s, *l))?;
    free.remove(&start);
    if length > bytes {
        free.insert(start + bytes, length - bytes);
    }
    Some(start)
}

fn give_back(free: &mut BTreeMap<u64, u64>, mut start: u64, mut bytes: u64) {
    if let Some((before, length)) = free.range(..start).next_back().map(|(s, l)| (*s, *l))
        && before + length == start
    {
        free.remove(&before);
        (start, bytes) = (before, length + bytes);
    }
    if let Some(length) = free.remove(&(start + bytes)) {
        bytes += length;
    }
    free.insert(start, bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_blocks_share_a_page_and_give_it_back() {
        let heap = Heap::new(8 * PAGE_BYTES, None).unwrap();
        let blocks: Vec<u64> = (0..100).map(|_| heap.allocate(1000).unwrap()).collect();
        assert!(blocks.iter().all(|b| b % BLOCK_ALIGN == 0));
        assert_eq!(heap.free_bytes(), 7 * PAGE_BYTES);
        for block in blocks {
            heap.free(block, 1000);
        }
        assert_eq!(heap.free_bytes(), 8 * PAGE_BYTES);
    }

    #[test]
    fn the_limit_holds_and_room_comes_back() {
        let heap = Heap::new(4 * PAGE_BYTES, None).unwrap();
        let first = heap.allocate(3 * PAGE_BYTES).unwrap();
        assert_eq!(heap.allocate(2 * PAGE_BYTES), Err(Error::OutOfMemory));
        assert_eq!(heap.allocate(u64::MAX), Err(Error::OutOfMemory));
        heap.charge(PAGE_BYTES).unwrap();
        assert_eq!(heap.allocate(1), Err(Error::OutOfMemory));
        heap.discharge(PAGE_BYTES);
        heap.free(first, 3 * PAGE_BYTES);
        heap.allocate(4 * PAGE_BYTES).unwrap();
    }

    #[test]
    fn freed_pages_merge() {
        let heap = Heap::new(4 * PAGE_BYTES, None).unwrap();
        let blocks: Vec<u64> = (0..4).map(|_| heap.allocate(PAGE_BYTES).unwrap()).collect();
        for index in [1, 3, 0, 2] {
            heap.free(blocks[index], PAGE_BYTES);
        }
        assert_eq!(lock(&heap.state).free.len(), 1);
    }
}
