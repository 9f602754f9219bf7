//! What may happen in a pool: from what somebody wants and the state to events, or to a refusal. Pure.

use crate::bill::Item;
use crate::curves::Curves;
use crate::entry::{Actor, Event};
use crate::error::Error;
use crate::identity::token::SKEW_S;
use crate::inventory::Inventory;
use crate::lease::{Ask, End, Holder, Lease, Phase};
use crate::node::NodeFacts;
use crate::placement::Policy;
use crate::quota::{Quota, Usage};
use crate::state::{State, held, least};

/// Leases that wait or are held.
const LEASES_MAX: usize = 100_000;
const NODES_MAX: usize = 10_000;
const QUOTAS_MAX: usize = 100_000;
/// Join tokens that are used and have not expired, or not for long.
const ADMITTED_MAX: usize = 100_000;
const NAME_BYTES_MAX: usize = 64;
/// How often a request may be passed by others before everybody behind it waits.
const PASSED_MAX: u32 = 64;

/// How a pool places.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Who goes where.
    pub policy: Policy,
    /// How many of those that wait it sees.
    pub window: usize,
    /// What links cost frames.
    pub curves: Curves,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { policy: Policy::Ours, window: 64, curves: Curves::Transfer }
    }
}

/// What somebody wants.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// A node offers its GPUs.
    Join(NodeFacts),
    /// A node goes, or was not heard of.
    Leave {
        /// Its name.
        node: String,
    },
    /// Nothing new on a node, or again.
    Drain {
        /// Its name.
        node: String,
        /// Whether from now on.
        draining: bool,
    },
    /// A lease. Asking again under the same name and key changes nothing.
    Request {
        /// Its name.
        id: String,
        /// Of its key.
        key_hash: String,
        /// Who asks.
        holder: Holder,
        /// What is asked for.
        ask: Ask,
        /// What the holder's token allows.
        limits: Option<Box<Quota>>,
    },
    /// A node has settled what a lease used. Saying so again changes nothing.
    Settle {
        /// The lease's name.
        id: String,
        /// What it used of a GPU.
        item: Item,
    },
    /// Somebody joins by a token that is good once.
    Admit {
        /// The token's name.
        token: String,
        /// Until when it would have been good.
        until_ms: u64,
        /// The time of day.
        wall_ms: u64,
    },
    /// The end of a lease.
    Finish {
        /// Its name.
        id: String,
        /// Why.
        end: End,
    },
    /// Another quota, or none.
    SetQuota {
        /// `user:NAME`, `group:NAME`, `user:*` or `group:*`.
        subject: String,
        /// The limits.
        quota: Option<Quota>,
    },
    /// Time has passed.
    Tick,
}

impl Rules {
    /// What follows from a command.
    ///
    /// # Errors
    /// Why it is refused; nothing happens then.
    pub fn decide(&self, state: &State, now_ms: u64, command: &Command) -> Result<Vec<Event>, Error> {
        match command {
            Command::Join(facts) => join(state, facts),
            Command::Leave { node } => {
                known(state, node)?;
                Ok(leave(state, node))
            }
            Command::Drain { node, draining } => {
                let changes = known(state, node)?.draining != *draining;
                Ok(Vec::from_iter(changes.then(|| Event::Drained { node: node.clone(), draining: *draining })))
            }
            Command::Request { id, key_hash, holder, ask, limits } => {
                let (holder, ask, limits) = (holder.clone(), ask.clone(), limits.clone());
                let (key_hash, phase) = (key_hash.clone(), Phase::Waiting);
                self.request(state, now_ms, id, Lease { holder, ask, limits, key_hash, arrival: 0, asked_ms: now_ms, passed: 0, phase })
            }
            Command::Settle { id, item } => {
                Ok(Vec::from_iter(state.may_settle(id, item).then(|| Event::Settled { id: id.clone(), item: item.clone() })))
            }
            Command::Admit { token, until_ms, wall_ms } => admit(state, token, *until_ms, *wall_ms),
            Command::Finish { id, end } if state.leases.contains_key(id) => Ok(vec![Event::Ended { id: id.clone(), end: *end }]),
            Command::Finish { id, .. } => Err(ended(state, id)),
            Command::SetQuota { subject, quota } => set_quota(state, subject, quota),
            Command::Tick => Ok(overdue(state, now_ms)),
        }
    }

