//! `outhaul probe`: questions to a driver library, asked in a process of its own, because a driver once started is never quite gone from
//! the process that started it. Not for people.

use crate::error::Error;
use crate::install::Part;
use outhaul_node::gpu::{self, Choice};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Starting a driver takes seconds on a machine with many GPUs, and a node answers within a minute.
const ANSWER_SECONDS_MAX: u64 = 90;
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Ask a driver library in a process of its own.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    question: Question,
}

#[derive(clap::Subcommand)]
enum Question {
    /// Print the library that a --gpu means.
    Resolve { gpu: Choice },
    /// Start the library and print how many GPUs it finds.
    Count { library: PathBuf },
}

pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let answer = match arguments.question {
        Question::Resolve { gpu } => {
            gpu::resolve(&gpu, || Part::Soft.library())?.display().to_string()
        }
        Question::Count { library } => {
            gpu::finds_a_gpu(&library).map_err(|error| Error::Probe(error.to_string()))?.to_string()
        }
    };
    println!("{answer}");
    Ok(ExitCode::SUCCESS)
}

/// The library that a choice means, found out in a child.
pub fn resolve(choice: &str) -> Result<PathBuf, Error> {
    ask(["resolve".as_ref(), OsStr::new(choice)], &[]).map(PathBuf::from)
}

/// How many GPUs a library finds with these variables set, found out in a child.
pub fn count(library: &Path, variables: &[(&str, &str)]) -> Result<usize, Error> {
    let answer = ask(["count".as_ref(), library.as_os_str()], variables)?;
    answer.parse().map_err(|_| {
        Error::Probe(format!("the probe of {} answered '{answer}'", library.display()))
    })
}

fn ask(question: [&OsStr; 2], variables: &[(&str, &str)]) -> Result<String, Error> {
    let failed =
        |error| Error::Io { doing: "cannot start a process to ask the driver".into(), error };
    let executable = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(executable);
    command.arg("probe").args(question).envs(variables.iter().copied());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if !ends(&mut child).map_err(failed)? {
        child.kill().map_err(failed)?;
        return Err(Error::Probe(format!(
            "the driver did not answer within {ANSWER_SECONDS_MAX} seconds"
        )));
    }
    let output = child.wait_with_output().map_err(failed)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let said = text(&output.stderr)
        .lines()
        .map(|line| line.trim_start_matches("outhaul: "))
        .collect::<Vec<_>>()
        .join("; ");
    Err(Error::Probe(if said.is_empty() {
        format!("the driver's process ended with {}", output.status)
    } else {
        said
    }))
}

/// Whether the child ends in time. What it prints fits in a pipe.
fn ends(child: &mut Child) -> io::Result<bool> {
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > Duration::from_secs(ANSWER_SECONDS_MAX) {
            return Ok(false);
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(true)
}
