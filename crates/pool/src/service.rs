//! A pool process between its keeper and those who ask: commands go to the keeper's thread and come back answered, questions are answered from
//! what the keeper has seen, and whoever waits for news is told.

use crate::api::{
    Activity, EnergyView, Health, Heartbeat, History, LeaseUse, LeaseView, NodeView, Order, Orders, Quotas, Renewal, UsageView, WAIT_MS_MAX,
};
use crate::bill::{Bill, Item};
use crate::entry::{Actor, Entry};
use crate::error::Error;
use crate::identity::{Caller, SteadyTime, WallTime};
use crate::journal::Journal;
use crate::keeper::{Keeper, NODE_TTL, WAITING_TTL_S, Wish, lease_name, node_name, timers};
use crate::lease::{End, Lease, Part, Phase};
use crate::node::NODE_GPUS_MAX;
use crate::rules::Command;
use crate::state::{State, places};
use crate::store::Store;
use crate::telemetry::Telemetry;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};

/// Commands that wait for the keeper.
const WISHES_MAX: usize = 4096;
/// Commands of one entry.
const BATCH_MAX: usize = 256;
/// How often the keeper looks for what others wrote, and for leases whose time is up.
const TICK: Duration = Duration::from_millis(100);
/// How often it looks for names that have lapsed: that lists them all, and none lives for less than two seconds.
const LAPSED_EVERY: Duration = Duration::from_millis(500);
/// Leases that a node speaks of at once.
const USES_MAX: usize = 8192;
/// Entries in one answer.
const ENTRIES_MAX: usize = 1000;

type Posted = (Wish, oneshot::Sender<Result<(), Error>>);

/// Shared by all who ask.
pub struct Service {
    state: Arc<RwLock<State>>,
    store: Arc<dyn Store>,
    journal: Journal,
    wishes: SyncSender<Posted>,
    /// The last entry's index.
    news: watch::Receiver<u64>,
    trouble: Arc<Mutex<Option<Error>>>,
    clock: SteadyTime,
    wall: WallTime,
    /// When each node was heard last by this process.
    heard: Mutex<HashMap<String, Instant>>,
    telemetry: Mutex<Telemetry>,
}

impl Service {
    /// Starts the keeper's thread.
    pub fn start(keeper: Keeper, store: Arc<dyn Store>) -> Arc<Service> {
        Service::start_at(WallTime::of_machine(), keeper, store)
    }

    /// The same, with a time of day of its own.
    pub fn start_at(wall: WallTime, keeper: Keeper, store: Arc<dyn Store>) -> Arc<Service> {
        let (wishes, posted) = sync_channel(WISHES_MAX);
        let state = keeper.state();
        let (told, news) = watch::channel(read(&state).head);
        let (trouble, clock) = (Arc::new(Mutex::new(None)), SteadyTime::begin());
        let said = trouble.clone();
        std::thread::spawn(move || keep(keeper, &posted, &told, &said, clock));
        let (journal, heard) = (Journal::new(store.clone()), Mutex::default());
        let telemetry = Mutex::default();
        Arc::new(Service { state, store, journal, wishes, news, trouble, clock, wall, heard, telemetry })
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        read(&self.state)
    }

    /// Has a command carried out.
    ///
    /// # Errors
    /// Why it was not.
    pub async fn carry_out(&self, actor: Actor, command: Command) -> Result<(), Error> {
        let (answer, answered) = oneshot::channel();
        self.wishes.try_send(((actor, command), answer)).map_err(|error| match error {
            TrySendError::Full(_) => Error::Busy(format!("{WISHES_MAX} commands wait already")),
            TrySendError::Disconnected(_) => Error::Busy("the pool is ending".into()),
        })?;
        answered.await.unwrap_or_else(|_| Err(Error::Busy("the pool is ending".into())))
    }

    /// The time by which tokens and certificates are good.
    pub fn wall_time(&self) -> WallTime {
        self.wall.clone()
    }

    /// A lease.
    ///
    /// # Errors
    /// That there is none, or why it ended.
    pub fn lease(&self, id: &str) -> Result<LeaseView, Error> {
        let state = self.state();
        let lease = state.leases.get(id).ok_or_else(|| crate::rules::ended(&state, id))?;
        Ok(LeaseView::new(&state, id, lease, self.clock.now_ms()))
    }

    /// Whether whoever asks holds a lease.
    ///
    /// # Errors
    /// That there is none, or why it ended.
    pub fn is_held_by(&self, id: &str, caller: &Caller) -> Result<bool, Error> {
        let state = self.state();
        let lease = state.leases.get(id).ok_or_else(|| crate::rules::ended(&state, id))?;
        Ok(caller.holds(id, &lease.key_hash, &lease.holder))
    }

