//! Hints of a program about its managed memory: advice and prefetches. The client and the software
//! GPU store hints so that they can report them, and do nothing else with them.

use crate::types::values::{
    DEVICE_CPU, DEVICE_INVALID, MEM_LOCATION_TYPE_DEVICE, MEM_LOCATION_TYPE_HOST,
    MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
};
use crate::types::{CUdevice, CUmemLocation, CUresult};
use std::collections::BTreeMap;
use std::ops::Range;

/// Page size in bytes; hints apply to whole pages.
const PAGE_BYTES: u64 = 4096;
const NOWHERE: CUmemLocation = CUmemLocation { type_: 0, id: 0 };

/// Values of `CUmem_advise`.
#[allow(missing_docs)]
pub mod advice {
    pub const SET_READ_MOSTLY: i32 = 1;
    pub const UNSET_READ_MOSTLY: i32 = 2;
    pub const SET_PREFERRED_LOCATION: i32 = 3;
    pub const UNSET_PREFERRED_LOCATION: i32 = 4;
    pub const SET_ACCESSED_BY: i32 = 5;
    pub const UNSET_ACCESSED_BY: i32 = 6;
}

/// Values of `CUmem_range_attribute`.
#[allow(missing_docs)]
mod attribute {
    pub const READ_MOSTLY: i32 = 1;
    pub const PREFERRED_LOCATION: i32 = 2;
    pub const ACCESSED_BY: i32 = 3;
    pub const LAST_PREFETCH_LOCATION: i32 = 4;
    pub const PREFERRED_LOCATION_TYPE: i32 = 5;
    pub const PREFERRED_LOCATION_ID: i32 = 6;
    pub const LAST_PREFETCH_LOCATION_TYPE: i32 = 7;
    pub const LAST_PREFETCH_LOCATION_ID: i32 = 8;
}

/// The hints for a range of pages.
#[derive(Clone, Default, PartialEq)]
struct Hint {
    read_mostly: bool,
    preferred: CUmemLocation,
    last_prefetch: CUmemLocation,
    accessed_by: Vec<CUdevice>,
}

/// Hints by address. Each one applies from its key up to the next key.
#[derive(Default)]
pub struct Hints(BTreeMap<u64, Hint>);

/// Returns the location that the older functions identify by `device`.
pub fn location(device: CUdevice) -> CUmemLocation {
    if device == DEVICE_CPU {
        CUmemLocation { type_: MEM_LOCATION_TYPE_HOST, id: 0 }
    } else {
        CUmemLocation { type_: MEM_LOCATION_TYPE_DEVICE, id: device }
    }
}

/// Returns the location's device number. Returns DEVICE_INVALID unless the location is a device or
/// the host.
fn device(location: CUmemLocation) -> CUdevice {
    match location.type_ {
        MEM_LOCATION_TYPE_DEVICE => location.id,
        MEM_LOCATION_TYPE_HOST => DEVICE_CPU,
        _ => DEVICE_INVALID,
    }
}

