//! The host memory that data passes through: how much of it is taken, which copies of files it
//! holds and which operations wait for it.

use super::op::Op;
use crate::graph::PartitionId;
use std::collections::VecDeque;

/// Room in host memory.
#[derive(Debug, Clone)]
pub(super) struct Room {
    pub(super) capacity_bytes: u64,
    pub(super) used_bytes: u64,
    pub(super) peak_bytes: u64,
    /// Copies of files that are counted here, in no order.
    pub(super) copies: Vec<PartitionId>,
    /// Per partition: its place among them.
    pub(super) listed_at: Vec<u32>,
    /// Per partition: loads from the host that have not finished.
    pub(super) leaving: Vec<u32>,
    /// Per partition: when its copy was last used, by the state's counter.
    pub(super) used_at: Vec<u64>,
    /// Reads and stores that wait for room, first come first served.
    pub(super) waiting: VecDeque<Op>,
    pub(super) forgotten: Vec<PartitionId>,
    pub(super) losses: u64,
}

impl Room {
    /// Makes empty room of a capacity; None means no limit.
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

    /// One partition always fits; otherwise nothing could continue.
    pub(super) fn has(&self, bytes: u64) -> bool {
        self.used_bytes == 0 || self.used_bytes.saturating_add(bytes) <= self.capacity_bytes
    }

    /// Counts bytes as taken.
    pub(super) fn take(&mut self, bytes: u64) {
        self.used_bytes += bytes;
        self.peak_bytes = self.peak_bytes.max(self.used_bytes);
    }
}
