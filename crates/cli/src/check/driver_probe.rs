//! `outhaul probe`: queries a driver library in a separate process, because a process cannot unload
//! a started driver completely. A hidden command that Outhaul runs itself.

use crate::error::Error;
use crate::install::InstalledLibrary;
use outhaul_abi::Library;
use outhaul_node::cell::trial::{self, Room, Trial};
use outhaul_node::cell::{Needs, Plan};
use outhaul_node::driver_library::{self, Choice};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Maximum seconds for an answer. On a machine with many GPUs, a driver takes many seconds to
/// start.
const ANSWER_SECONDS_MAX: u64 = 90;
/// Maximum seconds for a cell's trial. The limit is low, because a wall may make a driver hang
/// twice before the node serves: with all walls, and alone.
const CELL_SECONDS_MAX: u64 = 45;
const NO_VARIABLES: [(&str, &str); 0] = [];
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Query a driver library in a separate process; `outhaul` starts this command.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    question: Question,
}

#[derive(clap::Subcommand)]
enum Question {
    /// Print the path of the library that a --gpu option selects.
    Resolve { gpu: Choice },
    /// Enter a cell, try a library in it, and print the result.
    Cell {
        /// Plan of the cell, as JSON.
        plan: String,
        /// Path of the library, and path of the folder that caches code.
        #[arg(num_args = 2)]
        library: Vec<PathBuf>,
    },
    /// Start the library and print how many GPUs it finds.
    Count { library: PathBuf },
    /// Print how the client library detects a program's writes to host memory.
    Writes { library: PathBuf },
}

/// Prints the answer to a question.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let answer = match arguments.question {
        Question::Cell { plan, library } => {
            in_cell(&plan, &library).map_err(|error| Error::Probe(error.to_string()))?
        }
        Question::Resolve { gpu } => {
            driver_library::resolve(&gpu, || InstalledLibrary::Soft.library())?
                .display()
                .to_string()
        }
        Question::Count { library } => driver_library::finds_a_gpu(&library)
            .map_err(|error| Error::Probe(error.to_string()))?
            .to_string(),
        Question::Writes { library } => writes_found(&library)
            .ok_or_else(|| Error::Probe(format!("{} does not say", library.display())))?
            .to_string(),
    };
    println!("{answer}");
    Ok(ExitCode::SUCCESS)
}

/// Returns the path of the library that `choice`, a value of --gpu, selects. A child process finds
/// the path.
pub fn resolve(choice: &str) -> Result<PathBuf, Error> {
    ask(&["resolve".as_ref(), OsStr::new(choice)], NO_VARIABLES, ANSWER_SECONDS_MAX)
        .map(PathBuf::from)
}

/// Returns the number of GPUs that a library finds while these environment variables are set. A
/// child process loads the library and counts.
pub fn count(library: &Path, variables: &[(&str, &str)]) -> Result<usize, Error> {
    let answer = ask(
        &["count".as_ref(), library.as_os_str()],
        variables.iter().copied(),
        ANSWER_SECONDS_MAX,
    )?;
    answer.parse().map_err(|_| {
        Error::Probe(format!("the probe of {} answered '{answer}'", library.display()))
    })
}

/// Returns how the client library detects a program's writes to host memory, as
/// `outhaul_writes_found` reports it. A child process loads the library and asks.
pub fn writes(library: &Path) -> Result<u32, Error> {
    let answer = ask(&["writes".as_ref(), library.as_os_str()], NO_VARIABLES, ANSWER_SECONDS_MAX)?;
    answer.parse().map_err(|_| {
        Error::Probe(format!("the probe of {} answered '{answer}'", library.display()))
    })
}

fn writes_found(library: &Path) -> Option<u32> {
    let library = Library::open(library).ok()?;
    // SAFETY: the client library exports a function of this type by this name; no other driver
    // exports the name.
    let found: extern "C" fn() -> u32 = unsafe { library.symbol(c"outhaul_writes_found") }?;
    Some(found())
}

/// Tries a cell in a child process. Inside the cell, tries `driver`: a library, and the folder in
/// which it caches code.
pub fn cell(plan: &Plan, driver: Option<(&Path, &Path)>) -> Trial {
    let room = Room::open(plan);
    let tried = serde_json::to_string(plan)
        .map_err(|error| Error::Probe(error.to_string()))
        .and_then(|plan| {
            let paths = driver
                .into_iter()
                .flat_map(|(library, code)| [library.as_os_str(), code.as_os_str()]);
            let words: Vec<&OsStr> =
                ["cell".as_ref(), plan.as_ref()].into_iter().chain(paths).collect();
            let answer = ask(&words, room.variables(), CELL_SECONDS_MAX)?;
            serde_json::from_str(&answer)
                .map_err(|_| Error::Probe(format!("the probe of a cell answered '{answer}'")))
        });
    tried.unwrap_or_else(|error| Trial { failure: Some(error.to_string()), ..Trial::default() })
}

fn in_cell(plan: &str, library: &[PathBuf]) -> serde_json::Result<String> {
    let (plan, nothing) = (serde_json::from_str(plan)?, Path::new("/nonexistent"));
    let needs = match library {
        [library, code] => Needs { library, code },
        _ => Needs { library: nothing, code: nothing },
    };
    serde_json::to_string(&trial::hold(&plan, &needs, !library.is_empty()))
}

fn ask<S: AsRef<OsStr>>(
    question: &[&OsStr],
    variables: impl IntoIterator<Item = (S, S)>,
    seconds_max: u64,
) -> Result<String, Error> {
    let failed =
        |error| Error::Io { doing: "cannot start a process to ask the driver".into(), error };
    let executable = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(executable);
    command.arg("probe").args(question).envs(variables);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if !ends(&mut child, seconds_max).map_err(failed)? {
        child.kill().map_err(failed)?;
        return Err(Error::Probe(format!(
            "the driver did not answer within {seconds_max} seconds"
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

/// Returns whether the child ends within `seconds_max` seconds. Reads no output meanwhile, because
/// a pipe holds all of it.
fn ends(child: &mut Child, seconds_max: u64) -> io::Result<bool> {
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > Duration::from_secs(seconds_max) {
            return Ok(false);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(true)
}
