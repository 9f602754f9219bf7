//! The errors of the bench, worded for the person who typed the command.

use std::io;

/// An error of the bench.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A measurement failed, or the command asked for an invalid one.
    #[error("bench: {0}")]
    Bench(String),
    /// A program that did not start.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The reason why the node of a link over TLS has no certificate.
    #[error(transparent)]
    Certificate(Box<dyn std::error::Error + Send + Sync>),
    /// A failed operation of the system.
    #[error("{doing}: {error}")]
    Io {
        /// The failed step, worded as "cannot ...".
        doing: String,
        /// The reason.
        error: io::Error,
    },
}

/// A program that did not start.
#[derive(Debug, thiserror::Error)]
#[error("cannot run {command}: {error}{}", hint(error))]
pub struct CommandError {
    /// The program.
    pub command: String,
    /// The reason.
    pub error: io::Error,
}

impl Error {
    /// Returns the exit code of a command that failed with this error.
    pub fn exit_code(&self) -> u8 {
        if let Error::Command(error) = self { error.exit_code() } else { 1 }
    }
}

impl CommandError {
    /// Returns the exit code, by the rules of env(1).
    pub fn exit_code(&self) -> u8 {
        if self.error.kind() == io::ErrorKind::NotFound { 127 } else { 126 }
    }
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "; check the spelling, or give its path (a script's interpreter may be missing too)"
        }
        io::ErrorKind::PermissionDenied => "; is it executable?",
        _ => "",
    }
}
