//! A pool process's service, which connects its keeper and its clients. The service sends commands
//! to the keeper's thread and awaits the answers. It answers questions from the state that the
//! keeper has seen, and notifies clients that wait for news. Before it answers that an object does
//! not exist, it checks whether another process has created the object.

use crate::error::{Error, StoreError};
use crate::http::api::{
    EnergyView, Health, Heartbeat, History, LeaseState, LeaseUse, LeaseView, NodeView, Occupants,
    Order, Orders, Quotas, Renewal, UsageView, WAIT_MS_MAX,
};
use crate::identity::{Caller, SteadyTime, WallTime};
use crate::liveness::attendance::{
    Attendance, Event, NODE_BEAT_MS, WAITING_TTL_S, lease_name, node_name, timers,
};
use crate::liveness::peer_sync::{self, Peers};
use crate::log::audit::Audit;
use crate::log::backup;
use crate::log::entry::Logged;
use crate::log::journal::Journal;
use crate::log::keeper::Keeper;
use crate::log::keeper_thread::KeeperThread;
use crate::log::rules::Command;
use crate::log::state::{State, places};
use crate::log::store::Store;
use crate::log::store_health::Listener;
use crate::model::actor::Actor;
use crate::model::bill::{Bill, Item};
use crate::model::lease::{End, Lease, Part, Phase};
use crate::model::node::{Absence, NODE_GPUS_MAX};
use crate::model::telemetry::Telemetry;
use outhaul_lock::{Mutex, MutexGuard, RwLock, RwLockReadGuard};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The most leases in one heartbeat of a node.
const USES_MAX: usize = 8192;
/// How long a probe of the store may take.
const PROBE_MAX: Duration = Duration::from_secs(3);
/// The most entries in one answer.
pub(super) const ENTRIES_MAX: usize = 1000;

/// The state that all requests share.
pub struct Service {
    state: Arc<RwLock<State>>,
    store: Arc<dyn Store>,
    journal: Journal,
    keeper: Arc<KeeperThread>,
    clock: SteadyTime,
    wall: WallTime,
    peers: Arc<Peers>,
    telemetry: Arc<Mutex<Telemetry>>,
}

impl Service {
    /// Starts the keeper's thread and returns the service.
    pub fn start(keeper: Keeper, store: Arc<dyn Store>) -> Arc<Service> {
        Service::start_by(WallTime::of_machine(), SteadyTime::begin(), keeper, store)
    }

    /// Starts the service with the given clocks.
    pub fn start_by(
        wall: WallTime,
        clock: SteadyTime,
        mut keeper: Keeper,
        store: Arc<dyn Store>,
    ) -> Arc<Service> {
        let attendance = Attendance::new(keeper.name(), clock.now_ms());
        let state = keeper.state();
        let head = state.read().head;
        let keeper = Arc::new(KeeperThread::start(keeper, head, clock.clone()));
        let (journal, telemetry) =
            (Journal::new(store.clone()), Arc::<Mutex<Telemetry>>::default());
        let peers = Peers::new(
            state.clone(),
            store.clone(),
            keeper.clone(),
            clock.clone(),
            attendance,
            telemetry.clone(),
        );
        let peers = Arc::new(peers);
        let service =
            Arc::new(Service { state, store, journal, keeper, clock, wall, peers, telemetry });
        peer_sync::start(&service.peers);
        service
    }