    fn request(&self, state: &State, now_ms: u64, id: &str, wished: Lease) -> Result<Vec<Event>, Error> {
        let Lease { holder, ask, .. } = &wished;
        if let Some(lease) = state.leases.get(id) {
            let same = lease.key_hash == wished.key_hash && lease.holder == *holder && lease.ask == *ask;
            return if same { Ok(Vec::new()) } else { Err(Error::Asked(format!("there is a lease {id} already"))) };
        }
        if state.end_of(id).is_some() {
            return Err(ended(state, id));
        }
        ask.check()?;
        for name in [id, holder.user.as_str()].into_iter().chain(holder.group.as_deref()) {
            check_name(name)?;
        }
        if state.leases.len() >= LEASES_MAX {
            return Err(Error::Asked(format!("the pool has {LEASES_MAX} leases and requests already; try again later")));
        }
        if let Some(reason) = state.inventory.never(&self.curves, ask) {
            return Err(Error::Asked(reason));
        }
        if let Some(reason) = state.over_quota(&wished, &Usage { leases: 1, ..Usage::default() }, now_ms) {
            return Err(Error::Quota(reason));
        }
        if let Some(reason) = state.over_quota_alone(&wished, &least(&wished.ask)) {
            return Err(Error::Quota(reason));
        }
        let Lease { holder, ask, key_hash, limits, .. } = wished;
        Ok(vec![Event::Asked { id: id.to_owned(), holder, ask, key_hash, limits }])
    }

    /// The next grant that can be made now. Who was passed too often is not passed any more, unless a quota is what holds it.
    pub fn next_grant(&self, state: &State, now_ms: u64) -> Option<Event> {
        let fits_quota = |lease: &Lease| state.waits_for_quota(lease, now_ms).is_none();
        let mut seen: Vec<(&str, &Lease)> = state.queue().filter(|(_, lease)| fits_quota(lease)).take(self.window.max(1)).collect();
        if seen.first().is_some_and(|(_, lease)| lease.passed >= PASSED_MAX) {
            seen.truncate(1);
        }
        while !seen.is_empty() {
            let asks: Vec<&Ask> = seen.iter().map(|(_, lease)| &lease.ask).collect();
            let (position, parts) = state.inventory.choose(self.policy, &self.curves, &asks)?;
            let (id, lease) = seen[position];
            if state.over_quota(lease, &held(&parts), now_ms).is_none() {
                return Some(Event::Granted { id: id.to_owned(), parts });
            }
            seen.remove(position);
        }
        None
    }
}

fn known<'a>(state: &'a State, node: &str) -> Result<&'a crate::node::Node, Error> {
    state.nodes.get(node).ok_or_else(|| Error::NoSuch(format!("the pool has no node '{node}'")))
}

pub(crate) fn ended(state: &State, id: &str) -> Error {
    match state.end_of(id) {
        Some(end) => Error::Ended(format!("the lease {id} has ended: {end}")),
        None => Error::NoSuch(format!("the pool has no lease {id}")),
    }
}

fn join(state: &State, facts: &NodeFacts) -> Result<Vec<Event>, Error> {
    facts.check()?;
    let previous = state.nodes.get(&facts.name);
    if let Some(previous) = previous.filter(|previous| previous.facts.address != facts.address) {
        let (name, address) = (&facts.name, &previous.facts.address);
        return Err(Error::Node(format!(
            "a node '{name}' at {address} is in the pool: choose another name with --name, or wait until it is gone"
        )));
    }
    let alike = state.nodes.keys().find(|name| **name != facts.name && name.eq_ignore_ascii_case(&facts.name));
    if let Some(alike) = alike {
        let name = &facts.name;
        return Err(Error::Node(format!(
            "the pool has a node '{alike}', and '{name}' differs from it in case only: choose another name with --name, or wait until it is gone"
        )));
    }
    if previous.is_none() && state.nodes.len() >= NODES_MAX {
        return Err(Error::Node(format!("the pool has {NODES_MAX} nodes already")));
    }
    Inventory::check_room(state.nodes.values().map(|node| &node.facts).chain([facts]))?;
    // One that joins anew has lost its sessions.
    let mut events = if previous.is_some() { leave(state, &facts.name) } else { Vec::new() };
    events.push(Event::Joined { facts: facts.clone() });
    Ok(events)
}

