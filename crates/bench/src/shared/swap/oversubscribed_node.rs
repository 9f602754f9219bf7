//! Starts a node that promises more memory than its GPU has, and the programs that hold memory
//! there.

use crate::error::Error;
use crate::measurement::node_status::{self, NodeStatus};
use crate::measurement::process::{self, Server, executable};
use crate::shared::swap::arguments::Arguments;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes per GiB.
pub const GIB: f64 = (1u64 << 30) as f64;

/// Moved memory, and the time that it took.
#[derive(Serialize, Default)]
pub struct Moved {
    pub gib: f64,
    pub seconds: f64,
}

impl Moved {
    /// Adds `bytes` bytes that the node moved in `ns` nanoseconds.
    pub fn add(&mut self, bytes: u64, ns: u64) {
        self.gib += bytes as f64 / GIB;
        self.seconds += ns as f64 / 1e9;
    }

    /// Returns the difference from an earlier sum.
    pub fn since(&self, before: &Moved) -> Moved {
        Moved { gib: self.gib - before.gib, seconds: self.seconds - before.seconds }
    }

    /// Returns the moved memory in GB.
    pub fn gb(&self) -> f64 {
        self.gib * GIB / 1e9
    }

    /// Formats the rate at which the node moved memory.
    pub fn rate(&self) -> String {
        if self.seconds > 0.0 {
            format!("{:.1} GB/s", self.gb() / self.seconds)
        } else {
            "-".into()
        }
    }
}

/// Returns the options for a node that uses at most `gpu_bytes` of a GPU.
pub fn gpu_memory_options(gpu_bytes: Option<u64>) -> Vec<String> {
    gpu_bytes.map_or(Vec::new(), |bytes| vec!["--gpu-memory".into(), bytes.to_string()])
}

/// A node that promises more memory than its GPU has.
pub struct Stage {
    pub node: Server,
    pub outhaul: PathBuf,
    pub allocation_bytes: u64,
}

impl Stage {
    /// Starts a node with these additional options.
    pub fn open(arguments: &Arguments, cache: &Path, options: &[String]) -> Result<Stage, Error> {
        let outhaul = executable()?;
        let mut command = Command::new(&outhaul);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--gpu", &arguments.gpu])
            .arg("--cache")
            .arg(cache);
        command.arg(
            arguments
                .host
                .as_ref()
                .map_or("--oversubscribe".to_owned(), |host| format!("--oversubscribe={host}")),
        );
        command.args(options);
        Ok(Stage { node: Server::start(command)?, outhaul, allocation_bytes: arguments.allocation })
    }

    /// Returns the status of the node.
    pub fn status(&self) -> Result<NodeStatus, Error> {
        node_status::ask(&self.node.address)
    }

    /// Returns how much memory the node has moved to the host and back so far, for all programs.
    pub fn moved(&self) -> Result<(Moved, Moved), Error> {
        let (mut to_host, mut back) = (Moved::default(), Moved::default());
        for moved in self.status()?.sessions.iter().flat_map(|session| &session.moved) {
            to_host.add(moved.to_host_bytes, moved.to_host_ns);
            back.add(moved.back_bytes, moved.back_ns);
        }
        Ok((to_host, back))
    }

    /// Returns a command that starts this binary as a program on the node.
    pub fn program(&self, options: &[&str]) -> Command {
        let mut command = Command::new(&self.outhaul);
        command
            .args(["run", "--node", &self.node.address])
            .args(options)
            .arg("--")
            .arg(&self.outhaul);
        command
    }

    /// Starts a holder, and waits until it has its memory.
    pub fn holder(&self, bytes: u64) -> Result<Holder, Error> {
        self.start_holder(&[], bytes)?.ready()
    }

    /// Starts a holder of `bytes` bytes.
    pub fn start_holder(&self, options: &[&str], bytes: u64) -> Result<Holder, Error> {
        let mut command = self.program(options);
        command.args([
            "bench",
            "holder",
            "--bytes",
            &bytes.to_string(),
            "--allocation",
            &self.allocation_bytes.to_string(),
        ]);
        Ok(Holder { talk: process::Talk::start(command)?, memory_bytes: 0, gpu: String::new() })
    }
}

/// A program that holds memory on the node.
pub struct Holder {
    pub talk: process::Talk,
    pub memory_bytes: u64,
    pub gpu: String,
}

impl Holder {
    /// Waits until the program has its memory.
    pub fn ready(mut self) -> Result<Holder, Error> {
        let ready = self.talk.receive()?;
        let mut words = ready.splitn(3, ' ').skip(1);
        self.memory_bytes = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        self.gpu = words.next().unwrap_or_default().to_owned();
        Ok(self)
    }

    /// Runs one round and waits for it.
    pub fn round(&mut self) -> Result<(), Error> {
        self.start_rounds(1)?;
        self.wait_round()
    }

    /// Starts `rounds` rounds, one after another, without waiting for other programs.
    pub fn start_rounds(&mut self, rounds: u32) -> Result<(), Error> {
        (0..rounds).try_for_each(|_| self.talk.send("go"))
    }

    /// Waits for the end of a round.
    pub fn wait_round(&mut self) -> Result<(), Error> {
        self.talk.receive().map(drop)
    }

    /// Lets the program end. The program checks all of its memory once more.
    pub fn finish(mut self) -> Result<(), Error> {
        self.talk.close();
        match self.talk.receive()?.as_str() {
            "right" => Ok(()),
            other => Err(Error::Bench(format!("a program that held memory ended with '{other}'"))),
        }
    }
}
