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
        /// What is wrong with it.
        problem: String,
    },
    /// A task would wait for ever.
    #[error(
        "no GPU of the fleet can ever take a task of {reference_ms} ms a frame: add GPUs behind \
        faster links, or lower the frame rate"
    )]
    NeverFits {
        /// Its time per frame on a GPU attached by PCIe.
        reference_ms: String,
    },
    /// More than can be simulated or searched.
    #[error("{what}: {found} is more than the {max} that are allowed")]
    TooMany {
        /// Of which thing.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        max: usize,
    },
    /// A lease, or another wish, that cannot be had.
    #[error("{0}")]
    Asked(String),
    /// More than a quota allows.
    #[error("{0}")]
    Quota(String),
    /// A node that cannot join.
    #[error("{0}")]
    Node(String),
    /// A name that the pool does not know.
    #[error("{0}")]
    NoSuch(String),
    /// A lease that is over.
    #[error("{0}")]
    Ended(String),
    /// More at once than the pool takes.
    #[error("the pool is busy: {0}; try again")]
    Busy(String),
    /// Somebody whom the pool does not know.
    #[error("{0}")]
    Unknown(String),
    /// Certificates, keys and tokens of one's own.
    #[error("{0}")]
    Identity(String),
    /// What somebody may not do.
    #[error("{0}")]
    Forbidden(String),
    /// The store did not do what it was asked to, as far as is known.
    #[error("the pool's store does not answer: {0}; try again")]
    Store(#[from] crate::store::StoreError),
    /// A name or number that means nothing.
    #[error("{0}")]
    Usage(String),
}
