//! `outhaul worker`: the process of one session, started by the node with the session's lanes as open descriptors. Not for people.

use crate::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// Serve one session on inherited connections; the node starts this.
#[derive(clap::Args)]
pub struct Arguments {
    #[arg(long)]
    library: PathBuf,
    #[arg(long)]
    cache: PathBuf,
    #[arg(long)]
    lanes: u16,
    #[arg(long)]
    arena_base: u64,
    /// Bytes of each device that the session's lease may have.
    #[arg(long, value_delimiter = ',')]
    memory: Vec<u64>,
    /// The session's row in its lease's ledger.
    #[arg(long, default_value_t = 0)]
    row: usize,
}

pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let Arguments { library, cache, lanes, arena_base, memory, row } = arguments;
    outhaul_node::worker::run(outhaul_node::worker::Options { library, cache, lanes, arena_base, memory, row })
}
