//! A pool process's part in the pool: it turns commands into entries of the log, grants what can be granted, and ends what has lapsed. Any number
//! of keepers may work on one store, and each may be killed anywhere.

use crate::entry::{Actor, Entry, Event};
use crate::error::Error;
use crate::journal::{Appended, Journal};
use crate::lease::{Ask, End, Lease};
use crate::rules::{Command, Rules};
use crate::state::State;
use crate::store::{Store, StoreError};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// How often others may be faster before a step gives up.
const OVERTAKEN_MAX: usize = 64;
/// Grants of one entry.
const GRANTS_MAX: usize = 256;
/// How long a request lives without a sign of its holder, if not shorter: nobody is to be granted what nobody waits for.
pub const WAITING_TTL_S: u32 = 20;
/// How long a node may be silent before it is lost.
pub const NODE_TTL: Duration = Duration::from_secs(10);

/// The name that a lease holds in the store.
pub fn lease_name(id: &str) -> String {
    format!("lease/{id}")
}

/// The name that a node holds in the store.
pub fn node_name(node: &str) -> String {
    format!("node/{node}")
}

/// The longest that a timer of a lease runs.
const TIMER_S_MAX: u64 = 366 * 86_400;

/// What ends a lease while its holder is well: that nobody uses it. A timer is a name in the store, which lapses unless a pool process renews it that
/// heard from a node of use. So processes need not tell each other what they heard, nor have one clock.
pub struct Timer {
    /// In the store.
    pub name: String,
    /// As long as the lease may be unused, and as long as a node that is silent may be using it.
    pub ttl: Duration,
    /// Why the lease ends.
    pub end: End,
}

/// The timers of a lease that is held.
pub fn timers(id: &str, ask: &Ask) -> Vec<Timer> {
    let ttl = |seconds: u64| Duration::from_secs(seconds.min(TIMER_S_MAX)) + NODE_TTL;
    let unused = ask.release_after_s.map(|seconds| Timer { name: format!("used/{id}"), ttl: ttl(seconds), end: End::Unused });
    let idle = ask.kill_after_s.map(|seconds| Timer { name: format!("active/{id}"), ttl: ttl(seconds), end: End::Idle });
    unused.into_iter().chain(idle).collect()
}

/// One process's.
pub struct Keeper {
    store: Arc<dyn Store>,
    journal: Journal,
    rules: Rules,
    /// What the log says.
    state: Arc<RwLock<State>>,
    /// The same, and in a step what the next entry will make of it.
    draft: State,
    /// Gives every entry another nonce.
    nonces: Box<dyn FnMut() -> String + Send>,
}

/// A command and on whose behalf.
pub type Wish = (Actor, Command);

