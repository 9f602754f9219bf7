//! All memory that CUDA knows about, by address. Pointer attributes, copy checks and `cuMemFree`
//! use these ranges.
//!
//! Memory outside all ranges is ordinary pageable memory of the program.

use outhaul_lock::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The origin of a range, which determines who may free it and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `cuMemAlloc`, `cuMemAllocPitch`.
    Device,
    /// `cuMemAllocManaged`.
    Managed,
    /// `cuMemAllocAsync`, with the pool's handle.
    Pool(u64),
    /// Memory that a graph allocates.
    Graph,
    /// A module's variable.
    Module,
    /// A module's managed variable.
    ManagedModule,
    /// An array, whose address programs do not see.
    Array,
    /// Physical memory mapped by `cuMemMap`, from this allocation.
    Mapped(u64),
    /// `cuMemHostAlloc`, with its flags.
    HostAllocated(u32),
    /// `cuMemHostRegister`, with its flags.
    HostRegistered(u32),
}

impl Origin {
    /// Returns whether the range is host memory.
    pub fn is_host(self) -> bool {
        matches!(self, Origin::HostAllocated(_) | Origin::HostRegistered(_))
    }

    /// Returns whether the range is managed memory.
    pub fn is_managed(self) -> bool {
        matches!(self, Origin::Managed | Origin::ManagedModule)
    }
}

/// A range of memory.
#[derive(Clone, Debug)]
pub struct Range {
    /// First address.
    pub base: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// The range's origin.
    pub origin: Origin,
    /// Handle of the range's context, or 0 for mapped memory, which belongs to no context.
    pub context: u64,
    /// Ordinal of the device.
    pub device: i32,
    /// Number that is unique within the process (`CU_POINTER_ATTRIBUTE_BUFFER_ID`).
    pub id: u64,
}

impl Range {
    /// Returns the address after the last byte.
    pub fn end(&self) -> u64 {
        self.base + self.bytes
    }
}

/// All ranges of memory that CUDA knows about.
#[derive(Default)]
pub struct Ranges {
    map: RwLock<BTreeMap<u64, Arc<Range>>>,
    last_id: AtomicU64,
}

impl Ranges {
    /// Adds a range. Returns false if the range overlaps a known one.
    pub fn insert(&self, base: u64, bytes: u64, origin: Origin, context: u64, device: i32) -> bool {
        let Some(end) = base.checked_add(bytes) else { return false };
        let mut map = self.map.write();
        if map.range(..end).next_back().is_some_and(|(_, below)| below.end() > base) {
            return false;
        }
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        map.insert(base, Arc::new(Range { base, bytes, origin, context, device, id }));
        true
    }

    /// Returns the range that contains `address`.
    pub fn containing(&self, address: u64) -> Option<Arc<Range>> {
        let map = self.map.read();
        map.range(..=address)
            .next_back()
            .map(|(_, range)| range)
            .filter(|range| address < range.end())
            .cloned()
    }

    /// Returns the range that is closest to `address`.
    pub fn nearest(&self, address: u64) -> Option<Arc<Range>> {
        let map = self.map.read();
        let below = map.range(..=address).next_back().map(|(_, range)| range);
        let above = map.range(address..).next().map(|(_, range)| range);
        let distance = |range: &Range| {
            if address < range.base {
                range.base - address
            } else {
                (address + 1).saturating_sub(range.end())
            }
        };
        below.into_iter().chain(above).min_by_key(|range| distance(range)).cloned()
    }

    /// Removes and returns the range that starts at `base`, if `wanted` returns true for it.
    pub fn take(&self, base: u64, wanted: impl Fn(&Range) -> bool) -> Option<Arc<Range>> {
        let mut map = self.map.write();
        if !wanted(map.get(&base)?) {
            return None;
        }
        map.remove(&base)
    }

    /// Removes and returns all ranges for which `wanted` returns true.
    pub fn take_all(&self, wanted: impl Fn(&Range) -> bool) -> Vec<Arc<Range>> {
        let mut map = self.map.write();
        map.extract_if(.., |_, range| wanted(range)).map(|(_, range)| range).collect()
    }

    /// Returns whether known memory covers the given bytes without a gap. Adjacent mapped ranges
    /// count as one, as on a GPU.
    pub fn covers(&self, address: u64, bytes: u64) -> bool {
        let Some(end) = address.checked_add(bytes) else { return false };
        let mut reached = address;
        while reached < end {
            match self.containing(reached) {
                Some(range) if reached == address || matches!(range.origin, Origin::Mapped(_)) => {
                    reached = range.end()
                }
                _ => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_refused_and_neighbours_are_not() {
        let ranges = Ranges::default();
        assert!(ranges.insert(0x1000, 0x1000, Origin::Device, 1, 0));
        for (base, bytes) in
            [(0x1800, 0x10), (0x800, 0x900), (0x1fff, 0x1000), (0, 0x10000), (u64::MAX, 2)]
        {
            assert!(!ranges.insert(base, bytes, Origin::Device, 1, 0), "{base:#x}");
        }
        assert!(ranges.insert(0x2000, 0x1000, Origin::Device, 1, 0));
        assert!(ranges.insert(0, 0x1000, Origin::Device, 1, 0));
        assert_eq!(ranges.containing(0x1fff).unwrap().base, 0x1000);
        assert!(ranges.containing(0x3000).is_none());
    }

    #[test]
    fn coverage_joins_mapped_neighbours_only() {
        let ranges = Ranges::default();
        ranges.insert(0x1000, 0x1000, Origin::Mapped(1), 0, 0);
        ranges.insert(0x2000, 0x1000, Origin::Mapped(2), 0, 0);
        ranges.insert(0x5000, 0x1000, Origin::Device, 1, 0);
        ranges.insert(0x6000, 0x1000, Origin::Device, 1, 0);
        assert!(ranges.covers(0x1800, 0x1000));
        assert!(!ranges.covers(0x1800, 0x2000));
        assert!(ranges.covers(0x5000, 0x1000));
        assert!(!ranges.covers(0x5800, 0x1000));
        assert!(!ranges.covers(0x9000, 1));
        assert!(ranges.covers(0x9000, 0));
    }
}
