//! All memory that a session keeps equal on both sides. Small pieces are reported together, so that
//! words in different pieces keep their order. Pieces that are too large for a common report are
//! reported separately.

use crate::replicas::replica::{Replica, Run, Scan, changes};
use outhaul_wire::limits::{
    REPLICA_BYTES_TOGETHER_MAX, REPLICA_BYTES_UNASKED_MAX, REPLICA_PAGE_BYTES,
};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// An immutable set of replicas: each change makes a new set.
#[derive(Clone, Default)]
pub struct ReplicaSet {
    by_address: BTreeMap<usize, Arc<Replica>>,
    together: Vec<Arc<Replica>>,
    apart: Vec<Arc<Replica>>,
    /// Size of all present memory, in whole pages.
    page_bytes: usize,
}

impl ReplicaSet {
    /// Returns whether the set has no memory.
    pub fn is_empty(&self) -> bool {
        self.by_address.is_empty()
    }

    /// Returns the number of pieces of memory, where a piece that was cut into parts counts once.
    pub fn pieces(&self) -> usize {
        self.by_address.values().filter(|replica| replica.start() == replica.whole_start()).count()
    }

    /// Returns whether the set is so small that the node reports its changes before each of its
    /// other messages.
    pub fn is_reported_unasked(&self) -> bool {
        self.page_bytes <= REPLICA_BYTES_UNASKED_MAX && self.apart.is_empty()
    }

    /// Returns the set with these parts added.
    pub fn with(&self, parts: &[Arc<Replica>]) -> ReplicaSet {
        let mut by_address = self.by_address.clone();
        by_address.extend(parts.iter().map(|part| (part.start(), part.clone())));
        ReplicaSet::of(by_address)
    }

    /// Returns the set without the memory that begins at `start`, and the removed parts of that
    /// memory. Returns None if no memory begins there.
    pub fn without(&self, start: usize) -> Option<(ReplicaSet, Vec<Arc<Replica>>)> {
        let mut by_address = self.by_address.clone();
        let is_of_it =
            |at: &usize, part: &mut Arc<Replica>| *at >= start && part.whole_start() == start;
        let gone: Vec<_> = by_address.extract_if(start.., is_of_it).map(|(_, part)| part).collect();
        (!gone.is_empty()).then(|| (ReplicaSet::of(by_address), gone))
    }

    /// Rebuilds the set after some of its memory has become absent or present.
    pub fn again(&self) -> ReplicaSet {
        ReplicaSet::of(self.by_address.clone())
    }

    fn of(by_address: BTreeMap<usize, Arc<Replica>>) -> ReplicaSet {
        let present = || by_address.values().filter(|replica| !replica.is_absent());
        let is_cut = |replica: &Arc<Replica>| {
            replica.start() != replica.whole_start()
                || by_address
                    .get(&replica.range().end)
                    .is_some_and(|next| next.whole_start() == replica.whole_start())
        };
        let (mut apart, mut by_size): (Vec<_>, Vec<_>) = present().cloned().partition(is_cut);
        by_size.sort_by_key(|replica| replica.bytes());
        let mut sum = 0;
        let fitting = by_size.iter().take_while(|replica| {
            sum += replica.bytes();
            sum <= REPLICA_BYTES_TOGETHER_MAX
        });
        apart.extend(by_size.split_off(fitting.count()));
        let page_bytes =
            present().map(|replica| replica.bytes().next_multiple_of(REPLICA_PAGE_BYTES)).sum();
        ReplicaSet { by_address, together: by_size, apart, page_bytes }
    }

    /// Returns the memory that contains an address.
    pub fn find(&self, address: usize) -> Option<&Arc<Replica>> {
        let (start, replica) = self.by_address.range(..=address).next_back()?;
        (address - start < replica.bytes()).then_some(replica)
    }

    /// Returns the memory that overlaps a range.
    pub fn within(&self, range: Range<usize>) -> impl Iterator<Item = &Arc<Replica>> {
        let first = self.find(range.start).map_or(range.start, |replica| replica.start());
        self.by_address.range(first..range.end.max(first)).map(|(_, replica)| replica)
    }

    /// Applies a change of the other side. Ignores memory that is not in the set. Returns false if
    /// the change begins in a piece of memory and ends outside it.
    pub fn apply(&self, address: usize, bytes: &[u8]) -> bool {
        let Some(first) = self.find(address) else { return true };
        let whole_start = first.whole_start();
        let (mut at, mut left) = (address, bytes);
        while let Some(part) = self.find(at).filter(|part| part.whole_start() == whole_start) {
            let (inside, rest) = left.split_at(left.len().min(part.range().end - at));
            if !part.apply(at as u64, inside) {
                return false;
            }
            (at, left) = (at + inside.len(), rest);
            if left.is_empty() {
                break;
            }
        }
        left.is_empty()
    }

    /// Returns the changes in the small memory, which is compared together, in the order in which
    /// they must be reported.
    pub fn changes_together(&self) -> Scan {
        if self.together.is_empty() { Scan::default() } else { changes(&self.together) }
    }

    /// Reports all changes through `send`, part by part. Large memory comes first, because small
    /// memory often contains flags that mark data in large memory as ready.
    pub fn report<E>(
        &self,
        mut send: impl FnMut(Vec<Run>) -> Result<(), E>,
    ) -> Result<ReportCost, E> {
        let by_parts = self.apart.iter().flat_map(|replica| replica.changes_by_parts());
        let mut compared_bytes = 0;
        for scan in by_parts.chain(std::iter::once_with(|| self.changes_together())) {
            compared_bytes += scan.compared_bytes;
            if !scan.runs.is_empty() {
                send(scan.runs)?;
            }
        }
        let idle = self.apart.iter().chain(&self.together).filter(|replica| replica.note_scanned());
        Ok(ReportCost { compared_bytes, idle_parts: idle.count() })
    }
}

