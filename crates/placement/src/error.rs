//! The crate's only error type.

use thiserror::Error;

/// The reason why curves, tasks or a fleet were refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// A table of measured curves cannot be used.
    #[error("measured curves, line {line}: {problem}")]
    Measured {
        /// Line number, counted from 1.
        line: usize,
        /// The problem found in the line.
        problem: String,
    },
    /// No GPU can ever take a task.
    #[error(
        "no GPU of the fleet can ever take a task of {reference_ms} ms a frame: add GPUs behind \
        faster links, or lower the frame rate"
    )]
    NeverFits {
        /// The task's time per frame on a GPU attached by PCIe.
        reference_ms: String,
    },
    /// The input exceeds the size that can be simulated or searched.
    #[error("{what}: {found} is more than the {max} that are allowed")]
    TooMany {
        /// The kind of objects counted.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number allowed.
        max: usize,
    },
    /// A name or number is invalid.
    #[error("{0}")]
    Usage(String),
}
