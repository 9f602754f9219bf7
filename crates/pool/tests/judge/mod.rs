//! A judge of a pool's log with its own books. The judge follows the log entry by entry and fails
//! at the first entry that breaks a rule of the pool.

use outhaul_pool::log::entry::{Entry, Event};
use outhaul_pool::model::lease::{Ask, End, Holder, Part};
use std::collections::{BTreeMap, BTreeSet};

const SECOND_NS: u64 = 1_000_000_000;
const HOUR_MS: f64 = 3_600_000.0;

/// The state that the log up to some entry describes.
#[derive(Default)]
pub struct Books {
    /// Requests by name: position in the order of arrival, holder, and requested resources.
    pub leases: BTreeMap<String, (u64, Holder, Ask)>,
    pub held: BTreeMap<String, Grant>,
    /// All grants, by name and fence.
    pub grants: BTreeMap<(String, u64), Vec<Part>>,
    pub ended: BTreeMap<String, End>,
    /// Bills of leases that were held when they ended.
    pub bills: BTreeMap<String, Account>,
    /// Nodes by name, and whether each is down.
    nodes: BTreeMap<String, bool>,
    /// Leased memory by node and GPU.
    memory_bytes: BTreeMap<(String, String), u64>,
    fences: BTreeMap<(String, String), u64>,
    gpus_max: BTreeMap<String, f64>,
    /// GPU-hours of a user's ended leases since the user's quota was set.
    pub gpu_hours: BTreeMap<String, f64>,
}

#[derive(Debug, Clone)]
pub struct Grant {
    pub at_ms: u64,
    pub parts: Vec<Part>,
}

#[derive(Debug, Clone)]
pub struct Account {
    pub from_ms: u64,
    pub to_ms: u64,
    pub parts: Vec<Part>,
    /// Parts whose final use the node has reported.
    pub billed: BTreeSet<(String, String)>,
}

impl Books {
    fn granted(&mut self, at: &str, (index, at_ms): (u64, u64), id: &str, parts: &[Part]) {
        let (arrival, holder, ask) =
            self.leases.get(id).unwrap_or_else(|| panic!("{at}: {id} was not asked for"));
        assert!(
            !self.ended.contains_key(id) && !self.held.contains_key(id),
            "{at}: {id} is not waiting"
        );
        let waits = |(other, _): &(&String, &(u64, Holder, Ask))| {
            !self.held.contains_key(*other) && !self.ended.contains_key(*other)
        };
        let is_free = |user: &Holder| !self.gpus_max.contains_key(&format!("user:{}", user.user));
        let are_equal = |other: &Holder, other_ask: &Ask| {
            other_ask == ask && (other == holder || is_free(other) && is_free(holder))
        };
        let passed = self.leases.iter().filter(waits).find(|(_, (earlier, user, other_ask))| {
            earlier < arrival && are_equal(user, other_ask)
        });
        assert_eq!(passed, None, "{at}: {id} goes before its equal");
        for part in parts {
            assert_eq!(
                self.nodes.get(&part.node),
                Some(&false),
                "{at}: {} is not to be had",
                part.node
            );
            let last = self.fences.insert((part.node.clone(), part.gpu.clone()), index);
            assert!(last <= Some(index), "{at}: an older fence");
        }
        let user = holder.user.clone();
        self.grants.insert((id.to_owned(), index), parts.to_vec());
        self.held.insert(id.to_owned(), Grant { at_ms, parts: parts.to_vec() });
        self.nothing_is_granted_twice(at);
        let own = self
            .held
            .iter()
            .filter(|(id, _)| self.leases[*id].1.user == user)
            .flat_map(|(_, grant)| &grant.parts);
        let gpus: f64 = own.map(|part| part.fraction).sum();
        let max = self.gpus_max.get(&format!("user:{user}"));
        assert!(
            max.is_none_or(|max| gpus <= max + 1e-9),
            "{at}: {gpus} GPUs of {user} are more than the quota"
        );
    }

    fn nothing_is_granted_twice(&self, at: &str) {
        let mut sums: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
        for part in self.held.values().flat_map(|grant| &grant.parts) {
            let sum = sums.entry((&part.node, &part.gpu)).or_default();
            *sum = (sum.0 + part.memory_bytes, sum.1 + part.time_ns);
            let has =
                self.memory_bytes.get(&(part.node.clone(), part.gpu.clone())).copied().unwrap_or(0);
            assert!(
                sum.0 <= has && sum.1 <= SECOND_NS,
                "{at}: {} of {} is granted twice",
                part.gpu,
                part.node
            );
        }
    }

