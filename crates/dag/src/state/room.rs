//! Room in host memory for what passes through it: partitions read from files, and results until
//! they are in their files. What has no room waits; copies of files give way, since they can be
//! read again. A graph may so read and write more than the host has. Deliberately absent: what
//! leaves a GPU and comes back, which is kept wherever the runtime likes, and what is to end in
//! host memory.

use super::{HostCopy, Op, Place, State};
use crate::graph::{Graph, Home, Keep, PartitionId};
use std::collections::VecDeque;

#[derive(Debug, Clone)]
pub(super) struct Room {
    capacity_bytes: u64,
    used_bytes: u64,
    peak_bytes: u64,
    /// Copies of files that are counted here, in no order.
    copies: Vec<PartitionId>,
    /// Per partition: its place among them.
    listed_at: Vec<u32>,
    /// Per partition: loads from the host that have not finished.
    leaving: Vec<u32>,
    /// Per partition: when its copy was last used, by the state's counter.
    used_at: Vec<u64>,
    /// Reads and stores that wait for room, first come first served.
    waiting: VecDeque<Op>,
    forgotten: Vec<PartitionId>,
    losses: u64,
}

impl Room {
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

    /// One partition always fits, or nothing would go on.
    fn has(&self, bytes: u64) -> bool {
        self.used_bytes == 0 || self.used_bytes.saturating_add(bytes) <= self.capacity_bytes
    }

    fn take(&mut self, bytes: u64) {
        self.used_bytes += bytes;
        self.peak_bytes = self.peak_bytes.max(self.used_bytes);
    }
}

/// Whether it is read from a file and wanted nowhere else: its copy in host memory can be had
/// again.
fn is_readable_again(graph: &Graph, p: PartitionId) -> bool {
    let partition = graph.partition(p);
    partition.home == Home::File && partition.keep == Keep::No
}

impl State {
    /// The most host memory that reads and unwritten results ever took, in bytes.
    pub fn host_peak_bytes(&self) -> u64 {
        self.room.peak_bytes
    }

    /// Whether a read of `p` would begin at once.
    pub fn has_host_room(&self, p: PartitionId) -> bool {
        self.room.waiting.is_empty() && self.room.has(self.graph.bytes(p))
    }

    /// Copies of files in host memory that `forget` would accept.
    pub fn forgettable(&self) -> impl Iterator<Item = PartitionId> + '_ {
        self.room.copies.iter().copied().filter(|p| self.is_forgettable(*p))
    }

    fn is_forgettable(&self, p: PartitionId) -> bool {
        let idle = self.waiters[p.at()].is_empty() && self.room.leaving[p.at()] == 0;
        idle && self.host[p.at()] == HostCopy::Valid && self.is_readable_again(p)
    }

    /// How often something was lost that must be read from its file once more: while it stays the
    /// same, what was read is there.
    pub fn losses(&self) -> u64 {
        self.room.losses
    }

    /// Gives up the host's copy of a file, one of `forgettable`.
    pub fn forget(&mut self, p: PartitionId) {
        self.lose(p);
        self.serve_waiting();
    }

    /// Takes the partitions whose host copies were given up since the last call; what was issued
    /// before may have used them, what is issued after does not.
    pub fn take_forgotten(&mut self) -> Vec<PartitionId> {
        std::mem::take(&mut self.room.forgotten)
    }

    /// Whether the bytes of `p`, were they dropped from every GPU and the host, could be read from
    /// its file.
    pub(super) fn is_readable_again(&self, p: PartitionId) -> bool {
        is_readable_again(&self.graph, p)
    }

    /// Issues a read or a store as soon as there is room for it.
    pub(super) fn issue_with_room(&mut self, op: Op) {
        if self.needs_room(op) {
            self.room.waiting.push_back(op);
            self.serve_waiting();
        } else {
            self.issued.push(op);
        }
    }

    /// Counts a load from the host that was issued.
    pub(super) fn leaves_host(&mut self, p: PartitionId) {
        self.room.leaving[p.at()] += 1;
    }

    /// Counts a load from the host that has finished.
    pub(super) fn has_left_host(&mut self, p: PartitionId) {
        self.room.leaving[p.at()] -= 1;
        self.room.used_at[p.at()] = self.ticks;
    }

    /// A result is in its file.
    pub(super) fn is_written(&mut self, p: PartitionId) {
        self.room.used_bytes -= self.graph.bytes(p);
    }

    /// A copy of a file that nobody will read is of no use.
    pub(super) fn forget_if_unread(&mut self, p: PartitionId) {
        if self.unread[p.at()] == 0 && self.is_forgettable(p) {
            self.give_up(p);
        }
    }

    /// A GPU gave up what the host does not have.
    pub(super) fn note_loss(&mut self, p: PartitionId) {
        if self.is_readable_again(p) && self.host[p.at()] == HostCopy::Absent {
            self.room.losses += 1;
        }
    }

    /// Begins what waits and has room by now.
    pub(super) fn serve_waiting(&mut self) {
        while let Some(op) = self.room.waiting.front().copied() {
            let (Op::Read(p) | Op::Store(p, _)) = op else {
                unreachable!("only reads and stores wait for room")
            };
            let bytes = self.graph.bytes(p);
            while !self.room.has(bytes) {
                let Some(victim) = self.least_missed() else { return };
                self.lose(victim);
            }
            self.room.waiting.pop_front();
            self.room.take(bytes);
            self.room.used_at[p.at()] = self.ticks;
            if matches!(op, Op::Read(_)) {
                self.room.listed_at[p.at()] = self.room.copies.len() as u32;
                self.room.copies.push(p);
            }
            self.issued.push(op);
        }
    }

    fn needs_room(&self, op: Op) -> bool {
        match op {
            Op::Read(p) => self.is_readable_again(p),
            Op::Store(p, _) => self.graph.partition(p).keep == Keep::File && !self.on_file[p.at()],
            _ => false,
        }
    }

    /// What a GPU has as well goes first, then what was used longest ago.
    fn least_missed(&self) -> Option<PartitionId> {
        let resident =
            |p: PartitionId| (0..self.gpus()).any(|gpu| self.place(gpu, p) == Place::Resident);
        self.forgettable().min_by_key(|p| (!resident(*p), self.room.used_at[p.at()], *p))
    }

    fn lose(&mut self, p: PartitionId) {
        debug_assert!(self.is_forgettable(p), "only what can be read again is forgotten");
        self.room.losses += 1;
        self.give_up(p);
    }

    fn give_up(&mut self, p: PartitionId) {
        self.host[p.at()] = HostCopy::Absent;
        let at = self.room.listed_at[p.at()];
        self.room.copies.swap_remove(at as usize);
        if let Some(moved) = self.room.copies.get(at as usize) {
            self.room.listed_at[moved.at()] = at;
        }
        self.room.used_bytes -= self.graph.bytes(p);
        self.room.forgotten.push(p);
    }
}
