//! `outhaul keeper`: holds what sessions need while no listener runs. A hidden command that a node
//! starts.

use crate::error::Error;
use std::process::ExitCode;
use std::time::Duration;

/// Hold a node's sessions until another listener takes over; the node starts this command.
#[derive(clap::Args)]
pub struct Arguments {
    /// Time to wait for another listener, in milliseconds.
    grace_ms: u64,
}

/// Keeps a node's sessions for its next listener. Returns when no session is left, or no listener
/// has come in time.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Error> {
    // SAFETY: the node that started this process passed on the descriptors that `run` takes over.
    let kept =
        unsafe { outhaul_node::keeper::process::run(Duration::from_millis(arguments.grace_ms)) };
    kept.map_err(|error| Error::Io { doing: "cannot keep sessions".into(), error })?;
    Ok(ExitCode::SUCCESS)
}
