//! The GPUs that a waiting request could use, with the leases that hold them.

use crate::log::state::State;
use crate::model::inventory::GpuClass;
use crate::model::lease::{Ask, Phase};
use serde::{Deserialize, Serialize};

/// The most GPUs in one answer. The rest are counted.
const LISTED_MAX: usize = 16;
/// The most GPUs that are looked at for one answer, since every waiting holder asks often.
const COUNTED_MAX: usize = 1024;

/// The GPUs that a waiting request could use if they were free.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupants {
    /// The GPUs, at most 16 of them.
    pub gpus: Vec<OccupiedGpu>,
    /// The number of further ones.
    #[serde(default)]
    pub more: usize,
}

/// A GPU that is not free.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OccupiedGpu {
    /// The name of the GPU's node.
    pub node: String,
    /// The GPU's ordinal, unless its node has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<usize>,
    /// Whether the node is down.
    #[serde(default)]
    pub down: bool,
    /// Whether the node is draining.
    #[serde(default)]
    pub draining: bool,
    /// The leases that hold a part of the GPU, in the order of their ends.
    pub leases: Vec<Occupant>,
}

/// A lease that holds a part of a GPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupant {
    /// The user who holds the lease.
    pub user: String,
    /// When the lease ends at the latest, in milliseconds since 1970; `None` if it has no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<u64>,
}

impl Occupants {
    /// Returns the GPUs with the model and the memory of a request that are not free.
    pub(crate) fn of(state: &State, ask: &Ask) -> Occupants {
        let (mut occupants, mut seen) = (Occupants::default(), 0);
        for node in state.nodes.values() {
            for (ordinal, gpu) in node.facts.gpus.iter().enumerate() {
                if seen == COUNTED_MAX {
                    return occupants;
                }
                seen += 1;
                if !GpuClass::of(&node.facts, gpu).suits(ask) {
                    continue;
                }
                let leases = leases_on(state, &node.facts.name, &gpu.uuid);
                if leases.is_empty() && !node.is_closed() {
                    continue;
                }
                if occupants.gpus.len() == LISTED_MAX {
                    occupants.more += 1;
                    continue;
                }
                occupants.gpus.push(OccupiedGpu {
                    node: node.facts.name.clone(),
                    ordinal: (node.facts.gpus.len() > 1).then_some(ordinal),
                    down: node.down.is_some(),
                    draining: node.draining,
                    leases,
                });
            }
        }
        occupants
    }
}

fn leases_on(state: &State, node: &str, gpu: &str) -> Vec<Occupant> {
    let on_gpu = state.on_node(node).filter_map(|(_, lease)| {
        let Phase::Held { since_ms, parts, .. } = &lease.phase else { return None };
        let is_here = parts.iter().any(|part| part.node == node && part.gpu == gpu);
        let end_ms = |seconds: u64| since_ms.saturating_add(seconds.saturating_mul(1000));
        let until_ms = lease.ask.seconds_max.map(end_ms);
        is_here.then(|| Occupant { user: lease.holder.user.clone(), until_ms })
    });
    let mut leases: Vec<Occupant> = on_gpu.collect();
    leases.sort_by_key(|occupant| (occupant.until_ms.unwrap_or(u64::MAX), occupant.user.clone()));
    leases
}