    /// On whose behalf a lease's holder acts.
    ///
    /// # Errors
    /// That there is none, or why it ended.
    pub fn actor_of(&self, id: &str) -> Result<Actor, Error> {
        Ok(Actor(format!("user:{}", self.lease(id)?.holder.user)))
    }

    /// All leases, those that wait in the order of the queue and behind those that are held.
    pub fn leases(&self) -> Vec<LeaseView> {
        let (state, now_ms) = (self.state(), self.clock.now_ms());
        let held = state.leases.iter().filter(|(_, lease)| lease.fence().is_some()).map(|(id, lease)| (id.as_str(), lease));
        held.chain(state.queue()).map(|(id, lease)| LeaseView::new(&state, id, lease, now_ms)).collect()
    }

    /// The end of a lease and who had it.
    pub fn ended(&self, id: &str) -> Option<End> {
        self.state().end_of(id)
    }

    /// A holder's sign of life. Answers when there is news, or the wait is over.
    ///
    /// # Errors
    /// That the lease has ended.
    pub async fn renew(&self, id: &str, renewal: &Renewal) -> Result<LeaseView, Error> {
        let patience = Instant::now() + Duration::from_millis(renewal.wait_ms.min(WAIT_MS_MAX));
        let (mut news, mut renewed) = (self.news.clone(), None);
        loop {
            news.borrow_and_update();
            let view = self.lease(id)?;
            let every = sooner(view.ask.ttl_s.min(WAITING_TTL_S));
            if is_time(&mut renewed, every) && !self.store.renew(&lease_name(id))? {
                return Err(Error::Ended(format!("the lease {id} has ended: {}", End::Expired)));
            }
            if renewal.seen != Some(view.standing) || !wait(&mut news, patience, every).await {
                return Ok(view);
            }
        }
    }

    /// A node's sign of life. Answers when the node should know other leases than it does, or the wait is over.
    ///
    /// # Errors
    /// That the node is none of the pool's, or not any more.
    pub async fn heartbeat(&self, node: &str, heartbeat: &Heartbeat) -> Result<Orders, Error> {
        let patience = Instant::now() + Duration::from_millis(heartbeat.wait_ms.min(WAIT_MS_MAX));
        let own = of_this_node(&self.state(), node, heartbeat)?;
        self.note_use(node, &own.leases)?;
        self.take_note(node, &own).await?;
        let (mut news, mut renewed) = (self.news.clone(), None);
        loop {
            news.borrow_and_update();
            let orders = self.orders(node)?;
            if orders.joined != heartbeat.joined || (is_time(&mut renewed, NODE_TTL / 3) && !self.store.renew(&node_name(node))?) {
                return Err(unknown(node));
            }
            let known = orders.leases.len() == heartbeat.leases.len()
                && orders
                    .leases
                    .iter()
                    .all(|order| heartbeat.leases.iter().any(|lease| (&lease.id, lease.fence) == (&order.id, order.fence)));
            if !known || !wait(&mut news, patience, NODE_TTL / 3).await {
                return Ok(orders);
            }
        }
    }

    /// What a node is to know.
    ///
    /// # Errors
    /// That the pool does not know it.
    pub fn orders(&self, node: &str) -> Result<Orders, Error> {
        let state = self.state();
        let known = state.nodes.get(node).ok_or_else(|| unknown(node))?;
        let order = |(id, lease): (&str, &Lease)| Order {
            id: id.to_owned(),
            fence: lease.fence().unwrap_or(0),
            key_hash: lease.key_hash.clone(),
            priority: lease.ask.priority,
            parts: lease.parts().iter().filter(|part| part.node == node).cloned().collect(),
        };
        let leases = state.on_node(node).map(order).collect();
        Ok(Orders { head: state.head, joined: known.joined, ttl_ms: NODE_TTL.as_millis() as u64, leases })
    }

    /// Of what a node says that its GPUs did. What is settled is in the log when this returns.
    async fn take_note(&self, node: &str, heartbeat: &Heartbeat) -> Result<(), Error> {
        {
            let state = self.state();
            let mut telemetry = locked(&self.telemetry);
            let now_ms = self.clock.now_ms();
            telemetry.tidy(now_ms, |node| state.nodes.contains_key(node), |lease| state.leases.contains_key(lease));
            telemetry.hear(now_ms, node, heartbeat);
        }
        for said in heartbeat.uses.iter().filter(|said| said.settled) {
            let (id, item) = (said.id.clone(), item_of(node, said));
            self.carry_out(Actor(format!("node:{node}")), Command::Settle { id, item }).await?;
        }
        Ok(())
    }

