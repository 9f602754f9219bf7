//! `outhaul worker`: the process of one session. A hidden command that a node starts with the
//! session's lanes as open descriptors.

use crate::error::Error;
use outhaul_node::worker::{Options, run};
use std::path::PathBuf;
use std::process::ExitCode;

/// Serve one session on inherited connections; the node starts this command.
#[derive(clap::Args)]
pub struct Arguments {
    library: PathBuf,
    cache: PathBuf,
    /// Further settings of the node, in its own format.
    options: String,
}

/// Runs a worker until its session has ended.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let options = Options::of_words(arguments.library, arguments.cache, &arguments.options);
    run(options
        .map_err(|error| Error::Refused(format!("only a node can start a worker: {error}")))?)
}
