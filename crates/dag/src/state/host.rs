//! Limits the host memory that data passes through: partitions read from files, and results until
//! they are in their files. Operations wait for free memory. Copies of files are dropped, because
//! they can be read again. So a graph can read and write more data than the host's memory holds.
//! Two kinds of data do not count: evicted data, which the runtime stores elsewhere, and results
//! that must end in host memory.

use super::State;
use super::op::{HostCopy, Op, PartitionMemory};
use crate::graph::{Graph, Home, Keep, PartitionId};

/// Returns whether a partition comes from a file and need not be kept, so that its host copy can be
/// read again.
fn is_readable_again(graph: &Graph, p: PartitionId) -> bool {
    let partition = graph.partition(p);
    partition.home == Home::File && partition.keep == Keep::No
}

impl State {
    /// Returns the most host memory that reads and unwritten results ever took, in bytes.
    pub fn host_peak_bytes(&self) -> u64 {
        self.room.peak_bytes
    }

    /// Returns whether a read of `p` would begin at once.
    pub fn has_host_room(&self, p: PartitionId) -> bool {
        self.room.waiting.is_empty() && self.room.has(self.graph.bytes(p))
    }

    /// Returns the copies of files in host memory that `forget` would accept.
    pub fn forgettable(&self) -> impl Iterator<Item = PartitionId> + '_ {
        self.room.copies.iter().copied().filter(|p| self.is_forgettable(*p))
    }

    fn is_forgettable(&self, p: PartitionId) -> bool {
        let idle = self.waiters[p.at()].is_empty() && self.room.leaving[p.at()] == 0;
        idle && self.host[p.at()] == HostCopy::Valid && self.is_readable_again(p)
    }

    /// Returns how often data was lost that must be read from its file again. While this number
    /// does not change, all data that was read is still in memory.
    pub fn losses(&self) -> u64 {
        self.room.losses
    }

    /// Drops the host's copy of a file; `p` must be one of `forgettable`.
    pub fn forget(&mut self, p: PartitionId) {
        self.lose(p);
        self.serve_waiting();
    }

    /// Returns the partitions whose host copies were dropped since the last call. Operations issued
    /// before that may have used the copies; later ones do not.
    pub fn take_forgotten(&mut self) -> Vec<PartitionId> {
        std::mem::take(&mut self.room.forgotten)
    }

    /// Returns whether `p` could be read from its file if every GPU and the host dropped it.
    pub(super) fn is_readable_again(&self, p: PartitionId) -> bool {
        is_readable_again(&self.graph, p)
    }

    /// Issues a read or a store as soon as the host has memory for it.
    pub(super) fn issue_with_room(&mut self, op: Op) {
        if self.needs_room(op) {
            self.room.waiting.push_back(op);
            self.serve_waiting();
        } else {
            self.issued.push(op);
        }
    }

    /// Counts an issued load from the host.
    pub(super) fn leaves_host(&mut self, p: PartitionId) {
        self.room.leaving[p.at()] += 1;
    }

    /// Notes the end of a load from the host.
    pub(super) fn has_left_host(&mut self, p: PartitionId) {
        self.room.leaving[p.at()] -= 1;
        self.room.used_at[p.at()] = self.ticks;
    }

    /// Frees a result's host memory, because the result is in its file.
    pub(super) fn is_written(&mut self, p: PartitionId) {
        self.room.used_bytes -= self.graph.bytes(p);
    }

    /// Drops a file's copy that no subtask will read.
    pub(super) fn forget_if_unread(&mut self, p: PartitionId) {
        if self.unread[p.at()] == 0 && self.is_forgettable(p) {
            self.give_up(p);
        }
    }

    /// Counts a loss if a GPU dropped data that must be read from its file again.
    pub(super) fn note_loss(&mut self, p: PartitionId) {
        if self.is_readable_again(p) && self.host[p.at()] == HostCopy::Absent {
            self.room.losses += 1;
        }
    }

    /// Issues waiting operations for which there is memory now.
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

    /// Returns the copy to drop next: first one that a GPU also has, then the least recently used
    /// one.
    fn least_missed(&self) -> Option<PartitionId> {
        let resident = |p: PartitionId| {
            (0..self.gpus()).any(|gpu| self.place(gpu, p) == PartitionMemory::Resident)
        };
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
