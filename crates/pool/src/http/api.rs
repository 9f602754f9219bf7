//! The types of the pool's HTTP interface, for server and client. `openapi.json` describes the
//! interface for other programs.

pub use crate::http::occupants::{Occupant, Occupants, OccupiedGpu};
pub use crate::log::entry::Logged;
use crate::model::bill::Bill;
pub use crate::model::heartbeat::{Activity, GpuUse, Heartbeat, LeaseUse};
use crate::model::lease::{Ask, End, Holder, Lease, Part};
use crate::model::node::{Down, FrameCurve, Gpu, Node};
use crate::model::quota::{Quota, Usage};
pub use crate::model::telemetry::GpuEnergy;
use crate::model::telemetry::{Curve, GpuUsage, LeaseUsage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The longest time that a request may wait for news, in milliseconds.
pub const WAIT_MS_MAX: u64 = 30_000;

/// A request for a lease. The holder chooses the lease's name and key, so that repeating the
/// request after a lost answer is harmless.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseRequest {
    /// The lease's name.
    pub id: String,
    /// BLAKE3 hash of the lease's key, in hexadecimal digits. The key itself is never sent.
    pub key_hash: String,
    /// The user who asks, if the pool does not authenticate users.
    #[serde(default)]
    pub holder: Option<Holder>,
    /// The resources of the lease.
    #[serde(default)]
    pub ask: Ask,
}

/// A holder's heartbeat; the pool answers when the lease's state changes or `wait_ms` is over.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renewal {
    /// The state that the holder knows. The pool answers at once if the state differs.
    #[serde(default)]
    pub seen: Option<LeaseState>,
    /// How long the answer may wait for news, in milliseconds.
    #[serde(default)]
    pub wait_ms: u64,
}

/// A holder's report that it cannot reach a node and has started no program yet. The pool then
/// places the lease anew.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unreachable {
    /// The fencing token of the grant that the report is about.
    pub fence: u64,
    /// The address that the pool gave for the node.
    pub address: String,
}

/// Whether a lease waits or is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeaseState {
    /// The lease waits. The value is the number of requests ahead of it.
    Waiting(usize),
    /// The lease has its GPUs. The value is its fencing token.
    Held(u64),
}

/// A lease, as the pool shows it to its holder and others.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LeaseView {
    /// The lease's name.
    pub id: String,
    /// Whether the lease waits or is held.
    #[serde(rename = "standing")]
    pub state: LeaseState,
    /// The holder.
    pub holder: Holder,
    /// The requested resources.
    pub ask: Ask,
    /// Milliseconds since the request.
    pub age_ms: u64,
    /// The GPUs, or parts of GPUs, that the lease has.
    pub parts: Vec<Part>,
    /// Addresses of the lease's nodes, in the order of their devices.
    pub nodes: Vec<String>,
    /// Why the lease waits, if not for free GPUs; or which of its nodes is down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The GPUs that the request waits for. Only the answer about one lease has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occupants: Option<Occupants>,
}

/// The curves of the last hour that an answer contains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// No curve.
    #[default]
    None,
    /// One curve, the mean of all GPUs.
    Mean,
    /// The mean, and one curve for each GPU.
    Gpus,
}

/// The current use of GPUs and leases.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UsageView {
    /// Time of the answer, in milliseconds since 1970.
    pub at_ms: u64,
    /// Mean utilisation of all GPUs, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Curve,
    /// GPUs, as their nodes report.
    pub gpus: Vec<GpuUsage>,
    /// Leases with reports.
    pub leases: Vec<LeaseUsage>,
}

/// Energy by lease and by GPU.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EnergyView {
    /// Bills of leases; the leases that are still held come last.
    pub leases: Vec<Bill>,
    /// Energy by GPU since the GPU's node started.
    pub gpus: Vec<GpuEnergy>,
}

/// The pool's orders to a node: the leases that the node must serve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Orders {
    /// Index of the log's last entry that the orders take into account.
    pub head: u64,
    /// The number that the pool gave the node when it joined.
    pub joined: u64,
    /// All leases with a part on the node. A lease that is not in the list has ended.
    pub leases: Vec<Order>,
}

/// A lease, with what its nodes need to know about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The lease's name.
    pub id: String,
    /// The lease's fencing token.
    pub fence: u64,
    /// Hash of the key by which sessions prove that they belong to the lease.
    pub key_hash: String,
    /// The lease's priority.
    pub priority: i8,
    /// The lease's parts on this node.
    pub parts: Vec<Part>,
    /// How long the lease's sessions wait for a new connection after one broke, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_s: Option<u64>,
    /// The frames per second that the pool has promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames_per_s: Option<u32>,
}

