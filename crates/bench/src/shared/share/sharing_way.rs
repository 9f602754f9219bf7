//! The settings in which a case's programs run: on the driver alone, under MPS, or on a node under
//! one of its policies. A setting starts and ends the processes that it needs.

use super::case::Terms;
use crate::error::Error;
use crate::measurement::node_status;
use crate::measurement::process::{Server, executable};
use outhaul_transport::NODE_VARIABLE;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Maximum time for the sessions of ended programs to end.
const END_WAIT: Duration = Duration::from_secs(10);
const MPS_CONTROL: &str = "nvidia-cuda-mps-control";

/// A setting of `outhaul bench share`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    /// On the driver alone, which shares the GPU by time slices.
    Driver,
    /// On the driver under NVIDIA's MPS.
    Mps,
    /// On a node that lets all programs work at once.
    None,
    Fifo,
    Credit,
    Band,
    Weighted,
    /// On a node with the policy `weighted`, where others wait for a kernel longer than a turn.
    WeightedWait,
}

/// Whether a node's copies have turns of their own, as Gdev's MRQ, or take turns together with
/// kernels, as its SDQ.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Copies {
    #[default]
    Separate,
    Joint,
}

/// A setting, and how copies take turns there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    pub setting: Setting,
    pub copies: Copies,
}

/// A setting that is running.
pub struct Stage {
    gpu: String,
    node: Option<Server>,
    mps: Option<Mps>,
}

struct Mps(PathBuf);

impl Setting {
    /// Returns the name of the setting on the command line.
    pub fn name(self) -> String {
        clap::ValueEnum::to_possible_value(&self)
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    /// Returns whether the programs run on a node, and not on the driver alone.
    pub fn is_node(self) -> bool {
        !matches!(self, Setting::Driver | Setting::Mps)
    }

    /// Starts the processes of the setting, with the node's usual turns of copies.
    pub fn open(self, gpu: &str, cache: &Path, terms: &[Terms]) -> Result<Stage, Error> {
        Column { setting: self, copies: Copies::Separate }.open(gpu, cache, terms)
    }
}

impl Column {
    /// Returns the columns of a table: each setting, and those of nodes with each way of copies.
    pub fn all(settings: &[Setting], copies: &[Copies]) -> Vec<Column> {
        let of = |setting: Setting| {
            let copies = if setting.is_node() { copies } else { &[Copies::Separate] };
            copies.iter().map(move |copies| Column { setting, copies: *copies })
        };
        settings.iter().copied().flat_map(of).collect()
    }

    /// Returns the heading of the column.
    pub fn name(self) -> String {
        match self.copies {
            Copies::Separate => self.setting.name(),
            Copies::Joint => self.setting.name() + "-joint",
        }
    }

    /// Starts the processes of the setting. `terms` are the tenants' shares and priorities.
    pub fn open(self, gpu: &str, cache: &Path, terms: &[Terms]) -> Result<Stage, Error> {
        let (mut node, mut mps) = (None, None);
        match self.setting {
            Setting::Driver => {}
            Setting::Mps => mps = Some(Mps::start(&cache.join("mps"))?),
            _ => node = Some(serve(self, gpu, cache, terms)?),
        }
        Ok(Stage { gpu: gpu.to_owned(), node, mps })
    }
}

fn serve(column: Column, gpu: &str, cache: &Path, terms: &[Terms]) -> Result<Server, Error> {
    let mut command = Command::new(executable()?);
    command.args(["serve", "--gpu", gpu, "--listen", "127.0.0.1:0", "--cache"]).arg(cache);
    let name = column.setting.name();
    let (name, long) = name.split_once('-').unwrap_or((&name, "slices"));
    let copies = if column.copies == Copies::Joint { "joint" } else { "separate" };
    command.args(["--policy", name, "--long-kernels", long, "--copies", copies]);
    for (tenant, (percent, priority)) in terms.iter().enumerate() {
        command.args([
            "--share",
            &format!("{}={percent}", tenant_name(tenant)),
            "--priority",
            &format!("{}={priority}", tenant_name(tenant)),
        ]);
    }
    Server::start(command)
}

/// Returns the tenant's name by its number.
pub fn tenant_name(tenant: usize) -> String {
    format!("tenant{}", tenant + 1)
}

impl Stage {
    /// Returns the computing time of all tenants since the node started. Waits until the sessions
    /// of all programs have ended.
    pub fn computed_ns(&self) -> Result<Option<u64>, Error> {
        let Some(node) = &self.node else { return Ok(None) };
        let end = Instant::now() + END_WAIT;
        loop {
            let status = node_status::ask(&node.address)?;
            if status.sessions.is_empty() {
                return Ok(Some(
                    status
                        .tenants
                        .iter()
                        .flat_map(|tenant| &tenant.gpus)
                        .map(|gpu| gpu.compute_ns)
                        .sum(),
                ));
            }
            if Instant::now() > end {
                return Err(Error::Bench(
                    "sessions of programs that have ended are still on the \
                node after 10 s; measure again, and watch `outhaul top` meanwhile"
                        .into(),
                ));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns a command that runs this binary as a program of a tenant.
    pub fn program(&self, tenant: usize) -> Result<Command, Error> {
        let outhaul = executable()?;
        let mut command = Command::new(&outhaul);
        command.env_remove(NODE_VARIABLE);
        match &self.node {
            Some(node) => {
                command
                    .args(["run", "--node", &node.address, "--tenant", &tenant_name(tenant), "--"])
                    .arg(&outhaul);
            }
            // The loader finds the machine's own driver.
            None if self.gpu == "auto" => {}
            None => {
                command.args(["run", "--gpu", &self.gpu, "--"]).arg(&outhaul);
            }
        }
        if let Some(mps) = &self.mps {
            mps.enter(&mut command);
        }
        Ok(command)
    }

    /// Returns a command that runs this binary on the driver, not on the node. If `under` is a
    /// program, that one starts it.
    pub fn around(&self, under: Option<&Path>) -> Result<Command, Error> {
        let beside = Stage { gpu: self.gpu.clone(), node: None, mps: None };
        let command = beside.program(0)?;
        let Some(under) = under else { return Ok(command) };
        let mut around = Command::new(under);
        around.arg(command.get_program()).args(command.get_args()).env_remove(NODE_VARIABLE);
        Ok(around)
    }
}

impl Mps {
    fn start(folder: &Path) -> Result<Mps, Error> {
        outhaul_files::make_folder(folder).map_err(|error| Error::Io {
            doing: format!("cannot make {}", folder.display()),
            error,
        })?;
        let mps = Mps(folder.to_owned());
        let mut command = Command::new(MPS_CONTROL);
        mps.enter(&mut command);
        let status = command
            .arg("-d")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        match status {
            Ok(status) if status.success() => Ok(mps),
            Ok(status) => Err(Error::Bench(format!("{MPS_CONTROL} does not start: {status}"))),
            Err(error) => Err(Error::Bench(format!("{MPS_CONTROL} cannot be run: {error}"))),
        }
    }

    fn enter(&self, command: &mut Command) {
        command.env("CUDA_MPS_PIPE_DIRECTORY", &self.0).env("CUDA_MPS_LOG_DIRECTORY", &self.0);
    }
}

impl Drop for Mps {
    fn drop(&mut self) {
        let mut command = Command::new(MPS_CONTROL);
        self.enter(&mut command);
        if let Ok(mut child) =
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
        {
            if let Some(mut input) = child.stdin.take() {
                let _ = std::io::Write::write_all(&mut input, b"quit\n");
            }
            let _ = child.wait();
        }
    }
}
