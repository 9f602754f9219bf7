//! The state of a pool after the entries of its log: nodes, leases, quotas. Pure: the same entries
//! give the same state.

use crate::identity::token::SKEW_S;
use crate::log::entry::{Entry, Event};
use crate::model::bill::{Bill, Item};
use crate::model::inventory::Inventory;
use crate::model::lease::{Ask, End, Lease, Part, Phase};
use crate::model::node::{Down, Node};
use crate::model::quota::{Quota, Usage};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How many ended leases the state remembers.
const ENDED_MAX: usize = 4096;
const HOUR_MS: f64 = 3_600_000.0;

/// The state after some number of entries.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct State {
    /// The index of the last entry.
    pub head: u64,
    /// The time of that entry.
    pub at_ms: u64,
    /// Nodes by name.
    pub nodes: BTreeMap<String, Node>,
    /// Leases by name, waiting and held.
    pub leases: BTreeMap<String, Lease>,
    /// Quotas by subject.
    pub quotas: BTreeMap<String, Quota>,
    /// Use by subject.
    pub usage: BTreeMap<String, Usage>,
    /// Used join tokens, and when each would have expired.
    #[serde(default)]
    pub admitted: BTreeMap<String, u64>,
    /// The latest expiry among the used join tokens that were deleted.
    #[serde(default)]
    pub forgotten_ms: u64,
    /// Bills of ended leases, the oldest first.
    #[serde(default)]
    pub bills: VecDeque<Bill>,
    /// The last ended leases, the oldest first.
    ended: VecDeque<(String, End)>,
    arrivals: u64,
    #[serde(skip)]
    queue: BTreeSet<(Reverse<i8>, u64, String)>,
    /// Names of leases by the nodes on which they have a part.
    #[serde(skip)]
    by_node: BTreeMap<String, BTreeSet<String>>,
    #[serde(skip)]
    pub(crate) inventory: Inventory,
    /// Whether nodes came or went since the inventory was built. Many changes need only one
    /// rebuild.
    #[serde(skip)]
    stale: bool,
}

impl State {
    /// Adds one entry.
    pub fn apply(&mut self, index: u64, entry: &Entry) {
        entry.events.iter().for_each(|(_, event)| self.happen(index, entry.at_ms, event));
        self.advance(index, entry.at_ms);
    }

    /// Notes that the events of the entry at `index` have been applied.
    pub(crate) fn advance(&mut self, index: u64, at_ms: u64) {
        self.head = index;
        self.at_ms = self.at_ms.max(at_ms);
        self.restock();
    }

    /// Applies one event of the entry at `index`.
    pub(crate) fn happen(&mut self, index: u64, at_ms: u64, event: &Event) {
        match event {
            Event::Joined { facts } => {
                let node = Node {
                    facts: facts.clone(),
                    draining: false,
                    joined: index,
                    since_ms: at_ms,
                    down: None,
                };
                self.nodes.insert(facts.name.clone(), node);
                self.stale = true;
            }
            Event::Left { node } => {
                self.nodes.remove(node);
                self.stale = true;
            }
            Event::Drained { node, draining } => {
                self.nodes.get_mut(node).into_iter().for_each(|node| node.draining = *draining);
                self.close(node);
            }
            Event::Down { node, why } => {
                let down = Some(Down { since_ms: at_ms, why: *why });
                self.nodes.get_mut(node).into_iter().for_each(|node| node.down = down);
                self.close(node);
            }
            Event::Up { node } => {
                self.nodes.get_mut(node).into_iter().for_each(|node| node.down = None);
                self.close(node);
            }
            Event::Asked { id, holder, ask, key_hash, limits } => {
                let (holder, ask, limits, key_hash) =
                    (holder.clone(), ask.clone(), limits.clone(), key_hash.clone());
                let lease = Lease {
                    holder,
                    ask,
                    limits,
                    key_hash,
                    arrival: self.arrivals,
                    asked_ms: at_ms,
                    passed: 0,
                    phase: Phase::Waiting,
                };
                self.arrivals += 1;
                self.use_more(&lease, &Usage { leases: 1, ..Usage::default() });
                self.queue.insert(place_in_queue(id, &lease));
                self.leases.insert(id.clone(), lease);
            }
            Event::Granted { id, parts } => {
                self.grant(id, Phase::Held { fence: index, since_ms: at_ms, parts: parts.clone() })
            }
            Event::Returned { id } => self.give_back(id),
            Event::Ended { id, end } => self.end(id, *end, at_ms),
            Event::Admitted { token, until_ms, wall_ms } => self.admit(token, *until_ms, *wall_ms),
            Event::Billed { id, item } => {
                let bill = self.bills.iter_mut().rev().find(|bill| bill.id == *id);
                bill.into_iter().for_each(|bill| bill.items.push(item.clone()));
            }
            Event::QuotaSet { subject, quota } => {
                self.usage.entry(subject.clone()).or_default().gpu_hours = 0.0;
                match quota {
                    Some(quota) => drop(self.quotas.insert(subject.clone(), quota.clone())),
                    None => drop(self.quotas.remove(subject)),
                }
            }
        }
    }

