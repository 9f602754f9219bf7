//! Starts processes for the bench: servers that live as long as their handle, and commands with a
//! time limit.

use crate::error::{CommandError, Error};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const START_SECONDS_MAX: u64 = 60;
/// Maximum seconds until an answer. A program may need that long to read all of a GPU's memory.
const ANSWER_SECONDS_MAX: u64 = 300;
/// Maximum time until a server has ended.
const END_WAIT: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Number of lines that an error quotes of a failed command's output.
const QUOTED_LINES: usize = 4;

/// Returns the path of this program, which the bench starts as nodes and clients.
pub fn executable() -> Result<PathBuf, Error> {
    std::env::current_exe()
        .map_err(|error| Error::Io { doing: "cannot find this executable".into(), error })
}

/// A server process, which ends when this handle is dropped.
pub struct Server {
    child: Child,
    /// Address on which the server listens, from the last word of its first line.
    pub address: String,
}

impl Server {
    /// Starts the server, and waits for the line with its address.
    pub fn start(mut command: Command) -> Result<Server, Error> {
        let name = command.get_program().to_string_lossy().into_owned();
        tie_by(&mut command, libc::SIGTERM);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| CommandError { command: name, error })?;
        let errors = child.stderr.take().map(collect);
        let (give, take) = channel();
        if let Some(output) = child.stdout.take() {
            std::thread::spawn(move || {
                let mut lines = BufReader::new(output).lines();
                let _ = give.send(lines.next().and_then(Result::ok));
                lines.for_each(drop);
            });
        }
        let line = take.recv_timeout(Duration::from_secs(START_SECONDS_MAX)).ok().flatten();
        let mut server = Server { child, address: String::new() };
        match line.as_deref().and_then(|line| line.rsplit(' ').next()) {
            Some(address) => {
                server.address = address.to_owned();
                Ok(server)
            }
            None => {
                let _ = server.child.kill();
                let text = errors.and_then(|thread| thread.join().ok()).unwrap_or_default();
                Err(Error::Bench(format!("{command:?} did not start: {}", tail(&text))))
            }
        }
    }
}

/// A command with which the bench exchanges lines.
pub struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<String>,
    errors: Receiver<String>,
}

impl Talk {
    /// Starts the command.
    pub fn start(mut command: Command) -> Result<Talk, Error> {
        let name = command.get_program().to_string_lossy().into_owned();
        tie(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| CommandError { command: name, error })?;
        let (input, answers, errors) =
            (child.stdin.take(), lines(child.stdout.take()), lines(child.stderr.take()));
        Ok(Talk { child, input, answers, errors })
    }

    /// Writes a line to the command.
    pub fn send(&mut self, line: &str) -> Result<(), Error> {
        // If the command has ended, `receive` reports the reason.
        self.input.iter_mut().for_each(|input| drop(writeln!(input, "{line}")));
        Ok(())
    }

    /// Waits for a line from the command.
    pub fn receive(&mut self) -> Result<String, Error> {
        self.answers.recv_timeout(Duration::from_secs(ANSWER_SECONDS_MAX)).map_err(|_| {
            let _ = self.child.kill();
            let errors: Vec<String> = self.errors.iter().collect();
            Error::Bench(format!(
                "a program of the measurement writes nothing more: {}",
                tail(&errors.join("\n"))
            ))
        })
    }

    /// Tells the command that no more lines will come.
    pub fn close(&mut self) {
        self.input = None;
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(from: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (give, take) = channel();
    if let Some(from) = from {
        std::thread::spawn(move || {
            BufReader::new(from).lines().map_while(Result::ok).try_for_each(|line| give.send(line))
        });
    }
    take
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server also ends the processes that it started, and may have ended by itself.
        // SAFETY: takes no pointers; the process ID remains valid until the child is waited for.
        unsafe { libc::kill(self.child.id() as i32, libc::SIGTERM) };
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && start.elapsed() < END_WAIT {
            std::thread::sleep(POLL_INTERVAL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the output of a command, which must succeed within `seconds_max` seconds.
pub fn output(mut command: Command, seconds_max: u64) -> Result<String, String> {
    tie(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command
        .spawn()
        .map_err(|error| format!("cannot run {:?}: {error}", command.get_program()))?;
    let (printed, errors) = (child.stdout.take().map(collect), child.stderr.take().map(collect));
    let status = wait(&mut child, seconds_max);
    let text = |thread: Option<std::thread::JoinHandle<String>>| {
        thread.and_then(|t| t.join().ok()).unwrap_or_default()
    };
    let (printed, errors) = (text(printed), text(errors));
    match status? {
        status if status.success() => Ok(printed),
        status => Err(format!("{status}: {}", tail(&errors))),
    }
}

/// Returns whether a command succeeds within `seconds_max` seconds. Starts no thread.
pub fn succeeds(mut command: Command, seconds_max: u64) -> bool {
    tie(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let ended = command.spawn().map(|mut child| wait(&mut child, seconds_max));
    matches!(ended, Ok(Ok(status)) if status.success())
}

/// Waits for the leader of a process group. Kills the group after `seconds_max` seconds.
fn wait(child: &mut Child, seconds_max: u64) -> Result<ExitStatus, String> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if start.elapsed() < Duration::from_secs(seconds_max) => {
                std::thread::sleep(POLL_INTERVAL)
            }
            Ok(None) => {
                // SAFETY: takes no pointers; this child leads the group.
                unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
                let _ = child.wait();
                return Err(format!("not done after {seconds_max} s"));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

/// Runs a command that reports its own errors, and returns its exit code. If a signal ended the
/// command, the exit code is 128 plus the signal's number.
pub fn status(mut command: Command) -> Result<u8, Error> {
    let name = command.get_program().to_string_lossy().into_owned();
    tie(&mut command);
    let status = command.status().map_err(|error| CommandError { command: name, error })?;
    Ok(status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1) as u8)
}

/// Makes the command's process end with the bench, however the bench ends.
fn tie(command: &mut Command) {
    tie_by(command, libc::SIGKILL);
}

/// Makes the command's process receive `signal` when the bench ends. A server needs SIGTERM, so
/// that it ends its own children.
fn tie_by(command: &mut Command, signal: libc::c_int) {
    // SAFETY: the closure makes one system call without pointers, which is async-signal-safe.
    unsafe {
        command.pre_exec(move || match libc::prctl(libc::PR_SET_PDEATHSIG, signal) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
}

fn collect(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Returns the last lines, without tables of counters.
fn tail(text: &str) -> String {
    let is_counted = |line: &&str| {
        ["outhaul: cu", "outhaul: total", "outhaul: driver function"]
            .iter()
            .any(|start| line.starts_with(start))
            || line.contains(" calls answered locally")
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_counted(line)).collect();
    lines[lines.len().saturating_sub(QUOTED_LINES)..].join("; ")
}
