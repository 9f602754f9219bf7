//! The state of a pool after the entries of its log: nodes, leases, quotas. Pure: equal entries
//! give equal states.

use crate::identity::token::SKEW_S;
use crate::log::entry::{Entry, Event};
use crate::model::bill::{Bill, Item};
use crate::model::inventory::{GpuClass, Inventory};
use crate::model::lease::{Ask, End, Lease, Part, Phase};
use crate::model::node::{Down, Node};
use crate::model::quota::{Quota, Usage};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The number of ended leases that the state remembers.
const ENDED_MAX: usize = 4096;
/// The most waiting requests, from the head of the queue, for which a grant counts as overtaking.
const OVERTAKEN_MAX: usize = 4096;
const HOUR_MS: f64 = 3_600_000.0;

/// A pool's state after a number of entries.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct State {
    /// The index of the last entry.
    pub head: u64,
    /// The time of the last entry, in milliseconds since 1970.
    pub at_ms: u64,
    /// Nodes by name.
    pub nodes: BTreeMap<String, Node>,
    /// Leases by name, waiting and held.
    pub leases: BTreeMap<String, Lease>,
    /// Quotas by subject.
    pub quotas: BTreeMap<String, Quota>,
    /// Use of GPUs by subject.
    pub usage: BTreeMap<String, Usage>,
    /// Used join tokens by name, and when each expires, in milliseconds since 1970.
    #[serde(default)]
    pub admitted: BTreeMap<String, u64>,
    /// The latest expiry among the used join tokens that the pool has deleted.
    #[serde(default)]
    pub forgotten_ms: u64,
    /// Bills of ended leases, the oldest first.
    #[serde(default)]
    pub bills: VecDeque<Bill>,
    /// The leases that ended last, the oldest first.
    ended: VecDeque<(String, End)>,
    arrivals: u64,
    #[serde(skip)]
    queue: BTreeSet<(Reverse<i8>, u64, String)>,
    /// The number of waiting requests, by user.
    #[serde(skip)]
    waiting: BTreeMap<String, usize>,
    /// Names of leases by the nodes on which they have a part.
    #[serde(skip)]
    by_node: BTreeMap<String, BTreeSet<String>>,
    #[serde(skip)]
    pub(crate) inventory: Inventory,
    /// Whether nodes came or went after the inventory was built. The state rebuilds the inventory
    /// once for many changes.
    #[serde(skip)]
    stale: bool,
}

impl State {
    /// Applies one entry.
    pub fn apply(&mut self, index: u64, entry: &Entry) {
        entry.events.iter().for_each(|(_, event)| self.happen(index, entry.at_ms, event));
        self.advance(index, entry.at_ms);
    }

