//! The allocator of one device's memory. The arena only keeps account of the address range that the
//! worker reserved. It returns which pages the worker must map and unmap, and never blocks. Large
//! allocations get their own pages; small ones share pages.
//!
//! Work in flight may still use a small block that the program frees. So the block is quarantined
//! until its context has completed all work submitted before the free. The worker unmaps a large
//! block after that work. The arena reuses the addresses of large blocks only when no fresh ones
//! remain.

use crate::base::epoch::Epoch;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// Minimum alignment of CUDA's allocations.
pub const ALIGNMENT_BYTES: u64 = 512;

/// Upper bound for empty shared pages that stay mapped, in bytes.
const KEPT_BYTES_MAX: u64 = 32 << 20;
/// Time for which all empty shared pages stay mapped after shared pages were mapped or unmapped.
/// `KEPT_BYTES_MAX` still applies.
pub const EMPTY_PAGES_KEPT_FOR: Duration = Duration::from_millis(200);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
/// An allocation.
pub struct Allocation {
    /// Address of the first byte.
    pub address: u64,
    /// Requested size in bytes.
    pub bytes: u64,
    /// Handle of the context that made the allocation.
    pub context: u64,
    /// Unique number, never reused.
    pub id: u64,
    /// Handle of the memory pool, or 0 for none.
    pub pool: u64,
    kind: ArenaKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArenaKind {
    /// Block in shared pages.
    Small,
    /// Pages used by this allocation alone.
    Large,
    /// Memory that the program mapped itself, and frees by unmapping. The value is the device that
    /// owns the memory; the addresses may be in another device's arena.
    Mapped(i32),
}

impl Allocation {
    /// Returns whether the program mapped the memory itself.
    pub fn is_mapped(&self) -> bool {
        self.mapped_device().is_some()
    }

    /// Returns how many bytes a small block occupies, including padding.
    fn small_bytes(&self) -> u64 {
        Arena::round(self.bytes.max(1), ALIGNMENT_BYTES)
    }

    /// Returns the device that owns the memory, if the program mapped it itself.
    pub fn mapped_device(&self) -> Option<i32> {
        if let ArenaKind::Mapped(device) = self.kind { Some(device) } else { None }
    }
}

/// A range of whole pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pages {
    /// Address of the first page.
    pub address: u64,
    /// Total size in bytes.
    pub bytes: u64,
}

#[derive(Debug, PartialEq, Eq)]
/// Result of a request for memory.
pub enum Outcome {
    /// The allocation succeeded.
    CudaResult {
        /// Address of the memory.
        address: u64,
        /// Pages that the worker must map first, if any.
        map: Option<Pages>,
    },
    /// The session's grant is too small.
    Grant {
        /// Bytes that the grant lacks.
        bytes: u64,
    },
    /// The address range has no room left.
    Exhausted,
}

/// Upper bound for 32-bit addresses.
const LOW_END: u64 = 1 << 32;

/// Addresses that were never handed out.
#[derive(Default)]
struct Fresh {
    next: u64,
    end: u64,
}

/// The allocator of one device's memory.
pub struct Arena {
    page_bytes: u64,
    fresh: Fresh,
    /// Addresses below 4 GiB, for contexts with 32-bit addresses.
    low: Fresh,
    granted_bytes: u64,
    /// Whether unmapping reduces the grant, because sessions share a limit.
    gives_back: bool,
    mapped_bytes: u64,
    /// Bytes of mapped pages that small blocks share.
    shared_bytes: u64,
    /// When shared pages were last mapped or unmapped.
    shared_changed: Instant,
    empty_kept_for: Duration,
    allocations: BTreeMap<u64, Allocation>,
    /// Address ranges that the program reserved to map memory itself.
    reserved: BTreeMap<u64, u64>,
    /// Unmapped address ranges that allocations used before.
    holes: BTreeMap<u64, u64>,
    /// Free parts of shared pages, by address. `small_sizes` has the same parts by size.
    small_free: BTreeMap<u64, u64>,
    small_sizes: BTreeSet<(u64, u64)>,
    resting: Vec<Resting>,
    /// Quarantined bytes by context.
    resting_bytes: HashMap<u64, u64>,
    next_id: u64,
}

/// A freed small block in quarantine. The arena reuses it when its context has completed all
/// earlier work.
struct Resting {
    address: u64,
    bytes: u64,
    context: u64,
    /// When the program freed the block.
    freed: Epoch,
}

