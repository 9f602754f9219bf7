//! The events of a pool, as entries of one log. The log's entries determine the state, and serve as
//! the audit trail.

use crate::model::actor::Actor;
use crate::model::bill::Item;
use crate::model::lease::{Ask, End, Holder, Part};
use crate::model::node::{Absence, NodeFacts};
use crate::model::quota::Quota;
use serde::{Deserialize, Serialize};

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// A node offers its GPUs. The leases of an earlier node of that name have ended.
    Joined {
        /// The node's description of itself.
        facts: NodeFacts,
    },
    /// A node is unavailable; its leases continue if they can.
    Down {
        /// The node's name.
        node: String,
        /// Why it is unavailable.
        why: Absence,
    },
    /// A node that was down sends heartbeats again.
    Up {
        /// The node's name.
        node: String,
    },
    /// A node is removed.
    Left {
        /// The node's name.
        node: String,
    },
    /// The pool stops placing new leases on a node, or resumes.
    Drained {
        /// The node's name.
        node: String,
        /// True for stop.
        draining: bool,
    },
    /// A user asks for a lease.
    Asked {
        /// The lease's name.
        id: String,
        /// The holder that asks.
        holder: Holder,
        /// The requested resources.
        ask: Ask,
        /// Hash of the key by which sessions prove that they belong to the lease.
        key_hash: String,
        /// The limits of the holder's token.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limits: Option<Box<Quota>>,
    },
    /// A user or node has joined by a token, which is good once.
    Admitted {
        /// The token's name.
        token: String,
        /// When the token would have expired.
        until_ms: u64,
        /// The time of day at admission; it decides which other tokens have expired.
        #[serde(default)]
        wall_ms: u64,
    },
    /// The lease has its GPUs. The entry's index is its fencing token.
    Granted {
        /// The lease's name.
        id: String,
        /// Its GPUs.
        parts: Vec<Part>,
    },
    /// The lease's program could not start where the pool placed it: the lease waits again, at its
    /// old position.
    Returned {
        /// The lease's name.
        id: String,
    },
    /// The lease or request has ended.
    Ended {
        /// The lease's name.
        id: String,
        /// Why it ended.
        end: End,
    },
    /// A node reports finally what an ended lease used of a GPU.
    #[serde(rename = "settled")]
    Billed {
        /// The lease's name.
        id: String,
        /// The use of a GPU.
        item: Item,
    },
    /// Sets the quota of a user or a group; none means no limits.
    QuotaSet {
        /// `user:NAME`, `group:NAME`, or `user:*` and `group:*` for those without their own.
        subject: String,
        /// The limits.
        #[serde(default)]
        quota: Option<Quota>,
    },
}

/// Events that happened together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Never earlier than that of a previous entry.
    pub at_ms: u64,
    /// Unique, so a writer that got no answer recognizes its own entry.
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
