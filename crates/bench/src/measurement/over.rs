//! `outhaul bench over`: runs any program at the end of each of several links, like the cases of
//! the bench.

use super::place::{Certify, Options, Setting, Venue};
use super::process;
use crate::error::Error;
use crate::links::link::LinkKind;
use crate::measurement::scratch;
use std::ffi::OsString;
use std::process::ExitCode;

/// Run your own program over several links, one after another, and report the figures of each link.
#[derive(clap::Args)]
#[command(after_help = "\
The exit code is that of the first program that failed.

Examples:
  outhaul bench over --link loopback,25g,10g -- python train.py
  outhaul bench over --link 10g+rtt:200us --gpu soft -- ./program")]
pub struct Arguments {
    /// Links, as in `outhaul bench --link`.
    #[arg(
        long = "link",
        value_name = "LINK,...",
        value_delimiter = ',',
        default_value = "loopback"
    )]
    links: Vec<LinkKind>,
    #[command(flatten)]
    places: Options,
    /// Program to run, and its arguments.
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CMD"
    )]
    command: Vec<OsString>,
}

/// Runs `outhaul bench over`.
pub fn execute(arguments: Arguments, certify: Certify) -> Result<ExitCode, Error> {
    let cache = scratch::for_caches()?;
    let setting = arguments.places.setting(cache.path(), None, certify);
    setting.gain_rights(&arguments.links);
    let run = |link: &LinkKind| over(link, &setting, &arguments.command);
    // If the program fails on one link, the others still run.
    let ended: Vec<_> = arguments.links.iter().map(run).collect();
    let failed = ended.into_iter().find(|ended| !matches!(ended, Ok(0)));
    failed.unwrap_or(Ok(0)).map(ExitCode::from)
}

fn over(link: &LinkKind, setting: &Setting, program: &[OsString]) -> Result<u8, Error> {
    let place = Venue::over(link, setting)?;
    if let Some(report) = place.report() {
        let (reach, gigabytes) = (&report.reach, |rate: f64| rate / 1e9);
        let (to_node, to_client) =
            (gigabytes(reach.to_node_bytes_per_s), gigabytes(reach.to_client_bytes_per_s));
        println!(
            "{}: {:.1} us there and back, {to_node:.2} GB/s to the node, {to_client:.2} GB/s back",
            report.name, reach.round_trip_us
        );
    }
    let mut command = place.command(&program[0])?;
    command.args(&program[1..]);
    process::status(command)
}
