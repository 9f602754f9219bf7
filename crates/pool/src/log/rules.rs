//! The rules of a pool: a pure function from the state and a command to events or a refusal.

use crate::error::Error;
use crate::identity::token::SKEW_S;
use crate::log::entry::Event;
use crate::log::state::{State, held};
use crate::model::actor::Actor;
use crate::model::bill::Item;
use crate::model::inventory::Inventory;
use crate::model::lease::{Ask, End, Holder, Lease, Part, Phase};
use crate::model::node::{Absence, NodeFacts};
use crate::model::quota::Quota;
use outhaul_placement::policy::Policy;
use outhaul_placement::time_time_curves::Curves;
use outhaul_wire::name::check_name;

/// The most leases, including waiting requests.
const LEASES_MAX: usize = 100_000;
/// The most waiting requests of one user.
const WAITING_PER_USER_MAX: usize = 1000;
const NODES_MAX: usize = 10_000;
const QUOTAS_MAX: usize = 100_000;
/// The most used join tokens that the pool remembers until shortly after they expire.
const ADMITTED_MAX: usize = 100_000;
/// The pool forgets a node that has been down for this long and has no lease.
const FORGOTTEN_MS: u64 = 30 * 86_400_000;
/// The most leases that end in one entry because their time is over.
const OVERDUE_MAX: usize = 1024;
/// How many later requests may get GPUs that suit a waiting one; after that, no later one gets any.
const PASSED_MAX: u32 = 64;
/// The number of users whose requests the policy sees at least, if as many wait.
const USERS_IN_WINDOW_MIN: usize = 8;
/// The most requests at the head of the queue that are looked at for one grant.
const LOOKED_AT_MAX: usize = 4096;

/// The settings by which a pool places and ends leases.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The placement policy.
    pub policy: Policy,
    /// The number of waiting requests that the policy sees.
    pub window: usize,
    /// The curves of frame times over links.
    pub curves: Curves,
    /// The pool gives up a node that is down for this many seconds, and the node's leases end. With
    /// `None` the leases last until the node joins again or is removed.
    pub lost_after_s: Option<u64>,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { policy: Policy::Ours, window: 64, curves: Curves::Calls, lost_after_s: None }
    }
}

/// A command to the pool.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// A node offers its GPUs.
    Join(NodeFacts),
    /// A node leaves.
    Leave {
        /// The node's name.
        node: String,
    },
    /// Removes a node.
    Forget {
        /// The node's name.
        node: String,
    },
    /// A node sends no heartbeats.
    Silent {
        /// The node's name.
        node: String,
    },
    /// A node reports that no program can start there.
    Unfit {
        /// The node's name.
        node: String,
        /// The number that the pool gave the node when it joined.
        joined: u64,
    },
    /// A node that was down sends heartbeats again.
    Up {
        /// The node's name.
        node: String,
        /// The number that the pool gave the node when it joined.
        joined: u64,
    },
    /// A lease's holder cannot reach a node, and no program of the lease has started.
    Unreachable {
        /// The lease's name.
        id: String,
        /// The fencing token of the lease's grant that the report is about.
        fence: u64,
        /// The node's address as the holder knows it.
        address: String,
    },
    /// Stops or resumes placing leases on a node.
    Drain {
        /// The node's name.
        node: String,
        /// True to stop, false to resume.
        draining: bool,
    },
    /// Asks for a lease. Repeating the request with the same name and key changes nothing.
    Request {
        /// The lease's name.
        id: String,
        /// Hash of the lease's key.
        key_hash: String,
        /// The holder who asks.
        holder: Holder,
        /// The requested resources.
        ask: Ask,
        /// The limits of the holder's token.
        limits: Option<Box<Quota>>,
    },
    /// A node reports the final use of one GPU by an ended lease. Or the pool records the last
    /// report of a node that it lost. Repeating the command changes nothing.
    Bill {
        /// The lease's name.
        id: String,
        /// The use of a GPU by the lease.
        item: Item,
    },
    /// A user or node joins by a join token, which can be used only once.
    Admit {
        /// The token's name.
        token: String,
        /// When the token expires, in milliseconds since 1970.
        until_ms: u64,
        /// The time of day, in milliseconds since 1970.
        wall_ms: u64,
    },
    /// Ends a lease.
    Finish {
        /// The lease's name.
        id: String,
        /// Why the lease ends.
        end: End,
    },
    /// Sets a quota, or removes it.
    SetQuota {
        /// `user:NAME`, `group:NAME`, `user:*` or `group:*`.
        subject: String,
        /// The limits; `None` removes the quota.
        quota: Option<Quota>,
    },
    /// Ends overdue leases and removes nodes that have been down for too long.
    Tick,
}

