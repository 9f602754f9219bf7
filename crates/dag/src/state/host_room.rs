//! The host memory that data passes through: its taken part, the copies of files in it, and the
//! operations that wait for it.

use super::op::Op;
use crate::graph::PartitionId;
use std::collections::VecDeque;

/// A limited amount of host memory.
#[derive(Debug, Clone)]
pub(super) struct Room {
    pub(super) capacity_bytes: u64,
    pub(super) used_bytes: u64,
    pub(super) peak_bytes: u64,
    /// Copies of files that count as taken, in arbitrary order.
    pub(super) copies: Vec<PartitionId>,
    /// For each partition: its index in `copies`.
    pub(super) listed_at: Vec<u32>,
    /// For each partition: the number of unfinished loads from the host.
    pub(super) leaving: Vec<u32>,
    /// For each partition: the state's counter when its copy was last used.
    pub(super) used_at: Vec<u64>,
    /// Reads and stores that wait for memory, first come, first served.
    pub(super) waiting: VecDeque<Op>,
    pub(super) forgotten: Vec<PartitionId>,
    pub(super) losses: u64,
}

impl Room {
    /// Returns a room from which nothing is taken; a capacity of `None` means unlimited.
    pub(super) fn new(partitions: usize, capacity_bytes: Option<u64>) -> Room {
        Room {
            capacity_bytes: capacity_bytes.unwrap_or(u64::MAX),
            used_bytes: 0,
            peak_bytes: 0,
            copies: Vec::new(),
            listed_at: vec![0; partitions],
            leaving: vec![0; partitions],
            used_at: vec![0; partitions],
            waiting: VecDeque::new(),
            forgotten: Vec::new(),
            losses: 0,
        }
    }

    /// Returns whether `bytes` fit. One partition always fits, because otherwise the run could not
    /// continue.
    pub(super) fn has(&self, bytes: u64) -> bool {
        self.used_bytes == 0 || self.used_bytes.saturating_add(bytes) <= self.capacity_bytes
    }

    /// Counts `bytes` as taken.
    pub(super) fn take(&mut self, bytes: u64) {
        self.used_bytes += bytes;
        self.peak_bytes = self.peak_bytes.max(self.used_bytes);
    }
}
