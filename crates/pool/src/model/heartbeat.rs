//! A node's heartbeat: its report about its GPUs and about the leases that it knows.

use crate::model::bill::{FrameCounts, Method};
use serde::{Deserialize, Serialize};

/// A node's report about a lease's sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Activity {
    /// The lease's name.
    pub id: String,
    /// The lease's fencing token.
    pub fence: u64,
    /// Number of running sessions.
    pub sessions: u32,
    /// Seconds since the last session ended.
    pub unused_s: u64,
    /// Seconds since a session was last active.
    pub idle_s: u64,
}

/// A node's heartbeat; the pool answers when it has news for the node or `wait_ms` is over.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heartbeat {
    /// The value of `joined` in the answer to the node's request to join.
    pub joined: u64,
    /// The value of `head` in the last answer.
    #[serde(default)]
    pub head: u64,
    /// The activity of the node's GPUs since the node started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<GpuUse>,
    /// The leases' use of the GPUs; an ended lease remains in the list until the pool has recorded
    /// it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<LeaseUse>,
    /// The leases that the node knows. The pool answers at once if the node should know others.
    pub leases: Vec<Activity>,
    /// How long the answer may wait for news, in milliseconds.
    #[serde(default)]
    pub wait_ms: u64,
    /// Whether the node's driver does not start, so that the pool must place nothing new there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfit: bool,
}

/// The activity of a GPU since its node started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuUse {
    /// The GPU's name on its node.
    pub gpu: String,
    /// How long the GPU was busy.
    pub busy_ns: u64,
    /// Energy that the GPU drew, in millijoules.
    pub total_mj: u64,
    /// The part of that energy that belongs to no lease, in millijoules.
    pub unleased_mj: u64,
    /// How the energy was measured; `None` if it was not measured.
    #[serde(default)]
    pub method: Option<Method>,
}

/// The use of a GPU by a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseUse {
    /// The lease's name.
    pub id: String,
    /// The GPU's name on its node.
    pub gpu: String,
    /// How long the lease's sessions kept the GPU busy.
    pub busy_ns: u64,
    /// Energy drawn during that time, in millijoules.
    pub active_mj: u64,
    /// The lease's share of the GPU's idle energy, in millijoules.
    pub idle_mj: u64,
    /// How the energy was measured; `None` if it was not measured.
    #[serde(default)]
    pub method: Option<Method>,
    /// The lease's frames.
    #[serde(default, skip_serializing_if = "FrameCounts::are_none")]
    pub frames: FrameCounts,
    /// Whether the lease has ended and these numbers are final.
    #[serde(rename = "settled")]
    pub is_final: bool,
}
