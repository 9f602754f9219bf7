//! A node's heartbeat: what it reports of its GPUs and of the leases that it knows.

use crate::model::bill::Method;
use serde::{Deserialize, Serialize};

/// A node's report about a lease's sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Activity {
    /// The lease's name.
    pub id: String,
    /// Its fencing token.
    pub fence: u64,
    /// Number of sessions that run.
    pub sessions: u32,
    /// Seconds since the last session ended.
    pub unused_s: u64,
    /// Seconds since a session last did something.
    pub idle_s: u64,
}

/// A node's heartbeat, whose answer waits for news.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heartbeat {
    /// The value from the answer to the node's joining.
    pub joined: u64,
    /// The value from the last answer.
    #[serde(default)]
    pub head: u64,
    /// The activity of the node's GPUs since the node started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<GpuUse>,
    /// The use of the GPUs by leases; for an ended lease, until the pool has recorded it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<LeaseUse>,
    /// The leases that the node knows; the answer comes at once if it should know others.
    pub leases: Vec<Activity>,
    /// How long the answer may wait for news.
    #[serde(default)]
    pub wait_ms: u64,
    /// The node's driver does not start, so the pool must place nothing new there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfit: bool,
}

/// The activity of a GPU since its node started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuUse {
    /// The GPU.
    pub gpu: String,
    /// How long it was busy.
    pub busy_ns: u64,
    /// Energy that it drew.
    pub total_mj: u64,
    /// The part of that energy that belongs to no lease.
    pub unleased_mj: u64,
    /// How the energy was measured; none if it was not.
    #[serde(default)]
    pub method: Option<Method>,
}

/// The use of a GPU by a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseUse {
    /// The lease.
    pub id: String,
    /// The GPU.
    pub gpu: String,
    /// How long its sessions kept it busy.
    pub busy_ns: u64,
    /// Energy drawn during that time.
    pub active_mj: u64,
    /// The lease's share of the GPU's idle energy.
    pub idle_mj: u64,
    /// How the energy was measured; none if it was not.
    #[serde(default)]
    pub method: Option<Method>,
    /// The lease has ended, and nothing will be added.
    #[serde(rename = "settled")]
    pub is_final: bool,
}
