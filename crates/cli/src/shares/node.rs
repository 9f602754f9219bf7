//! `outhaul node show` and `set`: show or change how a node on this machine shares its GPUs.
//! Running programs notice only their new share.

use super::flags::SharingFlags;
use crate::address::node::{NodeAddress, PORT};
use crate::error::Error;
use outhaul_node::meter::gpu_processes::{GpuProcesses, OtherProcess, others};
use outhaul_node::sharing::admin_socket::{AdministrationReply, Change, Request, Status, ask};
use serde::Serialize;
use std::net::ToSocketAddrs;

const GIB: f64 = (1u64 << 30) as f64;

/// Show the shares and the policy of a node on this machine.
#[derive(clap::Args)]
pub struct Show {
    #[command(flatten)]
    node: NodeHere,
    /// Print the shares as JSON.
    #[arg(long)]
    json: bool,
}

/// Change shares, priorities or the policy of a node on this machine while programs run. Settings
/// that you do not name remain as they are.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  outhaul node set --share research=70 --share teaching=30
  outhaul node set --priority teaching=1
  outhaul node set --memory research=40GiB
  outhaul node set --policy band --copies joint")]
pub struct Set {
    #[command(flatten)]
    node: NodeHere,
    #[command(flatten)]
    shares: SharingFlags,
}

/// The option that names a node on this machine.
#[derive(clap::Args)]
pub struct NodeHere {
    /// Address that the node listens on.
    #[arg(long, value_name = "HOST:PORT",
        default_value_t = format!("127.0.0.1:{PORT}").parse::<NodeAddress>().expect("an address"))]
    node: NodeAddress,
}

/// A node's status, and the processes on its GPUs that are none of the node's.
#[derive(Serialize)]
pub struct Seen {
    #[serde(flatten)]
    pub status: Status,
    pub other_processes: Vec<OtherProcess>,
}

impl Seen {
    /// Describes the other processes, a line for each GPU that has some.
    pub fn describe_others(&self) -> String {
        let of_gpu = |gpu: usize| {
            let others = self.other_processes.iter().filter(|other| other.gpu == gpu);
            let each: Vec<_> = others.map(describe_other).collect();
            let (are, them) = match each.len() {
                0 => return None,
                1 => ("process is", "it"),
                _ => ("processes are", "them"),
            };
            Some(format!(
                "GPU {gpu}: {} {are} not this node's, and no share holds for {them}: {}\n",
                each.len(),
                each.join(", ")
            ))
        };
        (0..self.status.gpu_identities.len()).filter_map(of_gpu).collect()
    }
}

fn describe_other(other: &OtherProcess) -> String {
    let memory = other
        .memory_bytes
        .map_or(String::new(), |bytes| format!(", {:.2} GiB", bytes as f64 / GIB));
    format!("{} ({}{memory})", other.pid, other.name)
}

impl NodeHere {
    /// Names the node that listens on this address.
    pub fn at(node: NodeAddress) -> NodeHere {
        NodeHere { node }
    }

    /// Returns the node's status and the other processes on its GPUs. `processes` is the machine's
    /// NVML, if it has one.
    pub fn observe(&self, processes: Option<&GpuProcesses>) -> Result<Seen, Error> {
        let listed = processes.map(GpuProcesses::list).unwrap_or_default();
        let status = self.ask(&Request::Show)?;
        Ok(Seen { other_processes: others(&listed, &status), status })
    }

    /// Sends a request to the node, and returns its status.
    pub fn ask(&self, request: &Request) -> Result<Status, Error> {
        let nobody = || Error::NoNodeHere(self.node.to_string());
        let address = self
            .node
            .as_str()
            .to_socket_addrs()
            .ok()
            .and_then(|mut found| found.next())
            .ok_or_else(nobody)?;
        let answer = ask(address, request).ok_or_else(nobody)?;
        match answer.map_err(|error| Error::Io {
            doing: format!("the node at {} does not answer", self.node),
            error,
        })? {
            AdministrationReply::Is(status) => Ok(status),
            AdministrationReply::Refused(reason) => Err(Error::Refused(reason)),
        }
    }
}

impl Show {
    /// Prints the node's shares and who uses its GPUs.
    pub fn execute(&self) -> Result<(), Error> {
        let seen = self.node.observe(GpuProcesses::open().as_ref())?;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&seen).unwrap_or_default());
        } else {
            print!("{}{}", describe(&seen.status), seen.describe_others());
        }
        Ok(())
    }
}

impl Set {
    /// Changes the node's shares and prints them.
    pub fn execute(&self) -> Result<(), Error> {
        let change = self.shares.change();
        if change == Change::default() {
            return Err(Error::Refused("name what to change; --help lists the options".into()));
        }
        print!("{}", describe(&self.node.ask(&Request::Set(change))?));
        Ok(())
    }
}

fn describe(status: &Status) -> String {
    let copies = if status.joint { "together with kernels" } else { "in turns of their own" };
    let long = if status.exclusive {
        "make the others wait"
    } else {
        "share the GPU by the driver's time slices"
    };
    let mut text =
        format!("policy {}; copies {copies}; kernels longer than a turn {long}\n", status.policy);
    for (tenant, percent) in &status.shares_percent {
        text += &format!("{tenant} {percent} %\n");
    }
    for (tenant, bytes) in &status.memory_limits {
        text += &format!("{tenant} {:.2} GiB of each GPU's memory\n", *bytes as f64 / GIB);
    }
    if let Some(bytes) = status.session_memory_limit {
        text += &format!("each session {:.2} GiB of each GPU's memory\n", bytes as f64 / GIB);
    }
    let left = 100 - status.shares_percent.values().sum::<u32>().min(100);
    text + &format!("all others together {left} %\n")
}
