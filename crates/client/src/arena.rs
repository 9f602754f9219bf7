//! The allocator of one device's memory. Pure bookkeeping over the address range that the worker
//! reserved: it says what must be mapped and unmapped there, and never waits. Large allocations get
//! pages of their own; small ones share pages.
//!
//! A small block that is freed may still be used by work in flight, so it rests until its context
//! is known to have passed that work. A large one is unmapped by the worker behind that work, and
//! its addresses are used again last of all.

use crate::moment::Moment;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// CUDA aligns allocations to at least this.
pub const ALIGNMENT_BYTES: u64 = 512;

/// Empty shared pages that stay at most.
const KEPT_BYTES_MAX: u64 = 32 << 20;
/// For so long after shared pages came or went all that are empty stay, up to that.
pub const SETTLING: Duration = Duration::from_millis(200);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    pub address: u64,
    /// As asked for.
    pub bytes: u64,
    /// The context that it was made in.
    pub context: u64,
    /// A number that is never used again.
    pub id: u64,
    pub pool: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A part of shared pages.
    Small,
    /// Pages of its own.
    Large,
    /// Mapped by the program itself, and freed by unmapping: memory of this device, wherever it
    /// lies.
    Mapped(i32),
}

impl Allocation {
    pub fn is_mapped(&self) -> bool {
        self.mapped_device().is_some()
    }

    /// What a small block takes.
    fn small_bytes(&self) -> u64 {
        Arena::round(self.bytes.max(1), ALIGNMENT_BYTES)
    }

    /// Whose memory the program mapped here.
    pub fn mapped_device(&self) -> Option<i32> {
        if let Kind::Mapped(device) = self.kind { Some(device) } else { None }
    }
}

/// A range of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pages {
    pub address: u64,
    pub bytes: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Done {
        address: u64,
        map: Option<Pages>,
    },
    /// The session must hold this much more memory first.
    Grant {
        bytes: u64,
    },
    /// The address range is used up.
    Exhausted,
}

/// Where addresses of 32 bits end.
const LOW_END: u64 = 1 << 32;

/// Addresses that were never used.
#[derive(Default)]
struct Fresh {
    next: u64,
    end: u64,
}

pub struct Arena {
    page_bytes: u64,
    fresh: Fresh,
    /// Below 4 GiB, for contexts that know no other addresses.
    low: Fresh,
    granted_bytes: u64,
    /// What is unmapped leaves the grant, since others have the same limit.
    gives_back: bool,
    mapped_bytes: u64,
    /// Of these, in pages that small blocks share.
    shared_bytes: u64,
    /// When those last became more or fewer.
    shared_changed: Instant,
    settling: Duration,
    allocations: BTreeMap<u64, Allocation>,
    /// Address ranges that the program reserved for mapping itself.
    reserved: BTreeMap<u64, u64>,
    /// Unmapped address ranges that were used before.
    holes: BTreeMap<u64, u64>,
    /// Free parts of shared pages, by address and by size.
    small_free: BTreeMap<u64, u64>,
    small_sizes: BTreeSet<(u64, u64)>,
    resting: Vec<Resting>,
    /// By context.
    resting_bytes: HashMap<u64, u64>,
    next_id: u64,
}

/// A small block that was freed, and may be used again once its context has passed the work before
/// that.
struct Resting {
    address: u64,
    bytes: u64,
    context: u64,
    /// See `Moment`.
    freed: Moment,
}

