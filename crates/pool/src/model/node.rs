//! A node of the pool: a machine whose GPUs the pool leases.

use crate::error::Error;
use outhaul_placement::time_time_curves::Attachment;
use outhaul_wire::name::check_name;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most GPUs that one node may have.
pub const NODE_GPUS_MAX: usize = 64;
/// The most bytes of the texts by which nodes and GPUs are described.
const TEXT_BYTES_MAX: usize = 128;

/// A GPU, as its node describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// The GPU's name on its node, for people and programs.
    pub uuid: String,
    /// The name of the GPU's model.
    pub model: String,
    /// The GPU's memory in bytes.
    pub memory_bytes: u64,
}

/// A node's description of itself when it joins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeFacts {
    /// The node's unique name.
    pub name: String,
    /// The address at which programs reach the node: HOST:PORT.
    pub address: String,
    /// The node's GPUs, in the order of their ordinals.
    pub gpus: Vec<Gpu>,
    /// Bandwidth of the node's link to its clients in Gb/s; 0 if unknown.
    #[serde(default)]
    pub link_gbps: u32,
    /// The number of switches between the node and its clients.
    #[serde(default)]
    pub link_hops: u32,
}

impl NodeFacts {
    /// Checks that names and numbers are valid.
    ///
    /// # Errors
    /// `Node`, with the reason.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |reason: String| Err(Error::Node(reason));
        if let Err(error) = check_name("node", &self.name) {
            return wrong(format!("{error}; choose a name with --name"));
        }
        let texts = self.gpus.iter().flat_map(|gpu| [&gpu.uuid, &gpu.model]).chain([&self.address]);
        for text in texts {
            if text.is_empty()
                || text.len() > TEXT_BYTES_MAX
                || text.chars().any(|c| c.is_control())
            {
                return wrong(format!(
                    "'{}' does not describe a node or a GPU; use 1 to {TEXT_BYTES_MAX} bytes and \
                    no control characters",
                    text.escape_debug()
                ));
            }
        }
        if self.gpus.len() > NODE_GPUS_MAX {
            return wrong(format!("{} GPUs; a node may have {NODE_GPUS_MAX}", self.gpus.len()));
        }
        if self.gpus.iter().map(|gpu| &gpu.uuid).collect::<BTreeSet<_>>().len() < self.gpus.len() {
            return wrong("two of its GPUs have the same name".into());
        }
        if self.gpus.iter().any(|gpu| gpu.memory_bytes == 0) {
            return wrong("a GPU has no memory".into());
        }
        Ok(())
    }

    /// Returns the link between the node and its clients.
    pub fn link(&self) -> Attachment {
        Attachment::Network { gbps: self.link_gbps, hops: self.link_hops }
    }
}

/// A node and its current condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The node's description of itself when it joined.
    pub facts: NodeFacts,
    /// Whether the pool places nothing new on the node.
    pub draining: bool,
    /// A number that is larger than that of every earlier joining.
    pub joined: u64,
    /// When the node joined, in milliseconds since 1970.
    pub since_ms: u64,
    /// Set while the node is unavailable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down: Option<Down>,
}

/// When a node became unavailable, and why. The programs on the node may continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Down {
    /// When the node became unavailable, in milliseconds since 1970.
    pub since_ms: u64,
    /// Why the node is unavailable.
    pub why: Absence,
}

/// Why a node is unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Absence {
    /// The node sends no heartbeats.
    Silent,
    /// A holder could not reach the node, and the node has sent no heartbeat since.
    Unreachable,
    /// The node announced that it leaves.
    Left,
    /// The node reports that its driver does not start. The programs on the node may continue.
    Unfit,
}

impl std::fmt::Display for Absence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Absence::Silent => "the pool does not hear from it",
            Absence::Unreachable => "a program could not reach it",
            Absence::Left => "it was ended",
            Absence::Unfit => "its driver does not start",
        })
    }
}

impl Node {
    /// Returns whether the pool places nothing new on the node.
    pub fn is_closed(&self) -> bool {
        self.draining || self.down.is_some()
    }
}
