//! Memory that two processes have at the same address, each in its own pages, and keep equal by
//! sending each other their changes. Each side reports to the other which words it has changed, and
//! applies the changes that it receives. This module does not decide which side reports, or when.
//!
//! A reader on the other side may see changes while they are being applied. So a report must
//! describe a state that this side really had: it repeats passes over the memory until one finds
//! nothing new. The other side applies a report in order: first words that change seldom, and last
//! words that change often, such as counters and flags.

use crate::replicas::program_pages::{PART_UNITS, UNIT_BYTES, compare_copies, write_present};
use outhaul_abi::memory::page_access::is_writable;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::limits::{REPLICA_BYTES_TOGETHER_MAX, REPLICA_PART_BYTES};
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Release,
};

/// Number of bytes that are reported separately, because neighbouring words may belong to the other
/// side.
const WORD_BYTES: usize = 4;
/// Largest change that is stored word by word in pages that may vanish. Flags and counters are
/// smaller. Larger changes are data.
const WORDS_BYTES_MAX: usize = 64;
/// Largest number of passes. If every pass finds changes, a program writes to the memory all the
/// time.
const PASSES_MAX: u32 = 16;
/// Number of passes that must find a unit changed before it counts as written all the time. A
/// writer that writes an item to a ring and then increments a count changes the count in every
/// other pass. No item of the ring changes that often.
const PASSES_ALWAYS: u32 = PASSES_MAX / 2;

/// Neighbouring words that have changed.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    /// Address of the first byte.
    pub address: u64,
    /// The new bytes.
    pub bytes: Vec<u8>,
}

impl Run {
    /// Largest size of a run in bytes.
    pub const BYTES_MAX: usize = 1 << 20;
}

const RUN_UNITS_MAX: usize = Run::BYTES_MAX / UNIT_BYTES;

/// The result of a scan: the changes, and the amount of memory that the scan compared.
#[derive(Debug, Default)]
pub struct Scan {
    /// The changed words, in the order in which to apply them.
    pub runs: Vec<Run>,
    /// Number of bytes that were compared.
    pub compared_bytes: usize,
}

/// How long a replica's pages stay.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ReplicaPages {
    /// They stay until the replica is retired.
    Permanent,
    /// They are the program's, which may unmap or protect them at any time. Such pages count as
    /// unchanged, and keep their contents.
    Programs,
}

/// Memory that two processes keep equal, or a part of it.
pub struct Replica {
    start: usize,
    bytes: usize,
    pages: ReplicaPages,
    /// Start of the whole memory of which this replica is a part, or `start` if it is the whole.
    whole_start: usize,
    /// Whether no process here touches the pages. A scan then neither compares nor reports them.
    absent: AtomicBool,
    /// Values that both sides know. A thread holds the lock only while it compares the memory or
    /// writes to it.
    known: Mutex<Known>,
}

/// Each unit's value that both sides know. `units` and `heat` are empty once no thread may touch
/// the memory any more.
struct Known {
    /// Address of the pages: the memory's own address unless they were moved.
    place: usize,
    /// Number of scans of the whole memory since either side last changed it.
    unchanged_scans: u32,
    /// Number of scans without a change after which the memory is idle.
    idle_scans: u32,
    /// Values that both sides last knew. Bytes outside the memory are 0.
    units: Vec<u64>,
    /// Number of times that this side changed each word, which saturates. If a program writes two
    /// words one after the other, a scan may find only the first. The second word then does not
    /// count as changed more often.
    heat: Vec<[u8; UNIT_BYTES / WORD_BYTES]>,
}

/// A unit that at least one pass found changed.
struct Change {
    replica: usize,
    unit: usize,
    /// The value that both sides knew before.
    before: u64,
    /// The value before the last pass that found the unit changed.
    previous: u64,
    /// The last pass that found the unit changed.
    pass: u32,
    /// Number of passes that found the unit changed.
    times: u32,
}

impl Change {
    fn found(replica: usize, unit: usize, before: u64, pass: u32) -> Change {
        Change { replica, unit, before, previous: before, pass, times: 1 }
    }

    /// Returns whether a program writes the unit all the time, and so also after the last pass
    /// began. The report then has the unit's value from the pass before.
    fn outran(&self) -> bool {
        self.pass == PASSES_MAX && self.times >= PASSES_ALWAYS
    }
}

impl Replica {
    /// Makes a replica of memory that both sides know to contain zeros.
    ///
    /// # Safety
    /// The pages around [start, start + bytes) are readable and writable until `retire` has
    /// returned.
    pub unsafe fn new(start: usize, bytes: usize) -> Replica {
        // SAFETY: the caller upholds this function's contract.
        unsafe { Replica::part(start..start + bytes, start, ReplicaPages::Permanent) }
    }

