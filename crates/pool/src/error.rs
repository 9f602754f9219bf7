//! The errors of this crate.

use outhaul_wire::name::NameError;
use thiserror::Error;

/// The reason why the pool refuses a request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// Placement refuses the curves, the tasks or the fleet of GPUs.
    #[error(transparent)]
    Placement(#[from] outhaul_placement::Error),
    /// The request is invalid or can never be met.
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
    /// The pool already has as much work or as many entries as it accepts, or is shutting down.
    #[error("the pool is busy: {0}; try again")]
    Busy(String),
    /// The caller has as much of something as the pool gives to one.
    #[error("{0}")]
    TooMany(String),
    /// The pool does not accept the caller's identity.
    #[error("{0}")]
    Unknown(String),
    /// A certificate, a key or a token of this machine has a problem.
    #[error("{0}")]
    Identity(String),
    /// The caller lacks permission for the request.
    #[error("{0}")]
    Forbidden(String),
    /// The store failed or did not answer; the request may have succeeded nevertheless.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A body, a parameter or an argument is invalid.
    #[error("{0}")]
    Usage(String),
}

impl From<NameError> for Error {
    fn from(error: NameError) -> Error {
        Error::Asked(error.to_string())
    }
}

/// A store's failure, after which a request may or may not have succeeded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    /// The store failed or did not answer.
    #[error("the pool's store does not answer: {0}; try again")]
    NoAnswer(String),
    /// The store can be read but not written. The text says what to do.
    #[error("the pool's store cannot be written, so the pool grants nothing now: {0}")]
    Unwritable(String),
    /// The store's contents make no sense.
    #[error(
        "the pool's store is damaged: {0}; end the pool, and restore a backup into a new store: \
        `outhaul pool restore BACKUP --store NEW`"
    )]
    Damaged(String),
    /// This process may not use the store. The text says what to do.
    #[error("{0}")]
    Taken(String),
}
