//! Host memory that the program pinned. If the worker runs on the same machine, client and worker
//! both map the memory. Otherwise the memory is ordinary, and a copy may read it after the call has
//! returned.

use crate::session::Target;
use crate::session::host_segment::HostSegment;
use crate::session::host_segments::place;
use crate::session::outbox::Sent;
use outhaul_abi::memory::page_access::{is_readable, is_writable};
use outhaul_abi::types::CUresult;
use outhaul_lock::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

const PAGE_BYTES: usize = 4096;
/// `CU_MEMHOSTREGISTER_READ_ONLY`
const READ_ONLY: u32 = 8;
const WORD_BYTES: usize = 8;
const BLOCK_WORDS: usize = 64;
/// Number of bytes of a copy that the client searches by default. Copies up to this size go into
/// the queue anyway.
const NAMED_BYTES_MAX: usize = 64 << 10;
/// Number of bytes of a copy that the client searches after the program has asked for a device
/// pointer.
const NAMED_BYTES_ASKED_MAX: usize = 256 << 10;

/// Addresses of pinned memory that the device cannot access yet. The client uses the ranges to
/// notice the first word that points into such memory. Registered memory has its own range because
/// it can be anywhere, while allocated memory is close together.
static ALLOCATED: Bounds = Bounds::new();
static REGISTERED: Bounds = Bounds::new();

/// A range that grows with each entry, and becomes empty when the last entry is removed.
struct Bounds {
    low: AtomicUsize,
    high: AtomicUsize,
    count: AtomicUsize,
}

impl Bounds {
    const fn new() -> Bounds {
        Bounds {
            low: AtomicUsize::new(usize::MAX),
            high: AtomicUsize::new(0),
            count: AtomicUsize::new(0),
        }
    }

    fn of(region: &Region) -> &'static Bounds {
        if region.registered { &REGISTERED } else { &ALLOCATED }
    }

    fn get(&self) -> Range<usize> {
        self.low.load(Acquire)..self.high.load(Acquire)
    }

    /// Adds a region. The caller must hold the lock of the regions, for `shrink` too.
    fn grow(&self, start: usize, end: usize) {
        self.count.fetch_add(1, Release);
        self.low.fetch_min(start, Release);
        self.high.fetch_max(end, Release);
    }

    fn shrink(&self) {
        if self.count.fetch_sub(1, Release) == 1 {
            self.high.store(0, Release);
            self.low.store(usize::MAX, Release);
        }
    }
}

/// Whether the program has asked for a device pointer to memory that the device cannot access yet.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Returns how many bytes of a copy to the device to search for addresses of pinned memory. The
/// number is larger once the program has asked for a device pointer, because it may pass the
/// pointer to kernels.
pub fn named_bytes_max() -> usize {
    if ASKED.load(Relaxed) { NAMED_BYTES_ASKED_MAX } else { NAMED_BYTES_MAX }
}

/// Returns whether any pinned memory exists that the device cannot access yet. A program without
/// any pays only for this check.
pub fn may_be_named() -> bool {
    !ALLOCATED.get().is_empty() || !REGISTERED.get().is_empty()
}

/// Returns the words that point into either range. Most blocks contain no such word, so a whole
/// block is checked without branches first.
fn words_in(bytes: &[u8], one: Range<usize>, other: Range<usize>) -> Vec<usize> {
    let (one_bytes, other_bytes) = (one.len(), other.len());
    let value = |word: &[u8; WORD_BYTES]| u64::from_le_bytes(*word) as usize;
    let is_in = |word: &[u8; WORD_BYTES]| {
        (value(word).wrapping_sub(one.start) < one_bytes)
            | (value(word).wrapping_sub(other.start) < other_bytes)
    };
    let blocks = bytes.as_chunks::<WORD_BYTES>().0.chunks(BLOCK_WORDS);
    blocks
        .filter(|block| block.iter().fold(false, |any, word| any | is_in(word)))
        .flat_map(|block| block.iter().filter(|word| is_in(word)).map(value))
        .collect()
}

