//! The total use of a lease, from its nodes' final reports.

use serde::{Deserialize, Serialize};

/// How energy is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Shares of the GPU's own energy counter, in proportion to measured busy time.
    Nvml,
    /// A computation from busy time, for a software GPU.
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

/// A lease's frames, as its node counts them, if the pool has promised a rate. A frame begins with
/// the first work that arrives, and ends when the node answers a call in which the program waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameCounts {
    /// The number of frames.
    pub seen: u64,
    /// The number of frames for which the node alone took longer than the promised time.
    pub late: u64,
    /// The number of ticks of the promised rate in which the program, while it drew, began no
    /// frame.
    pub skipped: u64,
    /// The longest time that the node took for a frame, in microseconds.
    pub worst_us: u64,
}

impl FrameCounts {
    /// Returns whether no frame was counted.
    pub fn are_none(&self) -> bool {
        self.seen == 0
    }
}

/// The use of one GPU by a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The GPU's node.
    pub node: String,
    /// The GPU's name on its node.
    pub gpu: String,
    /// How long the lease's sessions kept the GPU busy.
    pub busy_ns: u64,
    /// Energy drawn during that time, in millijoules.
    pub active_mj: u64,
    /// The lease's share of the GPU's idle energy, in millijoules.
    pub idle_mj: u64,
    /// How the energy was measured; `None` if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// The lease's frames.
    #[serde(default, skip_serializing_if = "FrameCounts::are_none")]
    pub frames: FrameCounts,
    /// Whether these are the last figures that the pool heard before it lost the node. The node's
    /// final ones replace them, if they ever come.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last_reported: bool,
}

impl Item {
    /// Returns whether the item is about this GPU.
    pub fn is_of(&self, node: &str, gpu: &str) -> bool {
        (self.node.as_str(), self.gpu.as_str()) == (node, gpu)
    }

    /// Puts the item into a list, in the place of an earlier one about the same GPU.
    pub fn replace_in(self, items: &mut Vec<Item>) {
        match items.iter_mut().find(|item| item.is_of(&self.node, &self.gpu)) {
            Some(item) => *item = self,
            None => items.push(self),
        }
    }
}

/// The cost of a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bill {
    /// The lease's name.
    pub id: String,
    /// The user who held the lease.
    pub user: String,
    /// When the lease was granted, in milliseconds since 1970.
    pub from_ms: u64,
    /// When the lease ended, in milliseconds since 1970; `None` while it is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_ms: Option<u64>,
    /// Node and GPU of each part.
    #[serde(default)]
    pub parts: Vec<(String, String)>,
    /// Use per GPU, without the GPUs of nodes that have not sent their final report and are not
    /// lost.
    pub items: Vec<Item>,
}
