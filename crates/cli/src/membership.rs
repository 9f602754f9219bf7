//! A node's part in a pool: it says what it has, gives signs of life, and learns its leases. When it has not heard of the pool for so long that the
//! pool may have given it up, it ends all leases itself.

use crate::session::Offer;
use outhaul_node::energy::Account;
use outhaul_node::lease::{Grant, Leases, Part};
use outhaul_node::meter::{GpuUse, LeaseUse, Meter, Source};
use outhaul_pool::api::{self, Activity, Heartbeat, Order, Orders};
use outhaul_pool::bill::Method;
use outhaul_pool::client::{Client, ClientError};
use outhaul_pool::node::{Gpu, NodeFacts};
use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

const AGAIN: Duration = Duration::from_millis(500);
const WATCH_EVERY: Duration = Duration::from_millis(100);
/// How long the pool may keep a sign of life until there is news.
const NEWS_WAIT_MS: u64 = 3_000;

/// Of one node in one pool.
pub struct Membership {
    client: Client,
    name: String,
    leases: OnceLock<Arc<Leases>>,
    meter: Arc<Meter>,
    heard: Mutex<Option<Heard>>,
}

/// The pool's last answer.
#[derive(Clone, Copy)]
struct Heard {
    joined: u64,
    /// When the question was sent that it answers.
    asked: Instant,
    ttl: Duration,
}

/// One line for the log.
pub fn say(message: &str) {
    let _ = std::io::stderr().write_all(format!("outhaul: {message}\n").as_bytes());
}

impl Membership {
    /// `own` is the credential of the node's own session.
    pub fn new(client: Client, name: String, own: String, meter: Arc<Meter>) -> (Arc<Membership>, Arc<Leases>) {
        let membership = Arc::new(Membership { client, name, leases: OnceLock::new(), meter, heard: Mutex::default() });
        let asking = membership.clone();
        let leases = Arc::new(Leases::new(Box::new(move || asking.ask_now()), own));
        let _ = membership.leases.set(leases.clone());
        (membership, leases)
    }

    fn leases(&self) -> &Leases {
        self.leases.get().expect("set when it was made")
    }

    fn heard(&self) -> std::sync::MutexGuard<'_, Option<Heard>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joins and stays. Never returns.
    pub fn live(self: Arc<Self>, facts: &NodeFacts) {
        let watching = self.clone();
        std::thread::spawn(move || watching.watch());
        let mut said = None;
        loop {
            let asked = Instant::now();
            match self.client.post::<Orders>("/v1/nodes", facts) {
                Ok(orders) => {
                    say(&format!("in the pool at {} as {}", self.client.url(), self.name));
                    said = None;
                    self.leases().forget();
                    self.hear(asked, &orders);
                    self.stay();
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

    /// Until it has to join anew.
    fn stay(&self) {
        loop {
            match self.beat(NEWS_WAIT_MS) {
                Ok(()) => {}
                Err(ClientError::Gone(reason)) => {
                    say(&format!("out of the pool: {reason}"));
                    self.leases().forget();
                    *self.heard() = None;
                    return;
                }
                Err(_) => std::thread::sleep(AGAIN),
            }
        }
    }

    fn beat(&self, wait_ms: u64) -> Result<(), ClientError> {
        let Some(Heard { joined, .. }) = *self.heard() else { return Err(ClientError::Gone("it has not joined yet".into())) };
        let leases = self.leases().activities().into_iter().map(|activity| Activity {
            id: activity.lease,
            fence: activity.fence,
            sessions: activity.sessions as u32,
            unused_s: activity.unused_s,
            idle_s: activity.idle_s,
        });
        let (gpus, uses) = self.meter.report();
        let said = Heartbeat {
            joined,
            gpus: gpus.iter().map(gpu_use).collect(),
            uses: uses.iter().map(lease_use).collect(),
            leases: leases.collect(),
            wait_ms,
        };
        let asked = Instant::now();
        let orders = self.client.heartbeat(&self.name, &said)?;
        self.meter.forget(&uses);
        self.hear(asked, &orders);
        Ok(())
    }

    /// An answer that comes after the pool may have given the node up is none.
    fn hear(&self, asked: Instant, orders: &Orders) {
        let ttl = Duration::from_millis(orders.ttl_ms);
        let mut heard = self.heard();
        if asked.elapsed() >= ttl || heard.is_some_and(|heard| heard.joined > orders.joined) {
            return;
        }
        let asked = heard.filter(|heard| heard.joined == orders.joined).map_or(asked, |heard| heard.asked.max(asked));
        *heard = Some(Heard { joined: orders.joined, asked, ttl });
        self.leases().replace(orders.head, orders.leases.iter().map(grant).collect());
    }

    /// For a lease that the node has not heard of.
    fn ask_now(&self) -> Result<(), String> {
        self.beat(0).map_err(|error| error.to_string())
    }

    /// Ends all leases when the pool may have given the node up.
    fn watch(&self) {
        let mut ended = false;
        loop {
            std::thread::sleep(WATCH_EVERY);
            let late = self.heard().is_some_and(|heard| heard.asked.elapsed() >= heard.ttl);
            if late && !ended {
                say("the pool has not answered for too long: all leases end");
                self.leases().forget();
            }
            ended = late;
        }
    }
}

fn method(source: Source) -> Option<Method> {
    match source {
        Source::Board => Some(Method::Nvml),
        Source::Synthetic => Some(Method::Synthetic),
        Source::None => None,
    }
}

fn gpu_use(one: &GpuUse) -> api::GpuUse {
    let GpuUse { gpu, source, busy_ns, total_mj, unleased_mj } = one.clone();
    api::GpuUse { gpu, busy_ns, total_mj, unleased_mj, method: method(source) }
}

fn lease_use(one: &LeaseUse) -> api::LeaseUse {
    let LeaseUse { lease: id, gpu, source, account: Account { busy_ns, active_mj, idle_mj }, settled } = one.clone();
    api::LeaseUse { id, gpu, busy_ns, active_mj, idle_mj, method: method(source), settled }
}

fn grant(order: &Order) -> Grant {
    let part = |part: &outhaul_pool::lease::Part| Part { gpu: part.gpu.clone(), memory_bytes: part.memory_bytes, time_ns: part.time_ns };
    Grant {
        lease: order.id.clone(),
        fence: order.fence,
        key_hash: order.key_hash.clone(),
        priority: order.priority,
        parts: order.parts.iter().map(part).collect(),
    }
}

/// What the node says of itself.
pub fn facts(name: String, address: String, link_gbps: u32, offer: &Offer) -> NodeFacts {
    let gpu = |gpu: &crate::session::Gpu| Gpu { uuid: gpu.uuid.clone(), model: gpu.name.clone(), memory_bytes: gpu.memory_bytes };
    NodeFacts { name, address, gpus: offer.devices.iter().map(gpu).collect(), link_gbps, link_hops: 0 }
}

/// The machine's name.
pub fn hostname() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "node".to_owned() } else { name.trim().to_owned() }
}