/// The cost of a report of all changes.
pub struct ReportCost {
    /// Number of bytes that were compared.
    pub compared_bytes: usize,
    /// Number of parts that neither side has changed for a long time.
    pub idle_parts: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replicas::replica::ReplicaPages;
    use outhaul_wire::limits::REPLICA_PART_BYTES;

    #[test]
    fn the_smallest_replicas_are_reported_together_within_a_limit() {
        let mut memory = vec![0u64; REPLICA_BYTES_TOGETHER_MAX / 8 + 4096];
        let start = memory.as_ptr() as usize;
        // SAFETY: the memory lives until the test has ended, no thread uses it afterwards, and it
        // is large enough for all replicas.
        let replica =
            |offset: usize, bytes| Arc::new(unsafe { Replica::new(start + offset, bytes) });
        let set = ReplicaSet::default().with(&[
            replica(0, 8),
            replica(64, REPLICA_BYTES_TOGETHER_MAX),
            replica(16, 40),
        ]);
        assert_eq!((set.pieces(), set.together.len(), set.apart.len()), (3, 2, 1));
        assert!(!set.is_reported_unasked());
        assert!(
            set.find(start + 55).is_some()
                && set.find(start + 56).is_none()
                && set.find(start - 1).is_none()
        );
        memory[0] = 1;
        memory[8] = 2;
        let mut reported = Vec::new();
        let _ = set.report(|runs| {
            reported.extend(runs.into_iter().map(|run| run.address as usize - start));
            Ok::<(), ()>(())
        });
        assert_eq!(reported, [64, 0]);
        let (set, gone) = set.without(start + 64).unwrap();
        assert!(
            set.is_reported_unasked()
                && gone[0].bytes() == REPLICA_BYTES_TOGETHER_MAX
                && set.without(start + 1).is_none()
        );
    }

    #[test]
    fn pages_that_the_program_has_taken_away_are_neither_compared_nor_written() {
        const PAGE_BYTES: usize = 4096;
        let (bytes, flags) = (4 * PAGE_BYTES, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let both = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, of which this test alone knows.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, both, flags, -1, 0) };
        let page = |number: usize| start.wrapping_byte_add(number * PAGE_BYTES);
        // SAFETY: the program's pages may vanish at any time.
        let replicas = unsafe { Replica::cut(start as usize, bytes, ReplicaPages::Programs) };
        // SAFETY: the pages are this test's own, and no thread uses them.
        unsafe {
            page(0).cast::<u8>().write(1);
            page(3).cast::<u8>().write(3);
            assert_eq!(libc::munmap(page(1), PAGE_BYTES), 0);
            assert_eq!(libc::mprotect(page(2), PAGE_BYTES, libc::PROT_NONE), 0);
            assert_eq!(libc::mprotect(page(3), PAGE_BYTES, libc::PROT_READ), 0);
        }
        let found = changes(&replicas).runs;
        assert_eq!(found.iter().map(|run| run.bytes[0]).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(replicas[0].changes_by_parts().map(|scan| scan.runs.len()).sum::<usize>(), 0);
        assert!(replicas[0].apply(start as u64, &vec![7; bytes]));
        // SAFETY: as above.
        let seen = unsafe { [page(0), page(3)].map(|page| page.cast::<u8>().read()) };
        assert_eq!(seen, [7, 3], "the last page is only readable");
        replicas[0].retire();
        // SAFETY: as above; nothing needs to lie in the middle.
        unsafe { libc::munmap(start, bytes) };
    }

    #[test]
    fn parts_of_one_piece_come_and_go_together_and_are_reported_separately() {
        let memory = vec![0u64; 4 * REPLICA_PART_BYTES / 8];
        let start = memory.as_ptr() as usize;
        let bytes = REPLICA_BYTES_TOGETHER_MAX + 4096;
        // SAFETY: the memory lives until the test has ended.
        let (parts, small) = unsafe {
            let small = Replica::new(start + bytes, 64);
            (Replica::cut(start, bytes, ReplicaPages::Permanent), Arc::new(small))
        };
        let set = ReplicaSet::default().with(&parts).with(&[small]);
        assert!(parts.len() >= 3);
        assert_eq!((set.pieces(), set.apart.len(), set.together.len()), (2, parts.len(), 1));
        parts[..parts.len() - 1].iter().for_each(|part| part.set_absent(true));
        assert!(
            !set.again().is_reported_unasked(),
            "the rest of large memory is reported separately"
        );
        let edge = parts[1].start();
        assert!(set.apply(edge - 4, &[1; 8]), "over the edge of two parts");
        assert_eq!(
            (memory[(edge - start) / 8 - 1] >> 32, memory[(edge - start) / 8]),
            (0x0101_0101, 0x0101_0101)
        );
        assert!(!set.apply(start + bytes - 4, &[1; 8]), "into what follows");
        assert!(set.apply(start + bytes + 64, &[1; 8]), "memory outside the set");
        assert_eq!(set.within(edge - 1..edge + 1).count(), 2);
        assert_eq!(set.within(start + bytes - 1..usize::MAX).count(), 2);
        assert!(set.without(edge).is_none());
        let (left, gone) = set.without(start).unwrap();
        assert_eq!((left.pieces(), gone.len()), (1, parts.len()));
        gone.iter().for_each(|part| part.retire());
    }
}