    /// Locks the pool's state for reading.
    pub(crate) fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read()
    }

    /// Carries out a command. If the keeper refuses, reads what other processes have written and
    /// tries once more.
    ///
    /// # Errors
    /// The command was refused, with the reason.
    pub async fn carry_out(&self, actor: Actor, command: Command) -> Result<(), Error> {
        match self.keeper.decide(actor.clone(), command.clone()).await {
            Err(error)
                if self.store.is_shared() && !matches!(error, Error::Busy(_) | Error::Store(_)) =>
            {
                self.catch_up().await?;
                self.keeper.decide(actor, command).await
            }
            decided => decided,
        }
    }

    /// Reads the entries that other processes have written before the call.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn catch_up(&self) -> Result<(), Error> {
        if !self.store.is_shared() {
            return Ok(());
        }
        self.keeper.catch_up().await
    }

    /// Like `catch_up`, but continues with the known state if the store does not answer.
    pub async fn catch_up_if_possible(&self) {
        if self.peers.apart().is_none() {
            let _ = self.catch_up().await;
        }
    }

    /// Reads the entries of other processes, unless the lease is already known.
    async fn catch_up_unless_known(&self, id: &str) -> Result<(), Error> {
        let is_known = self.state().leases.contains_key(id);
        if is_known { Ok(()) } else { self.catch_up().await }
    }

    fn attendance(&self) -> MutexGuard<'_, Attendance> {
        self.peers.attendance()
    }

    fn note_received(&self, name: String, age_ms: u64) {
        self.attendance().step(self.clock.now_ms(), Event::Received { name, age_ms });
    }

    /// Returns the clock for tokens and certificates.
    pub fn wall_time(&self) -> WallTime {
        self.wall.clone()
    }

    /// Returns a lease.
    ///
    /// # Errors
    /// The pool has no such lease, or the lease has ended, with the reason.
    pub async fn lease(&self, id: &str) -> Result<LeaseView, Error> {
        self.catch_up_if_possible().await;
        self.catch_up_unless_known(id).await?;
        self.known(id)
    }

    /// Returns a lease, as far as this process knows.
    ///
    /// # Errors
    /// The process knows no such lease, or the lease has ended, with the reason.
    pub fn known(&self, id: &str) -> Result<LeaseView, Error> {
        let state = self.state();
        let lease = state.leases.get(id).ok_or_else(|| crate::log::rules::ended(&state, id))?;
        let mut view = LeaseView::new(&state, id, lease, self.clock.now_ms());
        let is_waiting = matches!(view.state, LeaseState::Waiting(_));
        view.occupants = is_waiting.then(|| Occupants::of(&state, &lease.ask));
        Ok(view)
    }

    /// Returns whether the caller holds a lease.
    ///
    /// # Errors
    /// The pool has no such lease, or the lease has ended, with the reason.
    pub async fn is_held_by(&self, id: &str, caller: &Caller) -> Result<bool, Error> {
        self.catch_up_unless_known(id).await?;
        let state = self.state();
        let lease = state.leases.get(id).ok_or_else(|| crate::log::rules::ended(&state, id))?;
        Ok(caller.holds(id, &lease.key_hash, &lease.holder))
    }

    /// Returns the actor on whose behalf a lease's holder acts.
    ///
    /// # Errors
    /// The process knows no such lease, or the lease has ended, with the reason.
    pub fn actor_of(&self, id: &str) -> Result<Actor, Error> {
        Ok(Actor(format!("user:{}", self.known(id)?.holder.user)))
    }

    /// Returns all leases: first the held ones, then the waiting ones, in the order of the queue.
    pub fn leases(&self) -> Vec<LeaseView> {
        let (state, now_ms) = (self.state(), self.clock.now_ms());
        let held = state
            .leases
            .iter()
            .filter(|(_, lease)| lease.fence().is_some())
            .map(|(id, lease)| (id.as_str(), lease));
        held.chain(state.queue())
            .map(|(id, lease)| LeaseView::new(&state, id, lease, now_ms))
            .collect()
    }

    /// Returns why a lease ended, if it is among the last ended leases.
    pub fn ended(&self, id: &str) -> Option<End> {
        self.state().end_of(id)
    }

    /// Handles a holder's heartbeat. Returns when there is news or the wait is over.
    ///
    /// # Errors
    /// The lease has ended.
    pub async fn renew(&self, id: &str, renewal: &Renewal) -> Result<LeaseView, Error> {
        let patience = Instant::now() + Duration::from_millis(renewal.wait_ms.min(WAIT_MS_MAX));
        self.catch_up_unless_known(id).await?;
        let mut news = self.keeper.news();
        let name = lease_name(id);
        let mut waiting = Waiting { service: self, name: &name, is_answered: true };
        loop {
            news.borrow_and_update();
            waiting.is_answered = true;
            let view = self.known(id)?;
            // While this process cannot report to the others, the holder must send its heartbeats
            // to another process.
            if let Some(trouble) = self.peers.apart() {
                return Err(trouble);
            }
            self.note_received(name.clone(), 0);
            let every = sooner(view.ask.ttl_s.min(WAITING_TTL_S));
            if matches!(view.state, LeaseState::Waiting(_)) {
                waiting.is_answered = false;
            }
            if renewal.seen != Some(view.state) || !wait(&mut news, patience, every).await {
                waiting.is_answered = true;
                return Ok(view);
            }
        }
    }

    /// Handles a node's heartbeat. Returns when the node should know other leases than it does, or
    /// when the wait is over.
    ///
    /// # Errors
    /// The node is not a member of the pool, or is no longer one.
    pub async fn heartbeat(&self, node: &str, heartbeat: &Heartbeat) -> Result<Orders, Error> {
        let patience = Instant::now() + Duration::from_millis(heartbeat.wait_ms.min(NODE_BEAT_MS));
        if self.is_behind(node, heartbeat) {
            self.catch_up().await?;
        }
        let own = of_this_node(&self.state(), node, heartbeat)?;
        self.note(node, &own);
        if let Some(command) = self.news_of(node, heartbeat) {
            self.carry_out(Actor(format!("node:{node}")), command).await?;
        }
        self.take_note(node, &own).await?;
        let name = node_name(node);
        let mut waiting = Waiting { service: self, name: &name, is_answered: false };
        let orders = self.news_for(node, heartbeat, patience).await;
        waiting.is_answered = true;
        orders
    }

    /// Returns the command that a node's heartbeat causes, if any.
    fn news_of(&self, node: &str, heartbeat: &Heartbeat) -> Option<Command> {
        let state = self.state();
        let known = state.nodes.get(node).filter(|known| known.joined == heartbeat.joined);
        let down = known.and_then(|known| known.down).map(|down| down.why);
        let (node, joined) = (node.to_owned(), heartbeat.joined);
        match (known.is_some(), down) {
            (true, Some(Absence::Unfit)) if heartbeat.unfit => None,
            (true, None) if !heartbeat.unfit => None,
            _ if heartbeat.unfit => Some(Command::Unfit { node, joined }),
            _ => Some(Command::Up { node, joined }),
        }
    }

    /// Returns whether the node knows more than this process, or this process does not know the
    /// node.
    fn is_behind(&self, node: &str, heartbeat: &Heartbeat) -> bool {
        let state = self.state();
        let is_known = state.nodes.get(node).is_some_and(|known| known.joined == heartbeat.joined);
        !is_known || state.head < heartbeat.head || heartbeat.wait_ms == 0
    }

    async fn news_for(
        &self,
        node: &str,
        heartbeat: &Heartbeat,
        patience: Instant,
    ) -> Result<Orders, Error> {
        let mut news = self.keeper.news();
        loop {
            news.borrow_and_update();
            let orders = self.orders(node)?;
            if orders.joined != heartbeat.joined {
                return Err(unknown(node));
            }
            let known = orders.leases.len() == heartbeat.leases.len()
                && orders.leases.iter().all(|order| {
                    heartbeat
                        .leases
                        .iter()
                        .any(|lease| (&lease.id, lease.fence) == (&order.id, order.fence))
                });
            // A node that counts as down gets its answer at once. Its next heartbeat then shows
            // that it is not down.
            let is_down = self.state().nodes.get(node).is_some_and(|node| node.down.is_some());
            if !known
                || is_down != heartbeat.unfit
                || !wait(&mut news, patience, Duration::MAX).await
            {
                return Ok(orders);
            }
        }
    }

    /// Returns the pool's orders to a node.
    ///
    /// # Errors
    /// The pool does not know the node.
    pub fn orders(&self, node: &str) -> Result<Orders, Error> {
        let state = self.state();
        let known = state.nodes.get(node).ok_or_else(|| unknown(node))?;
        let order = |(id, lease): (&str, &Lease)| Order {
            id: id.to_owned(),
            fence: lease.fence().unwrap_or(0),
            key_hash: lease.key_hash.clone(),
            priority: lease.ask.priority,
            parts: lease.parts().iter().filter(|part| part.node == node).cloned().collect(),
            grace_s: lease.ask.grace_s,
            frames_per_s: lease.ask.frames.map(|frames| frames.per_s),
        };
        let leases = state.on_node(node).map(order).collect();
        if known.down.is_some_and(|down| down.why == Absence::Left) {
            return Err(unknown(node));
        }
        Ok(Orders { head: state.head, joined: known.joined, leases })
    }

    /// Records a node's reports of use. When the call returns, the log contains the final reports.
    async fn take_note(&self, node: &str, heartbeat: &Heartbeat) -> Result<(), Error> {
        {
            let state = self.state();
            let mut telemetry = locked(&self.telemetry);
            let now_ms = self.clock.now_ms();
            telemetry.tidy(
                now_ms,
                |node| state.nodes.contains_key(node),
                |lease| state.is_open(lease),
            );
            telemetry.record(now_ms, node, heartbeat);
        }
        for one in heartbeat.uses.iter().filter(|one| one.is_final) {
            let (id, item) = (one.id.clone(), item_of(node, one));
            self.carry_out(Actor(format!("node:{node}")), Command::Bill { id, item }).await?;
        }
        Ok(())
    }

    /// Returns the telemetry, without nodes and leases that no longer exist.
    fn telemetry(&self, state: &State) -> MutexGuard<'_, Telemetry> {
        let mut telemetry = locked(&self.telemetry);
        telemetry.keep(|node| state.nodes.contains_key(node), |lease| state.is_open(lease));
        telemetry
    }

    /// Returns the current use of GPUs and leases.
    pub fn usage(&self, history: History) -> UsageView {
        let state = self.state();
        let telemetry = self.telemetry(&state);
        let is_up = |node: &str| state.nodes.get(node).is_some_and(|node| node.down.is_none());
        let mean = if history == History::None { Vec::new() } else { telemetry.mean() };
        let gpus = telemetry.gpus(history == History::Gpus, is_up);
        let mut leases = telemetry.leases();
        leases.retain(|lease| state.leases.contains_key(&lease.id));
        UsageView { at_ms: self.clock.now_ms(), history: mean, gpus, leases }
    }

    /// Returns the energy by lease and by GPU, or only the energy of the lease `only`.
    pub fn energy(&self, only: Option<&str>) -> EnergyView {
        let state = self.state();
        let is_meant = |id: &str| only.is_none_or(|only| only == id);
        let mut leases: Vec<Bill> =
            state.bills.iter().filter(|bill| is_meant(&bill.id)).cloned().collect();
        let telemetry = self.telemetry(&state);
        for (id, lease) in state.leases.iter().filter(|(id, _)| is_meant(id)) {
            let Phase::Held { since_ms, .. } = lease.phase else { continue };
            let mut items = lease.last_reported.clone();
            telemetry.items(id).into_iter().for_each(|item| item.replace_in(&mut items));
            leases.push(Bill {
                id: id.clone(),
                user: lease.holder.user.clone(),
                from_ms: since_ms,
                to_ms: None,
                parts: places(lease),
                items,
            });
        }
        let gpus = if only.is_some() { Vec::new() } else { telemetry.energy() };
        EnergyView { leases, gpus }
    }

    /// Notes that the node's heartbeat arrived, which of its leases have sessions, and when these
    /// were last active.
    fn note(&self, node: &str, heartbeat: &Heartbeat) {
        let (now_ms, state, mut attendance) =
            (self.clock.now_ms(), self.state(), self.attendance());
        let mut note_received =
            |name, age_ms| attendance.step(now_ms, Event::Received { name, age_ms });
        note_received(node_name(node), 0);
        for one in &heartbeat.leases {
            let Some(lease) =
                state.leases.get(&one.id).filter(|lease| lease.fence() == Some(one.fence))
            else {
                continue;
            };
            if one.sessions > 0 {
                note_received(lease_name(&one.id), 0);
            }
            for timer in timers(&one.id, &lease.ask) {
                let quiet_s = match timer.end {
                    End::Unused if one.sessions > 0 => 0,
                    End::Unused => one.unused_s,
                    _ => one.idle_s,
                };
                note_received(timer.name, quiet_s.saturating_mul(1000));
            }
        }
    }

    /// Handles a holder's report that it cannot reach a node. Returns the lease after that.
    ///
    /// # Errors
    /// The lease has ended or has no part on that node.
    pub async fn unreachable(
        &self,
        id: &str,
        fence: u64,
        address: String,
    ) -> Result<LeaseView, Error> {
        self.catch_up_unless_known(id).await?;
        let actor = self.actor_of(id)?;
        self.carry_out(actor, Command::Unreachable { id: id.to_owned(), fence, address }).await?;
        self.known(id)
    }

    /// Returns all nodes.
    pub fn nodes(&self) -> Vec<NodeView> {
        let state = self.state();
        state.nodes.values().map(|node| NodeView::new(&state, node)).collect()
    }

    /// Returns the quotas and the use.
    pub fn quotas(&self) -> Quotas {
        let state = self.state();
        Quotas { quotas: state.quotas.clone(), usage: state.usage.clone() }
    }

    /// Begins an audit of all users, or of one, since a time in milliseconds since 1970.
    pub fn audit(&self, user: Option<String>, since_ms: u64) -> Audit {
        Audit::new(&self.state(), user, since_ms)
    }

    /// Returns entries of an audit, of the next `max` after `after`, which becomes the index of the
    /// last entry that was read. Waits for one if there are none yet.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn entries(
        &self,
        audit: &mut Audit,
        after: &mut u64,
        max: usize,
        wait_ms: u64,
    ) -> Result<Vec<Logged>, Error> {
        let patience = Instant::now() + Duration::from_millis(wait_ms.min(WAIT_MS_MAX));
        let mut news = self.keeper.news();
        loop {
            news.borrow_and_update();
            let entries = self.journal.entries(*after, max)?;
            let is_end = entries.len() < max;
            *after = entries.last().map_or(*after, |(index, _)| *index);
            let selected =
                entries.into_iter().filter_map(|(index, entry)| audit.select(index, entry));
            let selected: Vec<Logged> = selected.collect();
            let is_over =
                !selected.is_empty() || is_end && !wait(&mut news, patience, Duration::MAX).await;
            if is_over {
                return Ok(selected);
            }
            // A long search must not keep a thread from other requests.
            tokio::task::yield_now().await;
        }
    }

    /// Calls `listener` whenever the store begins to fail, with the error, and when it works again.
    pub fn listen_to_store(&self, listener: Listener) {
        self.keeper.health().listen(listener);
    }

    /// Checks that a lease could be recorded now. A store of several processes needs no probe,
    /// because each process writes a report every half second.
    async fn check_store(&self) -> Result<(), Error> {
        if let Some(trouble) = self.keeper.health().trouble().or_else(|| self.peers.apart()) {
            return Err(trouble);
        }
        if self.store.is_shared() {
            return Ok(());
        }
        tokio::time::timeout(PROBE_MAX, self.keeper.probe()).await.unwrap_or_else(|_| {
            let seconds = PROBE_MAX.as_secs();
            Err(StoreError::NoAnswer(format!("a write has taken {seconds} s so far")).into())
        })
    }

    /// Returns the pool's condition.
    ///
    /// # Errors
    /// The store does not answer or cannot be written.
    pub async fn health(&self) -> Result<Health, Error> {
        self.check_store().await?;
        let state = self.state();
        let held = state.leases.values().filter(|lease| lease.fence().is_some()).count();
        Ok(Health {
            release: env!("CARGO_PKG_VERSION").to_owned(),
            head: state.head,
            nodes: state.nodes.len(),
            gpus: state.nodes.values().map(|node| node.facts.gpus.len()).sum(),
            held,
            waiting: state.leases.len() - held,
            down: state
                .nodes
                .values()
                .filter(|node| node.down.is_some())
                .map(|node| node.facts.name.clone())
                .collect(),
        })
    }

    /// Returns the pool's metrics as text for Prometheus.
    pub async fn metrics(&self) -> String {
        let healthy = self.check_store().await.is_ok();
        let mut text = crate::http::metrics::render(&self.state(), self.clock.now_ms(), healthy);
        let usage = self.usage(History::None);
        crate::http::metrics::render_usage(&mut text, &self.state(), &usage);
        text
    }

    /// Passes a backup to `take`, line by line, until `take` returns false. An interrupted backup
    /// lacks its last line.
    pub(crate) fn back_up(&self, mut take: impl FnMut(String) -> bool) {
        let state = self.state().clone();
        let entries = |after| self.journal.entries(after, ENTRIES_MAX).ok();
        backup::write(&state, entries, &mut take);
    }

    /// Lets a node join and returns its orders.
    ///
    /// # Errors
    /// The node cannot join, with the reason.
    pub async fn join(
        &self,
        actor: Actor,
        facts: crate::model::node::NodeFacts,
    ) -> Result<Orders, Error> {
        let name = facts.name.clone();
        self.carry_out(actor, Command::Join(facts)).await?;
        self.orders(&name)
    }
}

