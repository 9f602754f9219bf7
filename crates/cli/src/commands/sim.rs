//! `outhaul sim`: simulates schedules instead of running them. The graph simulator parses its own
//! flags.

mod frames;
mod share;

use crate::error::Error;
use std::path::Path;
use std::process::ExitCode;

/// Simulate schedules instead of running them.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Simulate out-of-core scheduling of a graph on GPUs; `outhaul sim dag --help` lists the
    /// flags.
    #[command(disable_help_flag = true)]
    Dag {
        /// Flags of the simulator, and their values.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLAG VALUE")]
        flags: Vec<String>,
    },
    Frames(frames::Arguments),
    /// Simulate programs that share a GPU, under each of the node's policies.
    Share(share::Arguments),
}

/// Runs a simulation.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    match arguments.what {
        What::Dag { flags } => dag(&flags),
        What::Frames(arguments) => frames::execute(&arguments),
        What::Share(arguments) => share::execute(arguments),
    }
}

fn dag(flags: &[String]) -> Result<ExitCode, Error> {
    if flags.iter().any(|flag| flag == "--help" || flag == "-h") {
        print!("{}", outhaul_dag::reporting::sim_command::HELP);
        return Ok(ExitCode::SUCCESS);
    }
    let request = outhaul_dag::reporting::sim_command::Request::parse(flags)?;
    let report = request.run()?;
    print!("{}", report.table());
    for (path, text) in request.files(&report)? {
        let folder = Path::new(&path).parent().unwrap_or(Path::new(""));
        let written = outhaul_files::report_folder(folder)
            .and_then(|()| outhaul_files::write_report(Path::new(&path), text.as_bytes()));
        written.map_err(|error| Error::Io { doing: format!("cannot write {path}"), error })?;
    }
    Ok(ExitCode::SUCCESS)
}
