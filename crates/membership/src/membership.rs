//! The node's side of its membership in a pool. The node reports its GPUs, sends heartbeats, learns
//! its leases, and reports when it leaves. While the pool does not answer, programs continue.

use crate::pool_contact::{Action, Contact, Event};
use crate::translation::{activity, gpu_use, grant, lease_use};
use outhaul_lock::Mutex;
use outhaul_node::keeper::client::KeeperClient;
use outhaul_node::lease::Leases;
use outhaul_node::log::log_event;
use outhaul_node::meter::Meter;
use outhaul_pool::http::api::{Heartbeat, Orders};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::liveness::attendance::NODE_BEAT_MS;
use outhaul_pool::model::node::NodeFacts;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

const AGAIN: Duration = Duration::from_millis(500);
const WATCH_EVERY: Duration = Duration::from_millis(100);
/// Interval between driver tests while no session can begin.
const TEST_EVERY: Duration = Duration::from_secs(5);
/// Maximum interval between driver tests while sessions can begin.
const SUSPICION_WAIT_MAX: Duration = Duration::from_secs(3600);

/// A node's membership in a pool.
pub struct Membership {
    client: Client,
    name: String,
    leases: OnceLock<Arc<Leases>>,
    meter: Arc<Meter>,
    answered: Mutex<Option<Answered>>,
    /// Client of the node's keeper, which stores the membership. So the node's next process can
    /// continue the membership.
    keeping: Arc<KeeperClient>,
    facts: OnceLock<NodeFacts>,
    contact: Mutex<Contact>,
    is_leaving: AtomicBool,
}

/// Name under which the keeper stores the membership.
const TITLE: &str = "membership";

/// The membership as the keeper stores it. If `pool` and `facts` are unchanged, the node's next
/// process continues the membership and need not join again.
#[derive(Serialize, Deserialize)]
struct Noted {
    pool: Vec<String>,
    facts: NodeFacts,
    joined: u64,
}

/// The pool's last answer: the number of the membership, and the newest log entry that the answer
/// took into account.
#[derive(Clone, Copy)]
struct Answered {
    joined: u64,
    head: u64,
}

impl Membership {
    /// Creates a membership. `own` is the credential of the node's own session. With a `limit`, all
    /// leases end once the pool has not answered for that long.
    pub fn new(
        client: Client,
        name: String,
        own: String,
        (meter, keeping): (Arc<Meter>, Arc<KeeperClient>),
        limit: Option<Duration>,
    ) -> (Arc<Membership>, Arc<Leases>) {
        let (leases, answered, contact) =
            (OnceLock::new(), Mutex::default(), Mutex::new(Contact::new(limit)));
        let (facts, is_leaving) = (OnceLock::new(), AtomicBool::new(false));
        let membership = Arc::new(Membership {
            client,
            name,
            leases,
            meter,
            answered,
            keeping,
            facts,
            contact,
            is_leaving,
        });
        let asking = membership.clone();
        let leases = Arc::new(Leases::new(Box::new(move || asking.ask_now()), own));
        let _ = membership.leases.set(leases.clone());
        (membership, leases)
    }

    fn leases(&self) -> &Leases {
        self.leases.get().expect("set when it was made")
    }

