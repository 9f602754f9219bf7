//! The total use of a lease, from its nodes' final reports.

use serde::{Deserialize, Serialize};

/// How energy is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The GPU's own counter, divided by measured busy time.
    Nvml,
    /// Computed from busy time, for a software GPU.
    Synthetic,
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Method::Nvml => "nvml",
            Method::Synthetic => "synthetic",
        })
    }
}

/// The use of one GPU by a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The GPU's node.
    pub node: String,
    /// The GPU.
    pub gpu: String,
    /// How long its sessions kept the GPU busy.
    pub busy_ns: u64,
    /// Energy drawn during that time.
    pub active_mj: u64,
    /// The lease's share of the GPU's idle energy.
    pub idle_mj: u64,
    /// How the energy was measured; none if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
}

/// The cost of a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bill {
    /// The lease.
    pub id: String,
    /// The user who had it.
    pub user: String,
    /// When it was granted.
    pub from_ms: u64,
    /// When it ended; none if it is still held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_ms: Option<u64>,
    /// Node and GPU of each part.
    #[serde(default)]
    pub parts: Vec<(String, String)>,
    /// Use per GPU; GPUs of a node that has not reported finally are missing.
    pub items: Vec<Item>,
}
