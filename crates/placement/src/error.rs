//! The one error enum of this crate.

use thiserror::Error;

/// Why curves, tasks or a fleet were refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// A table of measured curves cannot be used.
    #[error("measured curves, line {line}: {problem}")]
    Measured {
        /// Counted from 1.
        line: usize,
        /// The fault.
        problem: String,
    },
    /// No GPU could ever take a task.
    #[error(
        "no GPU of the fleet can ever take a task of {reference_ms} ms a frame: add GPUs behind \
        faster links, or lower the frame rate"
    )]
    NeverFits {
        /// The task's time per frame on a GPU attached by PCIe.
        reference_ms: String,
    },
    /// There is more than can be simulated or searched.
    #[error("{what}: {found} is more than the {max} that are allowed")]
    TooMany {
        /// The objects that are too many.
        what: &'static str,
        /// How many were found.
        found: usize,
        /// How many are allowed.
        max: usize,
    },
    /// A name or number is invalid.
    #[error("{0}")]
    Usage(String),
}