impl Rules {
    /// Returns the events that `command` causes.
    ///
    /// # Errors
    /// The command is refused, with the reason, and causes no event.
    pub fn decide(
        &self,
        state: &State,
        now_ms: u64,
        command: &Command,
    ) -> Result<Vec<Event>, Error> {
        match command {
            Command::Join(facts) => join(state, facts),
            Command::Leave { node } => {
                let why = Absence::Left;
                let is_new = known(state, node)?.down.is_none_or(|down| down.why != why);
                Ok(lose(state, node)
                    .chain(is_new.then(|| Event::Down { node: node.clone(), why }))
                    .collect())
            }
            Command::Forget { node } => {
                known(state, node)?;
                Ok(lose(state, node).chain([Event::Left { node: node.clone() }]).collect())
            }
            Command::Silent { node } => {
                let is_news = known(state, node)?.down.is_none();
                Ok(Vec::from_iter(
                    is_news.then(|| Event::Down { node: node.clone(), why: Absence::Silent }),
                ))
            }
            Command::Unfit { node, joined } => {
                let why = Absence::Unfit;
                let is_news = member(state, node, *joined)?.down.is_none_or(|down| down.why != why);
                Ok(Vec::from_iter(is_news.then(|| Event::Down { node: node.clone(), why })))
            }
            Command::Up { node, joined } => bring_up(state, node, *joined),
            Command::Unreachable { id, fence, address } => unreachable(state, id, *fence, address),
            Command::Drain { node, draining } => {
                let changes = known(state, node)?.draining != *draining;
                Ok(Vec::from_iter(
                    changes.then(|| Event::Drained { node: node.clone(), draining: *draining }),
                ))
            }
            Command::Request { id, key_hash, holder, ask, limits } => {
                let (holder, ask, limits) = (holder.clone(), ask.clone(), limits.clone());
                let (key_hash, phase) = (key_hash.clone(), Phase::Waiting);
                self.request(
                    state,
                    now_ms,
                    id,
                    Lease {
                        holder,
                        ask,
                        limits,
                        key_hash,
                        arrival: 0,
                        asked_ms: now_ms,
                        passed: 0,
                        last_reported: Vec::new(),
                        phase,
                    },
                )
            }
            Command::Bill { id, item } => Ok(Vec::from_iter(
                state
                    .may_bill(id, item)
                    .then(|| Event::Billed { id: id.clone(), item: item.clone() }),
            )),
            Command::Admit { token, until_ms, wall_ms } => admit(state, token, *until_ms, *wall_ms),
            Command::Finish { id, end } => {
                let lease = state.leases.get(id).ok_or_else(|| ended(state, id))?;
                // A lease may be in use on a node that is down. The pool cannot know, so silence
                // does not end the lease.
                let is_known = !end.is_by_silence() || !state.is_without_node(lease);
                Ok(Vec::from_iter(is_known.then(|| Event::Ended { id: id.clone(), end: *end })))
            }
            Command::SetQuota { subject, quota } => set_quota(state, subject, quota),
            Command::Tick => Ok(self.overdue(state, now_ms)),
        }
    }

