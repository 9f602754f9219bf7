//! Limits the host memory that data passes through: partitions read from files, and results until
//! they are in their files. Operations wait for room; copies of files are given up, since they can
//! be read again. So a graph can read and write more than the host has. Not here: evicted data,
//! which the runtime keeps wherever it likes, and results that must end in host memory.

use super::State;
use super::op::{HostCopy, Op, PartitionMemory};
use crate::graph::{Graph, Home, Keep, PartitionId};

/// Whether a partition comes from a file and is wanted nowhere else, so that its host copy can be
/// read again.
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

    /// How often data was lost that must be read from its file again. While this does not change,
    /// everything that was read is still there.
    pub fn losses(&self) -> u64 {
        self.room.losses
    }

    /// Gives up the host's copy of a file; `p` must be one of `forgettable`.
    pub fn forget(&mut self, p: PartitionId) {
        self.lose(p);
        self.serve_waiting();
    }

    /// Takes the partitions whose host copies were given up since the last call. Operations issued
    /// before may have used them; later ones do not.
    pub fn take_forgotten(&mut self) -> Vec<PartitionId> {
        std::mem::take(&mut self.room.forgotten)
    }

    /// Whether `p` could be read from its file if every GPU and the host dropped it.
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

    /// Notes that a result is in its file.
    pub(super) fn is_written(&mut self, p: PartitionId) {
        self.room.used_bytes -= self.graph.bytes(p);
    }

    /// Gives up a file's copy that no subtask will read.
    pub(super) fn forget_if_unread(&mut self, p: PartitionId) {
        if self.unread[p.at()] == 0 && self.is_forgettable(p) {
            self.give_up(p);
        }
    }

    /// Notes that a GPU gave up data that the host does not have.
    pub(super) fn note_loss(&mut self, p: PartitionId) {
        if self.is_readable_again(p) && self.host[p.at()] == HostCopy::Absent {
            self.room.losses += 1;
        }
    }

    /// Issues waiting operations that have room now.
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

    /// Gives up first what a GPU also has, then what was used longest ago.
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