/// Returns the part of a heartbeat that the node may report on: its own GPUs, and leases that have
/// or had a part of them. Drops the rest.
fn of_this_node(state: &State, node: &str, heartbeat: &Heartbeat) -> Result<Heartbeat, Error> {
    if heartbeat.gpus.len() > NODE_GPUS_MAX
        || heartbeat.uses.len() > USES_MAX
        || heartbeat.leases.len() > USES_MAX
    {
        return Err(Error::Usage(format!(
            "a node may report {NODE_GPUS_MAX} GPUs and {USES_MAX} leases at once"
        )));
    }
    let facts = &state.nodes.get(node).ok_or_else(|| unknown(node))?.facts;
    let has = |gpu: &str| facts.gpus.iter().any(|own| own.uuid == gpu);
    let part_of = |id: &str, is_it: &dyn Fn(&Part) -> bool| {
        state
            .leases
            .get(id)
            .is_some_and(|lease| lease.parts().iter().any(|part| part.node == node && is_it(part)))
    };
    let of_it = |one: &&LeaseUse| {
        if one.is_final {
            state.may_bill(&one.id, &item_of(node, one))
        } else {
            part_of(&one.id, &|part| part.gpu == one.gpu)
        }
    };
    Ok(Heartbeat {
        joined: heartbeat.joined,
        head: heartbeat.head,
        gpus: heartbeat.gpus.iter().filter(|one| has(&one.gpu)).cloned().collect(),
        uses: heartbeat.uses.iter().filter(of_it).cloned().collect(),
        leases: heartbeat
            .leases
            .iter()
            .filter(|one| part_of(&one.id, &|_| true))
            .cloned()
            .collect(),
        wait_ms: heartbeat.wait_ms,
        unfit: heartbeat.unfit,
    })
}