    fn answered(&self) -> outhaul_lock::MutexGuard<'_, Option<Answered>> {
        self.answered.lock()
    }

    /// Joins the pool, and remains a member until the node leaves. `test_driver` checks whether a
    /// session can begin, and returns the reason if none can.
    pub fn live(
        self: Arc<Self>,
        facts: &NodeFacts,
        test_driver: impl Fn() -> Result<(), String> + Send + 'static,
    ) {
        let (watching, testing) = (self.clone(), self.clone());
        std::thread::spawn(move || watching.watch());
        std::thread::spawn(move || testing.test_when_suspect(test_driver));
        let _ = self.facts.set(facts.clone());
        if let Some(joined) = self.noted(facts) {
            log_event(&format!("still in the pool at {} as {}", self.client.url(), self.name));
            *self.answered() = Some(Answered { joined, head: 0 });
            self.stay(0);
        }
        let mut logged = None;
        while !self.is_leaving.load(Ordering::SeqCst) {
            match self.client.post::<Orders>("/v1/nodes", facts) {
                Ok(orders) => {
                    log_event(&format!("in the pool at {} as {}", self.client.url(), self.name));
                    logged = None;
                    self.leases().forget();
                    self.apply(&orders);
                    self.stay(NODE_BEAT_MS);
                }
                Err(error) => {
                    let text = error.to_string();
                    if logged.as_ref() != Some(&text) {
                        log_event(&format!("not in the pool: {text}"));
                        logged = Some(text);
                    }
                    std::thread::sleep(AGAIN);
                }
            }
        }
    }

    /// Returns the number of the membership that an earlier process of this node had, unless the
    /// pool's URLs or the facts have changed.
    fn noted(&self, facts: &NodeFacts) -> Option<u64> {
        let noted: Noted = self.keeping.noted(TITLE)?;
        (noted.pool == self.client.urls() && noted.facts == *facts).then_some(noted.joined)
    }

    fn note(&self, joined: u64) {
        if let Some(facts) = self.facts.get() {
            self.keeping.note(
                TITLE,
                &Noted { pool: self.client.urls().to_owned(), facts: facts.clone(), joined },
            );
        }
    }

    /// Sends heartbeats until the node must join again. The pool may hold the first heartbeat for
    /// `wait_ms` milliseconds.
    fn stay(&self, mut wait_ms: u64) {
        loop {
            wait_ms = match self.beat(wait_ms) {
                Ok(()) => NODE_BEAT_MS,
                Err(ClientError::Gone(reason)) => {
                    log_event(&format!("out of the pool: {reason}"));
                    self.leases().forget();
                    *self.answered() = None;
                    self.contact().end();
                    return;
                }
                // After an error, the pool must answer the next heartbeat at once.
                Err(_) => {
                    std::thread::sleep(AGAIN);
                    0
                }
            }
        }
    }

    /// Tells the pool that this node leaves, if this node is a member.
    pub fn leave(&self) {
        self.is_leaving.store(true, Ordering::SeqCst);
        if self.answered().is_some() {
            match self.client.leave(&self.name) {
                Ok(()) => log_event("the pool knows that this node leaves"),
                Err(error) => {
                    log_event(&format!("cannot tell the pool that this node leaves: {error}"))
                }
            }
        }
    }

    fn beat(&self, wait_ms: u64) -> Result<(), ClientError> {
        let Some(Answered { joined, head }) = *self.answered() else {
            return Err(ClientError::Gone("it has not joined yet".into()));
        };
        let leases = self.leases().activities();
        let (gpus, uses) = self.meter.report();
        let heartbeat = Heartbeat {
            joined,
            head,
            gpus: gpus.iter().map(gpu_use).collect(),
            uses: uses.iter().map(lease_use).collect(),
            leases: leases.into_iter().map(activity).collect(),
            wait_ms,
            unfit: self.leases().driver_health().problem().is_some(),
        };
        let orders = self.client.heartbeat(&self.name, &heartbeat)?;
        self.meter.forget(&uses);
        self.apply(&orders);
        Ok(())
    }

    /// Applies the pool's answer, unless the answer belongs to an older membership.
    fn apply(&self, orders: &Orders) {
        self.happen(Event::Answer);
        let mut answered = self.answered();
        if answered.is_some_and(|answered| answered.joined > orders.joined) {
            return;
        }
        if answered.is_none_or(|answered| answered.joined != orders.joined) {
            self.note(orders.joined);
        }
        let head = answered
            .filter(|answered| answered.joined == orders.joined)
            .map_or(0, |answered| answered.head)
            .max(orders.head);
        *answered = Some(Answered { joined: orders.joined, head });
        self.leases().replace(orders.head, orders.leases.iter().map(grant).collect());
    }

    fn contact(&self) -> outhaul_lock::MutexGuard<'_, Contact> {
        self.contact.lock()
    }

    fn happen(&self, event: Event) {
        let action = self.contact().step(Instant::now(), event);
        match action {
            Action::Nothing => {}
            Action::LogSilence => log_event(
                "the pool does not answer: programs continue, and the node reports their use \
                    later",
            ),
            Action::LogReturn(away) => {
                log_event(&format!("the pool answers again, after {:.0} s", away.as_secs_f64()))
            }
            Action::End => {
                log_event(
                    "the pool has not answered for as long as --pool-absence-max allows: all \
                    leases end",
                );
                self.leases().forget();
            }
        }
    }

    /// Sends a heartbeat at once. The answer may contain a lease that this node does not know yet.
    fn ask_now(&self) -> Result<(), String> {
        self.beat(0).map_err(|error| error.to_string())
    }

    fn test_when_suspect(&self, test_driver: impl Fn() -> Result<(), String>) {
        let health = self.leases().driver_health();
        loop {
            let is_unfit = health.problem().is_some();
            health.await_suspicion(if is_unfit { TEST_EVERY } else { SUSPICION_WAIT_MAX });
            let problem = test_driver().err();
            let is_news = problem.is_some() != is_unfit;
            match &problem {
                Some(problem) if is_news => log_event(&format!(
                    "no session can begin, so the pool places nothing here until one can: {problem}"
                )),
                None if is_news => log_event("sessions can begin again"),
                _ => {}
            }
            health.set_result(problem);
            if is_news {
                // If this heartbeat fails, the next one reports the change.
                let _ = self.ask_now();
            }
            health.finish_test();
        }
    }

    fn watch(&self) {
        loop {
            std::thread::sleep(WATCH_EVERY);
            self.happen(Event::Tick);
        }
    }
}