impl Arena {
    /// Creates an arena without allocations for `bytes` bytes of addresses from `base` on.
    pub fn new(
        base: u64,
        bytes: u64,
        page_bytes: u64,
        granted_bytes: u64,
        empty_kept_for: Duration,
    ) -> Arena {
        Arena {
            page_bytes,
            fresh: Fresh { next: base, end: base + bytes },
            low: Fresh::default(),
            granted_bytes,
            gives_back: false,
            mapped_bytes: 0,
            shared_bytes: 0,
            shared_changed: Instant::now(),
            empty_kept_for,
            allocations: BTreeMap::new(),
            reserved: BTreeMap::new(),
            holes: BTreeMap::new(),
            small_free: BTreeMap::new(),
            small_sizes: BTreeSet::new(),
            resting: Vec::new(),
            resting_bytes: HashMap::new(),
            next_id: 1,
        }
    }

    /// Adds addresses below 4 GiB that the worker has reserved.
    pub fn open_low(&mut self, base: u64, bytes: u64) {
        self.low = Fresh { next: base, end: base + bytes };
    }

    /// Makes unmapping reduce the grant from now on. The arena then keeps at most one empty page.
    pub fn give_back_at_once(&mut self) {
        self.gives_back = true;
    }

    /// Raises the grant by `more_bytes`.
    pub fn grant(&mut self, more_bytes: u64) {
        self.granted_bytes += more_bytes;
    }

    /// Counts `bytes` as unmapped. The grant shrinks too if sessions share a limit; otherwise the
    /// session may map as much again.
    fn leave(&mut self, bytes: u64) {
        self.mapped_bytes -= bytes;
        if self.gives_back {
            self.granted_bytes -= bytes;
        }
    }

    /// Returns how many bytes of the context's blocks are quarantined.
    pub fn resting_bytes(&self, context: u64) -> u64 {
        self.resting_bytes.get(&context).copied().unwrap_or(0)
    }

    fn round(bytes: u64, unit: u64) -> u64 {
        bytes.div_ceil(unit).saturating_mul(unit)
    }

    /// Allocates memory for a context and a memory pool. If `low`, the address is below 4 GiB.
    pub fn allocate(&mut self, bytes: u64, context: u64, pool: u64, low: bool) -> Outcome {
        if bytes >= self.page_bytes / 2 {
            let whole = Arena::round(bytes, self.page_bytes);
            return self.pages(whole, low).map_or_else(
                |refused| refused,
                |pages| {
                    self.enter(pages.address, bytes, context, pool, ArenaKind::Large);
                    Outcome::CudaResult { address: pages.address, map: Some(pages) }
                },
            );
        }
        let rounded = Arena::round(bytes.max(1), ALIGNMENT_BYTES);
        if let Some(address) = self.take_small(rounded, low) {
            self.enter(address, bytes, context, pool, ArenaKind::Small);
            return Outcome::CudaResult { address, map: None };
        }
        match self.pages(self.page_bytes, low) {
            Err(refused) => refused,
            Ok(pages) => {
                self.shared_bytes += pages.bytes;
                self.shared_changed = Instant::now();
                self.put_small(pages.address, pages.bytes);
                let address =
                    self.take_small(rounded, low).expect("a fresh page holds any small block");
                self.enter(address, bytes, context, pool, ArenaKind::Small);
                Outcome::CudaResult { address, map: Some(pages) }
            }
        }
    }

    fn enter(&mut self, address: u64, bytes: u64, context: u64, pool: u64, kind: ArenaKind) {
        self.allocations
            .insert(address, Allocation { address, bytes, context, id: self.next_id, pool, kind });
        self.next_id += 1;
    }

    /// Returns addresses for whole pages. Prefers fresh addresses, so that freed ones stay unused
    /// as long as possible.
    fn pages(&mut self, bytes: u64, low: bool) -> Result<Pages, Outcome> {
        if self.mapped_bytes + bytes > self.granted_bytes {
            return Err(Outcome::Grant { bytes: self.mapped_bytes + bytes - self.granted_bytes });
        }
        let address = self.addresses(bytes, low).ok_or(Outcome::Exhausted)?;
        self.mapped_bytes += bytes;
        Ok(Pages { address, bytes })
    }