#[derive(Clone)]
/// A range of pinned memory.
pub struct Region {
    /// First address.
    pub start: usize,
    /// Number of bytes.
    pub bytes: usize,
    /// Flags that the program passed.
    pub flags: u32,
    /// Whether the program registered its own memory.
    pub registered: bool,
    /// The handle of the region's context.
    pub context: u64,
    /// Ordinal of the context's device.
    pub device: i32,
    /// Unique number, never reused.
    pub id: u64,
    /// The shared segment, if the worker maps the memory too.
    pub segment: Option<Arc<HostSegment>>,
    /// Whether the program has a device pointer to the region, which it may be about to use.
    asked: Arc<AtomicBool>,
    /// Whether the device may access the region's addresses.
    reached: Arc<AtomicBool>,
    /// Copies that may read the region after their calls have returned.
    reading: Arc<Mutex<Vec<Arc<Sent>>>>,
}

impl Region {
    /// Notes that the program has a device pointer to the region.
    pub fn note_asked(&self) {
        self.asked.store(true, Release);
        ASKED.store(true, Relaxed);
    }

    /// Returns whether the program has a device pointer to the region.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Acquire)
    }

    /// Notes that the device may access the region, or that the region ends. The caller must hold
    /// the lock of the regions.
    fn note_reached(&self) {
        if !self.reached.swap(true, Release) {
            Bounds::of(self).shrink();
        }
    }

    /// Notes a copy that has not read the region yet.
    pub fn note_reading(&self, sent: Arc<Sent>) {
        let mut reading = self.reading.lock();
        reading.retain(|other| !other.is_done());
        reading.push(sent);
    }

    /// Blocks until no posted copy reads the region.
    fn wait_read(&self) {
        let reading = std::mem::take(&mut *self.reading.lock());
        reading.iter().for_each(|sent| sent.wait());
    }
}

#[derive(Default)]
/// All pinned memory of the process, by first address.
pub struct HostMemory {
    regions: RwLock<BTreeMap<usize, Region>>,
}

/// The owner of a region, and the region's number.
#[derive(Clone, Copy)]
pub struct Owner {
    /// Handle of the context.
    pub context: u64,
    /// Ordinal of the context's device.
    pub device: i32,
    /// The region's number.
    pub id: u64,
}

