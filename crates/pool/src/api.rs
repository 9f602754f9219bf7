//! What goes over the pool's HTTP interface, as both sides name it. `openapi.json` describes the
//! same to others.

use crate::bill::{Bill, Method};
use crate::entry::Entry;
use crate::lease::{Ask, End, Holder, Lease, Part};
use crate::node::{Down, Gpu, Node};
use crate::quota::{Quota, Usage};
use crate::telemetry::{Curve, GpuUsage, LeaseUsage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Longest time that a question is kept until there is something new.
pub const WAIT_MS_MAX: u64 = 30_000;

/// A request for a lease. Name and key are the holder's own choice, so asking again after a lost
/// answer is harmless.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseRequest {
    /// What the lease is to be called.
    pub id: String,
    /// BLAKE3 hash of the lease's key, in hexadecimal digits. The key itself never comes here.
    pub key_hash: String,
    /// On whose behalf, where users are not authenticated.
    #[serde(default)]
    pub holder: Option<Holder>,
    /// What is wanted.
    #[serde(default)]
    pub ask: Ask,
}

/// A sign of life, which waits for news.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renewal {
    /// What the holder has seen; the answer comes at once if it is otherwise now.
    #[serde(default)]
    pub seen: Option<Standing>,
    /// How long the answer may wait for news.
    #[serde(default)]
    pub wait_ms: u64,
}

/// That a holder cannot reach a node, and none of its programs has begun. The lease is placed anew.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unreachable {
    /// Of the grant that this is about.
    pub fence: u64,
    /// Where the node was to be.
    pub address: String,
}

/// How far a lease is, in a word or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It waits, and so many are ahead.
    Waiting(usize),
    /// It has its GPUs, by this fencing token.
    Held(u64),
}

/// A lease as its holder and others see it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LeaseView {
    /// Its name.
    pub id: String,
    /// How far it is.
    pub standing: Standing,
    /// Who has it.
    pub holder: Holder,
    /// What was asked for.
    pub ask: Ask,
    /// Milliseconds since it was asked for.
    pub age_ms: u64,
    /// What it has.
    pub parts: Vec<Part>,
    /// Where its nodes are, in the order of their devices.
    pub nodes: Vec<String>,
    /// Why it waits, beyond there being no room; or that a node of it is down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a node says of a lease's sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Activity {
    /// The lease's name.
    pub id: String,
    /// Its fencing token.
    pub fence: u64,
    /// Sessions that run.
    pub sessions: u32,
    /// Seconds since there was a session.
    pub unused_s: u64,
    /// Seconds since a session did something.
    pub idle_s: u64,
}

/// A node's sign of life, which waits for news.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heartbeat {
    /// As the answer to its joining said.
    pub joined: u64,
    /// As the last answer said.
    #[serde(default)]
    pub head: u64,
    /// What its GPUs did since it began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<GpuUse>,
    /// What leases used of them; of one that has ended, until it was taken note of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<LeaseUse>,
    /// The leases that it knows; the answer comes at once if it should know others.
    pub leases: Vec<Activity>,
    /// How long the answer may wait for news.
    #[serde(default)]
    pub wait_ms: u64,
    /// That its driver does not start, so that nothing new is to be placed there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfit: bool,
}

/// What a GPU did since its node began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuUse {
    /// Which.
    pub gpu: String,
    /// How long it was busy.
    pub busy_ns: u64,
    /// What it drew.
    pub total_mj: u64,
    /// And what of that is no lease's.
    pub unleased_mj: u64,
    /// By what that is known; not at all if there is none.
    #[serde(default)]
    pub method: Option<Method>,
}

/// What a lease used of a GPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseUse {
    /// The lease.
    pub id: String,
    /// The GPU.
    pub gpu: String,
    /// How long its sessions kept it busy.
    pub busy_ns: u64,
    /// Energy of that.
    pub active_mj: u64,
    /// Its share of what the GPU drew while it was idle.
    pub idle_mj: u64,
    /// By what that is known; not at all if there is none.
    #[serde(default)]
    pub method: Option<Method>,
    /// The lease has ended, and nothing will be added.
    pub settled: bool,
}

/// Which curves of the last hour are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// None.
    #[default]
    None,
    /// One, of all GPUs together.
    Mean,
    /// That, and one of each GPU.
    Gpus,
}