impl Arena {
    pub fn new(
        base: u64,
        bytes: u64,
        page_bytes: u64,
        granted_bytes: u64,
        settling: Duration,
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
            settling,
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

    /// The worker has reserved addresses below 4 GiB.
    pub fn open_low(&mut self, base: u64, bytes: u64) {
        self.low = Fresh { next: base, end: base + bytes };
    }

    /// From now on, what is unmapped leaves the grant, and no page is kept for what may come but
    /// one.
    pub fn give_back_at_once(&mut self) {
        self.gives_back = true;
    }

    pub fn grant(&mut self, more_bytes: u64) {
        self.granted_bytes += more_bytes;
    }

    /// What is unmapped is no longer the session's, or stays its to map anew.
    fn leave(&mut self, bytes: u64) {
        self.mapped_bytes -= bytes;
        if self.gives_back {
            self.granted_bytes -= bytes;
        }
    }

    pub fn resting_bytes(&self, context: u64) -> u64 {
        self.resting_bytes.get(&context).copied().unwrap_or(0)
    }

    fn round(bytes: u64, unit: u64) -> u64 {
        bytes.div_ceil(unit).saturating_mul(unit)
    }

    /// `low`: below 4 GiB.
    pub fn allocate(&mut self, bytes: u64, context: u64, pool: u64, low: bool) -> Outcome {
        if bytes >= self.page_bytes / 2 {
            let whole = Arena::round(bytes, self.page_bytes);
            return self.pages(whole, low).map_or_else(
                |refused| refused,
                |pages| {
                    self.enter(pages.address, bytes, context, pool, Kind::Large);
                    Outcome::Done { address: pages.address, map: Some(pages) }
                },
            );
        }
        let rounded = Arena::round(bytes.max(1), ALIGNMENT_BYTES);
        if let Some(address) = self.take_small(rounded, low) {
            self.enter(address, bytes, context, pool, Kind::Small);
            return Outcome::Done { address, map: None };
        }
        match self.pages(self.page_bytes, low) {
            Err(refused) => refused,
            Ok(pages) => {
                self.shared_bytes += pages.bytes;
                self.shared_changed = Instant::now();
                self.put_small(pages.address, pages.bytes);
                let address =
                    self.take_small(rounded, low).expect("a fresh page holds any small block");
                self.enter(address, bytes, context, pool, Kind::Small);
                Outcome::Done { address, map: Some(pages) }
            }
        }
    }

    fn enter(&mut self, address: u64, bytes: u64, context: u64, pool: u64, kind: Kind) {
        self.allocations
            .insert(address, Allocation { address, bytes, context, id: self.next_id, pool, kind });
        self.next_id += 1;
    }

    /// Addresses for whole pages: fresh ones while there are any, so that freed ones rest as long
    /// as possible.
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

    /// Addresses with nothing behind them; `bytes` is a number of whole pages, and the alignment a
    /// power of two.
    pub fn reserve(&mut self, bytes: u64, alignment: u64) -> Option<u64> {
        let spare = alignment.saturating_sub(self.page_bytes);
        let found = self.addresses(bytes.checked_add(spare)?, false)?;
        let address = found.next_multiple_of(alignment.max(1));
        let (before, end) = (address - found, address + bytes);
        let behind = found + bytes + spare - end;
        for (address, bytes) in [(found, before), (end, behind)] {
            if bytes > 0 {
                self.put_hole(Pages { address, bytes });
            }
        }
        self.reserved.insert(address, bytes);
        Some(address)
    }

    /// False if nothing of that size is reserved there, or something is still mapped in it.
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

    /// Counts memory that is not at an address yet; the missing bytes of the grant if it does not
    /// fit.
    pub fn charge(&mut self, bytes: u64) -> Result<(), u64> {
        if self.mapped_bytes + bytes > self.granted_bytes {
            return Err(self.mapped_bytes + bytes - self.granted_bytes);
        }
        self.mapped_bytes += bytes;
        Ok(())
    }

    pub fn discharge(&mut self, bytes: u64) {
        self.leave(bytes);
    }

    /// False if the range is not reserved, or something is mapped in it.
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
            self.enter(address, bytes, context, 0, Kind::Mapped(device));
        }
        inside && free
    }

    /// The mappings that lie in the range, taken out; None if the range cuts one or holds none.
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

    /// Frees what starts at `address`; gives the pages to unmap, if it had its own. None: nothing
    /// starts there.
    pub fn free(&mut self, address: u64, now: Moment) -> Option<Option<Pages>> {
        let allocation = self.take_out(address)?;
        if allocation.kind == Kind::Large {
            return Some(Some(self.give_back(allocation)));
        }
        let bytes = allocation.small_bytes();
        self.resting.push(Resting { address, bytes, context: allocation.context, freed: now });
        *self.resting_bytes.entry(allocation.context).or_default() += bytes;
        Some(None)
    }

    /// As `free`, for what the device is known to be through with: it may be used again at once.
    pub fn free_passed(&mut self, address: u64) -> Option<Vec<Pages>> {
        let allocation = self.take_out(address)?;
        if allocation.kind == Kind::Large {
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

    /// A context has passed all that it was given before a moment, so what was freed until then may
    /// be used again. Gives the shared pages that became empty and are to be unmapped.
    pub fn wake(&mut self, context: u64, moment: Moment) -> Vec<Pages> {
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

    /// Shared pages that are empty and were kept, now that there is too little memory.
    pub fn give_up_empty_pages(&mut self) -> Vec<Pages> {
        self.empty_pages(0)
    }

    /// A program that allocates and frees in turn is not to map and unmap in turn. What it does not
    /// take again goes by halves, after a while each.
    fn kept_bytes_max(&self) -> u64 {
        if self.gives_back {
            return self.page_bytes;
        }
        let is_settling = self.shared_changed.elapsed() < self.settling;
        let kept = if is_settling { self.shared_bytes } else { self.shared_bytes / 2 };
        kept.min(KEPT_BYTES_MAX).max(self.page_bytes)
    }

    /// A context is gone, and what it did with it.
    pub fn wake_all(&mut self, context: u64) -> Vec<Pages> {
        let pages = self.wake(context, Moment::MAX);
        self.resting_bytes.remove(&context);
        pages
    }

    /// Takes shared pages out that are empty, but for so many bytes.
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

    /// The allocation that `address` lies in.
    pub fn find(&self, address: u64) -> Option<Allocation> {
        let (_, allocation) = self.allocations.range(..=address).next_back()?;
        (address < allocation.address + allocation.bytes.max(1)).then_some(*allocation)
    }

    /// Everything that a context made.
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
            Outcome::Done { address, map } => (address, map),
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
    fn memory_beyond_the_grant_is_asked_for() {
        let mut arena = arena();
        assert_eq!(arena.allocate(17 * PAGE, 1, 0, false), Outcome::Grant { bytes: PAGE });
        arena.grant(PAGE);
        let (address, _) = done(arena.allocate(17 * PAGE, 1, 0, false));
        assert_eq!(arena.allocate(1, 1, 0, false), Outcome::Grant { bytes: PAGE });
        assert_eq!(arena.find(address + 5).unwrap().bytes, 17 * PAGE);
        assert_eq!(arena.find(address + 17 * PAGE), None);
    }

    #[test]
    fn what_others_may_have_is_given_back_at_once() {
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
            "but one page"
        );
        arena.free(large, 1).unwrap();
        assert_eq!((arena.mapped_bytes, arena.granted_bytes), (PAGE, PAGE));
        arena.grant(PAGE);
        assert_eq!((arena.charge(PAGE), arena.charge(PAGE)), (Ok(()), Err(PAGE)));
        arena.discharge(PAGE);
        assert_eq!((arena.mapped_bytes, arena.granted_bytes), (PAGE, PAGE));
    }

    #[test]
    fn what_the_program_maps_lies_where_it_reserved() {
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
    fn what_the_device_is_through_with_is_used_again_at_once() {
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
    fn empty_shared_pages_go_but_one() {
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
    fn what_a_program_takes_and_frees_in_turn_stays_a_while() {
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
            "no more than so many stay"
        );
        let blocks = take(&mut arena);
        assert_eq!(arena.mapped_bytes, 20 * PAGE);
        arena.settling = Duration::ZERO;
        assert_eq!((unmapped(&mut arena, blocks), arena.mapped_bytes), (19, PAGE));
    }

    #[test]
    fn low_memory_is_for_those_who_ask_for_it() {
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
