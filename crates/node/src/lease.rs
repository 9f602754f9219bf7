//! The leases of a node that belongs to a pool. They determine which sessions may begin, and on
//! which parts of which GPUs. When a lease ends, all of its sessions end. Another part of the
//! program receives the leases from the pool, and ends them all if the pool does not answer for too
//! long.

use crate::SECOND_NS;
use crate::driver_health::DriverHealth;
use crate::pidfd::Process;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_share::WHOLE_BASIS_POINTS;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest wait of a session for the end of earlier sessions on its GPU, in seconds.
const PREDECESSORS_SECONDS_MAX: u64 = 20;

/// Longest wait of a session until the pool states whether its lease exists, in seconds.
const POOL_SECONDS_MAX: u64 = 20;
const ASK_AGAIN: Duration = Duration::from_millis(500);

/// A lease's part of one GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeasePart {
    /// UUID of the GPU, as in CUDA_VISIBLE_DEVICES.
    pub gpu: String,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// GPU time in each second, in nanoseconds.
    pub time_ns: u64,
}

impl LeasePart {
    /// Returns the share of the GPU's time in basis points, at least 1.
    pub fn share_basis_points(&self) -> u32 {
        let whole = u64::from(WHOLE_BASIS_POINTS);
        (self.time_ns.saturating_mul(whole) / SECOND_NS).clamp(1, whole) as u32
    }
}

/// A lease's rights on this node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grant {
    /// The lease's name.
    pub lease: String,
    /// Fencing token, larger than the token of every earlier grant of the same GPU.
    pub fence: u64,
    /// BLAKE3 hash of the lease's key.
    pub key_hash: String,
    /// The lease's priority.
    pub priority: i8,
    /// The parts of GPUs.
    pub parts: Vec<LeasePart>,
    /// How long the lease's sessions wait for another connection after one broke, unless the node's
    /// limit is shorter.
    #[serde(default)]
    pub grace_s: Option<u64>,
    /// The frames per second that the pool has promised.
    #[serde(default)]
    pub frames_per_s: Option<u32>,
}

/// The activity of a lease's sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// The lease's name.
    pub lease: String,
    /// The lease's fencing token.
    pub fence: u64,
    /// Number of the lease's sessions.
    pub sessions: usize,
    /// Time since the lease last had a session, in seconds.
    pub unused_s: u64,
    /// Time since one of the sessions was last active, in seconds.
    pub idle_s: u64,
}

/// Permission for a session to begin. The session counts as one of its lease's sessions until the
/// pass is dropped.
pub struct Pass<'a> {
    leases: &'a Leases,
    /// The rights of the session's lease.
    pub grant: Grant,
    number: u64,
}

/// A function that asks the pool for its orders at once. It returns the reason on failure.
pub type Ask = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// A node's leases, and their sessions.
pub struct Leases {
    table: Mutex<Table>,
    changed: Condvar,
    ask: Ask,
    /// Credential of the node's own session.
    own: String,
    /// How long this node retries to ask the pool about a lease.
    pool_patience: Duration,
    driver_health: DriverHealth,
}

#[derive(Default)]
struct Table {
    grants: HashMap<String, Held>,
    sessions: HashMap<u64, Session>,
    numbers: u64,
    /// Version of the pool's last orders.
    head: u64,
}

struct Held {
    grant: Grant,
    used: Instant,
    active: Instant,
}

struct Session {
    lease: String,
    fence: u64,
    gpus: Vec<String>,
    /// The worker; None until the worker runs.
    worker: Option<Arc<Process>>,
    ended: bool,
    processor_ticks: u64,
}

impl Leases {
    /// Makes a table without leases. `own` is the secret credential of the node's own session.
    pub fn new(ask: Ask, own: String) -> Leases {
        let pool_patience = Duration::from_secs(POOL_SECONDS_MAX);
        Leases {
            table: Mutex::default(),
            changed: Condvar::new(),
            ask,
            own,
            pool_patience,
            driver_health: DriverHealth::default(),
        }
    }

    /// Returns the health of the node's driver, which shows whether sessions can begin at all.
    pub fn driver_health(&self) -> &DriverHealth {
        &self.driver_health
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock()
    }

