//! One test suite for any libcuda.so.1: NVIDIA's, the software GPU, and the client over either of
//! them. Each test runs in its own process, so that a crash, a hang or a broken context fails only
//! that test.
//!
//!     conformance [--jobs N] [--half first|second] [--without NAME[,NAME...]] LIBCUDA [FILTER]
//!
//! A half consists of every second test.

mod device_loss;
mod generated;
mod gpu;
mod kernels;
mod tests;
mod verdicts;

use gpu::{Gpu, Outcome};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

/// Maximum duration of a test in seconds, unless OUTHAUL_TEST_SECONDS_MAX sets a larger number. The
/// limit guards against hangs, and is many times the duration of the longest test.
const TEST_SECONDS_MAX: u64 = 120;
const SKIPPED: i32 = 77;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mut jobs, mut half) = (1, None);
    if let [first, number, ..] = arguments.as_slice()
        && first == "--jobs"
        && let Ok(number) = number.parse()
    {
        jobs = number;
        arguments.drain(..2);
    }
    if let [first, which, ..] = arguments.as_slice()
        && first == "--half"
        && let Some(number) = ["first", "second"].iter().position(|name| name == which)
    {
        half = Some(number);
        arguments.drain(..2);
    }
    let all =
        |library: &str, filter: &str, without: &str| all(library, (filter, without, half), jobs);
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--one", library, name] => one(library, name),
        ["--codes", library] => codes(library),
        ["--code", library, name] => code(library, name),
        ["--until-error", way, library] => until_error(library, way),
        ["--before-init", library] => before_init(library),
        ["--role", library, role, rest @ ..] => play(library, role, rest),
        [library] => all(library, "", ""),
        ["--without", names, library] => all(library, "", names),
        ["--without", names, library, filter] => all(library, filter, names),
        [library, filter] => all(library, filter, ""),
        _ => {
            eprintln!(
                "usage: conformance [--jobs N] [--half first|second] [--without NAME[,NAME...]] \
                LIBCUDA [FILTER]"
            );
            ExitCode::from(2)
        }
    }
}

/// Prints the table of codes that this driver gives for wrong arguments, for `codes.tsv`. A call
/// that ends its process gives a line that starts with `#`.
fn codes(library: &str) -> ExitCode {
    for name in tests::wrong_values::names() {
        match in_child(&["--code", library, name]) {
            (Some(0), line) => println!("{line}"),
            (code, why) => println!("# {name}: no code, but {code:?} {why}"),
        }
    }
    ExitCode::SUCCESS
}

/// Prints the line of one call for the table of codes.
fn code(library: &str, name: &str) -> ExitCode {
    match Gpu::open(Path::new(library)).and_then(|gpu| tests::wrong_values::record(&gpu, name)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Outcome::Failed(why) | Outcome::Skipped(why)) => {
            eprintln!("{name}: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the functions that do not say that `cuInit` is missing.
fn before_init(library: &str) -> ExitCode {
    if tests::address(library, "cuInit").is_none() {
        eprintln!("{library} is no driver library");
        return ExitCode::FAILURE;
    }
    tests::other_codes(library).iter().for_each(|line| println!("{line}"));
    ExitCode::SUCCESS
}

/// Prints the error that ends a loop of [`device_loss`].
fn until_error(library: &str, way: &str) -> ExitCode {
    let Some(why) = device_loss::until_error(library, way) else { return ExitCode::FAILURE };
    println!("{why}");
    ExitCode::SUCCESS
}

/// Runs as the second process of a test.
fn play(library: &str, role: &str, arguments: &[&str]) -> ExitCode {
    let Some((_, body)) = tests::ROLES.iter().find(|(name, _)| *name == role) else {
        eprintln!("there is no role {role}");
        return ExitCode::from(2);
    };
    match Gpu::open(Path::new(library)).and_then(|gpu| body(&gpu, arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Outcome::Failed(why) | Outcome::Skipped(why)) => {
            println!("{role}: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one test in this process.
fn one(library: &str, name: &str) -> ExitCode {
    let Some((_, test)) = tests::all().into_iter().find(|(n, _)| *n == name) else {
        eprintln!("there is no test {name}");
        return ExitCode::from(2);
    };
    // The parent process reports the last line as the reason.
    std::panic::set_hook(Box::new(|info| {
        let message = info.payload_as_str().unwrap_or("a panic").replace('\n', " ");
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        println!("panicked at {place}: {message}");
    }));
    let outcome = Gpu::open(Path::new(library)).and_then(|gpu| test(&gpu));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Outcome::Skipped(why)) => {
            println!("{why}");
            ExitCode::from(SKIPPED as u8)
        }
        Err(Outcome::Failed(why)) => {
            println!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs up to `jobs` tests at a time and reports their outcomes in order.
fn all(
    library: &str,
    (filter, without, half): (&str, &str, Option<usize>),
    jobs: usize,
) -> ExitCode {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let is_left_out =
        |name: &str| without.split(',').any(|part| !part.is_empty() && name.contains(part));
    let is_asked = |number: usize, name: &str| {
        half.is_none_or(|half| number % 2 == half) && name.contains(filter) && !is_left_out(name)
    };
    let names =
        tests::all().into_iter().enumerate().filter(|(number, (name, _))| is_asked(*number, name));
    let names: Vec<&str> = names.map(|(_, (name, _))| name).collect();
    let (senders, receivers): (Vec<_>, Vec<_>) = names.iter().map(|_| mpsc::channel()).unzip();
    let queue = Mutex::new(names.iter().zip(senders));
    let work = || loop {
        let next = queue.lock().expect("no thread panics here").next();
        let Some((name, sender)) = next else { return };
        let _ = sender.send(in_child(&["--one", library, name]));
    };
    std::thread::scope(|scope| {
        (0..jobs.max(1)).for_each(|_| drop(scope.spawn(work)));
        for (name, receiver) in names.iter().zip(&receivers) {
            let (code, output) = receiver.recv().expect("each test is run");
            match code {
                Some(0) => {
                    passed += 1;
                    println!("ok       {name}");
                    verdicts::write("passed", name, "");
                }
                Some(SKIPPED) => {
                    skipped += 1;
                    println!("skipped  {name}: {output}");
                    verdicts::write("skipped", name, &output);
                }
                other => {
                    failed += 1;
                    let why = if output.is_empty() {
                        other.map_or("the process was killed by a signal".into(), |code| {
                            format!("the process ended with {code}")
                        })
                    } else {
                        output
                    };
                    println!("FAILED   {name}: {why}");
                    verdicts::write("failed", name, &why);
                }
            }
        }
    });
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs this program with these arguments in a child process. Returns the exit code and the last
/// line of output. The code is `None` if the process was killed or timed out.
fn in_child(arguments: &[&str]) -> (Option<i32>, String) {
    let program = std::env::current_exe().expect("a running program has a path");
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts itself");
    let given =
        std::env::var("OUTHAUL_TEST_SECONDS_MAX").ok().and_then(|seconds| seconds.parse().ok());
    let (start, seconds_max) = (Instant::now(), given.unwrap_or(TEST_SECONDS_MAX));
    while start.elapsed() < Duration::from_secs(seconds_max) {
        if let Ok(Some(_)) = child.try_wait() {
            let output = child.wait_with_output().expect("the process has ended");
            let text = String::from_utf8_lossy(&output.stdout);
            return (output.status.code(), text.lines().last().unwrap_or_default().to_owned());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    let _ = child.wait();
    (None, format!("no end within {seconds_max} s"))
}