fn admit(state: &State, token: &str, until_ms: u64, wall_ms: u64) -> Result<Vec<Event>, Error> {
    if state.admitted.contains_key(token) {
        return Err(Error::Forbidden("the join token has been used already, and is good once; ask for another".into()));
    }
    if until_ms <= state.forgotten_ms {
        return Err(Error::Forbidden(format!(
            "the join token ends before others that the pool has forgotten, so nobody knows whether it was used: the clock of one of the pool's machines \
             is, or was, wrong by more than {SKEW_S} s; set it, and ask for another token"
        )));
    }
    if state.admitted.len() >= ADMITTED_MAX {
        return Err(Error::Busy(format!("{ADMITTED_MAX} have joined by tokens that would still be good")));
    }
    Ok(vec![Event::Admitted { token: token.to_owned(), until_ms, wall_ms }])
}

fn leave(state: &State, node: &str) -> Vec<Event> {
    let ended = state.on_node(node).map(|(id, _)| Event::Ended { id: id.to_owned(), end: End::NodeLost });
    ended.chain([Event::Left { node: node.to_owned() }]).collect()
}

fn set_quota(state: &State, subject: &str, quota: &Option<Quota>) -> Result<Vec<Event>, Error> {
    let name = subject.strip_prefix("user:").or_else(|| subject.strip_prefix("group:"));
    let name = name.ok_or_else(|| Error::Asked(format!("'{subject}' is no subject: user:NAME, group:NAME, user:* or group:*")))?;
    if name != "*" {
        check_name(name)?;
    }
    let negative = |limit: Option<f64>| limit.is_some_and(|limit| !(limit >= 0.0 && limit.is_finite()));
    if quota.as_ref().is_some_and(|quota| negative(quota.gpus) || negative(quota.gpu_hours)) {
        return Err(Error::Asked("a quota is a number that is not negative".into()));
    }
    if state.quotas.len() >= QUOTAS_MAX && !state.quotas.contains_key(subject) {
        return Err(Error::Asked(format!("the pool has {QUOTAS_MAX} quotas already")));
    }
    Ok(vec![Event::QuotaSet { subject: subject.to_owned(), quota: quota.clone() }])
}

/// Leases whose time or quota is used up.
fn overdue(state: &State, now_ms: u64) -> Vec<Event> {
    let over = |lease: &Lease| {
        let Phase::Held { since_ms, .. } = lease.phase else { return None };
        let seconds = now_ms.saturating_sub(since_ms) / 1000;
        let late = lease.ask.seconds_max.is_some_and(|max| seconds >= max);
        if late { Some(End::TimeUp) } else { state.hours_used_up(lease, now_ms).then_some(End::QuotaUsedUp) }
    };
    state.leases.iter().filter_map(|(id, lease)| Some(Event::Ended { id: id.clone(), end: over(lease)? })).collect()
}

/// That it can be a name.
///
/// # Errors
/// `Asked`, with what is wrong.
pub fn check_name(name: &str) -> Result<(), Error> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.@".contains(c);
    if !name.is_empty() && name.len() <= NAME_BYTES_MAX && name.chars().all(plain) {
        return Ok(());
    }
    Err(Error::Asked(format!("'{}' is no name: 1 to {NAME_BYTES_MAX} letters, digits and -_.@", name.escape_debug())))
}

impl Command {
    /// On whose behalf it is carried out, unless somebody else is named.
    pub fn actor(&self) -> Actor {
        match self {
            Command::Request { holder, .. } => Actor(format!("user:{}", holder.user)),
            Command::Join(facts) => Actor(format!("node:{}", facts.name)),
            _ => Actor::pool(),
        }
    }
}
