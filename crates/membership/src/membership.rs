//! The member's side of a pool: the node reports its GPUs, sends heartbeats, learns its leases,
//! and says when it leaves. While the pool does not answer, programs continue.

use crate::contact::{Action, Contact, Event};
use crate::translation::{activity, gpu_use, grant, lease_use};
use outhaul_lock::Mutex;
use outhaul_node::keeper::client::KeeperClient;
use outhaul_node::lease::Leases;
use outhaul_node::log::say;
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
/// Time between two attempts of a node whose driver does not start.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Maximum time that a node without a reported problem waits for one.
const DOUBT_PATIENCE: Duration = Duration::from_secs(3600);

/// The membership of one node in one pool.
pub struct Membership {
    client: Client,
    name: String,
    leases: OnceLock<Arc<Leases>>,
    meter: Arc<Meter>,
    heard: Mutex<Option<Heard>>,
    /// The handover through which another process of this node continues as the same member.
    keeping: Arc<KeeperClient>,
    facts: OnceLock<NodeFacts>,
    contact: Mutex<Contact>,
    is_leaving: AtomicBool,
}

/// The key under which the node notes that it has joined.
const TITLE: &str = "membership";

/// The identity of a membership. If nothing of it has changed, another process of the node need not
/// join again.
#[derive(Serialize, Deserialize)]
struct Noted {
    pool: Vec<String>,
    facts: NodeFacts,
    joined: u64,
}

/// The pool's last answer.
#[derive(Clone, Copy)]
struct Heard {
    joined: u64,
    head: u64,
}