    /// Makes replicas as `new` does, but cuts memory into parts if it is too large to be reported
    /// together with other memory. Both sides cut at the same addresses.
    ///
    /// # Safety
    /// The contract of `new` applies to each part, unless the program owns the pages.
    pub unsafe fn cut(start: usize, bytes: usize, pages: ReplicaPages) -> Vec<Arc<Replica>> {
        let end = start + bytes;
        let mut cuts = vec![start];
        if bytes > REPLICA_BYTES_TOGETHER_MAX {
            let first = (start + 1).next_multiple_of(REPLICA_PART_BYTES);
            cuts.extend((first..end).step_by(REPLICA_PART_BYTES));
        }
        cuts.push(end);
        // SAFETY: the caller upholds this function's contract.
        cuts.windows(2)
            .map(|cut| Arc::new(unsafe { Replica::part(cut[0]..cut[1], start, pages) }))
            .collect()
    }

    /// # Safety
    /// The contract of `cut` applies.
    unsafe fn part(range: Range<usize>, whole_start: usize, pages: ReplicaPages) -> Replica {
        let units = range.end.div_ceil(UNIT_BYTES) - range.start / UNIT_BYTES;
        Replica {
            start: range.start,
            bytes: range.len(),
            pages,
            whole_start,
            absent: AtomicBool::new(false),
            known: Mutex::new(Known {
                place: range.start,
                unchanged_scans: 0,
                idle_scans: u32::MAX,
                units: vec![0; units],
                heat: vec![[0; UNIT_BYTES / WORD_BYTES]; units],
            }),
        }
    }

    /// Calls `pages_move`, which moves the pages to another address, and uses that address from
    /// then on. No thread compares the memory or writes to it meanwhile.
    ///
    /// # Safety
    /// The contract of `new` also applies at `place`, and each byte keeps its offset in its page.
    pub unsafe fn relocate<T, E>(
        &self,
        place: usize,
        pages_move: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let mut known = self.lock();
        let moved = pages_move()?;
        known.place = place;
        Ok(moved)
    }

    /// Sets whether the memory is absent; both sides then neither compare nor report it. The caller
    /// must rebuild its set afterwards (`ReplicaSet::again`).
    pub fn set_absent(&self, absent: bool) {
        self.absent.store(absent, Release);
    }

    /// Returns whether the memory is absent.
    pub fn is_absent(&self) -> bool {
        self.absent.load(Acquire)
    }

    /// Records that a scan has compared all of the memory and reported its changes. Returns whether
    /// the memory is idle now.
    pub fn note_scanned(&self) -> bool {
        let mut known = self.lock();
        known.unchanged_scans = known.unchanged_scans.saturating_add(1);
        known.is_idle()
    }

    /// Sets the number of consecutive scans without a change that make the memory idle.
    pub fn set_idle_scans(&self, scans: u32) {
        let mut known = self.lock();
        (known.unchanged_scans, known.idle_scans) = (0, scans);
    }

    /// Returns whether the memory is idle.
    pub fn is_idle(&self) -> bool {
        self.lock().is_idle()
    }