impl HostMemory {
    fn write(&self) -> outhaul_lock::RwLockWriteGuard<'_, BTreeMap<usize, Region>> {
        self.regions.write()
    }

    /// Allocates pinned memory, and returns its address.
    pub fn allocate(
        &self,
        bytes: usize,
        flags: u32,
        owner: Owner,
        at: Target,
    ) -> Result<usize, CUresult> {
        if bytes == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        if let Some(segment) = at.session.segments.open(bytes, at).map(Arc::new) {
            let address = segment.address();
            self.enter(address, bytes, flags, false, Some(segment), owner);
            return Ok(address);
        }
        let (protection, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: an anonymous mapping that replaces no other one, because of `MAP_FIXED_NOREPLACE`
        // or because Linux chooses the address.
        let map = |place: usize, flags: i32| unsafe {
            libc::mmap(place as *mut libc::c_void, bytes, protection, kind | flags, -1, 0)
        };
        let mut address = map(place(bytes), libc::MAP_FIXED_NOREPLACE);
        if address == libc::MAP_FAILED {
            // At other addresses, the device can access the memory only if the node has them free.
            address = map(0, 0);
        }
        if address == libc::MAP_FAILED {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        self.enter(address as usize, bytes, flags, false, None, owner);
        Ok(address as usize)
    }

    fn enter(
        &self,
        start: usize,
        bytes: usize,
        flags: u32,
        registered: bool,
        segment: Option<Arc<HostSegment>>,
        owner: Owner,
    ) {
        let Owner { context, device, id } = owner;
        let (asked, reached, reading) = (Arc::default(), Arc::default(), Arc::default());
        let region = Region {
            start,
            bytes,
            flags,
            registered,
            context,
            device,
            id,
            segment,
            asked,
            reached,
            reading,
        };
        let mut regions = self.write();
        Bounds::of(&region).grow(start, start + bytes);
        regions.insert(start, region);
    }

    /// Returns the first addresses of the regions into which `words` point and which the device
    /// cannot access yet, without duplicates.
    pub fn named(&self, words: &[u8]) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        let mut last: Range<usize> = 0..0;
        for word in words_in(words, ALLOCATED.get(), REGISTERED.get()) {
            if !last.contains(&word)
                && let Some(region) = self.find(word)
            {
                last = region.start..region.start + region.bytes;
                if !region.reached.load(Acquire) && !found.contains(&region.start) {
                    found.push(region.start);
                }
            }
        }
        found
    }

    /// Notes that the device may access the region's addresses from now on.
    pub fn note_reached(&self, region: &Region) {
        let _regions = self.write();
        region.note_reached();
    }

    /// Registers memory that the program owns. Fails with `INVALID_VALUE` for memory that the
    /// device could not access as the flags say.
    pub fn register(
        &self,
        start: usize,
        bytes: usize,
        flags: u32,
        owner: Owner,
    ) -> Result<(), CUresult> {
        if start == 0 || bytes == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        if self.overlapping(start, bytes) {
            return Err(CUresult::HOST_MEMORY_ALREADY_REGISTERED);
        }
        let is_accessible = if flags & READ_ONLY != 0 { is_readable } else { is_writable };
        if !is_accessible(start..start + bytes) {
            return Err(CUresult::INVALID_VALUE);
        }
        self.enter(start, bytes, flags, true, None, owner);
        Ok(())
    }

    /// Returns the regions that the program registered in the context.
    pub fn registered_in(&self, context: u64) -> Vec<Region> {
        let regions = self.regions.read();
        regions
            .values()
            .filter(|region| region.registered && region.context == context)
            .cloned()
            .collect()
    }

    fn overlapping(&self, start: usize, bytes: usize) -> bool {
        let regions = self.regions.read();
        regions.range(..start + bytes).next_back().is_some_and(|(a, r)| a + r.bytes > start)
    }

    /// Ends a registration, after the copies that read the memory have done so. Fails with
    /// `INVALID_VALUE` for null and for pinned memory of which no registration begins at `start`,
    /// and with `HOST_MEMORY_NOT_REGISTERED` for other memory.
    pub fn unregister(&self, start: usize) -> Result<(), CUresult> {
        let mut regions = self.write();
        if regions.get(&start).is_none_or(|r| !r.registered) {
            let before = regions.range(..=start).next_back();
            let is_pinned = before.is_some_and(|(address, r)| start < address + r.bytes);
            return Err(if is_pinned || start == 0 {
                CUresult::INVALID_VALUE
            } else {
                CUresult::HOST_MEMORY_NOT_REGISTERED
            });
        }
        let region = regions.remove(&start).expect("just seen");
        region.note_reached();
        drop(regions);
        region.wait_read();
        Ok(())
    }

    /// Frees memory that `allocate` returned, after the copies that read it have done so.
    pub fn free(&self, start: usize) -> Result<(), CUresult> {
        let mut regions = self.write();
        if regions.get(&start).is_none_or(|r| r.registered) {
            return Err(CUresult::INVALID_VALUE);
        }
        let region = regions.remove(&start).expect("just seen");
        region.note_reached();
        drop(regions);
        region.wait_read();
        if let Some(segment) = &region.segment {
            segment.close();
            return Ok(());
        }
        // SAFETY: `allocate` mapped the memory with this length, and no copy reads it any more.
        unsafe {
            libc::munmap(start as *mut libc::c_void, region.bytes.next_multiple_of(PAGE_BYTES))
        };
        Ok(())
    }

    /// Returns the region that contains the address.
    pub fn find(&self, address: usize) -> Option<Region> {
        let regions = self.regions.read();
        let (_, region) = regions.range(..=address).next_back()?;
        (address < region.start + region.bytes).then(|| region.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_point_into_memory_are_found_and_others_are_not() {
        let words =
            |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let given = [words(&[0x0FFF, 0x1000, 0x1FFF, 0x2000, 0x50, 0, u64::MAX]), vec![0, 0x10, 0]]
            .concat();
        assert_eq!(words_in(&given, 0x1000..0x2000, 0x50..0x60), [0x1000, 0x1FFF, 0x50]);
        let nothing = || Bounds::new().get();
        assert_eq!(words_in(&given, nothing(), nothing()), [0usize; 0]);
    }

    #[test]
    fn bounds_contain_all_entries_until_the_last_is_removed() {
        let bounds = Bounds::new();
        assert!(bounds.get().is_empty());
        bounds.grow(0x3000, 0x4000);
        bounds.grow(0x1000, 0x1008);
        assert_eq!(bounds.get(), 0x1000..0x4000);
        bounds.shrink();
        assert!(bounds.get().contains(&0x1004));
        bounds.shrink();
        assert!(bounds.get().is_empty());
    }
}