    /// Deletes tokens that have expired by every clock that is not far wrong, since they are
    /// refused for that. A clock that is far wrong refuses them because they expire before
    /// `forgotten_ms`.
    fn admit(&mut self, token: &str, until_ms: u64, wall_ms: u64) {
        let expired_ms = wall_ms.saturating_sub(SKEW_S * 1000);
        let forgotten_ms =
            self.admitted.values().copied().filter(|until_ms| *until_ms <= expired_ms).max();
        self.forgotten_ms = self.forgotten_ms.max(forgotten_ms.unwrap_or(0));
        self.admitted.retain(|_, until_ms| *until_ms > expired_ms);
        self.admitted.insert(token.to_owned(), until_ms);
    }

    fn grant(&mut self, id: &str, phase: Phase) {
        let Some(lease) = self.leases.get_mut(id) else { return };
        let place = place_in_queue(id, lease);
        lease.phase = phase;
        let lease = lease.clone();
        for (_, _, earlier) in self.queue.range(..&place) {
            self.leases
                .get_mut(earlier)
                .into_iter()
                .for_each(|earlier| earlier.passed = earlier.passed.saturating_add(1));
        }
        self.queue.remove(&place);
        if !self.stale {
            lease.parts().iter().for_each(|part| self.inventory.take(part));
        }
        self.put_on_nodes(id, &lease);
        self.use_more(&lease, &held(lease.parts()));
    }

    /// The lease waits again, at its old position.
    fn give_back(&mut self, id: &str) {
        let Some(lease) = self.leases.get_mut(id) else { return };
        let before = lease.clone();
        lease.phase = Phase::Waiting;
        self.queue.insert(place_in_queue(id, &before));
        self.take_back(id, &before);
        self.use_less(&before, &held(before.parts()), 0.0);
    }

    /// Frees what a lease held.
    fn take_back(&mut self, id: &str, lease: &Lease) {
        if !self.stale {
            lease.parts().iter().for_each(|part| self.inventory.give_back(part));
        }
        self.take_off_nodes(id, lease);
    }

    /// Passes on to the inventory whether a node accepts leases.
    fn close(&mut self, node: &str) {
        let Some(closed) = self.nodes.get(node).map(Node::is_closed).filter(|_| !self.stale) else {
            return;
        };
        self.inventory.close(node, closed);
    }

    fn put_on_nodes(&mut self, id: &str, lease: &Lease) {
        for part in lease.parts() {
            self.by_node.entry(part.node.clone()).or_default().insert(id.to_owned());
        }
    }

    fn take_off_nodes(&mut self, id: &str, lease: &Lease) {
        for part in lease.parts() {
            let Some(own) = self.by_node.get_mut(&part.node) else { continue };
            own.remove(id);
            if own.is_empty() {
                self.by_node.remove(&part.node);
            }
        }
    }

    fn end(&mut self, id: &str, end: End, at_ms: u64) {
        let Some(lease) = self.leases.remove(id) else { return };
        self.queue.remove(&place_in_queue(id, &lease));
        self.take_back(id, &lease);
        self.use_less(
            &lease,
            &Usage { leases: 1, ..held(lease.parts()) },
            gpu_hours(&lease, at_ms),
        );
        if let Phase::Held { since_ms, .. } = lease.phase {
            let (id, user, parts) = (id.to_owned(), lease.holder.user.clone(), places(&lease));
            self.bills.push_back(Bill {
                id,
                user,
                from_ms: since_ms,
                to_ms: Some(at_ms),
                parts,
                items: Vec::new(),
            });
            if self.bills.len() > ENDED_MAX {
                self.bills.pop_front();
            }
        }
        self.ended.push_back((id.to_owned(), end));
        if self.ended.len() > ENDED_MAX {
            self.ended.pop_front();
        }
    }