    /// Returns the address of the first byte.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the memory's addresses.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.bytes
    }

    /// Returns the start of the whole memory of which this replica is a part.
    pub fn whole_start(&self) -> usize {
        self.whole_start
    }

    /// Stops all access to the memory through this replica.
    pub fn retire(&self) {
        let mut known = self.lock();
        (known.units, known.heat) = (Vec::new(), Vec::new());
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock()
    }

    /// Returns the address of the first unit.
    fn base(&self) -> usize {
        self.start / UNIT_BYTES * UNIT_BYTES
    }

    /// Returns the mask of the bits of `unit` that are inside the memory.
    fn mask(&self, unit: usize) -> u64 {
        let from = self.base() + unit * UNIT_BYTES;
        let inside = |i: usize| (self.start..self.start + self.bytes).contains(&(from + i));
        (0..UNIT_BYTES).filter(|i| inside(*i)).fold(0, |mask, i| mask | 0xFF << (8 * i))
    }

    fn units(&self) -> usize {
        (self.start + self.bytes).div_ceil(UNIT_BYTES) - self.start / UNIT_BYTES
    }

    /// Compares `units` with their known values, and stores the new values. Calls `changed` with
    /// each changed unit and its old value. Returns the number of bytes that it compared.
    fn compare(
        &self,
        known: &mut Known,
        units: Range<usize>,
        mut changed: impl FnMut(usize, u64),
    ) -> usize {
        let last = known.units.len().wrapping_sub(1);
        let first = units.start;
        let base = known.place / UNIT_BYTES * UNIT_BYTES;
        let units = known.units.get_mut(units).unwrap_or_default();
        let compared_bytes = size_of_val(units);
        // `place` contains the present values of a part whose first unit is `start`.
        let mut compare_part = |place: usize, start: usize, part: &mut [u64]| {
            let has_edge = start == 0 || start + part.len() > last;
            // SAFETY: the part is inside the pages, and `retire` waits for the lock. Other threads
            // may be writing: two values that compare equal were equal at some moment of the
            // comparison.
            let here = || unsafe {
                libc::memcmp(place as *const _, part.as_ptr().cast(), size_of_val(part))
            };
            if !has_edge && here() == 0 {
                return;
            }
            for (i, known_unit) in part.iter_mut().enumerate() {
                let unit = start + i;
                // SAFETY: as above, and aligned. The loop reads each unit once.
                let mut now = unsafe { AtomicU64::from_ptr((place + i * UNIT_BYTES) as *mut u64) }
                    .load(Acquire);
                if unit == 0 || unit == last {
                    now &= self.mask(unit);
                }
                if now != *known_unit {
                    known.unchanged_scans = 0;
                    changed(unit, std::mem::replace(known_unit, now));
                }
            }
        };
        let address = |unit: usize| base + unit * UNIT_BYTES;
        match self.pages {
            ReplicaPages::Permanent => {
                for (i, part) in units.chunks_mut(PART_UNITS).enumerate() {
                    let start = first + i * PART_UNITS;
                    compare_part(address(start), start, part);
                }
            }
            ReplicaPages::Programs => {
                compare_copies(address(first), units, |place, offset, part| {
                    compare_part(place, first + offset, part)
                })
            }
        }
        compared_bytes
    }

    /// Returns this side's changes, part by part. The changes in a part have no particular order.
    /// The iterator compares a part only when the caller asks for it, so other threads can use the
    /// memory in between.
    pub fn changes_by_parts(&self) -> impl Iterator<Item = Scan> {
        let units = self.units();
        (0..units).step_by(RUN_UNITS_MAX).map(move |start| {
            let part = start..units.min(start + RUN_UNITS_MAX);
            let (mut known, mut changes) = (self.lock(), Vec::new());
            let compared_bytes = self.compare(&mut known, part, |unit, before| {
                changes.push(Change::found(0, unit, before, 1))
            });
            Scan { runs: runs(&[self], &mut [known], &changes), compared_bytes }
        })
    }

    /// Applies a change of the other side. Returns false if the change is not inside the memory.
    pub fn apply(&self, address: u64, bytes: &[u8]) -> bool {
        let offset = (address as usize).wrapping_sub(self.start);
        if offset.checked_add(bytes.len()).is_none_or(|end| end > self.bytes) {
            return false;
        }
        let mut known = self.lock();
        known.unchanged_scans = 0;
        let moved = known.place.wrapping_sub(self.start);
        let (mut at, mut left) = (address as usize, bytes);
        if known.units.is_empty() {
            return true;
        }
        let stores_words = match self.pages {
            ReplicaPages::Permanent => true,
            ReplicaPages::Programs if bytes.len() <= WORDS_BYTES_MAX => {
                is_writable(at..at + bytes.len())
            }
            ReplicaPages::Programs => {
                // SAFETY: the bytes are inside the memory, as checked above; `retire` waits for the
                // lock.
                unsafe { write_present(at, bytes) };
                false
            }
        };
        while !left.is_empty() {
            let fits = |step: usize| at.is_multiple_of(step) && left.len() >= step;
            let step =
                [UNIT_BYTES, WORD_BYTES, 1].into_iter().find(|step| fits(*step)).unwrap_or(1);
            let (word, rest) = left.split_at(step);
            if stores_words {
                // SAFETY: the word is inside the memory, as checked above, and aligned; `retire`
                // waits for the lock.
                unsafe { store(at.wrapping_add(moved), word) };
            }
            known.put((at - self.base()) / UNIT_BYTES, at % UNIT_BYTES, word);
            (at, left) = (at + step, rest);
        }
        true
    }
}

impl Known {
    fn is_idle(&self) -> bool {
        self.unchanged_scans >= self.idle_scans
    }

    fn put(&mut self, unit: usize, offset: usize, word: &[u8]) {
        let mut bytes = self.units[unit].to_le_bytes();
        bytes[offset..offset + word.len()].copy_from_slice(word);
        self.units[unit] = u64::from_le_bytes(bytes);
    }
}

