//! `outhaul worker`: the process of one session, started by the node with the session's lanes as open descriptors. Not for people.

use crate::error::Error;
use outhaul_node::worker::Options;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

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
    /// Whether lanes that came over the network are sealed.
    #[arg(long)]
    sealed: bool,
    /// How many devices the session's lease is of.
    #[arg(long)]
    devices: Option<usize>,
    /// The session's row in the ledger of its tenant or lease.
    #[arg(long)]
    row: usize,
    #[arg(long)]
    kernel_limit_ms: Option<u64>,
    /// Where memory may move: the session's rows in the ledgers of devices and host.
    #[arg(long, value_delimiter = ',')]
    residency_rows: Vec<usize>,
}

pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let Arguments { library, cache, lanes, arena_base, sealed, devices, row, kernel_limit_ms, residency_rows } = arguments;
    let kernel_limit = kernel_limit_ms.map(Duration::from_millis);
    let residency_rows = residency_rows.first().copied().zip(residency_rows.get(1).copied());
    outhaul_node::worker::run(Options { library, cache, lanes, arena_base, sealed, devices, row, kernel_limit, residency_rows })
}