    /// Replaces the leases with `grants`, and ends the sessions of all other leases. Ignores orders
    /// whose version `head` is older than that of the last orders.
    pub fn replace(&self, head: u64, grants: Vec<Grant>) {
        let mut table = self.table();
        if head < table.head {
            return;
        }
        table.head = head;
        let mut before = std::mem::take(&mut table.grants);
        for grant in grants {
            let now = Instant::now();
            let held = before.remove(&grant.lease).filter(|held| held.grant == grant);
            table.grants.insert(
                grant.lease.clone(),
                held.unwrap_or(Held { grant, used: now, active: now }),
            );
        }
        let Table { grants, sessions, .. } = &mut *table;
        for session in sessions.values_mut() {
            let continues = session.lease.is_empty()
                || grants.get(&session.lease).is_some_and(|held| held.grant.fence == session.fence);
            if !continues && !session.ended {
                session.ended = true;
                session.worker.iter().for_each(|worker| worker.kill());
            }
        }
        self.changed.notify_all();
    }

    /// Ends all leases. The next orders count as new, regardless of their version.
    pub fn forget(&self) {
        self.replace(u64::MAX, Vec::new());
        self.table().head = 0;
    }

    /// Checks whether a session may begin. Waits until earlier sessions on its GPUs, whose grants
    /// have ended, are gone.
    pub fn admit(&self, credential: &str) -> Result<Pass<'_>, String> {
        if credential == self.own {
            let all = Grant {
                lease: String::new(),
                fence: 0,
                key_hash: String::new(),
                priority: 0,
                parts: Vec::new(),
                grace_s: None,
                frames_per_s: None,
            };
            return Ok(self.enter(&mut self.table(), all));
        }
        self.driver_health.check()?;
        let Some((lease, key)) = credential.split_once('.') else {
            return Err(
                "the node belongs to a pool: ask that for a lease, with `outhaul run --pool \
            URL -- PROGRAM`"
                    .into(),
            );
        };
        self.ask_about(lease)?;
        let key_hash = blake3::hash(key.as_bytes());
        let mut table = self.table();
        let deadline = Instant::now() + Duration::from_secs(PREDECESSORS_SECONDS_MAX);
        loop {
            let Table { grants, sessions, .. } = &mut *table;
            let held = grants.get(lease).filter(|held| {
                // The comparison takes constant time, so that its duration reveals nothing.
                blake3::Hash::from_hex(&held.grant.key_hash).is_ok_and(|known| known == key_hash)
            });
            let Some(held) = held else {
                return Err(format!(
                    "the node has no lease {lease} with that key: it has ended, or was never the \
                    pool's; ask for another"
                ));
            };
            let grant = held.grant.clone();
            let shares = |session: &Session| {
                session.ended && grant.parts.iter().any(|part| session.gpus.contains(&part.gpu))
            };
            if !sessions.values().any(shares) {
                return Ok(self.enter(&mut table, grant));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(
                    "the previous sessions on this GPU have not ended yet; try again in a \
                few seconds"
                        .into(),
                );
            }
            table = self.changed.wait_timeout(table, left).0;
        }
    }

    /// Asks the pool about an unknown lease. The client may have arrived before the pool's orders,
    /// and the pool may be unreachable for a moment.
    fn ask_about(&self, lease: &str) -> Result<(), String> {
        let deadline = Instant::now() + self.pool_patience;
        while !self.holds(lease) {
            match (self.ask)() {
                Ok(()) => return Ok(()),
                Err(reason) if Instant::now() >= deadline => {
                    return Err(format!(
                        "the node does not know the lease {lease}, and cannot ask its pool: \
                        {reason}; try again"
                    ));
                }
                Err(_) => std::thread::sleep(ASK_AGAIN.min(self.pool_patience)),
            }
        }
        Ok(())
    }

    /// Takes over a session that began under an earlier listener. Its lease counts as valid until
    /// the pool sends new orders.
    pub fn adopt(&self, grant: Grant) -> Pass<'_> {
        let mut table = self.table();
        if !grant.parts.is_empty() {
            let now = Instant::now();
            table.grants.entry(grant.lease.clone()).or_insert_with(|| Held {
                grant: grant.clone(),
                used: now,
                active: now,
            });
        }
        self.enter(&mut table, grant)
    }

    fn enter(&self, table: &mut Table, grant: Grant) -> Pass<'_> {
        table.numbers += 1;
        if let Some(held) = table.grants.get_mut(&grant.lease) {
            (held.used, held.active) = (Instant::now(), Instant::now());
        }
        let gpus = grant.parts.iter().map(|part| part.gpu.clone()).collect();
        let session = Session {
            lease: grant.lease.clone(),
            fence: grant.fence,
            gpus,
            worker: None,
            ended: false,
            processor_ticks: 0,
        };
        table.sessions.insert(table.numbers, session);
        Pass { leases: self, grant, number: table.numbers }
    }

    /// Returns whether the lease is valid.
    pub fn holds(&self, lease: &str) -> bool {
        self.table().grants.contains_key(lease)
    }

    /// Returns each lease's parts: the lease, the GPU, and the share of the GPU's time in basis
    /// points.
    pub fn held(&self) -> Vec<(String, String, u32)> {
        let table = self.table();
        let parts = table
            .grants
            .values()
            .flat_map(|held| held.grant.parts.iter().map(|part| (held.grant.lease.clone(), part)));
        parts.map(|(lease, part)| (lease, part.gpu.clone(), part.share_basis_points())).collect()
    }

    /// Returns the activity of each lease.
    pub fn activities(&self) -> Vec<Activity> {
        let mut table = self.table();
        let Table { grants, sessions, .. } = &mut *table;
        let now = Instant::now();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for session in sessions.values_mut().filter(|session| !session.ended) {
            let Some(held) = grants.get_mut(&session.lease) else { continue };
            held.used = now;
            *counts.entry(&session.lease).or_default() += 1;
            let ticks = session
                .worker
                .as_ref()
                .and_then(|worker| processor_ticks(worker.number()))
                .unwrap_or(session.processor_ticks);
            if ticks != session.processor_ticks {
                (session.processor_ticks, held.active) = (ticks, now);
            }
        }
        let activity = |held: &Held| Activity {
            lease: held.grant.lease.clone(),
            fence: held.grant.fence,
            sessions: counts.get(held.grant.lease.as_str()).copied().unwrap_or(0),
            unused_s: held.used.elapsed().as_secs(),
            idle_s: held.active.elapsed().as_secs(),
        };
        grants.values().map(activity).collect()
    }
}