    fn request(
        &self,
        state: &State,
        now_ms: u64,
        id: &str,
        requested: Lease,
    ) -> Result<Vec<Event>, Error> {
        let Lease { holder, ask, .. } = &requested;
        if let Some(lease) = state.leases.get(id) {
            let same = lease.key_hash == requested.key_hash
                && lease.holder == *holder
                && lease.ask == *ask;
            return if same {
                Ok(Vec::new())
            } else {
                Err(Error::Asked(format!("a lease {id} exists already; choose another name")))
            };
        }
        if state.end_of(id).is_some() {
            return Err(ended(state, id));
        }
        ask.check()?;
        check_name("lease", id)?;
        check_name("user", &holder.user)?;
        holder.group.as_deref().map_or(Ok(()), |group| check_name("group", group))?;
        if state.leases.len() >= LEASES_MAX {
            return Err(Error::Asked(format!(
                "the pool has {LEASES_MAX} leases and requests already; try again later"
            )));
        }
        if let Some(reason) = state.inventory.never(&self.curves, ask) {
            return Err(Error::Asked(reason));
        }
        let user = &holder.user;
        if state.waiting_of(user) >= WAITING_PER_USER_MAX {
            return Err(Error::Quota(format!(
                "{WAITING_PER_USER_MAX} requests of user:{user} wait already, and no user may have \
                more; ask again when some have been granted, or release some"
            )));
        }
        // The request must fit the quota on at least one kind of GPU, as if the holder had no other
        // lease.
        let mut objections = Vec::new();
        for usage in state.inventory.usages(&self.curves, ask) {
            objections.push(state.over_quota_for_ever(&requested, &usage, now_ms));
        }
        if let Some(reason) = objections.into_iter().reduce(Option::and).flatten() {
            return Err(Error::Quota(reason));
        }
        let Lease { holder, ask, key_hash, limits, .. } = requested;
        Ok(vec![Event::Asked { id: id.to_owned(), holder, ask, key_hash, limits }])
    }

    /// Returns the ends of leases whose time or GPU-hours are used up or whose node is lost. Also
    /// returns the removals of nodes that have been down for too long.
    fn overdue(&self, state: &State, now_ms: u64) -> Vec<Event> {
        let is_down_for = |node: &str, limit_ms: u64| {
            let down = state.nodes.get(node).and_then(|node| node.down);
            down.is_some_and(|down| now_ms.saturating_sub(down.since_ms) >= limit_ms)
        };
        let lost_ms = self.lost_after_s.map(|seconds| seconds.saturating_mul(1000));
        let over = |lease: &Lease| {
            let Phase::Held { since_ms, ref parts, .. } = lease.phase else { return None };
            let seconds = now_ms.saturating_sub(since_ms) / 1000;
            if lease.ask.seconds_max.is_some_and(|max| seconds >= max) {
                return Some(End::TimeUp);
            }
            if lost_ms
                .is_some_and(|lost_ms| parts.iter().any(|part| is_down_for(&part.node, lost_ms)))
            {
                return Some(End::NodeLost);
            }
            state.hours_used_up(lease, now_ms).then_some(End::QuotaUsedUp)
        };
        let ends = state
            .leases
            .iter()
            .filter_map(|(id, lease)| Some(Event::Ended { id: id.clone(), end: over(lease)? }));
        let is_forgettable = |node: &&String| {
            is_down_for(node, FORGOTTEN_MS) && state.on_node(node).next().is_none()
        };
        let forgotten = state
            .nodes
            .keys()
            .filter(is_forgettable)
            .map(|node| Event::Left { node: node.clone() });
        // The next tick, a moment later, has the rest.
        ends.chain(forgotten).take(OVERDUE_MAX).collect()
    }

    /// Returns the next grant that is possible now. A request that `PASSED_MAX` later ones have
    /// overtaken reserves all GPUs that suit it.
    pub fn next_grant(&self, state: &State, now_ms: u64) -> Option<Event> {
        let mut refused = Vec::new();
        while refused.len() <= self.window {
            let seen = self.visible(state, now_ms, &refused);
            let asks: Vec<&Ask> = seen.iter().map(|(_, lease)| &lease.ask).collect();
            let is_overtaken = |at: &usize| seen[*at].1.passed >= PASSED_MAX;
            let reserving: Vec<usize> = (0..seen.len()).filter(is_overtaken).collect();
            let (position, parts) =
                state.inventory.choose(self.policy, &self.curves, &asks, &reserving)?;
            let (id, lease) = seen[position];
            if state.over_quota(lease, &held(&parts), now_ms).is_none() {
                return Some(Event::Granted { id: id.to_owned(), parts });
            }
            refused.push(lease);
        }
        None
    }