    /// Records that the events of the entry at `index` have been applied.
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
                    last_reported: Vec::new(),
                    phase: Phase::Waiting,
                };
                self.arrivals += 1;
                self.enqueue(id, &lease);
                self.leases.insert(id.clone(), lease);
            }
            Event::Granted { id, parts } => {
                let phase = Phase::Held { fence: index, since_ms: at_ms, parts: parts.clone() };
                self.grant(id, phase, at_ms);
            }
            Event::Returned { id } => self.give_back(id),
            Event::Ended { id, end } => self.end(id, *end, at_ms),
            Event::Admitted { token, until_ms, wall_ms } => self.admit(token, *until_ms, *wall_ms),
            Event::Billed { id, item } => {
                let bills = self.bills.iter_mut().rev();
                let items =
                    self.leases.get_mut(id).map(|lease| &mut lease.last_reported).or_else(|| {
                        bills.into_iter().find(|bill| bill.id == *id).map(|bill| &mut bill.items)
                    });
                items.into_iter().for_each(|items| item.clone().replace_in(items));
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

    /// Records a used token, and deletes tokens that have expired even by a slow clock, because
    /// pools refuse these anyway. A process whose clock is too slow refuses deleted tokens because
    /// they expire before `forgotten_ms`.
    fn admit(&mut self, token: &str, until_ms: u64, wall_ms: u64) {
        let expired_ms = wall_ms.saturating_sub(SKEW_S * 1000);
        let forgotten_ms =
            self.admitted.values().copied().filter(|until_ms| *until_ms <= expired_ms).max();
        self.forgotten_ms = self.forgotten_ms.max(forgotten_ms.unwrap_or(0));
        self.admitted.retain(|_, until_ms| *until_ms > expired_ms);
        self.admitted.insert(token.to_owned(), until_ms);
    }

    fn grant(&mut self, id: &str, phase: Phase, at_ms: u64) {
        let Some(lease) = self.leases.get_mut(id) else { return };
        lease.phase = phase;
        let lease = lease.clone();
        for earlier in self.overtaken_by(id, &lease, at_ms) {
            let earlier = self.leases.get_mut(&earlier);
            earlier.into_iter().for_each(|lease| lease.passed = lease.passed.saturating_add(1));
        }
        self.dequeue(id, &lease);
        if !self.stale {
            lease.parts().iter().for_each(|part| self.inventory.take(part));
        }
        self.put_on_nodes(id, &lease);
        self.use_more(&lease, &held(lease.parts()));
    }

    /// Returns the names of waiting requests that a grant overtakes: those ahead of it that one of
    /// its GPUs suits and that fit their quotas.
    fn overtaken_by(&self, id: &str, granted: &Lease, at_ms: u64) -> Vec<String> {
        let kind_of = |part: &Part| {
            let facts = &self.nodes.get(&part.node)?.facts;
            let gpu = facts.gpus.iter().find(|gpu| gpu.uuid == part.gpu)?;
            Some(GpuClass::of(facts, gpu))
        };
        let mut kinds: Vec<GpuClass> = granted.parts().iter().filter_map(kind_of).collect();
        kinds.dedup();
        let ahead = self.queue.range(..&place_in_queue(id, granted)).take(OVERTAKEN_MAX);
        let is_overtaken = |id: &&String| {
            self.leases.get(*id).is_some_and(|lease| {
                kinds.iter().any(|kind| kind.suits(&lease.ask))
                    && self.waits_for_quota(lease, at_ms).is_none()
            })
        };
        ahead.map(|(_, _, id)| id).filter(is_overtaken).cloned().collect()
    }

    /// Puts the lease back into the queue, at its earlier position.
    fn give_back(&mut self, id: &str) {
        let Some(lease) = self.leases.get_mut(id) else { return };
        let before = lease.clone();
        lease.phase = Phase::Waiting;
        self.enqueue(id, &before);
        self.take_back(id, &before);
        self.use_less(&before, &held(before.parts()), 0.0);
    }

    fn enqueue(&mut self, id: &str, lease: &Lease) {
        if self.queue.insert(place_in_queue(id, lease)) {
            *self.waiting.entry(lease.holder.user.clone()).or_default() += 1;
        }
    }

    fn dequeue(&mut self, id: &str, lease: &Lease) {
        let user = &lease.holder.user;
        if self.queue.remove(&place_in_queue(id, lease))
            && let Some(count) = self.waiting.get_mut(user)
        {
            *count -= 1;
            if *count == 0 {
                self.waiting.remove(user);
            }
        }
    }

    /// Returns the number of requests of a user that wait.
    pub(crate) fn waiting_of(&self, user: &str) -> usize {
        self.waiting.get(user).copied().unwrap_or(0)
    }

    /// Frees the GPU parts that a lease held.
    fn take_back(&mut self, id: &str, lease: &Lease) {
        if !self.stale {
            lease.parts().iter().for_each(|part| self.inventory.give_back(part));
        }
        self.take_off_nodes(id, lease);
    }

    /// Tells the inventory whether a node accepts leases.
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
        self.dequeue(id, &lease);
        self.take_back(id, &lease);
        self.use_less(&lease, &held(lease.parts()), gpu_hours(&lease, at_ms));
        if let Phase::Held { since_ms, .. } = lease.phase {
            let (id, user, parts) = (id.to_owned(), lease.holder.user.clone(), places(&lease));
            self.bills.push_back(Bill {
                id,
                user,
                from_ms: since_ms,
                to_ms: Some(at_ms),
                parts,
                items: lease.last_reported,
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

    /// Rebuilds the inventory if nodes came or went. Callers must do so before they read the
    /// inventory.
    pub(crate) fn restock(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        // `Inventory::new` never fails here, because nodes beyond the limits cannot join.
        self.inventory = Inventory::new(self.nodes.values()).unwrap_or_default();
        self.leases.values().flat_map(Lease::parts).for_each(|part| self.inventory.take(part));
    }

    /// Rebuilds the fields that a snapshot does not contain.
    pub(crate) fn complete(&mut self) {
        self.stale = true;
        self.restock();
        // The number of leases in use is counted anew, because snapshots of old releases count
        // waiting requests too.
        self.usage.values_mut().for_each(|usage| usage.leases = 0);
        for (id, lease) in self.leases.clone() {
            self.put_on_nodes(&id, &lease);
            if lease.phase == Phase::Waiting {
                self.enqueue(&id, &lease);
            } else {
                self.use_more(&lease, &Usage { leases: 1, ..Usage::default() });
            }
        }
    }

    /// Returns the waiting requests, in the order of the queue.
    pub fn queue(&self) -> impl Iterator<Item = (&str, &Lease)> {
        self.queue.iter().filter_map(|(_, _, id)| Some((id.as_str(), self.leases.get(id)?)))
    }

    /// Returns the number of requests ahead of the waiting request `id`.
    pub fn ahead(&self, id: &str) -> Option<usize> {
        let place = place_in_queue(id, self.leases.get(id)?);
        self.queue.contains(&place).then(|| self.queue.range(..place).count())
    }

    /// Returns why a lease ended, if it is among the last ended leases.
    pub fn end_of(&self, id: &str) -> Option<End> {
        self.ended.iter().rev().find(|(ended, _)| ended == id).map(|(_, end)| *end)
    }

    /// Returns whether the lease had a part of the item's GPU and lacks the item. A node's final
    /// item may replace one that the pool heard last, but nothing replaces a final one.
    pub(crate) fn may_bill(&self, id: &str, item: &Item) -> bool {
        let lacks = |items: &[Item]| {
            let known = items.iter().find(|known| known.is_of(&item.node, &item.gpu));
            known.is_none_or(|known| known.last_reported && known != item)
        };
        if let Some(lease) = self.leases.get(id) {
            let mut parts = lease.parts().iter();
            return item.last_reported
                && parts.any(|part| item.is_of(&part.node, &part.gpu))
                && lacks(&lease.last_reported);
        }
        self.bill(id).is_some_and(|bill| {
            bill.parts.iter().any(|(node, gpu)| item.is_of(node, gpu)) && lacks(&bill.items)
        })
    }

    /// Returns whether figures about the lease may still come: it is held or waits, or a GPU is
    /// missing in its bill.
    pub(crate) fn is_open(&self, id: &str) -> bool {
        let is_whole = |bill: &Bill| {
            let mut parts = bill.parts.iter();
            parts.all(|(node, gpu)| bill.items.iter().any(|item| item.is_of(node, gpu)))
        };
        self.leases.contains_key(id) || self.bill(id).is_some_and(|bill| !is_whole(bill))
    }

    /// Returns whether a node can no longer report about a lease: the pool does not hear it, or it
    /// joined anew after the lease's end.
    pub(crate) fn has_lost(&self, node: &str, id: &str) -> bool {
        let Some(node) = self.nodes.get(node) else { return true };
        let ended_ms = || self.bill(id)?.to_ms;
        node.down.is_some()
            || !self.leases.contains_key(id)
                && ended_ms().is_some_and(|ended_ms| ended_ms <= node.since_ms)
    }

    fn bill(&self, id: &str) -> Option<&Bill> {
        self.bills.iter().rev().find(|bill| bill.id == id)
    }

    /// Returns a GPU's free time per second, in nanoseconds, and its free memory, in bytes.
    pub fn free(&self, node: &str, gpu: &str) -> Option<(u64, u64)> {
        self.inventory.free(node, gpu)
    }

    /// Like `free`, but a GPU whose node is down or unknown has nothing free.
    pub fn offered(&self, node: &str, gpu: &str) -> (u64, u64) {
        let is_up = self.nodes.get(node).is_some_and(|node| node.down.is_none());
        self.free(node, gpu).filter(|_| is_up).unwrap_or_default()
    }

    /// Returns a text about the quota that `more` would exceed for the lease's holder, if any.
    pub(crate) fn over_quota(&self, lease: &Lease, more: &Usage, now_ms: u64) -> Option<String> {
        self.objection(lease, more, |subject, quota| {
            let has = self.usage.get(subject).cloned().unwrap_or_default();
            Usage { gpu_hours: self.used_gpu_hours(subject, quota, now_ms), ..has }
        })
    }

    /// Returns a text about the quota that a request waits for, if any.
    pub(crate) fn waits_for_quota(&self, lease: &Lease, now_ms: u64) -> Option<String> {
        self.over_quota(lease, &least(&lease.ask), now_ms)
    }

    /// Like `over_quota`, but as if the holder had no other lease. GPU-hours that are used up stay
    /// so.
    pub(crate) fn over_quota_for_ever(
        &self,
        lease: &Lease,
        more: &Usage,
        now_ms: u64,
    ) -> Option<String> {
        self.objection(lease, more, |subject, quota| {
            let gpu_hours = self.used_gpu_hours(subject, quota, now_ms);
            Usage { gpu_hours, ..Usage::default() }
        })
    }

    fn objection(
        &self,
        lease: &Lease,
        more: &Usage,
        has: impl Fn(&str, &Quota) -> Usage,
    ) -> Option<String> {
        if self.quotas.is_empty() && lease.limits.is_none() {
            return None;
        }
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

    /// Returns whether a lease, while it runs, has used up its holder's GPU-hours.
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

    /// Returns the GPU-hours of a subject's leases, ended and held, if the quota limits them.
    fn used_gpu_hours(&self, subject: &str, quota: &Quota, now_ms: u64) -> f64 {
        let ended = self.usage.get(subject).map_or(0.0, |usage| usage.gpu_hours);
        let is_limited = quota.gpu_hours.is_some();
        ended + if is_limited { self.running_gpu_hours(subject, now_ms) } else { 0.0 }
    }

    fn running_gpu_hours(&self, subject: &str, now_ms: u64) -> f64 {
        let own =
            self.leases.values().filter(|lease| subjects(lease).iter().any(|own| own == subject));
        own.map(|lease| gpu_hours(lease, now_ms)).sum()
    }

    /// Returns whether a node of the lease is down.
    pub(crate) fn is_without_node(&self, lease: &Lease) -> bool {
        lease
            .parts()
            .iter()
            .any(|part| self.nodes.get(&part.node).is_none_or(|node| node.down.is_some()))
    }

    /// Returns the names and leases that have a part on a node.
    pub fn on_node(&self, node: &str) -> impl Iterator<Item = (&str, &Lease)> {
        let own = self.by_node.get(node).into_iter().flatten();
        own.filter_map(|id| Some((id.as_str(), self.leases.get(id)?)))
    }
}

fn place_in_queue(id: &str, lease: &Lease) -> (Reverse<i8>, u64, String) {
    (Reverse(lease.ask.priority), lease.arrival, id.to_owned())
}

/// Returns the node and GPU of each part.
pub(crate) fn places(lease: &Lease) -> Vec<(String, String)> {
    lease.parts().iter().map(|part| (part.node.clone(), part.gpu.clone())).collect()
}

/// Returns the subjects whose quotas apply to the lease.
fn subjects(lease: &Lease) -> Vec<String> {
    let group = lease.holder.group.iter().map(|group| format!("group:{group}"));
    std::iter::once(format!("user:{}", lease.holder.user)).chain(group).collect()
}

/// Returns the use of a lease with these parts; nothing without parts, since the lease waits.
pub(crate) fn held(parts: &[Part]) -> Usage {
    let gpus = parts.iter().map(|part| part.fraction).sum();
    Usage {
        gpus,
        memory_bytes: parts.iter().map(|part| part.memory_bytes).sum(),
        leases: u32::from(!parts.is_empty()),
        ..Usage::default()
    }
}

/// Returns the least that a request can use.
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
        leases: 1,
        ..Usage::default()
    }
}

fn gpu_hours(lease: &Lease, now_ms: u64) -> f64 {
    let Phase::Held { since_ms, parts, .. } = &lease.phase else { return 0.0 };
    held(parts).gpus * now_ms.saturating_sub(*since_ms) as f64 / HOUR_MS
}