/// What GPUs and leases do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UsageView {
    /// When this was said, in milliseconds since 1970.
    pub at_ms: u64,
    /// How busy all GPUs were in the mean, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Curve,
    /// As their nodes say.
    pub gpus: Vec<GpuUsage>,
    /// Those that are held.
    pub leases: Vec<LeaseUsage>,
}

/// Whose energy it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EnergyView {
    /// Of leases, those that are held last.
    pub leases: Vec<Bill>,
    /// By GPU, since their nodes began.
    pub gpus: Vec<GpuEnergy>,
}

/// What a GPU drew since its node began.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GpuEnergy {
    /// Its node.
    pub node: String,
    /// The GPU.
    pub gpu: String,
    /// In all.
    pub total_mj: u64,
    /// No lease's.
    pub unleased_mj: u64,
    /// By what that is known.
    pub method: Option<Method>,
}

/// What a node is to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Orders {
    /// Index of the log's last entry that this takes into account.
    pub head: u64,
    /// Which joining this is about.
    pub joined: u64,
    /// All leases with a part on the node. What is not here has ended.
    pub leases: Vec<Order>,
}

/// A lease as a node of it sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Its name.
    pub id: String,
    /// Its fencing token.
    pub fence: u64,
    /// What its sessions prove that they belong to it by.
    pub key_hash: String,
    /// Who goes first.
    pub priority: i8,
    /// On this node.
    pub parts: Vec<Part>,
    /// How long its sessions wait for another connection where one broke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_s: Option<u64>,
}

/// A GPU and what is free of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GpuView {
    /// As its node describes it.
    #[serde(flatten)]
    pub gpu: Gpu,
    /// Memory that nobody has.
    pub memory_free_bytes: u64,
    /// Time that nobody has.
    pub time_free_percent: f64,
}

/// A node as others see it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NodeView {
    /// Its name.
    pub name: String,
    /// Where programs reach it.
    pub address: String,
    /// Whether nothing new is placed there.
    pub draining: bool,
    /// Since when it is not to be had, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down: Option<Down>,
    /// Gb/s to the clients, 0 if that is not known.
    pub link_gbps: u32,
    /// In the order of their ordinals.
    pub gpus: Vec<GpuView>,
    /// Leases with a part there.
    pub leases: usize,
}

/// Whether nothing new is to be placed on a node.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drain {
    /// From now on.
    pub draining: bool,
}

/// Quotas and what is used of them, by subject.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Quotas {
    /// What is allowed.
    pub quotas: BTreeMap<String, Quota>,
    /// What is used.
    pub usage: BTreeMap<String, Usage>,
}

/// An entry of the log.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Logged {
    /// Its index.
    pub index: u64,
    /// What it says.
    #[serde(flatten)]
    pub entry: Entry,
}

/// How the pool is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Health {
    /// The release of this process.
    pub release: String,
    /// Index of the last entry.
    pub head: u64,
    /// Nodes that are there.
    pub nodes: usize,
    /// GPUs that are there.
    pub gpus: usize,
    /// Leases that are held.
    pub held: usize,
    /// Requests that wait.
    pub waiting: usize,
    /// Nodes that are not to be had.
    #[serde(default)]
    pub down: Vec<String>,
}

/// Why something was refused.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Refused {
    /// In words for whoever asked.
    pub error: String,
    /// Why a lease ended, if that is what it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<End>,
}

impl NodeView {
    pub(crate) fn new(state: &crate::state::State, node: &Node) -> NodeView {
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
    pub(crate) fn new(
        state: &crate::state::State,
        id: &str,
        lease: &Lease,
        now_ms: u64,
    ) -> LeaseView {
        let standing = match lease.fence() {
            Some(fence) => Standing::Held(fence),
            None => Standing::Waiting(state.ahead(id).unwrap_or(0)),
        };
        let mut nodes: Vec<String> = Vec::new();
        for node in lease.parts().iter().filter_map(|part| state.nodes.get(&part.node)) {
            if !nodes.contains(&node.facts.address) {
                nodes.push(node.facts.address.clone());
            }
        }
        LeaseView {
            id: id.to_owned(),
            standing,
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

/// Which node of a lease is down, in words.
fn without_node(state: &crate::state::State, lease: &Lease, now_ms: u64) -> Option<String> {
    let (node, down) = lease
        .parts()
        .iter()
        .find_map(|part| Some((&part.node, state.nodes.get(&part.node)?.down?)))?;
    let seconds = now_ms.saturating_sub(down.since_ms) / 1000;
    Some(format!(
        "node {node} is down for {seconds} s ({}); what runs there goes on if it can",
        down.why
    ))
}
