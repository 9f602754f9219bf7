//! A process that runs programs for a campaign, one after another. A crash or a hang is then a
//! finding about the current program. The child reads requests as lines: `seed N` or `file PATH`.
//! The reply is `ok`, or `failed` with the reason. The child exits after a failure, because a
//! failed program leaves an unreliable state.

use crate::arguments::Campaign;
use crate::execute::{Gpu, run};
use crate::features::{Features, UNDOCUMENTED};
use crate::generate::generate;
use crate::model::Model;
use crate::program::Program;
use crate::text;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Loads a program from a file and checks the program with the model.
pub fn load(path: &Path) -> Result<(Program, Model), String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let program = text::parse(&text).map_err(|why| format!("{}: {why}", path.display()))?;
    let model = Model::of(&program).map_err(|(index, refusal)| {
        let op = program.ops.get(index).map(ToString::to_string).unwrap_or_default();
        format!("{}: operation {index} `{op}` is refused: {refusal:?}", path.display())
    })?;
    Ok((program, model))
}

/// Runs as a child process.
pub fn serve(library: &Path, features: &Features) -> ExitCode {
    let gpu = match Gpu::open(library) {
        Ok(gpu) => gpu,
        Err(why) => {
            println!("closed {why}");
            return ExitCode::FAILURE;
        }
    };
    println!("open");
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let loaded = match line.split_once(' ') {
            Some(("seed", number)) => match number.parse() {
                Ok(seed) => Ok(generate(seed, features)),
                Err(_) => Err(format!("`{number}` is not a seed")),
            },
            Some(("file", path)) => load(Path::new(path)),
            _ => Err(format!("unknown request `{line}`")),
        };
        if let Err(why) = loaded.and_then(|(program, model)| run(&gpu, &program, &model)) {
            println!("failed {}", why.replace('\n', " "));
            let _ = std::io::stdout().flush();
            // The process frees nothing, because work may still run and wait for a condition that
            // never occurs.
            // SAFETY: the call ends the process.
            unsafe { libc::_exit(1) };
        }
        println!("ok");
    }
    ExitCode::SUCCESS
}

/// A request to the child.
pub enum Asked {
    Seed(u64),
    File(PathBuf),
}

/// The child's reply.
pub enum Answer {
    Ok,
    Failed(String),
}

/// The campaign's handle to a child process, which is started on demand.
pub struct Runner {
    library: PathBuf,
    /// The features that programs leave out.
    features: Vec<String>,
    /// The undocumented features that programs use.
    undocumented: Vec<String>,
    on_hang: Option<String>,
    running: Option<Running>,
}

struct Running {
    child: Child,
    asks: ChildStdin,
    answers: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Maximum time to open a driver, in seconds. A node may be busy with other sessions.
const OPEN_SECONDS_MAX: u64 = 60;

impl Runner {
    /// Returns a runner without a child.
    pub fn new(campaign: &Campaign) -> Runner {
        let features: Vec<String> =
            campaign.features.left_out().into_iter().map(str::to_owned).collect();
        let is_used = |name: &&&str| !features.iter().any(|left_out| left_out == **name);
        let undocumented = UNDOCUMENTED.iter().filter(is_used).map(|name| (*name).to_owned());
        Runner {
            library: campaign.library.clone(),
            undocumented: undocumented.collect(),
            features,
            on_hang: campaign.on_hang.clone(),
            running: None,
        }
    }

    /// Ends the child, so that the next program gets a new process.
    pub fn restart(&mut self) {
        self.running = None;
    }

    fn start(&self) -> Result<Running, String> {
        let program =
            std::env::current_exe().map_err(|e| format!("this program's own path: {e}"))?;
        let mut command = Command::new(program);
        command.arg(&self.library).arg("--child").args(["--without", &self.features.join(",")]);
        command.args(["--with", &self.undocumented.join(",")]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("the program cannot start itself: {e}"))?;
        let (asks, output) =
            (child.stdin.take().expect("it is piped"), child.stdout.take().expect("it is piped"));
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            BufReader::new(output)
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        let running = Running { child, asks, answers };
        match running.answers.recv_timeout(Duration::from_secs(OPEN_SECONDS_MAX)) {
            Ok(line) if line == "open" => Ok(running),
            Ok(line) => Err(line.strip_prefix("closed ").unwrap_or(&line).to_owned()),
            Err(_) => Err(format!("the driver does not open within {OPEN_SECONDS_MAX} s")),
        }
    }

    /// Runs one program. Fails if no child can be started.
    pub fn ask(&mut self, what: &Asked, limit: Duration) -> Result<Answer, String> {
        if self.running.is_none() {
            self.running = Some(self.start()?);
        }
        let running = self.running.as_mut().expect("it was just started");
        let line = match what {
            Asked::Seed(seed) => format!("seed {seed}\n"),
            Asked::File(path) => format!("file {}\n", path.display()),
        };
        let asked = running.asks.write_all(line.as_bytes()).and_then(|()| running.asks.flush());
        let answer = match (asked, running.answers.recv_timeout(limit)) {
            (Ok(()), Ok(line)) if line == "ok" => return Ok(Answer::Ok),
            (_, Ok(line)) => line.strip_prefix("failed ").unwrap_or(&line).to_owned(),
            (_, Err(RecvTimeoutError::Timeout)) => {
                if let Some(command) = &self.on_hang {
                    run_on_hang(command, running.child.id());
                }
                format!("hangs: no end within {} s", limit.as_secs())
            }
            (_, Err(RecvTimeoutError::Disconnected)) => match running.child.wait() {
                Ok(status) => format!("the process died: {status}"),
                Err(e) => format!("the process died: {e}"),
            },
        };
        self.running = None;
        Ok(Answer::Failed(answer))
    }
}

/// Runs a shell command while a child hangs, for example to print the stacks of its threads.
/// Ignores the command's result.
fn run_on_hang(command: &str, pid: u32) {
    if let Err(e) = Command::new("sh")
        .args(["-c", command])
        .env("HANGING_PID", pid.to_string())
        .stdin(Stdio::null())
        .status()
    {
        eprintln!("random-programs: the command for hangs cannot be started: {e}");
    }
}