impl Membership {
    /// Makes a membership. `own` is the credential of the node's own session. With a `limit`,
    /// leases end after that long without an answer of the pool.
    pub fn new(
        client: Client,
        name: String,
        own: String,
        (meter, keeping): (Arc<Meter>, Arc<KeeperClient>),
        limit: Option<Duration>,
    ) -> (Arc<Membership>, Arc<Leases>) {
        let (leases, heard, contact) =
            (OnceLock::new(), Mutex::default(), Mutex::new(Contact::new(limit)));
        let (facts, is_leaving) = (OnceLock::new(), AtomicBool::new(false));
        let membership = Arc::new(Membership {
            client,
            name,
            leases,
            meter,
            heard,
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

    fn heard(&self) -> outhaul_lock::MutexGuard<'_, Option<Heard>> {
        self.heard.lock()
    }

    /// Joins, and remains a member until the node leaves. `look` checks whether sessions can begin,
    /// and says why not.
    pub fn live(
        self: Arc<Self>,
        facts: &NodeFacts,
        look: impl Fn() -> Result<(), String> + Send + 'static,
    ) {
        let (watching, looking) = (self.clone(), self.clone());
        std::thread::spawn(move || watching.watch());
        std::thread::spawn(move || looking.look_when_in_doubt(look));
        let _ = self.facts.set(facts.clone());
        if let Some(joined) = self.noted(facts) {
            say(&format!("still in the pool at {} as {}", self.client.url(), self.name));
            *self.heard() = Some(Heard { joined, head: 0 });
            self.stay(0);
        }
        let mut said = None;
        while !self.is_leaving.load(Ordering::SeqCst) {
            match self.client.post::<Orders>("/v1/nodes", facts) {
                Ok(orders) => {
                    say(&format!("in the pool at {} as {}", self.client.url(), self.name));
                    said = None;
                    self.leases().forget();
                    self.hear(&orders);
                    self.stay(NODE_BEAT_MS);
                }
                Err(error) => {
                    let words = error.to_string();
                    if said.as_ref() != Some(&words) {
                        say(&format!("not in the pool: {words}"));
                        said = Some(words);
                    }
                    std::thread::sleep(AGAIN);
                }
            }
        }
    }

    /// Continues the membership of another process of this node, if nothing has changed.
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

    /// Runs until the node must join again. The first answer may take `wait_ms` milliseconds.
    fn stay(&self, mut wait_ms: u64) {
        loop {
            wait_ms = match self.beat(wait_ms) {
                Ok(()) => NODE_BEAT_MS,
                Err(ClientError::Gone(reason)) => {
                    say(&format!("out of the pool: {reason}"));
                    self.leases().forget();
                    *self.heard() = None;
                    self.contact().end();
                    return;
                }
                // The first answer must come at once.
                Err(_) => {
                    std::thread::sleep(AGAIN);
                    0
                }
            }
        }
    }

    /// Tells the pool that the node leaves, if it is a member.
    pub fn leave(&self) {
        self.is_leaving.store(true, Ordering::SeqCst);
        if self.heard().is_some() {
            match self.client.leave(&self.name) {
                Ok(()) => say("the pool knows that this node leaves"),
                Err(error) => say(&format!("cannot tell the pool that this node leaves: {error}")),
            }
        }
    }

    fn beat(&self, wait_ms: u64) -> Result<(), ClientError> {
        let Some(Heard { joined, head }) = *self.heard() else {
            return Err(ClientError::Gone("it has not joined yet".into()));
        };
        let leases = self.leases().activities();
        let (gpus, uses) = self.meter.report();
        let said = Heartbeat {
            joined,
            head,
            gpus: gpus.iter().map(gpu_use).collect(),
            uses: uses.iter().map(lease_use).collect(),
            leases: leases.into_iter().map(activity).collect(),
            wait_ms,
            unfit: self.leases().fitness().trouble().is_some(),
        };
        let orders = self.client.heartbeat(&self.name, &said)?;
        self.meter.forget(&uses);
        self.hear(&orders);
        Ok(())
    }

    /// Applies an answer, unless a newer one has arrived before it.
    fn hear(&self, orders: &Orders) {
        self.happen(Event::Answer);
        let mut heard = self.heard();
        if heard.is_some_and(|heard| heard.joined > orders.joined) {
            return;
        }
        if heard.is_none_or(|heard| heard.joined != orders.joined) {
            self.note(orders.joined);
        }
        let head = heard
            .filter(|heard| heard.joined == orders.joined)
            .map_or(0, |heard| heard.head)
            .max(orders.head);
        *heard = Some(Heard { joined: orders.joined, head });
        self.leases().replace(orders.head, orders.leases.iter().map(grant).collect());
    }

    fn contact(&self) -> outhaul_lock::MutexGuard<'_, Contact> {
        self.contact.lock()
    }

    fn happen(&self, event: Event) {
        let action = self.contact().step(Instant::now(), event);
        match action {
            Action::Nothing => {}
            Action::SayAway => {
                say("the pool does not answer: programs continue, and the node reports their use \
                    later")
            }
            Action::SayBack(away) => {
                say(&format!("the pool answers again, after {:.0} s", away.as_secs_f64()))
            }
            Action::End => {
                say("the pool has not answered for as long as --pool-absence-max allows: all \
                    leases end");
                self.leases().forget();
            }
        }
    }

    /// Asks the pool at once, for a lease that the node does not know yet.
    fn ask_now(&self) -> Result<(), String> {
        self.beat(0).map_err(|error| error.to_string())
    }

    fn look_when_in_doubt(&self, look: impl Fn() -> Result<(), String>) {
        let fitness = self.leases().fitness();
        loop {
            let is_unfit = fitness.trouble().is_some();
            fitness.await_doubt(if is_unfit { LOOK_EVERY } else { DOUBT_PATIENCE });
            let trouble = look().err();
            let is_news = trouble.is_some() != is_unfit;
            match &trouble {
                Some(trouble) if is_news => say(&format!(
                    "no session can begin, so the pool places nothing here until one can: {trouble}"
                )),
                None if is_news => say("sessions can begin again"),
                _ => {}
            }
            fitness.find(trouble);
            if is_news {
                // The next heartbeat reports it too.
                let _ = self.ask_now();
            }
            fitness.settle();
        }
    }

    fn watch(&self) {
        loop {
            std::thread::sleep(WATCH_EVERY);
            self.happen(Event::Tick);
        }
    }
}
