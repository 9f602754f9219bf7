//! Operations, and what they change: where a partition is and how far a subtask is.

use crate::graph::{PartitionId, SubtaskId};
use serde::Serialize;

/// An operation that takes time. The runtime starts it when it is issued and reports it finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Op {
    /// File to host memory.
    Read(PartitionId),
    /// Host memory to file.
    Write(PartitionId),
    /// Host memory to GPU.
    Load(PartitionId, usize),
    /// GPU to host memory.
    Store(PartitionId, usize),
    /// From one GPU (second) to another (third).
    Peer(PartitionId, usize, usize),
    /// A subtask on a GPU.
    Compute(SubtaskId, usize),
}

/// The content of a GPU's memory for a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartitionMemory {
    /// Nothing.
    Absent,
    /// Memory is taken; the bytes are on their way.
    Loading,
    /// Memory is taken for an output that is not computed yet.
    Reserved,
    /// The bytes.
    Resident,
}

/// The content of host memory for a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostCopy {
    /// Nothing.
    Absent,
    /// On its way from a file or a GPU.
    Coming,
    /// The bytes.
    Valid,
}

/// How far a subtask is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Not handed to a GPU's queue.
    Waiting,
    /// In the queue of this GPU, or running on it.
    Queued(usize),
    /// Finished.
    Done,
}
