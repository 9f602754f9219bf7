//! `outhaul bench`: measures a driver from where a program would use it. The same command with another library, or under `outhaul run`, gives
//! the figures to compare with.

mod copies;

use crate::error::Error;
use std::process::ExitCode;

/// Measure a driver as a program meets it; run it natively and under `outhaul run`, and compare.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul bench copies                                     the driver of this machine
  outhaul run --node gpu7:7654 -- outhaul bench copies     the same through a node")]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Copies(copies::Arguments),
}

pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let What::Copies(arguments) = arguments.what;
    copies::execute(arguments)
}
