//! The error type for opening a connection.

use crate::connect::settings::{ARENA_SETTING, SIGN_WAIT, TRANSPORT_VARIABLE};
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{Dialect, HandshakeError, HandshakeKind, Refusal, Speaks, strangers};
use outhaul_wire::level::SPEC_HASH;
use outhaul_wire::limits::ARENA_BASE;
use std::io;

/// Why a connection or its handshake failed.
#[derive(Debug, thiserror::Error)]
pub enum HelloError {
    /// The address could not be resolved.
    #[error("cannot resolve {address}: {reason}")]
    Unresolvable {
        /// Address as the user wrote it.
        address: String,
        /// The resolver's reason.
        reason: String,
    },
    /// No node accepts a connection at the address.
    #[error("cannot reach a node at {address}: {error}")]
    Unreachable {
        /// Address as the user wrote it.
        address: String,
        /// Error of the last attempt.
        error: io::Error,
    },
    /// `OUTHAUL_TRANSPORT` has this value, which is not a kind of connection.
    #[error("{TRANSPORT_VARIABLE} is '{0}', which is not auto, tcp or shared-memory")]
    Transport(String),
    /// The setting `arena-base` has this value, which is not a valid address of device memory.
    #[error(
        "OUTHAUL_TUNE: {ARENA_SETTING} is '{0}', which is not an address like \
         {ARENA_BASE:#x} on a boundary of 2 MiB"
    )]
    Arena(String),
    /// Shared memory is required, but no node on this machine offers it at the address.
    #[error(
        "{TRANSPORT_VARIABLE} asks for shared memory, but {address} is not a node on this machine \
        that offers it"
    )]
    NotLocal {
        /// Address as the user wrote it.
        address: String,
    },
    /// Shared memory is required, but its creation or handover failed.
    #[error("no memory can be shared with the node at {address}: {error}")]
    Unshared {
        /// Address as the user wrote it.
        address: String,
        /// Why the memory could not be created or handed over.
        error: io::Error,
    },
    /// The node rejects the client for this reason.
    #[error("{0}")]
    Refused(String),
    /// The node is busy now. The client may try again later.
    #[error("{0}")]
    Busy(String),
    /// The node does not know the client's dialect.
    #[error("{}", strangers((env!("CARGO_PKG_VERSION"), SPEC_HASH), (release, dialect.spec_hash)))]
    Speaks {
        /// Dialect that the node knows.
        dialect: Dialect,
        /// Version of the node's release.
        release: String,
    },
    /// The node accepted the connection and then sent nothing for `SIGN_WAIT`.
    #[error("the node at {address} takes connections and gives no sign of life for {} s: it is \
    stopped or overloaded", SIGN_WAIT.as_secs())]
    Silent {
        /// Address as the user wrote it.
        address: String,
        /// Whether the node had said before that it starts the session. It is then overloaded
        /// rather than stopped.
        has_answered: bool,
    },
    /// The node did not prove with a certificate from the pool that it has this name.
    #[error("the node at {address} does not prove to be '{name}': {error}")]
    Unproven {
        /// Address as the user wrote it.
        address: String,
        /// Name that the node had to prove.
        name: String,
        /// Why the TLS handshake failed.
        error: io::Error,
    },
    /// The address has a name, but this process has no pool certificate with which to check that
    /// name.
    #[error(
        "the pool's certificate is needed to check a node's name: {0}; `outhaul run --pool` and \
        `outhaul request` provide it"
    )]
    NoTrust(io::Error),
    /// This process cannot start the threads that connect.
    #[error(
        "cannot start a thread: {0}; this user or container may have no more of them: raise \
    the limit (`ulimit -u`, `pids.max`)"
    )]
    Thread(io::Error),
    /// The answer is invalid.
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
    /// The connection broke before the answer.
    #[error("the connection broke during the handshake: {0}")]
    Io(#[from] io::Error),
}

impl HelloError {
    /// Returns the error for an unexpected answer.
    pub(crate) fn of_answer(kind: HandshakeKind, body: &[u8]) -> HelloError {
        let reason = || {
            Reader::new(body)
                .whole::<Refusal<'_>>()
                .map(|refusal| refusal.reason.to_owned())
                .map_err(HandshakeError::from)
        };
        match kind {
            HandshakeKind::Refusal => reason().map_or_else(HelloError::from, HelloError::Refused),
            HandshakeKind::Busy => reason().map_or_else(HelloError::from, HelloError::Busy),
            HandshakeKind::Speaks => Reader::new(body).beginning::<Speaks<'_>>().map_or_else(
                |error| HandshakeError::from(error).into(),
                |speaks| HelloError::Speaks {
                    dialect: speaks.dialect(),
                    release: speaks.release.to_owned(),
                },
            ),
            other => HandshakeError::Unexpected(other as u16).into(),
        }
    }

    /// Returns whether the cause is this process's limit on open descriptors.
    pub fn is_out_of_descriptors(&self) -> bool {
        match self {
            HelloError::Unreachable { error, .. }
            | HelloError::Unshared { error, .. }
            | HelloError::Io(error) => error.raw_os_error() == Some(libc::EMFILE),
            _ => false,
        }
    }
}
