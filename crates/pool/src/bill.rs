//! What a lease that was held has used in all, by what its nodes said when they had settled it.

use serde::{Deserialize, Serialize};

/// By what energy is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The board's own counter, split by measured busy time.
    Nvml,
    /// Made up from busy time, for a GPU that has no board.
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

/// What a lease has used of one GPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The GPU's node.
    pub node: String,
    /// The GPU.
    pub gpu: String,
    /// How long its sessions kept the GPU busy.
    pub busy_ns: u64,
    /// Energy of that.
    pub active_mj: u64,
    /// Its share of what the GPU drew while it was idle.
    pub idle_mj: u64,
    /// By what energy is known; not at all if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
}

/// A lease's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bill {
    /// The lease.
    pub id: String,
    /// Who had it.
    pub user: String,
    /// Since when it was held.
    pub from_ms: u64,
    /// Until when; not yet, if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_ms: Option<u64>,
    /// What it had: node and GPU of each part.
    #[serde(default)]
    pub parts: Vec<(String, String)>,
    /// By GPU; none of a node that has not settled it.
    pub items: Vec<Item>,
}