    fn addresses(&mut self, bytes: u64, low: bool) -> Option<u64> {
        let fresh = if low { &mut self.low } else { &mut self.fresh };
        if fresh.end - fresh.next >= bytes {
            fresh.next += bytes;
            return Some(fresh.next - bytes);
        }
        let mut holes = self.holes.iter().filter(|(address, _)| (**address < LOW_END) == low);
        let (hole, size) = holes.find(|(_, size)| **size >= bytes).map(|(a, s)| (*a, *s))?;
        self.holes.remove(&hole);
        if size > bytes {
            self.holes.insert(hole + bytes, size - bytes);
        }
        Some(hole)
    }

    // ---- memory that the program maps itself ----

    /// Reserves addresses without memory. `bytes` must be a multiple of the page size, and
    /// `alignment` a power of two or 0.
    pub fn reserve(&mut self, bytes: u64, alignment: u64) -> Option<u64> {
        let spare = alignment.saturating_sub(self.page_bytes);
        let found = self.addresses(bytes.checked_add(spare)?, false)?;
        let address = found.next_multiple_of(alignment.max(1));
        let (before, end) = (address - found, address + bytes);
        let after = found + bytes + spare - end;
        for (address, bytes) in [(found, before), (end, after)] {
            if bytes > 0 {
                self.put_hole(Pages { address, bytes });
            }
        }
        self.reserved.insert(address, bytes);
        Some(address)
    }

    /// Releases reserved addresses. Returns false if no reservation has exactly this range, or if
    /// memory is still mapped in it.
    pub fn unreserve(&mut self, address: u64, bytes: u64) -> bool {
        if self.reserved.get(&address) != Some(&bytes)
            || self.allocations.range(address..address + bytes).next().is_some()
        {
            return false;
        }
        self.reserved.remove(&address);
        self.put_hole(Pages { address, bytes });
        true
    }

    /// Charges memory that has no address yet to the grant. If the grant is too small, fails with
    /// the number of missing bytes.
    pub fn charge(&mut self, bytes: u64) -> Result<(), u64> {
        if self.mapped_bytes + bytes > self.granted_bytes {
            return Err(self.mapped_bytes + bytes - self.granted_bytes);
        }
        self.mapped_bytes += bytes;
        Ok(())
    }

    /// Undoes a charge of `bytes` bytes.
    pub fn discharge(&mut self, bytes: u64) {
        self.leave(bytes);
    }

    /// Records a mapping that the program makes. Returns false if the range is not reserved, or if
    /// it overlaps an allocation.
    pub fn map(&mut self, address: u64, bytes: u64, context: u64, device: i32) -> bool {
        let inside = self
            .reserved
            .range(..=address)
            .next_back()
            .is_some_and(|(a, b)| address + bytes <= a + b);
        let free = self
            .allocations
            .range(..address + bytes)
            .next_back()
            .is_none_or(|(a, old)| a + old.bytes <= address);
        if inside && free {
            self.enter(address, bytes, context, 0, ArenaKind::Mapped(device));
        }
        inside && free
    }

    /// Removes the mappings in the range, and returns their addresses. Returns `None` if the range
    /// splits a mapping, or contains none.
    pub fn unmap(&mut self, address: u64, bytes: u64) -> Option<Vec<u64>> {
        let end = address + bytes;
        let inside: Vec<Allocation> =
            self.allocations.range(address..end).map(|(_, a)| *a).collect();
        let cut = inside.iter().any(|a| !a.is_mapped() || a.address + a.bytes > end);
        if cut || inside.is_empty() || self.find(address).is_some_and(|a| a.address < address) {
            return None;
        }
        for allocation in &inside {
            self.allocations.remove(&allocation.address);
        }
        Some(inside.iter().map(|a| a.address).collect())
    }

    fn take_small(&mut self, bytes: u64, low: bool) -> Option<u64> {
        let mut fitting = self.small_sizes.range((bytes, 0)..);
        let (size, address) = *fitting.find(|(_, address)| (*address < LOW_END) == low)?;
        self.small_sizes.remove(&(size, address));
        self.small_free.remove(&address);
        if size > bytes {
            self.small_free.insert(address + bytes, size - bytes);
            self.small_sizes.insert((size - bytes, address + bytes));
        }
        Some(address)
    }