/// Returns an error for a location that a machine with `devices` devices does not have.
fn check(location: CUmemLocation, devices: usize) -> Result<(), CUresult> {
    match location.type_ {
        MEM_LOCATION_TYPE_DEVICE if usize::try_from(location.id).is_ok_and(|id| id < devices) => {
            Ok(())
        }
        MEM_LOCATION_TYPE_DEVICE => Err(CUresult::INVALID_DEVICE),
        MEM_LOCATION_TYPE_HOST..=MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => Ok(()),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

fn pages(range: Range<u64>) -> Range<u64> {
    range.start / PAGE_BYTES * PAGE_BYTES..range.end.next_multiple_of(PAGE_BYTES)
}

impl Hints {
    /// Stores a program's advice.
    pub fn advise(
        &mut self,
        range: Range<u64>,
        what: i32,
        place: CUmemLocation,
        devices: usize,
    ) -> Result<(), CUresult> {
        if matches!(
            what,
            advice::SET_PREFERRED_LOCATION | advice::SET_ACCESSED_BY | advice::UNSET_ACCESSED_BY
        ) {
            check(place, devices)?;
        }
        let accessor = device(place);
        match what {
            advice::SET_READ_MOSTLY => self.change(range, |hint| hint.read_mostly = true),
            advice::UNSET_READ_MOSTLY => self.change(range, |hint| hint.read_mostly = false),
            advice::SET_PREFERRED_LOCATION => self.change(range, |hint| hint.preferred = place),
            advice::UNSET_PREFERRED_LOCATION => self.change(range, |hint| hint.preferred = NOWHERE),
            advice::SET_ACCESSED_BY => self.change(range, |hint| {
                if !hint.accessed_by.contains(&accessor) {
                    hint.accessed_by.push(accessor);
                }
            }),
            advice::UNSET_ACCESSED_BY => {
                self.change(range, |hint| hint.accessed_by.retain(|known| *known != accessor))
            }
            _ => return Err(CUresult::INVALID_VALUE),
        }
        Ok(())
    }

    /// Stores a prefetch.
    pub fn prefetch(
        &mut self,
        range: Range<u64>,
        place: CUmemLocation,
        devices: usize,
    ) -> Result<(), CUresult> {
        check(place, devices)?;
        self.change(range, |hint| hint.last_prefetch = place);
        Ok(())
    }

    /// Forgets the hints for freed memory, so that later memory at these addresses has none.
    pub fn forget(&mut self, range: Range<u64>) {
        if !self.0.is_empty() {
            self.change(range, |hint| *hint = Hint::default());
        }
    }

    /// Returns the values of an attribute as exactly `data_bytes` bytes. Fails if the size is
    /// wrong.
    pub fn attribute(
        &self,
        range: Range<u64>,
        what: i32,
        data_bytes: usize,
    ) -> Result<Vec<u8>, CUresult> {
        let hints = self.within(range);
        let common = |of: fn(&Hint) -> CUmemLocation| {
            let first = of(&hints[0]);
            if hints.iter().all(|hint| of(hint) == first) { first } else { NOWHERE }
        };
        let (preferred, prefetched) =
            (common(|hint| hint.preferred), common(|hint| hint.last_prefetch));
        let values = match what {
            attribute::READ_MOSTLY => vec![i32::from(hints.iter().all(|hint| hint.read_mostly))],
            attribute::PREFERRED_LOCATION => vec![device(preferred)],
            attribute::PREFERRED_LOCATION_TYPE => vec![preferred.type_],
            attribute::PREFERRED_LOCATION_ID => vec![preferred.id],
            attribute::LAST_PREFETCH_LOCATION => vec![device(prefetched)],
            attribute::LAST_PREFETCH_LOCATION_TYPE => vec![prefetched.type_],
            attribute::LAST_PREFETCH_LOCATION_ID => vec![prefetched.id],
            attribute::ACCESSED_BY => {
                let everywhere =
                    |device: &&CUdevice| hints.iter().all(|hint| hint.accessed_by.contains(device));
                let found = hints[0].accessed_by.iter().filter(everywhere).copied();
                found
                    .chain(std::iter::repeat(DEVICE_INVALID))
                    .take((data_bytes / 4).max(1))
                    .collect()
            }
            _ => return Err(CUresult::INVALID_VALUE),
        };
        let bytes: Vec<u8> = values.into_iter().flat_map(i32::to_le_bytes).collect();
        if bytes.len() == data_bytes { Ok(bytes) } else { Err(CUresult::INVALID_VALUE) }
    }

    fn at(&self, address: u64) -> Hint {
        self.0.range(..=address).next_back().map(|(_, hint)| hint.clone()).unwrap_or_default()
    }

    /// Returns the hints that apply in a range. The list has at least one entry.
    fn within(&self, range: Range<u64>) -> Vec<Hint> {
        let Range { start, end } = pages(range);
        let later = self.0.range(start + 1..end.max(start + 1)).map(|(_, hint)| hint.clone());
        std::iter::once(self.at(start)).chain(later).collect()
    }

    fn change(&mut self, range: Range<u64>, change: impl Fn(&mut Hint)) {
        let Range { start, end } = pages(range);
        for edge in [start, end] {
            let hint = self.at(edge);
            self.0.insert(edge, hint);
        }
        self.0.range_mut(start..end).for_each(|(_, hint)| change(hint));
        let mut last = Hint::default();
        self.0.retain(|_, hint| {
            let differs = *hint != last;
            last.clone_from(hint);
            differs
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Range<u64> = 0x10000..0x20000;

    #[test]
    fn a_range_returns_the_advice_that_all_of_it_has() {
        let mut hints = Hints::default();
        hints.advise(HERE, advice::SET_READ_MOSTLY, NOWHERE, 1).unwrap();
        hints.advise(0x10000..0x14000, advice::SET_PREFERRED_LOCATION, location(0), 1).unwrap();
        hints.advise(HERE, advice::SET_ACCESSED_BY, location(DEVICE_CPU), 1).unwrap();
        let ask = |range, what, bytes| hints.attribute(range, what, bytes);
        assert_eq!(ask(HERE, attribute::READ_MOSTLY, 4), Ok(vec![1, 0, 0, 0]));
        assert_eq!(ask(0xF000..0x11000, attribute::READ_MOSTLY, 4), Ok(vec![0; 4]));
        assert_eq!(ask(0x10000..0x12000, attribute::PREFERRED_LOCATION, 4), Ok(vec![0; 4]));
        assert_eq!(
            ask(HERE, attribute::PREFERRED_LOCATION, 4),
            Ok(DEVICE_INVALID.to_le_bytes().to_vec())
        );
        assert_eq!(
            ask(HERE, attribute::ACCESSED_BY, 8),
            Ok([DEVICE_CPU, DEVICE_INVALID].map(i32::to_le_bytes).concat())
        );
        assert_eq!(ask(HERE, attribute::READ_MOSTLY, 8), Err(CUresult::INVALID_VALUE));
        assert_eq!(ask(HERE, 99, 4), Err(CUresult::INVALID_VALUE));
    }

    #[test]
    fn forgotten_memory_leaves_no_advice() {
        let mut hints = Hints::default();
        assert_eq!(hints.prefetch(HERE, location(1), 1), Err(CUresult::INVALID_DEVICE));
        hints.prefetch(HERE, location(0), 1).unwrap();
        assert_eq!(
            hints.attribute(HERE, attribute::LAST_PREFETCH_LOCATION_TYPE, 4),
            Ok(vec![1, 0, 0, 0])
        );
        hints.forget(HERE);
        assert!(hints.0.is_empty());
    }
}