    fn use_more(&mut self, lease: &Lease, more: &Usage) {
        for subject in subjects(lease) {
            let usage = self.usage.entry(subject).or_default();
            usage.gpus += more.gpus;
            usage.memory_bytes += more.memory_bytes;
            usage.leases += more.leases;
        }
    }

    fn use_less(&mut self, lease: &Lease, less: &Usage, gpu_hours: f64) {
        for subject in subjects(lease) {
            let usage = self.usage.entry(subject).or_default();
            usage.leases = usage.leases.saturating_sub(less.leases);
            usage.gpus = if usage.leases == 0 { 0.0 } else { usage.gpus - less.gpus };
            usage.memory_bytes = usage.memory_bytes.saturating_sub(less.memory_bytes);
            usage.gpu_hours += gpu_hours;
        }
    }

    /// Rebuilds the inventory if nodes came or went. Call this before asking for what is free.
    pub(crate) fn restock(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        // Nodes beyond the limits cannot join, so this never fails.
        self.inventory = Inventory::new(self.nodes.values()).unwrap_or_default();
        self.leases.values().flat_map(Lease::parts).for_each(|part| self.inventory.take(part));
    }

    /// Rebuilds what a snapshot does not contain.
    pub(crate) fn complete(&mut self) {
        self.stale = true;
        self.restock();
        for (id, lease) in self.leases.clone() {
            self.put_on_nodes(&id, &lease);
        }
        let waiting = self.leases.iter().filter(|(_, lease)| lease.phase == Phase::Waiting);
        self.queue = waiting.map(|(id, lease)| place_in_queue(id, lease)).collect();
    }

    /// The waiting requests, in order.
    pub fn queue(&self) -> impl Iterator<Item = (&str, &Lease)> {
        self.queue.iter().filter_map(|(_, _, id)| Some((id.as_str(), self.leases.get(id)?)))
    }

    /// How many requests are ahead of a waiting one.
    pub fn ahead(&self, id: &str) -> Option<usize> {
        let place = place_in_queue(id, self.leases.get(id)?);
        self.queue.contains(&place).then(|| self.queue.range(..place).count())
    }

    /// Why a lease ended, if it was one of the last.
    pub fn end_of(&self, id: &str) -> Option<End> {
        self.ended.iter().rev().find(|(ended, _)| ended == id).map(|(_, end)| *end)
    }

    /// Whether a bill still lacks this item, for a part that the lease had.
    pub(crate) fn may_bill(&self, id: &str, item: &Item) -> bool {
        let is_of = |node: &String, gpu: &String| (node, gpu) == (&item.node, &item.gpu);
        let bill = self.bills.iter().rev().find(|bill| bill.id == id);
        bill.is_some_and(|bill| {
            bill.parts.iter().any(|(node, gpu)| is_of(node, gpu))
                && !bill.items.iter().any(|own| is_of(&own.node, &own.gpu))
        })
    }

    /// Free time of each second, in nanoseconds, and free memory, in bytes, of a GPU.
    pub fn free(&self, node: &str, gpu: &str) -> Option<(u64, u64)> {
        self.inventory.free(node, gpu)
    }

    /// Returns the quota that `more` would exceed for this lease's holder.
    pub(crate) fn over_quota(&self, lease: &Lease, more: &Usage, now_ms: u64) -> Option<String> {
        self.objection(lease, more, |subject, quota| {
            let mut has = self.usage.get(subject).cloned().unwrap_or_default();
            if quota.gpu_hours.is_some() {
                has.gpu_hours += self.running_gpu_hours(subject, now_ms);
            }
            has
        })
    }

    /// The quota that a request waits for, if it waits for one.
    pub(crate) fn waits_for_quota(&self, lease: &Lease, now_ms: u64) -> Option<String> {
        self.over_quota(lease, &least(&lease.ask), now_ms)
    }

    /// Like `over_quota`, as if the holder had nothing else.
    pub(crate) fn over_quota_alone(&self, lease: &Lease, more: &Usage) -> Option<String> {
        self.objection(lease, more, |_, _| Usage::default())
    }