/// Writes `word` in one store, after all earlier writes.
///
/// # Safety
/// `word` has 1, 4 or 8 bytes. `address` is valid for writes of that size and aligned to it.
unsafe fn store(address: usize, word: &[u8]) {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        match *word {
            [a, b, c, d, e, f, g, h] => {
                AtomicU64::from_ptr(address as *mut u64)
                    .store(u64::from_le_bytes([a, b, c, d, e, f, g, h]), Release);
            }
            [a, b, c, d] => AtomicU32::from_ptr(address as *mut u32)
                .store(u32::from_le_bytes([a, b, c, d]), Release),
            [byte] => AtomicU8::from_ptr(address as *mut u8).store(byte, Release),
            _ => {}
        }
    }
}

/// Returns this side's changes in all `replicas` together, in the order in which the other side
/// must apply them.
pub fn changes(replicas: &[Arc<Replica>]) -> Scan {
    let replicas: Vec<&Replica> = replicas.iter().map(|replica| &**replica).collect();
    let mut known: Vec<_> = replicas.iter().map(|replica| replica.lock()).collect();
    let (mut changes, mut compared_bytes) = (Vec::<Change>::new(), 0);
    for pass in 1..=PASSES_MAX {
        let mut found = Vec::new();
        for (i, (replica, known)) in replicas.iter().zip(&mut known).enumerate() {
            compared_bytes += replica.compare(known, 0..replica.units(), |unit, before| {
                found.push(Change::found(i, unit, before, pass))
            });
        }
        if found.is_empty() {
            break;
        }
        changes = merge(changes, found);
    }
    // A change that the very last pass found may depend on an earlier write that no pass found. So
    // the report has the value from one pass before of each unit that is written all the time.
    for change in changes.iter().filter(|change| change.outran()) {
        known[change.replica].units[change.unit] = change.previous;
    }
    Scan { runs: runs(&replicas, &mut known, &changes), compared_bytes }
}

/// Merges two lists that are sorted by replica and unit.
fn merge(old: Vec<Change>, new: Vec<Change>) -> Vec<Change> {
    let mut merged = Vec::with_capacity(old.len() + new.len());
    let mut old = old.into_iter().peekable();
    for change in new {
        let place = (change.replica, change.unit);
        while let Some(earlier) = old.next_if(|earlier| (earlier.replica, earlier.unit) < place) {
            merged.push(earlier);
        }
        match old.next_if(|earlier| (earlier.replica, earlier.unit) == place) {
            Some(earlier) => {
                merged.push(Change { before: earlier.before, times: earlier.times + 1, ..change })
            }
            None => merged.push(change),
        }
    }
    merged.extend(old);
    merged
}

/// Returns the changes as runs. Words that were new in the very last pass come first, then words
/// that change seldom. Among runs of equal rank, longer ones come first, and then lower addresses.
fn runs(
    replicas: &[&Replica],
    known: &mut [MutexGuard<'_, Known>],
    changes: &[Change],
) -> Vec<Run> {
    let mut runs: Vec<((bool, u8), Run)> = Vec::new();
    for change in changes {
        let (replica, known) = (replicas[change.replica], &mut known[change.replica]);
        let value = known.units[change.unit];
        for (offset, heat) in (0..UNIT_BYTES).step_by(WORD_BYTES).zip(&mut known.heat[change.unit])
        {
            let word = |of: u64| (of >> (8 * offset)) as u32;
            if word(change.before) == word(value) {
                continue;
            }
            let rank = (change.pass < PASSES_MAX || change.times > 1, *heat);
            *heat = heat.saturating_add(1);
            let from = replica.base() + change.unit * UNIT_BYTES + offset;
            let inside =
                from.max(replica.start)..(from + WORD_BYTES).min(replica.start + replica.bytes);
            let bytes = &word(value).to_le_bytes()[inside.start - from..inside.end - from];
            match runs.last_mut() {
                // A run ends with its memory, even if the next memory begins directly after it.
                Some((last, run))
                    if *last == rank
                        && inside.start > replica.start
                        && run.address + run.bytes.len() as u64 == inside.start as u64
                        && run.bytes.len() + bytes.len() <= Run::BYTES_MAX =>
                {
                    run.bytes.extend_from_slice(bytes)
                }
                _ => runs.push((rank, Run { address: inside.start as u64, bytes: bytes.to_vec() })),
            }
        }
    }
    runs.sort_by_key(|(rank, run)| (*rank, Reverse(run.bytes.len()), run.address));
    runs.into_iter().map(|(_, run)| run).collect()
}

#[cfg(test)]
mod tests;