    /// Returns the waiting requests that the policy sees: the first ones in the queue that fit
    /// their quotas. Of requests that want the same, it sees the first, since a later one fits only
    /// where that one does. It sees few of each user. So nobody hides the requests of others, for
    /// other GPUs, behind many of their own. Requests like those in `refused`, of the same users,
    /// are left out.
    fn visible<'a>(
        &self,
        state: &'a State,
        now_ms: u64,
        refused: &[&Lease],
    ) -> Vec<(&'a str, &'a Lease)> {
        let window = self.window.max(1);
        let of_user_max = window.div_ceil(USERS_IN_WINDOW_MIN);
        let mut seen: Vec<(&str, &Lease)> = Vec::with_capacity(window);
        for (id, lease) in state.queue().take(LOOKED_AT_MAX) {
            let is_of_user = |other: &Lease| other.holder.user == lease.holder.user;
            let is_known = seen.iter().any(|(_, other)| other.ask.is_alike(&lease.ask))
                || refused.iter().any(|other| is_of_user(other) && other.ask.is_alike(&lease.ask));
            if is_known
                || seen.iter().filter(|(_, other)| is_of_user(other)).count() >= of_user_max
                || state.waits_for_quota(lease, now_ms).is_some()
            {
                continue;
            }
            seen.push((id, lease));
            if seen.len() == window {
                break;
            }
        }
        seen
    }
}

fn known<'a>(state: &'a State, node: &str) -> Result<&'a crate::model::node::Node, Error> {
    state.nodes.get(node).ok_or_else(|| Error::NoSuch(format!("the pool has no node '{node}'")))
}

/// Returns the error for a lease that has ended or never existed.
pub(crate) fn ended(state: &State, id: &str) -> Error {
    match state.end_of(id) {
        Some(end) => Error::Ended(format!("the lease {id} has ended: {end}")),
        None => Error::NoSuch(format!("the pool has no lease {id}")),
    }
}

fn join(state: &State, facts: &NodeFacts) -> Result<Vec<Event>, Error> {
    facts.check()?;
    let previous = state.nodes.get(&facts.name);
    if let Some(previous) = previous
        .filter(|previous| previous.down.is_none() && previous.facts.address != facts.address)
    {
        let (name, address) = (&facts.name, &previous.facts.address);
        return Err(Error::Node(format!(
            "the pool has a node '{name}' at {address}; choose another name with --name, or wait \
            until that node is gone"
        )));
    }
    let alike = state
        .nodes
        .iter()
        .find(|(name, _)| **name != facts.name && name.eq_ignore_ascii_case(&facts.name));
    if let Some((alike, _)) = alike.filter(|(_, node)| node.down.is_none()) {
        let name = &facts.name;
        return Err(Error::Node(format!(
            "the pool has a node '{alike}', and '{name}' differs only in case; choose another name \
            with --name, or wait until that node is gone"
        )));
    }
    if previous.is_none() && state.nodes.len() >= NODES_MAX {
        return Err(Error::Node(format!(
            "the pool has {NODES_MAX} nodes already; remove those that are gone with `outhaul node \
            forget`"
        )));
    }
    let others =
        state.nodes.values().map(|node| &node.facts).filter(|other| other.name != facts.name);
    Inventory::check_room(others.chain([facts]))?;
    // A node that joins again has lost its sessions. A node that is down does not block its name
    // for another machine.
    let forgotten = alike
        .into_iter()
        .flat_map(|(name, _)| lose(state, name).chain([Event::Left { node: name.clone() }]));
    Ok(forgotten
        .chain(lose(state, &facts.name))
        .chain([Event::Joined { facts: facts.clone() }])
        .collect())
}