impl Pass<'_> {
    /// Sets the session's worker, so that it ends with the lease. If the lease has ended meanwhile,
    /// kills the worker and returns false.
    pub fn runs_as(&self, worker: &Arc<Process>) -> bool {
        let mut table = self.leases.table();
        let Some(session) = table.sessions.get_mut(&self.number) else { return false };
        session.worker = Some(worker.clone());
        if session.ended {
            worker.kill();
        }
        !session.ended
    }

    /// Returns whether the lease ended before the session.
    pub fn was_ended(&self) -> bool {
        self.leases.table().sessions.get(&self.number).is_some_and(|session| session.ended)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let mut table = self.leases.table();
        table.sessions.remove(&self.number);
        if let Some(held) = table.grants.get_mut(&self.grant.lease) {
            held.used = Instant::now();
        }
        self.leases.changed.notify_all();
    }
}

/// Returns a process's CPU time in clock ticks, which grows whenever the process is active.
fn processor_ticks(worker: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{worker}/stat")).ok()?;
    // The process's name is in parentheses and may contain any character. User and system time are
    // the 12th and 13th fields after the name.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn grant(lease: &str, fence: u64, gpu: &str) -> Grant {
        let part = LeasePart { gpu: gpu.into(), memory_bytes: 1, time_ns: 1 };
        let key_hash = blake3::hash(b"key").to_hex().to_string();
        Grant {
            lease: lease.into(),
            fence,
            key_hash,
            priority: 0,
            parts: vec![part],
            grace_s: None,
            frames_per_s: None,
        }
    }

    fn sleeper() -> Arc<Process> {
        Arc::new(std::process::Command::new("sleep").arg("1000").spawn().unwrap().into())
    }

    fn leases() -> Leases {
        Leases::new(Box::new(|| Ok(())), "own".into())
    }

    #[test]
    fn only_a_lease_and_its_key_get_in() {
        let leases = leases();
        leases.replace(1, vec![grant("a", 1, "g0")]);
        assert_eq!(leases.admit("a.key").map(|pass| pass.grant.lease.clone()), Ok("a".into()));
        assert!(leases.admit("own").is_ok_and(|pass| pass.grant.parts.is_empty()));
        for (credential, part) in [
            ("", "outhaul run --pool"),
            ("a.other", "no lease a"),
            ("b.key", "no lease b"),
            ("a.", "no lease a"),
        ] {
            assert!(
                leases.admit(credential).is_err_and(|error| error.contains(part)),
                "{credential}"
            );
        }
    }

    #[test]
    fn the_pool_is_asked_about_a_lease_that_is_not_known() {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let ask = move || {
            if count.fetch_add(1, Ordering::Relaxed) == 0 {
                Err("no answer".to_owned())
            } else {
                Ok(())
            }
        };
        let mut leases = Leases::new(Box::new(ask), "own".into());
        leases.pool_patience = Duration::ZERO;
        assert!(
            leases
                .admit("a.key")
                .is_err_and(|error| error.contains("cannot ask its pool: no answer"))
        );
        assert!(leases.admit("a.key").is_err_and(|error| error.contains("no lease a")));
        leases.replace(1, vec![grant("a", 1, "g0")]);
        assert!(leases.admit("a.key").is_ok() && asked.load(Ordering::Relaxed) == 2);
    }

    #[test]
    fn a_pool_that_is_away_for_a_moment_is_asked_again() {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let ask = move || {
            if count.fetch_add(1, Ordering::Relaxed) < 2 {
                Err("no answer".to_owned())
            } else {
                Ok(())
            }
        };
        let leases = Leases::new(Box::new(ask), "own".into());
        assert!(
            leases.admit("a.key").is_err_and(|error| error.contains("no lease a")),
            "the pool has answered that"
        );
        assert_eq!(asked.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn orders_older_than_the_last_ones_change_nothing() {
        let leases = leases();
        leases.replace(5, vec![grant("b", 5, "g0")]);
        leases.replace(4, vec![grant("a", 3, "g0")]);
        assert!(leases.admit("a.key").is_err() && leases.admit("b.key").is_ok());
        leases.forget();
        assert!(leases.admit("b.key").is_err());
        leases.replace(2, vec![grant("c", 2, "g0")]);
        assert!(leases.admit("c.key").is_ok(), "another pool counts anew");
    }

    #[test]
    fn a_gpu_is_free_for_the_next_only_when_the_last_worker_is_gone() {
        let leases = Arc::new(leases());
        leases.replace(1, vec![grant("a", 1, "g0")]);
        let pass = leases.admit("a.key").unwrap();
        let worker = sleeper();
        assert!(pass.runs_as(&worker));
        leases.replace(2, vec![grant("b", 2, "g0"), grant("c", 2, "g1")]);
        assert!(!worker.status().unwrap().success() && pass.was_ended(), "its lease has ended");
        assert!(leases.admit("c.key").is_ok(), "another GPU");
        let next = leases.clone();
        let waiting = std::thread::spawn(move || next.admit("b.key").map(|pass| pass.grant.fence));
        std::thread::sleep(Duration::from_millis(50));
        assert!(!waiting.is_finished(), "the session is still there");
        drop(pass);
        assert_eq!(waiting.join().unwrap(), Ok(2));
    }

    #[test]
    fn a_lease_that_ends_while_its_worker_starts_takes_it_along() {
        let leases = leases();
        leases.replace(1, vec![grant("a", 1, "g0")]);
        let pass = leases.admit("a.key").unwrap();
        leases.replace(2, Vec::new());
        let worker = sleeper();
        assert!(!pass.runs_as(&worker));
        assert!(!worker.status().unwrap().success());
    }

    #[test]
    fn an_adopted_session_continues_until_the_pool_ends_its_lease() {
        let leases = leases();
        let pass = leases.adopt(grant("a", 1, "g0"));
        let worker = sleeper();
        assert!(pass.runs_as(&worker) && leases.holds("a") && leases.admit("a.key").is_ok());
        leases.replace(1, vec![grant("a", 1, "g0")]);
        assert!(!pass.was_ended());
        leases.replace(2, vec![grant("a", 2, "g0")]);
        assert!(
            !worker.status().unwrap().success() && pass.was_ended(),
            "the pool has granted it anew"
        );
    }
}
