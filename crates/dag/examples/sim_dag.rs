//! Runs `outhaul sim dag` as a program of its own. The program only prints the table and writes the
//! files that its flags name.

use outhaul_dag::Error;
use outhaul_dag::reporting::sim_command::{HELP, Request};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|a| a == "--help" || a == "-h") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match go(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sim dag: {error}");
            ExitCode::FAILURE
        }
    }
}

fn go(args: &[String]) -> Result<(), Error> {
    let request = Request::parse(args)?;
    let report = request.run()?;
    print!("{}", report.table());
    for (path, text) in request.files(&report)? {
        let written = std::path::Path::new(&path).parent().map_or(Ok(()), std::fs::create_dir_all);
        let written = written.and_then(|()| std::fs::write(&path, text));
        written.map_err(|error| Error::Usage(format!("{path}: {error}")))?;
    }
    Ok(())
}
