//! Reads the status of a node on this machine from `outhaul node show --json`. The bench knows
//! nodes only by their command line, as every user does.

use super::process::{executable, output};
use crate::error::Error;
use serde::Deserialize;
use std::process::Command;

const ANSWER_SECONDS_MAX: u64 = 10;

/// The state of a node.
#[derive(Deserialize)]
pub struct NodeStatus {
    /// The tenants that have sessions or have used a GPU.
    pub tenants: Vec<Tenant>,
    /// The running sessions.
    pub sessions: Vec<Session>,
}

/// A tenant's use of the node.
#[derive(Deserialize)]
pub struct Tenant {
    /// The tenant's use of each GPU.
    pub gpus: Vec<GpuTime>,
}

/// The time that a tenant has used of one GPU.
#[derive(Deserialize)]
pub struct GpuTime {
    /// Computing time.
    pub compute_ns: u64,
}

/// A session's use of the node.
#[derive(Deserialize)]
pub struct Session {
    /// Memory that the node moved, by device.
    pub moved: Vec<Moved>,
}

/// Memory that was moved to the host and back.
#[derive(Deserialize)]
pub struct Moved {
    /// Bytes to the host.
    pub to_host_bytes: u64,
    /// Time that the moves to the host took.
    pub to_host_ns: u64,
    /// Bytes back to the device.
    pub back_bytes: u64,
    /// Time that the moves back took.
    pub back_ns: u64,
}

/// Asks the node that listens on `address` for its status.
pub fn ask(address: &str) -> Result<NodeStatus, Error> {
    let failed = |reason: String| {
        Error::Bench(format!("the node at {address} does not report its status: {reason}"))
    };
    let mut command = Command::new(executable()?);
    command.args(["node", "show", "--json", "--node", address]);
    let printed = output(command, ANSWER_SECONDS_MAX).map_err(failed)?;
    serde_json::from_str(&printed).map_err(|error| failed(error.to_string()))
}
