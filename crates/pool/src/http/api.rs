//! The types of the pool's HTTP interface, for both sides. `openapi.json` describes the same for
//! other programs.

pub use crate::log::entry::Logged;
use crate::model::bill::Bill;
pub use crate::model::heartbeat::{Activity, GpuUse, Heartbeat, LeaseUse};
use crate::model::lease::{Ask, End, Holder, Lease, Part};
use crate::model::node::{Down, Gpu, Node};
use crate::model::quota::{Quota, Usage};
pub use crate::model::telemetry::GpuEnergy;
use crate::model::telemetry::{Curve, GpuUsage, LeaseUsage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The longest time that a request may wait for news.
pub const WAIT_MS_MAX: u64 = 30_000;

/// A request for a lease. The holder chooses name and key, so repeating the request after a lost
/// answer is harmless.
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

/// A holder's heartbeat, whose answer waits for news.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renewal {
    /// The state that the holder knows; the answer comes at once if the state differs.
    #[serde(default)]
    pub seen: Option<LeaseState>,
    /// How long the answer may wait for news.
    #[serde(default)]
    pub wait_ms: u64,
}

/// The holder cannot reach a node and has started no program yet; the pool then places the lease
/// anew.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unreachable {
    /// Fencing token of the grant that this is about.
    pub fence: u64,
    /// Address that the pool gave for the node.
    pub address: String,
}

/// Whether a lease waits or is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeaseState {
    /// The lease waits, and so many are ahead of it.
    Waiting(usize),
    /// The lease has its GPUs, under this fencing token.
    Held(u64),
}

/// A lease as its holder and others see it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LeaseView {
    /// The lease's name.
    pub id: String,
    /// Whether it waits or is held.
    #[serde(rename = "standing")]
    pub state: LeaseState,
    /// The holder.
    pub holder: Holder,
    /// The requested resources.
    pub ask: Ask,
    /// Milliseconds since the request.
    pub age_ms: u64,
    /// The GPUs, or parts of them, that it has.
    pub parts: Vec<Part>,
    /// Addresses of its nodes, in the order of their devices.
    pub nodes: Vec<String>,
    /// Why it waits, if not for want of room; or which of its nodes is down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Which curves of the last hour to return.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// None.
    #[default]
    None,
    /// One curve, the mean of all GPUs.
    Mean,
    /// The mean, and one curve per GPU.
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
    /// Leases that are held.
    pub leases: Vec<LeaseUsage>,
}

/// Energy by lease and by GPU.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EnergyView {
    /// Bills of leases; those still held come last.
    pub leases: Vec<Bill>,
    /// Energy by GPU, since their nodes started.
    pub gpus: Vec<GpuEnergy>,
}

/// The pool's orders to a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Orders {
    /// Index of the log's last entry that this takes into account.
    pub head: u64,
    /// Which joining of the node this refers to.
    pub joined: u64,
    /// All leases with a part on the node. A lease not listed has ended.
    pub leases: Vec<Order>,
}

/// A lease, as its nodes need to know it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The lease's name.
    pub id: String,
    /// Its fencing token.
    pub fence: u64,
    /// Hash of the key by which its sessions prove that they belong to it.
    pub key_hash: String,
    /// Its priority.
    pub priority: i8,
    /// Its parts on this node.
    pub parts: Vec<Part>,
    /// How long its sessions wait for a new connection after one broke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_s: Option<u64>,
}

/// A GPU, and how much of it is free.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GpuView {
    /// The GPU, as its node describes it.
    #[serde(flatten)]
    pub gpu: Gpu,
    /// Unallocated memory.
    pub memory_free_bytes: u64,
    /// Unallocated time.
    pub time_free_percent: f64,
}

/// A node as others see it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NodeView {
    /// The node's name.
    pub name: String,
    /// Address at which programs reach it.
    pub address: String,
    /// Whether the pool places nothing new there.
    pub draining: bool,
    /// Since when it is unavailable, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down: Option<Down>,
    /// Gb/s to the clients; 0 if unknown.
    pub link_gbps: u32,
    /// Its GPUs, in the order of their ordinals.
    pub gpus: Vec<GpuView>,
    /// Number of leases with a part there.
    pub leases: usize,
}

/// Whether to place nothing new on a node.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drain {
    /// The new setting.
    pub draining: bool,
}

/// Quotas, and what is used of them, by subject.
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
    /// The release of this process.
    pub release: String,
    /// Index of the last entry.
    pub head: u64,
    /// Nodes that have joined.
    pub nodes: usize,
    /// GPUs of these nodes.
    pub gpus: usize,
    /// Number of leases that are held.
    pub held: usize,
    /// Number of requests that wait.
    pub waiting: usize,
    /// Nodes that are down.
    #[serde(default)]
    pub down: Vec<String>,
}

/// Why the pool refused something.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Refused {
    /// The reason, for the person who asked.
    pub error: String,
    /// Why the lease ended, if the answer is about an ended lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<End>,
}

impl NodeView {
    /// Returns the view of a node, with what is free on its GPUs.
    pub(crate) fn new(state: &crate::log::state::State, node: &Node) -> NodeView {
        let facts = &node.facts;
        let view = |gpu: &Gpu| {
            let (time_ns, memory_free_bytes) =
                state.free(&facts.name, &gpu.uuid).unwrap_or_default();
            GpuView { gpu: gpu.clone(), memory_free_bytes, time_free_percent: time_ns as f64 / 1e7 }
        };
        NodeView {
            name: facts.name.clone(),
            address: facts.address.clone(),
            draining: node.draining,
            down: node.down,
            link_gbps: facts.link_gbps,
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
            reason: match lease.fence() {
                Some(_) => without_node(state, lease, now_ms),
                None => state.waits_for_quota(lease, now_ms),
            },
        }
    }
}

/// Returns the text for which node of a lease is down.
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
