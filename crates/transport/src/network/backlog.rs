//! Sent data that may not have arrived, kept so that another connection can continue where one
//! broke. Positions count bytes from the beginning of the lane. Deliberately absent: sockets,
//! locks, time.

use crate::network::checksum::{HEAD_BYTES, RECORD_BYTES_MAX};
use std::collections::VecDeque;

/// Upper bound on unacknowledged bytes; a writer that reaches it blocks.
pub const BACKLOG_BYTES_MAX: u64 = 16 << 20;
/// Number of records of the largest size that fit in a chunk.
const CHUNK_RECORDS: usize = 4;
const CHUNK_BYTES: usize = CHUNK_RECORDS * (HEAD_BYTES + RECORD_BYTES_MAX);
/// Number of empty chunks that are kept for reuse, enough for a lane's share of a large copy. New
/// memory would cost a page fault every 4 KiB.
const SPARE_MAX: usize = 8;

/// Contiguous bytes, and the position of the first byte.
struct Chunk {
    start: u64,
    bytes: Vec<u8>,
}

impl Chunk {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

/// All bytes of a lane that the other side has not acknowledged.
#[derive(Default)]
pub struct Backlog {
    /// Position before which the other side has received everything.
    acknowledged: u64,
    end: u64,
    chunks: VecDeque<Chunk>,
    spare: Vec<Vec<u8>>,
}

impl Backlog {
    /// Returns the position after the last byte.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns whether a writer may append.
    pub fn has_room(&self) -> bool {
        self.end - self.acknowledged < BACKLOG_BYTES_MAX
    }

    /// Appends a record of at most `bytes_max` bytes, which `fill` writes. Returns the record.
    pub fn append(&mut self, bytes_max: usize, fill: impl FnOnce(&mut Vec<u8>)) -> &[u8] {
        if self
            .chunks
            .back()
            .is_none_or(|chunk| chunk.bytes.len() + bytes_max > chunk.bytes.capacity())
        {
            let bytes =
                self.spare.pop().unwrap_or_else(|| Vec::with_capacity(CHUNK_BYTES.max(bytes_max)));
            self.chunks.push_back(Chunk { start: self.end, bytes });
        }
        let Some(chunk) = self.chunks.back_mut() else { return &[] };
        let before = chunk.bytes.len();
        fill(&mut chunk.bytes);
        self.end = chunk.end();
        &chunk.bytes[before..]
    }

    /// Records that the other side has received everything before `position`. Returns false if
    /// `position` is impossible: after the sent bytes, or before an earlier acknowledgement.
    pub fn acknowledge(&mut self, position: u64) -> bool {
        if position < self.acknowledged || position > self.end {
            return false;
        }
        self.acknowledged = position;
        while let Some(mut chunk) = self.chunks.pop_front_if(|chunk| chunk.end() <= position) {
            chunk.bytes.clear();
            if self.spare.len() < SPARE_MAX {
                self.spare.push(chunk.bytes);
            }
        }
        true
    }

    /// Returns the bytes that the other side has not acknowledged, in order.
    pub fn rest(&self) -> impl Iterator<Item = &[u8]> {
        let behind = |chunk: &Chunk| self.acknowledged.saturating_sub(chunk.start) as usize;
        self.chunks
            .iter()
            .map(move |chunk| &chunk.bytes[behind(chunk)..])
            .filter(|bytes| !bytes.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(backlog: &Backlog) -> Vec<u8> {
        backlog.rest().flatten().copied().collect()
    }

    #[test]
    fn the_backlog_keeps_exactly_the_unacknowledged_bytes() {
        let mut backlog = Backlog::default();
        let mut all = Vec::new();
        for round in 0..200u64 {
            let record: Vec<u8> = (0..round * 997 % 130_000).map(|i| (i + round) as u8).collect();
            assert_eq!(backlog.append(130_000, |out| out.extend_from_slice(&record)), record);
            all.extend(record);
            let position = all.len() as u64 * round / 200;
            if position >= backlog.acknowledged {
                assert!(backlog.acknowledge(position));
            }
            let start = backlog.acknowledged as usize;
            assert!(rest(&backlog) == all[start..], "round {round}");
        }
        assert!(backlog.acknowledge(all.len() as u64));
        assert!(
            rest(&backlog).is_empty()
                && backlog.chunks.is_empty()
                && backlog.spare.len() <= SPARE_MAX
        );
    }

    #[test]
    fn an_acknowledgement_of_unsent_or_forgotten_bytes_is_refused() {
        let mut backlog = Backlog::default();
        backlog.append(9, |out| out.extend_from_slice(b"one, two."));
        assert!(!backlog.acknowledge(10));
        assert!(backlog.acknowledge(5) && !backlog.acknowledge(4));
        assert_eq!(rest(&backlog), b"two.");
    }

    #[test]
    fn there_is_room_for_so_much() {
        let mut backlog = Backlog::default();
        let mut count = 0;
        while backlog.has_room() {
            backlog.append(100_000, |out| out.resize(out.len() + 100_000, 1));
            count += 100_000;
        }
        assert!((BACKLOG_BYTES_MAX..BACKLOG_BYTES_MAX + 100_000).contains(&count));
        assert!(backlog.acknowledge(count - 1) && backlog.has_room());
    }
}