    fn ended(&mut self, at: &str, at_ms: u64, id: &str, end: End) {
        let (_, holder, _) =
            self.leases.get(id).unwrap_or_else(|| panic!("{at}: {id} ends and was not asked for"));
        assert_eq!(self.ended.insert(id.to_owned(), end), None, "{at}: {id} ends twice");
        let Some(Grant { at_ms: from_ms, parts, .. }) = self.held.remove(id) else { return };
        let is_down = parts.iter().any(|part| self.nodes.get(&part.node) != Some(&false));
        assert!(
            !is_down || !end.is_by_silence(),
            "{at}: {id} is judged by silence without its node"
        );
        let gpus: f64 = parts.iter().map(|part| part.fraction).sum();
        *self.gpu_hours.entry(holder.user.clone()).or_default() +=
            gpus * (at_ms - from_ms) as f64 / HOUR_MS;
        let billed = BTreeSet::new();
        self.bills.insert(id.to_owned(), Account { from_ms, to_ms: at_ms, parts, billed });
    }

    fn bill(&mut self, at: &str, id: &str, node: &str, gpu: &str) {
        let account = self
            .bills
            .get_mut(id)
            .unwrap_or_else(|| panic!("{at}: {id} is billed and has not ended"));
        assert!(
            account.parts.iter().any(|part| part.node == node && part.gpu == gpu),
            "{at}: {id} had nothing of {gpu}"
        );
        assert!(
            account.billed.insert((node.to_owned(), gpu.to_owned())),
            "{at}: {id} is billed twice"
        );
    }

    fn happen(&mut self, at: &str, index: u64, at_ms: u64, event: &Event) {
        match event {
            Event::Asked { id, holder, ask, .. } => {
                let before = self
                    .leases
                    .insert(id.clone(), (self.leases.len() as u64, holder.clone(), ask.clone()));
                assert_eq!(before, None, "{at}: {id} is asked for twice");
            }
            Event::Granted { id, parts } => self.granted(at, (index, at_ms), id, parts),
            Event::Returned { id } => {
                assert!(self.held.remove(id).is_some(), "{at}: {id} has nothing to give back")
            }
            Event::Ended { id, end } => self.ended(at, at_ms, id, *end),
            Event::Billed { id, item } => self.bill(at, id, &item.node, &item.gpu),
            Event::Joined { facts } => {
                self.nodes.insert(facts.name.clone(), false);
                let gpus = facts
                    .gpus
                    .iter()
                    .map(|gpu| ((facts.name.clone(), gpu.uuid.clone()), gpu.memory_bytes));
                self.memory_bytes.extend(gpus);
            }
            Event::Up { node } => assert_eq!(
                self.nodes.insert(node.clone(), false),
                Some(true),
                "{at}: {node} was not down"
            ),
            Event::Down { node, .. } => drop(self.nodes.insert(node.clone(), true)),
            Event::Left { node } => {
                self.nodes.remove(node);
                let left = self
                    .held
                    .values()
                    .flat_map(|grant| &grant.parts)
                    .find(|part| part.node == *node);
                assert_eq!(left, None, "{at}: a forgotten node leaves a lease behind");
            }
            Event::QuotaSet { subject, quota } => {
                self.gpu_hours.remove(subject.strip_prefix("user:").unwrap_or_default());
                match quota.as_ref().and_then(|quota| quota.gpus) {
                    Some(gpus) => drop(self.gpus_max.insert(subject.clone(), gpus)),
                    None => drop(self.gpus_max.remove(subject)),
                }
            }
            _ => {}
        }
    }
}

/// Judges a log from its first entry. Returns the books after its last entry.
pub fn judge(whose: &str, log: &[(u64, Entry)]) -> Books {
    let (mut books, mut last_ms) = (Books::default(), 0);
    for (place, (index, entry)) in log.iter().enumerate() {
        let at = format!("{whose}, entry {index}");
        assert_eq!(*index, place as u64 + 1, "{at}: the log has a gap");
        assert!(entry.at_ms >= last_ms, "{at}: time runs backwards");
        last_ms = entry.at_ms;
        entry.events.iter().for_each(|(_, event)| books.happen(&at, *index, entry.at_ms, event));
    }
    books
}