    fn objection(
        &self,
        lease: &Lease,
        more: &Usage,
        has: impl Fn(&str, &Quota) -> Usage,
    ) -> Option<String> {
        let by_token = || {
            let (subject, limits) = (format!("user:{}", lease.holder.user), lease.limits.as_ref()?);
            Some(format!(
                "the token of {subject}: {}",
                limits.objection(&has(&subject, limits), more)?
            ))
        };
        let by_quota = subjects(lease).into_iter().find_map(|subject| {
            let quota = self.quota(&subject)?;
            Some(format!("{subject}: {}", quota.objection(&has(&subject, quota), more)?))
        });
        by_quota.or_else(by_token)
    }

    /// Whether the holder's GPU-hours are used up while the lease runs.
    pub(crate) fn hours_used_up(&self, lease: &Lease, now_ms: u64) -> bool {
        subjects(lease).into_iter().any(|subject| {
            let Some(limit) = self.quota(&subject).and_then(|quota| quota.gpu_hours) else {
                return false;
            };
            let ended = self.usage.get(&subject).map_or(0.0, |usage| usage.gpu_hours);
            ended + self.running_gpu_hours(&subject, now_ms) >= limit
        })
    }

    fn quota(&self, subject: &str) -> Option<&Quota> {
        let kind = subject.split_once(':').map_or("", |(kind, _)| kind);
        self.quotas.get(subject).or_else(|| self.quotas.get(&format!("{kind}:*")))
    }

    fn running_gpu_hours(&self, subject: &str, now_ms: u64) -> f64 {
        let own =
            self.leases.values().filter(|lease| subjects(lease).iter().any(|own| own == subject));
        own.map(|lease| gpu_hours(lease, now_ms)).sum()
    }

    /// Whether a node of a lease is down.
    pub(crate) fn is_without_node(&self, lease: &Lease) -> bool {
        lease
            .parts()
            .iter()
            .any(|part| self.nodes.get(&part.node).is_none_or(|node| node.down.is_some()))
    }

    /// Leases with a part on a node, by name.
    pub fn on_node(&self, node: &str) -> impl Iterator<Item = (&str, &Lease)> {
        let own = self.by_node.get(node).into_iter().flatten();
        own.filter_map(|id| Some((id.as_str(), self.leases.get(id)?)))
    }
}

fn place_in_queue(id: &str, lease: &Lease) -> (Reverse<i8>, u64, String) {
    (Reverse(lease.ask.priority), lease.arrival, id.to_owned())
}

/// Node and GPU of each part.
pub(crate) fn places(lease: &Lease) -> Vec<(String, String)> {
    lease.parts().iter().map(|part| (part.node.clone(), part.gpu.clone())).collect()
}

/// The subjects whose quotas apply.
fn subjects(lease: &Lease) -> Vec<String> {
    let group = lease.holder.group.iter().map(|group| format!("group:{group}"));
    std::iter::once(format!("user:{}", lease.holder.user)).chain(group).collect()
}

/// Returns what the parts of a lease use together.
pub(crate) fn held(parts: &[Part]) -> Usage {
    let gpus = parts.iter().map(|part| part.fraction).sum();
    Usage {
        gpus,
        memory_bytes: parts.iter().map(|part| part.memory_bytes).sum(),
        ..Usage::default()
    }
}

/// The least that a request can use.
pub(crate) fn least(ask: &Ask) -> Usage {
    let memory = if let Some(crate::model::lease::Amount::Percent(percent)) = ask.memory {
        percent
    } else {
        0
    };
    let whole = ask.memory.is_none() && ask.share_percent.is_none() && ask.frames.is_none();
    let percent = if whole { 100 } else { memory.max(ask.share_percent.unwrap_or(0)) };
    let memory_bytes =
        if let Some(crate::model::lease::Amount::Bytes(bytes)) = ask.memory { bytes } else { 0 };
    let gpus = f64::from(ask.gpus);
    Usage {
        gpus: gpus * f64::from(percent) / 100.0,
        memory_bytes: memory_bytes.saturating_mul(u64::from(ask.gpus)),
        ..Usage::default()
    }
}

fn gpu_hours(lease: &Lease, now_ms: u64) -> f64 {
    let Phase::Held { since_ms, parts, .. } = &lease.phase else { return 0.0 };
    held(parts).gpus * now_ms.saturating_sub(*since_ms) as f64 / HOUR_MS
}