    fn put_small(&mut self, mut address: u64, mut bytes: u64) {
        if let Some((&before, &size)) = self.small_free.range(..address).next_back()
            && before + size == address
        {
            self.small_free.remove(&before);
            self.small_sizes.remove(&(size, before));
            (address, bytes) = (before, bytes + size);
        }
        if let Some(&size) = self.small_free.get(&(address + bytes)) {
            self.small_free.remove(&(address + bytes));
            self.small_sizes.remove(&(size, address + bytes));
            bytes += size;
        }
        self.small_free.insert(address, bytes);
        self.small_sizes.insert((bytes, address));
    }

    /// Frees the allocation that begins at `address`. Returns the pages that the worker must unmap
    /// if the allocation had its own. Returns `None` if no allocation begins at `address`.
    pub fn free(&mut self, address: u64, now: Epoch) -> Option<Option<Pages>> {
        let allocation = self.take_out(address)?;
        if allocation.kind == ArenaKind::Large {
            return Some(Some(self.give_back(allocation)));
        }
        let bytes = allocation.small_bytes();
        self.resting.push(Resting { address, bytes, context: allocation.context, freed: now });
        *self.resting_bytes.entry(allocation.context).or_default() += bytes;
        Some(None)
    }

    /// Frees an allocation that no work uses any more. Unlike after `free`, the memory can be
    /// reused at once. Returns the pages that the worker must unmap, or `None` if no allocation
    /// begins at `address`.
    pub fn free_passed(&mut self, address: u64) -> Option<Vec<Pages>> {
        let allocation = self.take_out(address)?;
        if allocation.kind == ArenaKind::Large {
            return Some(vec![self.give_back(allocation)]);
        }
        self.put_small(address, allocation.small_bytes());
        Some(self.empty_pages(self.kept_bytes_max()))
    }

    fn take_out(&mut self, address: u64) -> Option<Allocation> {
        if self.allocations.get(&address)?.is_mapped() {
            return None;
        }
        self.allocations.remove(&address)
    }

    fn give_back(&mut self, large: Allocation) -> Pages {
        let pages =
            Pages { address: large.address, bytes: Arena::round(large.bytes, self.page_bytes) };
        self.leave(pages.bytes);
        self.put_hole(pages);
        pages
    }

    fn put_hole(&mut self, pages: Pages) {
        let Pages { mut address, mut bytes } = pages;
        if let Some((&before, &size)) = self.holes.range(..address).next_back()
            && before + size == address
        {
            self.holes.remove(&before);
            (address, bytes) = (before, bytes + size);
        }
        if let Some(size) = self.holes.remove(&(address + bytes)) {
            bytes += size;
        }
        self.holes.insert(address, bytes);
    }

    /// Ends the quarantine of blocks that the context freed before `moment`, because the context
    /// has completed all work until then. Returns empty shared pages that the worker must unmap.
    pub fn wake(&mut self, context: u64, moment: Epoch) -> Vec<Pages> {
        for block in self
            .resting
            .extract_if(.., |block| block.context == context && block.freed < moment)
            .collect::<Vec<_>>()
        {
            *self.resting_bytes.entry(context).or_default() -= block.bytes;
            self.put_small(block.address, block.bytes);
        }
        self.empty_pages(self.kept_bytes_max())
    }

    /// Unmaps all empty shared pages, because memory is scarce. Returns them.
    pub fn give_up_empty_pages(&mut self) -> Vec<Pages> {
        self.empty_pages(0)
    }

    /// Returns how many bytes of shared pages have no allocation. They are mapped, as the program
    /// may allocate small blocks again soon, or because work in flight may still use freed blocks.
    pub fn unused_bytes(&self) -> u64 {
        let resting = self.resting.iter().map(|block| (block.address, block.bytes));
        let mut unused: Vec<(u64, u64)> =
            self.small_free.iter().map(|(a, b)| (*a, *b)).chain(resting).collect();
        unused.sort_unstable();
        let (mut total, mut from, mut to) = (0, 0, 0);
        let pages = |from: u64, to: u64| {
            let first = Arena::round(from, self.page_bytes);
            (to / self.page_bytes * self.page_bytes).saturating_sub(first)
        };
        for (address, bytes) in unused {
            if address != to {
                total += pages(from, to);
                from = address;
            }
            to = address + bytes;
        }
        total + pages(from, to)
    }