/// A GPU and its free part.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GpuView {
    /// The GPU, as its node describes it.
    #[serde(flatten)]
    pub gpu: Gpu,
    /// Memory that no lease has; 0 while the node is down.
    pub memory_free_bytes: u64,
    /// Time that no lease has, in percent; 0 while the node is down.
    pub time_free_percent: f64,
}

/// A node, as the pool shows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NodeView {
    /// The node's name.
    pub name: String,
    /// The address at which programs reach the node.
    pub address: String,
    /// Whether the pool places nothing new on the node.
    pub draining: bool,
    /// When the node became unavailable, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down: Option<Down>,
    /// Bandwidth of the node's link to its clients in Gb/s; 0 if unknown.
    pub link_gbps: u32,
    /// The number of switches between the node and its clients.
    #[serde(default)]
    pub link_hops: u32,
    /// The curves that the node has measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frame_curves: Vec<FrameCurve>,
    /// The node's GPUs, in the order of their ordinals.
    pub gpus: Vec<GpuView>,
    /// The number of leases with a part on the node.
    pub leases: usize,
}

/// A request to stop or resume placing leases on a node.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drain {
    /// True to stop, false to resume.
    pub draining: bool,
}

/// Quotas and use, by subject.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Quotas {
    /// Quotas by subject.
    pub quotas: BTreeMap<String, Quota>,
    /// Use by subject.
    pub usage: BTreeMap<String, Usage>,
}

/// The pool's condition.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Health {
    /// The release that the process runs.
    pub release: String,
    /// Index of the log's last entry.
    pub head: u64,
    /// The number of nodes that have joined.
    pub nodes: usize,
    /// The number of GPUs of these nodes.
    pub gpus: usize,
    /// Number of leases that are held.
    pub held: usize,
    /// The number of waiting requests.
    pub waiting: usize,
    /// The names of nodes that are down.
    #[serde(default)]
    pub down: Vec<String>,
}

/// The body of a refusal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Refused {
    /// The reason, for the person who asked.
    pub error: String,
    /// Why the lease ended, if the request is about an ended lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<End>,
}

impl NodeView {
    /// Returns the view of a node, with the free part of each GPU.
    pub(crate) fn new(state: &crate::log::state::State, node: &Node) -> NodeView {
        let facts = &node.facts;
        let view = |gpu: &Gpu| {
            let (time_ns, memory_free_bytes) = state.offered(&facts.name, &gpu.uuid);
            GpuView { gpu: gpu.clone(), memory_free_bytes, time_free_percent: time_ns as f64 / 1e7 }
        };
        NodeView {
            name: facts.name.clone(),
            address: facts.address.clone(),
            draining: node.draining,
            down: node.down,
            link_gbps: facts.link_gbps,
            link_hops: facts.link_hops,
            frame_curves: facts.frame_curves.clone(),
            gpus: facts.gpus.iter().map(view).collect(),
            leases: state.on_node(&facts.name).count(),
        }
    }
}

impl LeaseView {
    /// Returns the view of a lease, with the addresses of its nodes.
    pub(crate) fn new(
        state: &crate::log::state::State,
        id: &str,
        lease: &Lease,
        now_ms: u64,
    ) -> LeaseView {
        let lease_state = match lease.fence() {
            Some(fence) => LeaseState::Held(fence),
            None => LeaseState::Waiting(state.ahead(id).unwrap_or(0)),
        };
        let mut nodes: Vec<String> = Vec::new();
        for node in lease.parts().iter().filter_map(|part| state.nodes.get(&part.node)) {
            if !nodes.contains(&node.facts.address) {
                nodes.push(node.facts.address.clone());
            }
        }
        LeaseView {
            id: id.to_owned(),
            state: lease_state,
            holder: lease.holder.clone(),
            ask: lease.ask.clone(),
            age_ms: now_ms.saturating_sub(lease.asked_ms),
            parts: lease.parts().to_vec(),
            nodes,
            occupants: None,
            reason: match lease.fence() {
                Some(_) => without_node(state, lease, now_ms),
                None => state.waits_for_quota(lease, now_ms),
            },
        }
    }
}

/// Returns a text that names the lease's node that is down, if one is.
fn without_node(state: &crate::log::state::State, lease: &Lease, now_ms: u64) -> Option<String> {
    let (node, down) = lease
        .parts()
        .iter()
        .find_map(|part| Some((&part.node, state.nodes.get(&part.node)?.down?)))?;
    let seconds = now_ms.saturating_sub(down.since_ms) / 1000;
    Some(format!(
        "node {node} is down for {seconds} s ({}); programs there continue if they can",
        down.why
    ))
}
