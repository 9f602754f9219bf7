//! `outhaul keeper`: holds what sessions need while no listener is there, started by a node. Not
//! for people.

use crate::error::Error;
use std::process::ExitCode;
use std::time::Duration;

/// Hold a node's sessions until another listener comes; the node starts this.
#[derive(clap::Args)]
pub struct Arguments {
    /// How long another listener is waited for.
    grace_ms: u64,
}

pub fn execute(arguments: &Arguments) -> Result<ExitCode, Error> {
    // SAFETY: a node that starts this has put them there.
    let kept = unsafe { outhaul_node::keeper::run(Duration::from_millis(arguments.grace_ms)) };
    kept.map_err(|error| Error::Io { doing: "cannot keep sessions".into(), error })?;
    Ok(ExitCode::SUCCESS)
}