fn admit(state: &State, token: &str, until_ms: u64, wall_ms: u64) -> Result<Vec<Event>, Error> {
    if state.admitted.contains_key(token) {
        return Err(Error::Forbidden(
            "the join token is good once and has been used already; ask for another".into(),
        ));
    }
    if until_ms <= state.forgotten_ms {
        return Err(Error::Forbidden(format!(
            "the join token expires before others that the pool has forgotten, so the pool cannot \
            know whether it was used: the clock of one of the pool's machines is, or was, wrong by \
            more than {SKEW_S} s; set it, and ask for another token"
        )));
    }
    if state.admitted.len() >= ADMITTED_MAX {
        return Err(Error::Busy(format!(
            "it remembers {ADMITTED_MAX} used tokens that have not expired"
        )));
    }
    Ok(vec![Event::Admitted { token: token.to_owned(), until_ms, wall_ms }])
}

/// Returns an end for each lease with a part on `node`.
fn lose(state: &State, node: &str) -> impl Iterator<Item = Event> {
    state.on_node(node).map(|(id, _)| Event::Ended { id: id.to_owned(), end: End::NodeLost })
}

/// Returns the node, if it is a member. A node that left, or whose name another node has taken,
/// must join again.
fn member<'a>(
    state: &'a State,
    node: &str,
    joined: u64,
) -> Result<&'a crate::model::node::Node, Error> {
    let is_member = |known: &&crate::model::node::Node| {
        known.joined == joined && known.down.is_none_or(|down| down.why != Absence::Left)
    };
    state
        .nodes
        .get(node)
        .filter(is_member)
        .ok_or_else(|| Error::Ended(format!("the node {node} must join anew")))
}

fn bring_up(state: &State, node: &str, joined: u64) -> Result<Vec<Event>, Error> {
    let is_down = member(state, node, joined)?.down.is_some();
    Ok(Vec::from_iter(is_down.then(|| Event::Up { node: node.to_owned() })))
}

/// Returns the events by which the node is down until its next heartbeat and the lease waits again.
fn unreachable(state: &State, id: &str, fence: u64, address: &str) -> Result<Vec<Event>, Error> {
    let lease = state.leases.get(id).ok_or_else(|| ended(state, id))?;
    if lease.fence() != Some(fence) {
        // The command is a repetition, or is about an earlier grant.
        return Ok(Vec::new());
    }
    let at_address =
        |part: &Part| state.nodes.get(&part.node).filter(|node| node.facts.address == address);
    let node = lease.parts().iter().find_map(at_address);
    let node = node
        .ok_or_else(|| Error::Asked(format!("the lease {id} has no GPU of a node at {address}")))?;
    let down = node
        .down
        .is_none()
        .then(|| Event::Down { node: node.facts.name.clone(), why: Absence::Unreachable });
    Ok(down.into_iter().chain([Event::Returned { id: id.to_owned() }]).collect())
}

fn set_quota(state: &State, subject: &str, quota: &Option<Quota>) -> Result<Vec<Event>, Error> {
    match subject.split_once(':') {
        Some(("user" | "group", "*")) => {}
        Some(("user", name)) => check_name("user", name)?,
        Some(("group", name)) => check_name("group", name)?,
        _ => {
            let subject = subject.escape_debug();
            let reason = format!("'{subject}' is not user:NAME, group:NAME, user:* or group:*");
            return Err(Error::Asked(reason));
        }
    }
    let negative =
        |limit: Option<f64>| limit.is_some_and(|limit| !(limit >= 0.0 && limit.is_finite()));
    if quota.as_ref().is_some_and(|quota| negative(quota.gpus) || negative(quota.gpu_hours)) {
        return Err(Error::Asked("a quota must be zero or a positive number".into()));
    }
    if state.quotas.len() >= QUOTAS_MAX && !state.quotas.contains_key(subject) {
        return Err(Error::Asked(format!("the pool has {QUOTAS_MAX} quotas already")));
    }
    Ok(vec![Event::QuotaSet { subject: subject.to_owned(), quota: quota.clone() }])
}

impl Command {
    /// Returns the actor on whose behalf the command is carried out, if the caller names no other.
    pub fn actor(&self) -> Actor {
        match self {
            Command::Request { holder, .. } => Actor(format!("user:{}", holder.user)),
            Command::Join(facts) => Actor(format!("node:{}", facts.name)),
            _ => Actor::pool(),
        }
    }
}
