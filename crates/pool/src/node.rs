//! A node of the pool: a machine whose GPUs are handed out.

use crate::error::Error;
use outhaul_placement::curves::Link;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// GPUs of one node.
pub const NODE_GPUS_MAX: usize = 64;
const NAME_BYTES_MAX: usize = 128;

/// A GPU as its node describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// Its name on its node, for people and machines.
    pub uuid: String,
    /// What it is.
    pub model: String,
    /// How much memory it has.
    pub memory_bytes: u64,
}

/// What a node says when it joins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeFacts {
    /// The only one of this name.
    pub name: String,
    /// Where programs reach it: HOST:PORT.
    pub address: String,
    /// Its GPUs, in the order of their ordinals.
    pub gpus: Vec<Gpu>,
    /// Of its link to the clients, 0 if that is not known.
    #[serde(default)]
    pub link_gbps: u32,
    /// Switches between it and the clients.
    #[serde(default)]
    pub link_hops: u32,
}

impl NodeFacts {
    /// That it may be believed as far as numbers and names go.
    ///
    /// # Errors
    /// `Node`, with what is wrong.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |reason: String| Err(Error::Node(reason));
        let texts = self
            .gpus
            .iter()
            .flat_map(|gpu| [&gpu.uuid, &gpu.model])
            .chain([&self.name, &self.address]);
        for text in texts {
            if text.is_empty()
                || text.len() > NAME_BYTES_MAX
                || text.chars().any(|c| c.is_control())
            {
                return wrong(format!(
                    "'{}' is no name: 1 to {NAME_BYTES_MAX} bytes without control characters",
                    text.escape_debug()
                ));
            }
        }
        if self.name.contains('/') {
            return wrong(format!("the node's name '{}' has a slash", self.name));
        }
        if self.gpus.len() > NODE_GPUS_MAX {
            return wrong(format!("{} GPUs: at most {NODE_GPUS_MAX} on a node", self.gpus.len()));
        }
        if self.gpus.iter().map(|gpu| &gpu.uuid).collect::<BTreeSet<_>>().len() < self.gpus.len() {
            return wrong("two of its GPUs have one name".into());
        }
        if self.gpus.iter().any(|gpu| gpu.memory_bytes == 0) {
            return wrong("a GPU has no memory".into());
        }
        Ok(())
    }

    /// The way between it and its clients.
    pub fn link(&self) -> Link {
        Link::Network { gbps: self.link_gbps, hops: self.link_hops }
    }
}

/// A node and how it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// What it said.
    pub facts: NodeFacts,
    /// Whether nothing new is placed there.
    pub draining: bool,
    /// Larger than that of every earlier joining.
    pub joined: u64,
    /// Since when.
    pub since_ms: u64,
    /// That it is not to be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down: Option<Down>,
}

/// Since when a node is not to be had, and why. What runs there may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Down {
    /// Since when, in milliseconds since 1970.
    pub since_ms: u64,
    /// Why.
    pub why: Absence,
}

/// Why a node is not to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Absence {
    /// The pool does not hear of it.
    Silent,
    /// A holder could not reach it, and it has not been heard since.
    Unreachable,
    /// It said that it goes.
    Left,
    /// It says that its driver does not start. What runs there may go on.
    Unfit,
}

impl std::fmt::Display for Absence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Absence::Silent => "the pool does not hear of it",
            Absence::Unreachable => "a program could not reach it",
            Absence::Left => "it was ended",
            Absence::Unfit => "its driver does not start",
        })
    }
}

impl Node {
    /// Whether nothing new is placed there.
    pub fn is_closed(&self) -> bool {
        self.draining || self.down.is_some()
    }
}
