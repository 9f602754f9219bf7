//! The one error enum of this crate.

use thiserror::Error;

/// Why the pool refuses what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// Curves, tasks or a fleet of GPUs that cannot be placed.
    #[error(transparent)]
    Placement(#[from] outhaul_placement::Error),
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
