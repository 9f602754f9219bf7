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
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    /// Returns `bytes` zeros at `offset` in leaked memory, and a replica of them.
    fn memory(offset: usize, bytes: usize) -> (&'static [AtomicU8], Arc<Replica>) {
        /// Keeps leaked memory reachable, so that the address sanitizer does not report it.
        static KEPT: Mutex<Vec<&'static [AtomicU64]>> = Mutex::new(Vec::new());
        let pages: &'static [AtomicU64] = (0..(offset + bytes).div_ceil(8) + 1)
            .map(|_| AtomicU64::new(0))
            .collect::<Vec<_>>()
            .leak();
        KEPT.lock().push(pages);
        let start = pages.as_ptr() as usize + offset;
        // SAFETY: the memory is leaked, and consists of atomics.
        let inside = unsafe { std::slice::from_raw_parts(start as *const AtomicU8, bytes) };
        // SAFETY: as above.
        (inside, Arc::new(unsafe { Replica::new(start, bytes) }))
    }

    fn changes(replicas: &[Arc<Replica>]) -> Vec<Run> {
        super::changes(replicas).runs
    }

    fn reported(runs: &[Run], start: usize) -> Vec<(usize, Vec<u8>)> {
        runs.iter().map(|run| (run.address as usize - start, run.bytes.clone())).collect()
    }

    /// The memory contains a ring of items of two words, and their count.
    #[test]
    fn an_item_whose_first_half_was_reported_is_reported_whole_before_its_count() {
        let (memory, replica) = memory(0, 64);
        let replicas = [replica.clone()];
        let (count, items) = (0, 16);
        let put = |word: usize, value: u8| memory[word].store(value, Relaxed);
        let put_item = |item: usize, value: u8| {
            (put(items + 8 * item, value), put(items + 8 * item + 4, value))
        };
        (0..4).for_each(|item| _ = put_item(item, 1));
        put(count, 4);
        changes(&replicas);
        put_item(0, 2);
        put(count, 5);
        put(items + 8, 2);
        changes(&replicas);
        put(items + 12, 2);
        put(count, 6);
        let places: Vec<usize> =
            changes(&replicas).iter().map(|run| run.address as usize - replica.start()).collect();
        assert_eq!(places, [items + 12, count]);
        replica.retire();
    }

    #[test]
    fn adjacent_replicas_are_reported_separately() {
        let (memory, whole) = memory(0, 32);
        let start = whole.start();
        // SAFETY: the replicas are parts of the leaked memory.
        let replicas = [0, 16].map(|offset| Arc::new(unsafe { Replica::new(start + offset, 16) }));
        memory.iter().for_each(|byte| byte.store(1, Relaxed));
        assert_eq!(reported(&changes(&replicas), start), [(0, vec![1; 16]), (16, vec![1; 16])]);
        replicas.iter().chain([&whole]).for_each(|replica| replica.retire());
    }

    #[test]
    fn each_side_reports_its_own_words_and_keeps_the_others() {
        let (memory, replica) = memory(0, 18);
        let replicas = [replica.clone()];
        assert_eq!(changes(&replicas), []);
        memory[5].store(1, Relaxed);
        memory[9].store(2, Relaxed);
        memory[17].store(3, Relaxed);
        assert_eq!(
            reported(&changes(&replicas), replica.start()),
            [(4, vec![0, 1, 0, 0, 0, 2, 0, 0]), (16, vec![0, 3])]
        );
        memory[0].store(7, Relaxed);
        assert!(replica.apply(replica.start() as u64 + 12, &[9; 4]));
        assert_eq!((memory[0].load(Relaxed), memory[12].load(Relaxed)), (7, 9));
        assert_eq!(
            reported(&changes(&replicas), replica.start()),
            [(0, vec![7, 0, 0, 0])],
            "received changes are not reported back"
        );
        assert!(
            !replica.apply(replica.start() as u64 + 16, &[1; 4])
                && !replica.apply(replica.start() as u64 - 1, &[1])
        );
        replica.retire();
        memory[0].store(8, Relaxed);
        assert_eq!(changes(&replicas), []);
    }

    #[test]
    fn a_report_ends_at_the_edges_of_the_memory_inside_a_word() {
        let (memory, replica) = memory(3, 10);
        memory.iter().for_each(|byte| byte.store(1, Relaxed));
        assert_eq!(
            reported(&changes(std::slice::from_ref(&replica)), replica.start()),
            [(0, vec![1; 10])]
        );
        // SAFETY: the bytes before and after belong to the same leaked memory.
        let around = unsafe { std::slice::from_raw_parts(memory.as_ptr().sub(1), 12) };
        around[0].store(5, Relaxed);
        around[11].store(5, Relaxed);
        assert_eq!(
            changes(std::slice::from_ref(&replica)),
            [],
            "bytes outside the memory are not reported"
        );
        assert!(replica.apply(replica.start() as u64, &[2; 10]));
        assert_eq!(
            (
                around[0].load(Relaxed),
                around[1].load(Relaxed),
                around[10].load(Relaxed),
                around[11].load(Relaxed)
            ),
            (5, 2, 2, 5)
        );
    }

    #[test]
    fn words_that_change_often_come_last() {
        let (memory, replica) = memory(0, 4096);
        let replicas = [replica.clone()];
        for round in 1..4 {
            memory[0].store(round, Relaxed);
            changes(&replicas);
        }
        memory[0].store(9, Relaxed);
        memory[800].store(1, Relaxed);
        (400..440).for_each(|i| memory[i].store(1, Relaxed));
        let order: Vec<usize> =
            reported(&changes(&replicas), replica.start()).into_iter().map(|(at, _)| at).collect();
        assert_eq!(order, [400, 800, 0]);
    }

    #[test]
    fn large_memory_is_reported_in_parts() {
        let (memory, replica) = memory(8, Run::BYTES_MAX + 100);
        memory.iter().for_each(|byte| byte.store(3, Relaxed));
        let scans: Vec<Scan> = replica.changes_by_parts().collect();
        assert!(scans.iter().all(|scan| scan.runs.len() == 1));
        let reported: Vec<usize> = scans.iter().map(|scan| scan.runs[0].bytes.len()).collect();
        assert_eq!((reported.len(), reported.iter().sum::<usize>()), (2, replica.bytes()));
    }

    #[test]
    fn moved_pages_are_compared_at_their_new_address() {
        let ((memory, replica), (elsewhere, other)) = (memory(0, 64), memory(0, 64));
        let replicas = [replica.clone()];
        memory[8].store(1, Relaxed);
        let moved = || {
            memory
                .iter()
                .zip(elsewhere)
                .for_each(|(from, to)| to.store(from.load(Relaxed), Relaxed));
            Ok::<(), ()>(())
        };
        // SAFETY: the memory is leaked, so it remains valid.
        unsafe { replica.relocate(other.start(), moved) }.unwrap();
        memory[16].store(9, Relaxed);
        assert_eq!(reported(&changes(&replicas), replica.start()), [(8, vec![1, 0, 0, 0])]);
        assert!(replica.apply(replica.start() as u64 + 24, &[7; 4]));
        assert_eq!((memory[24].load(Relaxed), elsewhere[24].load(Relaxed)), (0, 7));
        // SAFETY: the memory is leaked, so it remains valid.
        assert_eq!(unsafe { replica.relocate(replica.start(), || Err::<(), ()>(())) }, Err(()));
        assert_eq!(changes(&replicas), [], "they are where they were");
        [replica, other].iter().for_each(|replica| replica.retire());
    }

    #[test]
    fn memory_is_idle_after_scans_without_changes() {
        let (memory, replica) = memory(0, 64);
        let scan = || (changes(std::slice::from_ref(&replica)), replica.note_scanned()).1;
        assert_eq!([scan(), scan()], [false, false], "it has no number of scans");
        replica.set_idle_scans(2);
        assert_eq!([scan(), scan()], [false, true]);
        memory[0].store(1, Relaxed);
        assert_eq!([scan(), scan()], [false, true]);
        assert!(replica.apply(replica.start() as u64, &[2]));
        assert_eq!((scan(), replica.is_idle()), (false, false));
        replica.retire();
    }

    #[test]
    fn large_memory_is_cut_at_the_same_addresses_on_both_sides() {
        let cut = |start, bytes| {
            // SAFETY: no thread accesses the memory through these replicas.
            let parts = unsafe { Replica::cut(start, bytes, ReplicaPages::Permanent) };
            assert!(parts.iter().all(|part| part.whole_start() == start));
            parts.iter().map(|part| part.range()).collect::<Vec<_>>()
        };
        const PART: usize = REPLICA_PART_BYTES;
        assert_eq!(cut(PART - 8, REPLICA_BYTES_TOGETHER_MAX).len(), 1);
        assert_eq!(
            cut(2 * PART, 2 * PART + 8),
            [2 * PART..3 * PART, 3 * PART..4 * PART, 4 * PART..4 * PART + 8]
        );
        assert_eq!(
            cut(2 * PART - 8, 2 * PART + 8),
            [2 * PART - 8..2 * PART, 2 * PART..3 * PART, 3 * PART..4 * PART]
        );
    }

    #[test]
    fn a_reader_of_a_count_sees_earlier_writes() {
        assert_eq!(wrong_items(0, 0), 0);
    }

    /// The writer takes about as long as a pass does, so that each pass finds something new.
    #[test]
    fn a_reader_of_a_count_that_is_written_all_the_time_sees_earlier_writes() {
        assert_eq!(wrong_items(1 << 16, 300), 0);
    }

    /// Returns how many items were missing although the count included them. One thread writes
    /// items and then their count, another reports changes, a third takes items out of the copy.
    /// `gap` is the number of words between items and count; a larger gap makes a pass longer. The
    /// writer pauses for up to `pause` turns.
    fn wrong_items(gap: usize, pause: u32) -> u32 {
        const SLOTS: usize = 64;
        const ITEMS: u32 = 20_000;
        let bytes = (SLOTS + gap + 32) * 4;
        let (count, taken) = (SLOTS + gap, SLOTS + gap + 16);
        let rest = |turns: u32| (0..turns).for_each(|_| std::hint::spin_loop());
        let ((here, sender), (there, receiver)) = (memory(0, bytes), memory(0, bytes));
        // SAFETY: the memory is leaked, and aligned to 8 bytes.
        let words = |of: &'static [AtomicU8]| unsafe {
            std::slice::from_raw_parts(of.as_ptr().cast::<AtomicU32>(), of.len() / 4)
        };
        let (here, there) = (words(here), words(there));
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for i in 0..ITEMS {
                    while there[taken].load(Acquire) + SLOTS as u32 <= i {
                        std::thread::yield_now();
                    }
                    here[i as usize % SLOTS].store(i + 1, Relaxed);
                    rest((i * 7).checked_rem(pause).unwrap_or(0));
                    here[count].store(i + 1, Release);
                    rest(i.checked_rem(pause).unwrap_or(0));
                }
            });
            scope.spawn(|| {
                while !over.load(Acquire) {
                    for run in changes(std::slice::from_ref(&sender)) {
                        let offset = run.address as usize - sender.start();
                        assert!(receiver.apply((receiver.start() + offset) as u64, &run.bytes));
                    }
                    std::thread::yield_now();
                }
            });
            let mut wrong = 0;
            for i in 0..ITEMS {
                while there[count].load(Acquire) <= i {
                    std::thread::yield_now();
                }
                wrong += u32::from(there[i as usize % SLOTS].load(Acquire) != i + 1);
                there[taken].store(i + 1, Release);
            }
            over.store(true, Release);
            wrong
        })
    }
}
