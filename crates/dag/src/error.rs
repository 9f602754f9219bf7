//! The errors of this crate. A variant names the subtask or the partition at fault, because a graph
//! has thousands of each. There are no CUDA error codes, because this crate uses no device.

use thiserror::Error;

/// The reason why a graph, a machine, a schedule or a request was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// A subtask's input or output names a partition that the graph does not have.
    #[error("subtask `{subtask}` names partition {partition}, which does not exist")]
    UnknownPartition {
        /// The subtask at fault.
        subtask: String,
        /// The index that the subtask names.
        partition: u32,
    },
    /// A subtask lists the same partition twice.
    #[error("subtask `{subtask}` lists partition `{partition}` twice")]
    DuplicateUse {
        /// The subtask at fault.
        subtask: String,
        /// The partition that the subtask lists twice.
        partition: String,
    },
    /// Two subtasks write one partition, or one subtask writes a given partition.
    #[error("partition `{partition}` is written by `{subtask}` but already has a source")]
    SecondWriter {
        /// The partition at fault.
        partition: String,
        /// The second writer.
        subtask: String,
    },
    /// A partition is read or kept, but it is neither given nor made by a subtask.
    #[error("partition `{partition}` is neither given nor made by a subtask")]
    NoSource {
        /// The partition at fault.
        partition: String,
    },
    /// The graph has a cycle: subtasks wait for one another.
    #[error("the graph has a cycle through subtask `{subtask}`")]
    Cycle {
        /// One subtask on the cycle.
        subtask: String,
    },
    /// The inputs and outputs of one subtask together exceed a GPU's memory.
    #[error(
        "subtask `{subtask}` needs {need_bytes} bytes at once but a GPU has {capacity_bytes}; its \
        largest partition is `{partition}`"
    )]
    WorkingSet {
        /// The subtask that does not fit.
        subtask: String,
        /// The subtask's largest partition.
        partition: String,
        /// Bytes of the subtask's inputs and outputs together.
        need_bytes: u64,
        /// Memory of one GPU in bytes.
        capacity_bytes: u64,
    },
    /// A scheduler asked for an operation that memory or data flow does not allow, because of a
    /// defect in the scheduler.
    #[error("refused: {0}")]
    Refused(String),
    /// No operation is running and the graph is not finished, because of a defect in the scheduler.
    #[error("no operation is running, but subtask `{subtask}` has not run")]
    Stalled {
        /// The first subtask that has not run.
        subtask: String,
    },
    /// The caller cancelled the planning.
    #[error("planning was interrupted")]
    Interrupted,
    /// The graph is too large for the exact search.
    #[error("exact search: {0}")]
    TooLarge(String),
    /// A command-line option or a parameter has an invalid value.
    #[error("{0}")]
    Usage(String),
}