fn item_of(node: &str, of: &LeaseUse) -> Item {
    let LeaseUse { gpu, busy_ns, active_mj, idle_mj, method, frames, .. } = of.clone();
    let node = node.to_owned();
    Item { node, gpu, busy_ns, active_mj, idle_mj, method, frames, last_reported: false }
}

/// A node, or the holder of a request, that waits for an answer. If its connection breaks before
/// the answer, it may be gone.
struct Waiting<'a> {
    service: &'a Service,
    /// Its name in the attendance.
    name: &'a str,
    is_answered: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            let lost = Event::Lost { name: self.name.to_owned() };
            self.service.attendance().step(self.service.clock.now_ms(), lost);
        }
    }
}

fn unknown(node: &str) -> Error {
    Error::Ended(format!("the node {node} must join anew"))
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock()
}

/// Returns how often a waiting holder counts as alive: three times within its lease's time to live.
fn sooner(ttl_s: u32) -> Duration {
    Duration::from_secs(u64::from(ttl_s)) / 3
}

/// Waits for news, at most `longest`. Returns false if `patience` is over.
async fn wait(news: &mut watch::Receiver<u64>, patience: Instant, longest: Duration) -> bool {
    let left = patience.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return false;
    }
    let _ = tokio::time::timeout(left.min(longest), news.changed()).await;
    true
}
