//! The one error enum of this crate. Every variant names the subtask or the partition at fault,
//! because a graph has thousands of each. Deliberately absent: CUDA error codes; nothing here
//! touches a device.

use thiserror::Error;

/// Why a graph, a machine, a schedule or a request was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// An input or output names a partition that the graph does not have.
    #[error("subtask `{subtask}` names partition {partition}, which does not exist")]
    UnknownPartition {
        /// The subtask at fault.
        subtask: String,
        /// The index that it names.
        partition: u32,
    },
    /// A subtask lists the same partition twice.
    #[error("subtask `{subtask}` lists partition `{partition}` twice")]
    DuplicateUse {
        /// The subtask at fault.
        subtask: String,
        /// The partition listed twice.
        partition: String,
    },
    /// Two subtasks write one partition, or one writes a partition that is given as input.
    #[error("partition `{partition}` is written by `{subtask}` but already has a source")]
    SecondWriter {
        /// The partition at fault.
        partition: String,
        /// The second writer.
        subtask: String,
    },
    /// A partition is read or kept but nothing makes it.
    #[error("partition `{partition}` is neither given nor made by a subtask")]
    NoSource {
        /// The partition at fault.
        partition: String,
    },
    /// The subtasks wait for one another.
    #[error("the graph has a cycle through subtask `{subtask}`")]
    Cycle {
        /// One subtask on the cycle.
        subtask: String,
    },
    /// Inputs and outputs of one subtask are larger than a GPU's memory.
    #[error(
        "subtask `{subtask}` needs {need_bytes} bytes at once but a GPU has {capacity_bytes}; its \
        largest partition is `{partition}`"
    )]
    WorkingSet {
        /// The subtask that cannot run.
        subtask: String,
        /// Its largest partition.
        partition: String,
        /// Bytes of its inputs and outputs together.
        need_bytes: u64,
        /// Bytes of one GPU.
        capacity_bytes: u64,
    },
    /// A scheduler asked for something that memory or data flow does not allow: a defect of the
    /// scheduler.
    #[error("refused: {0}")]
    Refused(String),
    /// No operation is running and the graph is not finished: a defect of a scheduler.
    #[error("no operation is running, but subtask `{subtask}` has not run")]
    Stalled {
        /// The first subtask that has not run.
        subtask: String,
    },
    /// The caller no longer waits for the plan.
    #[error("planning was interrupted")]
    Interrupted,
    /// The exact search was given more than it can represent.
    #[error("exact search: {0}")]
    TooLarge(String),
    /// A command-line option or a parameter has an invalid value.
    #[error("{0}")]
    Usage(String),
}
