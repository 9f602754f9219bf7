//! The errors of a request to a pool.

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The server did not answer in time. The pool may have carried out the request nevertheless.
    #[error("cannot reach the pool at {url}: {reason}; is `outhaul pool serve` running there?")]
    Unreachable {
        /// The pool's URL.
        url: String,
        /// The cause.
        reason: String,
    },
    /// A server answers, but TLS fails.
    #[error("cannot speak TLS with the pool at {url}: {reason}")]
    Unproven {
        /// The pool's URL.
        url: String,
        /// Why TLS failed, and what to do.
        reason: String,
    },
    /// The pool, or a proxy in front of it, answers that it cannot serve the request now.
    #[error("the pool at {url}: {reason}")]
    Unable {
        /// The pool's URL.
        url: String,
        /// Why the pool cannot serve the request.
        reason: String,
    },
    /// The lease that the request is about has ended.
    #[error("{0}")]
    Gone(String),
    /// The pool refuses the request, with the reason.
    #[error("{0}")]
    Refused(String),
    /// The answer is not from a pool.
    #[error("the server at {url} is not a pool of this release: {reason}")]
    Foreign {
        /// The server's URL.
        url: String,
        /// The reason why the answer cannot be a pool's.
        reason: String,
    },
}

impl ClientError {
    /// Returns whether TLS failed because the server has no certificate of the expected pool.
    pub fn is_of_another_pool(&self) -> bool {
        let ClientError::Unproven { reason, .. } = self else { return false };
        reason.starts_with(super::tls_failure::ANOTHER_POOL)
    }

    /// Returns whether a later attempt may succeed.
    pub fn is_passing(&self) -> bool {
        matches!(self, ClientError::Unreachable { .. } | ClientError::Unable { .. })
    }
}