    /// Returns how many bytes of empty shared pages stay mapped. A program that alternates between
    /// allocating and freeing should not cause a mapping each time. So unused pages are unmapped in
    /// halves, each after `empty_kept_for`.
    fn kept_bytes_max(&self) -> u64 {
        if self.gives_back {
            return self.page_bytes;
        }
        let changed_recently = self.shared_changed.elapsed() < self.empty_kept_for;
        let kept = if changed_recently { self.shared_bytes } else { self.shared_bytes / 2 };
        kept.min(KEPT_BYTES_MAX).max(self.page_bytes)
    }

    /// Ends the quarantine of all blocks of a context that has ended. Returns empty shared pages
    /// that the worker must unmap.
    pub fn wake_all(&mut self, context: u64) -> Vec<Pages> {
        let pages = self.wake(context, Epoch::MAX);
        self.resting_bytes.remove(&context);
        pages
    }

    /// Removes empty shared pages from the arena and returns them. Keeps pages of `kept_bytes`
    /// bytes.
    fn empty_pages(&mut self, kept_bytes: u64) -> Vec<Pages> {
        let mut empty = Vec::new();
        let is_page = |(_, size): &(&u64, &u64)| **size >= self.page_bytes;
        if self.small_free.iter().filter(is_page).map(|(_, size)| *size).sum::<u64>() <= kept_bytes
        {
            return empty;
        }
        let candidates: Vec<(u64, u64)> = self
            .small_free
            .iter()
            .filter(|(_, s)| **s >= self.page_bytes)
            .map(|(a, s)| (*a, *s))
            .collect();
        for (address, bytes) in candidates {
            let first = Arena::round(address, self.page_bytes);
            let last = (address + bytes) / self.page_bytes * self.page_bytes;
            if last <= first {
                continue;
            }
            self.small_free.remove(&address);
            self.small_sizes.remove(&(bytes, address));
            if first > address {
                self.put_small(address, first - address);
            }
            if address + bytes > last {
                self.put_small(last, address + bytes - last);
            }
            empty.extend(
                (first..last)
                    .step_by(self.page_bytes as usize)
                    .map(|address| Pages { address, bytes: self.page_bytes }),
            );
        }
        for _ in 0..kept_bytes / self.page_bytes {
            let Some(kept) = empty.pop() else { break };
            self.put_small(kept.address, kept.bytes);
        }
        if !empty.is_empty() {
            self.shared_changed = Instant::now();
        }
        for pages in &empty {
            self.leave(pages.bytes);
            self.shared_bytes -= pages.bytes;
            self.put_hole(*pages);
        }
        empty
    }

    /// Returns the allocation that contains `address`.
    pub fn find(&self, address: u64) -> Option<Allocation> {
        let (_, allocation) = self.allocations.range(..=address).next_back()?;
        (address < allocation.address + allocation.bytes.max(1)).then_some(*allocation)
    }

