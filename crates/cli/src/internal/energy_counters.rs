//! `outhaul energy-counters`: the process that queries NVML for a node. A hidden command that a
//! node starts.

use crate::error::Error;
use outhaul_node::meter::energy_counters;
use std::process::ExitCode;

/// Print the GPUs' energy counters, in millijoules by UUID, every second; `outhaul serve` starts
/// this command.
#[derive(clap::Args)]
pub struct Arguments {
    gpus: Vec<String>,
}

/// Runs `outhaul energy-counters`.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Error> {
    energy_counters::print(&arguments.gpus);
    Ok(ExitCode::SUCCESS)
}
