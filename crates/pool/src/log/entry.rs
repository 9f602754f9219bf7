//! The events of a pool, as entries of one log. The entries determine the pool's state and form its
//! audit trail.

use crate::model::actor::Actor;
use crate::model::bill::Item;
use crate::model::lease::{Ask, End, Holder, Part};
use crate::model::node::{Absence, NodeFacts};
use crate::model::quota::Quota;
use serde::{Deserialize, Serialize};

/// An event in the life of a pool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// A node offers its GPUs. All leases of an earlier node with this name have ended.
    Joined {
        /// The node's description of itself.
        facts: NodeFacts,
    },
    /// A node is unavailable; the programs on it may continue.
    Down {
        /// The node's name.
        node: String,
        /// Why the node is unavailable.
        why: Absence,
    },
    /// A node that was down sends heartbeats again.
    Up {
        /// The node's name.
        node: String,
    },
    /// The pool removes a node.
    Left {
        /// The node's name.
        node: String,
    },
    /// The pool stops placing new leases on a node, or resumes.
    Drained {
        /// The node's name.
        node: String,
        /// True if the pool stops, false if it resumes.
        draining: bool,
    },
    /// A user asks for a lease.
    Asked {
        /// The lease's name.
        id: String,
        /// The holder who asks.
        holder: Holder,
        /// The requested resources.
        ask: Ask,
        /// Hash of the key by which sessions prove that they belong to the lease.
        key_hash: String,
        /// The limits of the holder's token.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limits: Option<Box<Quota>>,
    },
    /// A user or node has joined by a join token, which can be used only once.
    Admitted {
        /// The token's name.
        token: String,
        /// When the token expires, in milliseconds since 1970.
        until_ms: u64,
        /// The time of day at admission, which decides which other used tokens have expired.
        #[serde(default)]
        wall_ms: u64,
    },
    /// The pool grants the lease its GPUs. The entry's index is the lease's fencing token.
    Granted {
        /// The lease's name.
        id: String,
        /// The parts of GPUs that the lease has.
        parts: Vec<Part>,
    },
    /// The lease's program could not start where the pool placed the lease. The lease waits again,
    /// at its earlier position in the queue.
    Returned {
        /// The lease's name.
        id: String,
    },
    /// The lease or request has ended.
    Ended {
        /// The lease's name.
        id: String,
        /// Why the lease ended.
        end: End,
    },
    /// A node reports the final use of one GPU by an ended lease. Or the pool records the last
    /// report of a node that it lost.
    #[serde(rename = "settled")]
    Billed {
        /// The lease's name.
        id: String,
        /// The use of a GPU by the lease.
        item: Item,
    },
    /// An operator sets the quota of a user or a group, or removes it.
    QuotaSet {
        /// `user:NAME`, `group:NAME`, or `user:*` and `group:*` for those without a quota of their
        /// own.
        subject: String,
        /// The limits; `None` removes the quota.
        #[serde(default)]
        quota: Option<Quota>,
    },
}

impl Event {
    /// Returns the event's size, as a number of records of at most about 500 bytes.
    pub(crate) fn records(&self) -> usize {
        match self {
            Event::Joined { facts } => 1 + facts.gpus.len(),
            Event::Granted { parts, .. } => 1 + parts.len(),
            Event::Asked { .. } => 3,
            _ => 1,
        }
    }
}

/// Events that take effect together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When the entry was made, in milliseconds since 1970; never earlier than a previous entry.
    pub at_ms: u64,
    /// A unique text, so that a writer that got no answer recognizes its own entry.
    pub nonce: String,
    /// The events, in order.
    pub events: Vec<(Actor, Event)>,
}

/// An entry of the log.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Logged {
    /// The entry's index.
    pub index: u64,
    /// The entry.
    #[serde(flatten)]
    pub entry: Entry,
}
