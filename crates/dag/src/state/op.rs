//! Operations and what they change: the places of partitions and the progress of subtasks.

use crate::graph::{PartitionId, SubtaskId};
use serde::Serialize;

/// An operation that takes time. The runtime starts each issued operation and reports when it has
/// finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Op {
    /// A copy from a file to host memory.
    Read(PartitionId),
    /// A copy from host memory to a file.
    Write(PartitionId),
    /// A copy from host memory to a GPU.
    Load(PartitionId, usize),
    /// A copy from a GPU to host memory.
    Store(PartitionId, usize),
    /// A copy from one GPU (the second value) to another (the third).
    Peer(PartitionId, usize, usize),
    /// A subtask's run on a GPU.
    Compute(SubtaskId, usize),
}

/// The content of a GPU's memory for one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartitionMemory {
    /// The GPU has neither memory for the partition nor its bytes.
    Absent,
    /// Memory is taken, and the bytes are in flight.
    Loading,
    /// Memory is taken for an output that is not computed yet.
    Reserved,
    /// The partition's bytes.
    Resident,
}

/// The content of host memory for one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostCopy {
    /// The host does not have the bytes.
    Absent,
    /// The bytes are in flight from a file or a GPU.
    Coming,
    /// The partition's bytes.
    Valid,
}

/// The progress of a subtask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Not in any GPU's queue yet.
    Waiting,
    /// In the queue of this GPU, or running on the GPU.
    Queued(usize),
    /// Finished.
    Done,
}