    /// Of nodes and leases that are there.
    fn telemetry(&self, state: &State) -> MutexGuard<'_, Telemetry> {
        let mut telemetry = locked(&self.telemetry);
        telemetry.keep(|node| state.nodes.contains_key(node), |lease| state.leases.contains_key(lease));
        telemetry
    }

    /// What GPUs and leases do.
    pub fn usage(&self, history: History) -> UsageView {
        let telemetry = self.telemetry(&self.state());
        let mean = if history == History::None { Vec::new() } else { telemetry.mean() };
        let gpus = telemetry.gpus(history == History::Gpus);
        UsageView { at_ms: self.clock.now_ms(), history: mean, gpus, leases: telemetry.leases() }
    }

    /// Whose energy it was; of one lease only what that used.
    pub fn energy(&self, only: Option<&str>) -> EnergyView {
        let state = self.state();
        let is_meant = |id: &str| only.is_none_or(|only| only == id);
        let mut leases: Vec<Bill> = state.bills.iter().filter(|bill| is_meant(&bill.id)).cloned().collect();
        let telemetry = self.telemetry(&state);
        for (id, lease) in state.leases.iter().filter(|(id, _)| is_meant(id)) {
            let Phase::Held { since_ms, .. } = lease.phase else { continue };
            leases.push(Bill {
                id: id.clone(),
                user: lease.holder.user.clone(),
                from_ms: since_ms,
                to_ms: None,
                parts: places(lease),
                items: telemetry.items(id),
            });
        }
        let gpus = if only.is_some() { Vec::new() } else { telemetry.energy() };
        EnergyView { leases, gpus }
    }

    /// Renews the timers of leases that a node used since it was heard last.
    fn note_use(&self, node: &str, said: &[Activity]) -> Result<(), Error> {
        let now = Instant::now();
        let before = {
            let (state, mut heard) = (self.state(), locked(&self.heard));
            if heard.len() > state.nodes.len() {
                heard.retain(|node, _| state.nodes.contains_key(node));
            }
            heard.insert(node.to_owned(), now)
        };
        // Had it been silent for longer, it would be lost. A second more, since nodes count whole ones.
        let since_s = before.map_or(NODE_TTL, |before| now.duration_since(before).min(NODE_TTL)).as_secs() + 1;
        for one in said {
            let held =
                self.state().leases.get(&one.id).filter(|lease| lease.fence() == Some(one.fence)).map(|lease| timers(&one.id, &lease.ask));
            for timer in held.into_iter().flatten() {
                let quiet_s = match timer.end {
                    End::Unused if one.sessions > 0 => 0,
                    End::Unused => one.unused_s,
                    _ => one.idle_s,
                };
                if quiet_s <= since_s {
                    self.store.renew(&timer.name)?;
                }
            }
        }
        Ok(())
    }

    /// All nodes.
    pub fn nodes(&self) -> Vec<NodeView> {
        let state = self.state();
        state.nodes.values().map(|node| NodeView::new(&state, node)).collect()
    }

    /// Quotas and usage.
    pub fn quotas(&self) -> Quotas {
        let state = self.state();
        Quotas { quotas: state.quotas.clone(), usage: state.usage.clone() }
    }

    /// Entries after an index; waits for one if there is none yet.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn entries(&self, after: u64, wait_ms: u64) -> Result<Vec<(u64, Entry)>, Error> {
        let patience = Instant::now() + Duration::from_millis(wait_ms.min(WAIT_MS_MAX));
        let mut news = self.news.clone();
        while *news.borrow_and_update() <= after && wait(&mut news, patience, Duration::MAX).await {}
        Ok(self.journal.entries(after, ENTRIES_MAX)?)
    }

    /// How the pool is.
    ///
    /// # Errors
    /// That its store does not answer.
    pub fn health(&self) -> Result<Health, Error> {
        if let Some(trouble) = self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Err(trouble);
        }
        let state = self.state();
        let held = state.leases.values().filter(|lease| lease.fence().is_some()).count();
        Ok(Health {
            release: env!("CARGO_PKG_VERSION").to_owned(),
            head: state.head,
            nodes: state.nodes.len(),
            gpus: state.nodes.values().map(|node| node.facts.gpus.len()).sum(),
            held,
            waiting: state.leases.len() - held,
        })
    }

    /// The pool in numbers.
    pub fn metrics(&self) -> String {
        let healthy = self.trouble.lock().unwrap_or_else(PoisonError::into_inner).is_none();
        let mut text = crate::metrics::render(&self.state(), self.clock.now_ms(), healthy);
        crate::metrics::render_usage(&mut text, &self.usage(History::None));
        text
    }

    /// What an answer to a new node says.
    ///
    /// # Errors
    /// Why it cannot join.
    pub async fn join(&self, actor: Actor, facts: crate::node::NodeFacts) -> Result<Orders, Error> {
        let name = facts.name.clone();
        self.carry_out(actor, Command::Join(facts)).await?;
        self.orders(&name)
    }
}

