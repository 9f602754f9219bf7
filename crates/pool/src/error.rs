//! The errors of this crate.

use thiserror::Error;

/// Why the pool refuses a request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// Curves, tasks or a fleet of GPUs that cannot be placed.
    #[error(transparent)]
    Placement(#[from] outhaul_placement::Error),
    /// An impossible lease, or another request that cannot be met.
    #[error("{0}")]
    Asked(String),
    /// The request exceeds a quota.
    #[error("{0}")]
    Quota(String),
    /// The node cannot join.
    #[error("{0}")]
    Node(String),
    /// The pool does not know this name.
    #[error("{0}")]
    NoSuch(String),
    /// The lease has ended.
    #[error("{0}")]
    Ended(String),
    /// More at once than the pool accepts.
    #[error("the pool is busy: {0}; try again")]
    Busy(String),
    /// The pool does not know who asks.
    #[error("{0}")]
    Unknown(String),
    /// A problem with one's own certificates, keys or tokens.
    #[error("{0}")]
    Identity(String),
    /// The caller may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// The store failed, as far as is known.
    #[error("the pool's store does not answer: {0}; try again")]
    Store(#[from] StoreError),
    /// A name or number is invalid.
    #[error("{0}")]
    Usage(String),
}

/// The store does not report whether a request succeeded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(pub String);