    /// Returns the addresses of all allocations of a context.
    pub fn of_context(&self, context: u64) -> Vec<u64> {
        self.allocations.values().filter(|a| a.context == context).map(|a| a.address).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: u64 = 2 << 20;

    fn arena() -> Arena {
        Arena::new(1 << 40, 64 * PAGE, PAGE, 16 * PAGE, Duration::ZERO)
    }

    fn done(outcome: Outcome) -> (u64, Option<Pages>) {
        match outcome {
            Outcome::CudaResult { address, map } => (address, map),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn small_blocks_share_a_page_and_rest_before_they_are_used_again() {
        let mut arena = arena();
        let (a, mapped) = done(arena.allocate(100, 1, 0, false));
        assert_eq!(mapped, Some(Pages { address: a, bytes: PAGE }));
        let (b, none) = done(arena.allocate(100, 1, 0, false));
        assert_eq!((b, none), (a + ALIGNMENT_BYTES, None));
        assert_eq!(arena.free(a, 1), Some(None));
        assert_eq!(arena.free(a, 1), None);
        let (c, _) = done(arena.allocate(100, 1, 0, false));
        assert_ne!(c, a, "it may still be in use");
        assert!(arena.wake(1, 1).is_empty(), "freed at that moment");
        assert!(arena.wake(2, 2).is_empty(), "another context's");
        assert_ne!(done(arena.allocate(100, 1, 0, false)).0, a);
        assert!(arena.wake(1, 2).is_empty());
        assert_eq!(done(arena.allocate(100, 1, 0, false)).0, a);
    }

    #[test]
    fn large_blocks_use_fresh_addresses_until_there_are_none() {
        let mut arena = arena();
        let mut last = 0;
        for _ in 0..64 {
            let (address, map) = done(arena.allocate(PAGE, 1, 0, false));
            assert!(map.is_some() && address > last);
            last = address;
            assert_eq!(arena.free(address, 1).unwrap().unwrap().bytes, PAGE);
        }
        assert_eq!(done(arena.allocate(3 * PAGE - 5, 1, 0, false)).0, 1 << 40);
    }

    #[test]
    fn memory_beyond_the_grant_is_requested() {
        let mut arena = arena();
        assert_eq!(arena.allocate(17 * PAGE, 1, 0, false), Outcome::Grant { bytes: PAGE });
        arena.grant(PAGE);
        let (address, _) = done(arena.allocate(17 * PAGE, 1, 0, false));
        assert_eq!(arena.allocate(1, 1, 0, false), Outcome::Grant { bytes: PAGE });
        assert_eq!(arena.find(address + 5).unwrap().bytes, 17 * PAGE);
        assert_eq!(arena.find(address + 17 * PAGE), None);
    }

    #[test]
    fn a_limited_arena_returns_its_grant_at_once() {
        let mut arena = Arena::new(1 << 40, 64 * PAGE, PAGE, 0, Duration::from_secs(1000));
        arena.give_back_at_once();
        assert_eq!(arena.allocate(3 * PAGE, 1, 0, false), Outcome::Grant { bytes: 3 * PAGE });
        arena.grant(3 * PAGE);
        let (large, _) = done(arena.allocate(3 * PAGE, 1, 0, false));
        arena.grant(8 * PAGE);
        let blocks: Vec<u64> =
            (0..32).map(|_| done(arena.allocate(PAGE / 4, 1, 0, false)).0).collect();
        let unmapped: usize =
            blocks.iter().map(|block| arena.free_passed(*block).unwrap().len()).sum();
        assert_eq!(
            (unmapped, arena.mapped_bytes, arena.granted_bytes),
            (7, 4 * PAGE, 4 * PAGE),
            "all but one page"
        );
        arena.free(large, 1).unwrap();
        assert_eq!((arena.mapped_bytes, arena.granted_bytes), (PAGE, PAGE));
        arena.grant(PAGE);
        assert_eq!((arena.charge(PAGE), arena.charge(PAGE)), (Ok(()), Err(PAGE)));
        arena.discharge(PAGE);
        assert_eq!((arena.mapped_bytes, arena.granted_bytes), (PAGE, PAGE));
    }

    #[test]
    fn the_program_maps_memory_inside_its_reservation() {
        let mut arena = arena();
        let address = arena.reserve(4 * PAGE, 0).unwrap();
        assert!(!arena.map(address + 3 * PAGE, 2 * PAGE, 1, 0), "beyond the reservation");
        assert!(arena.map(address, PAGE, 1, 0) && arena.map(address + PAGE, PAGE, 1, 0));
        assert!(!arena.map(address, PAGE, 1, 0), "twice");
        assert_eq!(arena.free(address, 1), None, "it is not cuMemFree's to free");
        assert!(!arena.unreserve(address, 4 * PAGE), "still mapped");
        assert_eq!(arena.unmap(address + PAGE / 2, PAGE), None, "through the middle");
        assert_eq!(arena.unmap(address, 2 * PAGE), Some(vec![address, address + PAGE]));
        assert!(arena.unreserve(address, 4 * PAGE));
        assert_eq!((arena.charge(16 * PAGE), arena.charge(PAGE)), (Ok(()), Err(PAGE)));
    }

    #[test]
    fn pages_without_allocations_are_unused() {
        let mut arena = arena();
        let blocks: Vec<u64> =
            (0..12).map(|_| done(arena.allocate(PAGE / 4, 7, 0, false)).0).collect();
        assert_eq!(arena.unused_bytes(), 0);
        arena.free(blocks[3], 1);
        arena.free_passed(blocks[4]);
        assert_eq!(arena.unused_bytes(), 0, "two pages have a free block");
        (5..8).for_each(|i| assert_eq!(arena.free(blocks[i], 1), Some(None)));
        assert_eq!(arena.unused_bytes(), PAGE, "resting and free blocks of one page");
        (8..12).for_each(|i| assert_eq!(arena.free_passed(blocks[i]).unwrap(), []));
        assert_eq!(arena.unused_bytes(), 2 * PAGE);
        let large = done(arena.allocate(PAGE, 7, 0, false)).0;
        arena.free(large, 1);
        assert_eq!(arena.unused_bytes(), 2 * PAGE, "a large block is not mapped");
    }

    #[test]
    fn passed_blocks_are_reused_at_once() {
        let mut arena = arena();
        let blocks: Vec<u64> =
            (0..16).map(|_| done(arena.allocate(PAGE / 4, 7, 1, false)).0).collect();
        assert_eq!(arena.free_passed(blocks[0]), Some(vec![]));
        assert_eq!(done(arena.allocate(PAGE / 4, 7, 1, false)), (blocks[0], None));
        let unmapped: usize =
            blocks.iter().map(|block| arena.free_passed(*block).unwrap().len()).sum();
        assert_eq!((unmapped, arena.mapped_bytes), (3, PAGE));
        assert_eq!(arena.give_up_empty_pages().len(), 1);
        assert_eq!((arena.mapped_bytes, arena.shared_bytes), (0, 0));
        let large = done(arena.allocate(3 * PAGE, 7, 1, false)).0;
        assert_eq!(arena.free_passed(large), Some(vec![Pages { address: large, bytes: 3 * PAGE }]));
    }

    #[test]
    fn all_empty_shared_pages_but_one_are_unmapped() {
        let mut arena = arena();
        let blocks: Vec<u64> =
            (0..12).map(|_| done(arena.allocate(PAGE / 4, 7, 0, false)).0).collect();
        assert_eq!(arena.mapped_bytes, 3 * PAGE);
        assert_eq!(arena.of_context(7).len(), 12);
        for block in blocks {
            arena.free(block, 1);
        }
        assert_eq!(arena.resting_bytes(7), 3 * PAGE);
        assert_eq!(arena.wake(7, 2).len(), 2);
        assert_eq!((arena.mapped_bytes, arena.resting_bytes(7)), (PAGE, 0));
    }

    #[test]
    fn pages_allocated_and_freed_in_turn_are_kept_a_while() {
        let mut arena = Arena::new(1 << 40, 64 * PAGE, PAGE, 32 * PAGE, Duration::from_secs(1000));
        let take = |arena: &mut Arena| {
            (0..80).map(|_| done(arena.allocate(PAGE / 4, 7, 1, false)).0).collect::<Vec<_>>()
        };
        let unmapped = |arena: &mut Arena, blocks: Vec<u64>| {
            blocks.iter().map(|b| arena.free_passed(*b).unwrap().len()).sum::<usize>()
        };
        let blocks = take(&mut arena);
        assert_eq!(
            (unmapped(&mut arena, blocks), arena.mapped_bytes),
            (4, 16 * PAGE),
            "no more than these are kept"
        );
        let blocks = take(&mut arena);
        assert_eq!(arena.mapped_bytes, 20 * PAGE);
        arena.empty_kept_for = Duration::ZERO;
        assert_eq!((unmapped(&mut arena, blocks), arena.mapped_bytes), (19, PAGE));
    }

    #[test]
    fn only_narrow_contexts_get_low_memory() {
        let mut arena = arena();
        assert_eq!(arena.allocate(100, 1, 0, true), Outcome::Exhausted);
        arena.open_low(PAGE, 4 * PAGE);
        let (high, _) = done(arena.allocate(100, 1, 0, false));
        let (low, map) = done(arena.allocate(100, 2, 0, true));
        assert_eq!((high, low, map), (1 << 40, PAGE, Some(Pages { address: PAGE, bytes: PAGE })));
        assert_eq!(done(arena.allocate(100, 1, 0, false)).0, high + ALIGNMENT_BYTES);
        assert_eq!(done(arena.allocate(3 * PAGE, 2, 0, true)).0, 2 * PAGE);
        assert_eq!(arena.allocate(PAGE, 2, 0, true), Outcome::Exhausted);
        arena.free(2 * PAGE, 0).unwrap();
        assert_eq!(done(arena.allocate(PAGE, 2, 0, true)).0, 2 * PAGE);
        assert_eq!(done(arena.allocate(PAGE, 1, 0, false)).0, high + PAGE);
    }
}
