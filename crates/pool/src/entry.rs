//! What happens in a pool, as the entries of one log. The state is what they add up to, and the log
//! is the audit.

use crate::bill::Item;
use crate::lease::{Ask, End, Holder, Part};
use crate::node::{Absence, NodeFacts};
use crate::quota::Quota;
use serde::{Deserialize, Serialize};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// A node offers its GPUs. What an earlier one of that name had is gone.
    Joined {
        /// What it says.
        facts: NodeFacts,
    },
    /// A node is not to be had, and its leases go on if they can.
    Down {
        /// Its name.
        node: String,
        /// Why.
        why: Absence,
    },
    /// A node that was down is heard again.
    Up {
        /// Its name.
        node: String,
    },
    /// A node is gone and forgotten.
    Left {
        /// Its name.
        node: String,
    },
    /// Nothing new is placed on a node, or again.
    Drained {
        /// Its name.
        node: String,
        /// Whether from now on.
        draining: bool,
    },
    /// Somebody asks for a lease.
    Asked {
        /// Its name from now on.
        id: String,
        /// Who.
        holder: Holder,
        /// What.
        ask: Ask,
        /// Of the key by which sessions prove that they belong to it.
        key_hash: String,
        /// What the holder's token allows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limits: Option<Box<Quota>>,
    },
    /// Somebody has joined by a token that is good once.
    Admitted {
        /// The token's name.
        token: String,
        /// Until when it would have been good.
        until_ms: u64,
        /// The time of day where it was admitted, by which others have expired.
        #[serde(default)]
        wall_ms: u64,
    },
    /// The lease has its GPUs. The entry's index is its fencing token.
    Granted {
        /// Its name.
        id: String,
        /// Where.
        parts: Vec<Part>,
    },
    /// The lease's program could not begin where it was placed: it waits again, in its old place.
    Returned {
        /// Its name.
        id: String,
    },
    /// The lease is over, or the request is.
    Ended {
        /// Its name.
        id: String,
        /// Why.
        end: End,
    },
    /// A node has settled what a lease that has ended used of a GPU.
    Settled {
        /// The lease's name.
        id: String,
        /// What it used.
        item: Item,
    },
    /// What a user or a group may have; nothing is without limits.
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
    /// Never before that of an earlier entry.
    pub at_ms: u64,
    /// Like no other's, so that a writer that had no answer recognizes its own.
    pub nonce: String,
    /// In order.
    pub events: Vec<(Actor, Event)>,
}

/// On whose behalf something happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor(pub String);

impl Actor {
    /// The pool itself.
    pub fn pool() -> Actor {
        Actor("pool".into())
    }
}