impl Keeper {
    /// Reads the log.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn open(store: Arc<dyn Store>, rules: Rules, nonces: Box<dyn FnMut() -> String + Send>) -> Result<Keeper, Error> {
        let journal = Journal::new(store.clone());
        let draft = journal.load()?;
        Ok(Keeper { store, journal, rules, state: Arc::new(RwLock::new(draft.clone())), draft, nonces })
    }

    /// As this keeper has seen it, for whoever reads beside it.
    pub fn state(&self) -> Arc<RwLock<State>> {
        self.state.clone()
    }

    /// Index of the last entry that it has seen.
    pub fn head(&self) -> u64 {
        self.draft.head
    }

    /// Adds what others wrote; each entry is shown.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn catch_up(&mut self, mut show: impl FnMut(u64, &Entry)) -> Result<(), Error> {
        Ok(self.journal.catch_up(&mut self.draft, |index, entry| {
            write(&self.state).apply(index, entry);
            show(index, entry);
        })?)
    }

    /// Carries out commands, each wholly or not at all, and whatever can be granted then. Every entry that is new to this keeper is shown, its own
    /// and others'. The answers are in the order of the wishes.
    pub fn step(&mut self, now_ms: u64, wishes: &[Wish], mut show: impl FnMut(u64, &Entry)) -> Vec<Result<(), Error>> {
        let failed = |error: Error| wishes.iter().map(|_| Err(error.clone())).collect();
        for _ in 0..OVERTAKEN_MAX {
            let (answers, entry) = match self.draft(now_ms, wishes) {
                Ok(drafted) => drafted,
                Err(error) => {
                    self.redraft();
                    return failed(error);
                }
            };
            if entry.events.is_empty() {
                return answers;
            }
            let index = self.draft.head + 1;
            let appended = self.journal.append(index, &entry);
            if appended == Ok(Appended::Done) {
                let over = self.over(&entry);
                self.draft.advance(index, entry.at_ms);
                write(&self.state).apply(index, &entry);
                show(index, &entry);
                self.tidy(&over);
                return answers;
            }
            // What is there now decides anew.
            self.redraft();
            if let Err(error) = appended.map_err(Error::from).and_then(|_| self.catch_up(&mut show)) {
                return failed(error);
            }
        }
        failed(StoreError("other pool processes are always faster".into()).into())
    }

    fn redraft(&mut self) {
        self.draft = self.state.read().unwrap_or_else(PoisonError::into_inner).clone();
    }

    /// What happens next, and how each wish is answered then.
    fn draft(&mut self, now_ms: u64, wishes: &[Wish]) -> Result<(Vec<Result<(), Error>>, Entry), Error> {
        let (index, at_ms) = (self.draft.head + 1, now_ms.max(self.draft.at_ms));
        let (mut events, mut answers) = (Vec::new(), Vec::new());
        for (actor, command) in wishes {
            if !matches!(command, Command::Join(_)) {
                self.draft.restock();
            }
            let decided = self.rules.decide(&self.draft, at_ms, command);
            for event in decided.iter().flatten() {
                // Before it is in the log: a lease without its name would never lapse, while a name without its lease does no harm.
                begin(&*self.store, &self.draft, event)?;
                self.draft.happen(index, at_ms, event);
                events.push((actor.clone(), event.clone()));
            }
            answers.push(decided.map(drop));
        }
        self.draft.restock();
        for _ in 0..GRANTS_MAX {
            let Some(event) = self.rules.next_grant(&self.draft, at_ms) else { break };
            begin(&*self.store, &self.draft, &event)?;
            self.draft.happen(index, at_ms, &event);
            events.push((Actor::pool(), event));
        }
        Ok((answers, Entry { at_ms, nonce: (self.nonces)(), events }))
    }

    /// The names of what ends by an entry that the state has not seen yet.
    fn over(&self, entry: &Entry) -> Vec<String> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let mut names = Vec::new();
        for (_, event) in &entry.events {
            match event {
                Event::Ended { id, .. } => {
                    let timers = state.leases.get(id).map_or(Vec::new(), |lease| timers(id, &lease.ask));
                    names.extend(timers.into_iter().map(|timer| timer.name).chain([lease_name(id)]));
                }
                Event::Left { node } if !self.draft.nodes.contains_key(node) => names.push(node_name(node)),
                _ => {}
            }
        }
        names
    }

    /// Lets go of names, and tidies up. What fails here only takes longer to lapse.
    fn tidy(&self, over: &[String]) {
        for name in over {
            let _ = self.store.let_go(name);
        }
        let _ = self.journal.tidy(&self.draft);
    }

    /// Commands for what has lapsed, to be carried out in the next step.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn lapsed(&self) -> Result<Vec<Wish>, Error> {
        let held = self.store.held()?;
        let nodes = self.draft.nodes.keys().filter(|node| !held.contains(&node_name(node)));
        let over = |(id, lease): (&String, &Lease)| {
            let timers = || lease.fence().map_or(Vec::new(), |_| timers(id, &lease.ask));
            let lapsed = || timers().into_iter().find(|timer| !held.contains(&timer.name)).map(|timer| timer.end);
            let end = if held.contains(&lease_name(id)) { lapsed() } else { Some(End::Expired) };
            end.map(|end| Command::Finish { id: id.clone(), end })
        };
        let leases = self.draft.leases.iter().filter_map(over);
        let nodes = nodes.map(|node| Command::Leave { node: node.clone() });
        Ok(nodes.chain(leases).map(|command| (Actor::pool(), command)).collect())
    }
}

/// Gives the name by which a lease or a node lives.
fn begin(store: &dyn Store, state: &State, event: &Event) -> Result<(), StoreError> {
    let ttl = |seconds: u32| Duration::from_secs(u64::from(seconds));
    match event {
        Event::Asked { id, ask, .. } => store.hold(&lease_name(id), ttl(ask.ttl_s.min(WAITING_TTL_S))),
        Event::Granted { id, .. } => {
            let Some(Lease { ask, .. }) = state.leases.get(id) else { return Ok(()) };
            timers(id, ask).iter().try_for_each(|timer| store.hold(&timer.name, timer.ttl))?;
            store.hold(&lease_name(id), ttl(ask.ttl_s))
        }
        Event::Joined { facts } => store.hold(&node_name(&facts.name), NODE_TTL),
        _ => Ok(()),
    }
}

fn write(state: &RwLock<State>) -> std::sync::RwLockWriteGuard<'_, State> {
    state.write().unwrap_or_else(PoisonError::into_inner)
}