/// What a node may say: of its own GPUs, and of leases that have or had a part of them. What it says of others is not heard.
fn of_this_node(state: &State, node: &str, said: &Heartbeat) -> Result<Heartbeat, Error> {
    if said.gpus.len() > NODE_GPUS_MAX || said.uses.len() > USES_MAX || said.leases.len() > USES_MAX {
        return Err(Error::Usage(format!("a node has no more than {NODE_GPUS_MAX} GPUs, and speaks of {USES_MAX} leases at once")));
    }
    let facts = &state.nodes.get(node).ok_or_else(|| unknown(node))?.facts;
    let has = |gpu: &str| facts.gpus.iter().any(|own| own.uuid == gpu);
    let part_of = |id: &str, is_it: &dyn Fn(&Part) -> bool| {
        state.leases.get(id).is_some_and(|lease| lease.parts().iter().any(|part| part.node == node && is_it(part)))
    };
    let of_it = |one: &&LeaseUse| {
        if one.settled { state.may_settle(&one.id, &item_of(node, one)) } else { part_of(&one.id, &|part| part.gpu == one.gpu) }
    };
    Ok(Heartbeat {
        joined: said.joined,
        gpus: said.gpus.iter().filter(|one| has(&one.gpu)).cloned().collect(),
        uses: said.uses.iter().filter(of_it).cloned().collect(),
        leases: said.leases.iter().filter(|one| part_of(&one.id, &|_| true)).cloned().collect(),
        wait_ms: said.wait_ms,
    })
}

fn item_of(node: &str, said: &LeaseUse) -> Item {
    let LeaseUse { gpu, busy_ns, active_mj, idle_mj, method, .. } = said.clone();
    Item { node: node.to_owned(), gpu, busy_ns, active_mj, idle_mj, method }
}

fn unknown(node: &str) -> Error {
    Error::Ended(format!("the node {node} has to join anew"))
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Renewed well before it lapses.
fn sooner(ttl_s: u32) -> Duration {
    Duration::from_secs(u64::from(ttl_s)) / 3
}

/// Whether it was done so long ago that it is to be done now. Who waits is woken by every entry, and is not to ask the store for each.
fn is_time(done: &mut Option<Instant>, every: Duration) -> bool {
    let due = done.is_none_or(|done| done.elapsed() >= every);
    *done = if due { Some(Instant::now()) } else { *done };
    due
}

/// Until there is news, at most `longest`; false if patience is over.
async fn wait(news: &mut watch::Receiver<u64>, patience: Instant, longest: Duration) -> bool {
    let left = patience.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return false;
    }
    let _ = tokio::time::timeout(left.min(longest), news.changed()).await;
    true
}

fn read(state: &RwLock<State>) -> RwLockReadGuard<'_, State> {
    state.read().unwrap_or_else(PoisonError::into_inner)
}

/// The keeper's thread: what is wished, what has lapsed, what others wrote.
fn keep(mut keeper: Keeper, posted: &Receiver<Posted>, told: &watch::Sender<u64>, trouble: &Mutex<Option<Error>>, clock: SteadyTime) {
    let (mut ticked, mut listed) = (Instant::now(), Instant::now());
    loop {
        let mut batch = Vec::new();
        match posted.recv_timeout(TICK.saturating_sub(ticked.elapsed())) {
            Ok(first) => batch.push(first),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        batch.extend(posted.try_iter().take(BATCH_MAX - batch.len()));
        let mut wishes: Vec<Wish> = batch.iter().map(|(wish, _)| wish.clone()).collect();
        let mut fault = None;
        if ticked.elapsed() >= TICK {
            ticked = Instant::now();
            let is_time = listed.elapsed() >= LAPSED_EVERY;
            match keeper.catch_up(|_, _| {}).and_then(|()| if is_time { keeper.lapsed() } else { Ok(Vec::new()) }) {
                Ok(lapsed) => {
                    wishes.extend(lapsed);
                    listed = if is_time { Instant::now() } else { listed };
                }
                Err(error) => fault = Some(error),
            }
            wishes.push((Actor::pool(), Command::Tick));
        }
        let answers = keeper.step(clock.now_ms(), &wishes, |_, _| {});
        let failed = answers.iter().find_map(|answer| answer.as_ref().err().filter(|error| matches!(error, Error::Store(_))));
        *trouble.lock().unwrap_or_else(PoisonError::into_inner) = failed.cloned().or(fault);
        for ((_, answer), result) in batch.into_iter().zip(answers) {
            let _ = answer.send(result);
        }
        told.send_if_modified(|head| std::mem::replace(head, keeper.head()) != *head);
    }
}
