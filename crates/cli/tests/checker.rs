//! A checker in the manner of Jepsen. Holders ask two pool processes over one etcd for GPUs of two nodes, use and release them, while pool processes, etcd and
//! nodes are killed and stopped at random. Then the history is judged: what holders saw, and the log. `OUTHAUL_CHECKER_SECONDS=3600` and
//! `OUTHAUL_CHECKER_SEED` make it longer and different.

#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod installation;
#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod node_process;
#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod pool_processes;

use node_process::Node;
use outhaul_pool::api::{LeaseRequest, LeaseView, Logged, Renewal, Standing};
use outhaul_pool::client::{Client, ClientError, key_hash};
use outhaul_pool::entry::Event;
use outhaul_pool::lease::{Ask, Part};
use outhaul_pool::quota::Quota;
use pool_processes::{Etcd, Pool, signal, until};
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const SECONDS: u64 = 40;
const HOLDERS: u64 = 6;
const NODES: [&str; 2] = ["n0", "n1"];
const NODE_GPUS: usize = 2;
/// Of four.
const QUOTA_GPUS: f64 = 3.0;
const AGAIN: Duration = Duration::from_millis(200);
/// How long the pool may be away before a holder calls it lost.
const LOST: Duration = Duration::from_secs(60);

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }
}

/// A program that ran on GPUs of a lease.
#[derive(Debug)]
struct Use {
    lease: String,
    gpus: Vec<(String, String)>,
    from: Instant,
    to: Instant,
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

/// Asks one process or the other until one answers.
fn patiently<T>(pools: &[Client; 2], random: &mut Random, ask: impl Fn(&Client) -> Result<T, ClientError>) -> Result<T, ClientError> {
    let start = Instant::now();
    loop {
        match ask(&pools[random.next(2) as usize]) {
            Err(error) if error.is_passing() => {
                assert!(start.elapsed() < LOST, "the pool does not come back: {error}");
                std::thread::sleep(AGAIN);
            }
            answer => return answer,
        }
    }
}

/// Asks, waits, uses, releases. Gives what it used, if its program ran.
fn hold(pools: &[Client; 2], own: &str, id: &str, random: &mut Random) -> Option<Use> {
    let ask = Ask { ttl_s: 20, ..Ask::default() };
    let request = LeaseRequest { id: id.into(), key_hash: key_hash("key"), holder: None, ask };
    let mut view = patiently(pools, random, |pool| pool.request(&request)).ok()?;
    while let Standing::Waiting(_) = view.standing {
        let renewal = Renewal { seen: Some(view.standing), wait_ms: 1_000 };
        match patiently(pools, random, |pool| pool.renew(id, &renewal)) {
            Ok(now) => view = now,
            Err(error) => {
                assert!(matches!(error, ClientError::Gone(_)), "{id} waits and is told: {error}");
                return None;
            }
        }
    }
    let from = Instant::now();
    let mut command = Command::new(own);
    command.arg("ls").env("OUTHAUL_NODE", view.nodes.join(",")).env("OUTHAUL_LEASE", format!("{id}.key"));
    let status = command.env("OUTHAUL_TRANSPORT", "tcp").stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    let (to, gpus) = (Instant::now(), view.parts.iter().map(|part| (part.node.clone(), part.gpu.clone())).collect());
    let released = patiently(pools, random, |pool| pool.release(id));
    assert!(matches!(released, Ok(()) | Err(ClientError::Gone(_))), "{id} is released and: {released:?}");
    status.success().then_some(Use { lease: id.to_owned(), gpus, from, to })
}

/// Everything that can be hurt.
struct World<'a> {
    etcd: &'a mut Etcd,
    pools: &'a mut [Pool; 2],
    nodes: &'a mut Vec<Node>,
}

impl World<'_> {
    /// Hurts one of them, and sees to it that it goes on.
    fn hurt(&mut self, random: &mut Random) {
        let (which, pause) = (random.next(2) as usize, Duration::from_millis(random.next(4_000)));
        match random.next(6) {
            0 => {
                self.pools[which].kill();
                std::thread::sleep(pause);
                self.pools[which].start_again();
            }
            1 => paused(self.pools[which].id(), pause),
            2 => {
                self.etcd.kill();
                std::thread::sleep(pause);
                self.etcd.start_again();
            }
            3 => {
                self.etcd.stop();
                std::thread::sleep(pause);
                self.etcd.go_on();
            }
            4 => {
                self.nodes[which].process.kill().unwrap();
                self.nodes[which].process.wait().unwrap();
                std::thread::sleep(pause);
                self.nodes[which] = self.pools[which].node(NODES[which], NODE_GPUS);
            }
            _ => paused(self.nodes[which].process.id(), pause),
        }
        std::thread::sleep(Duration::from_millis(random.next(2_000)));
    }
}

fn paused(process: u32, pause: Duration) {
    signal(process, libc::SIGSTOP);
    std::thread::sleep(pause);
    signal(process, libc::SIGCONT);
}

/// Of one GPU, no two programs of different leases at one time.
fn judge_uses(uses: &[Use]) {
    for (place, one) in uses.iter().enumerate() {
        let at_once = |other: &&Use| other.lease != one.lease && other.from < one.to && one.from < other.to;
        for other in uses[place + 1..].iter().filter(at_once) {
            let both = one.gpus.iter().find(|gpu| other.gpus.contains(gpu));
            assert_eq!(both, None, "{} and {} use it at once", one.lease, other.lease);
        }
    }
}

/// The log by itself: nothing twice, nothing over the quota, nobody before who came before, and an end for everybody.
fn judge_log(log: &[Logged]) -> usize {
    let (mut asked, mut held, mut ended) = (Vec::new(), BTreeMap::<String, Vec<Part>>::new(), BTreeSet::new());
    let mut grants = 0;
    for Logged { index, entry } in log {
        for (_, event) in &entry.events {
            match event {
                Event::Asked { id, .. } => asked.push(id.clone()),
                Event::Granted { id, parts } => {
                    let first = asked.iter().find(|other| !held.contains_key(*other) && !ended.contains(*other));
                    assert_eq!(first, Some(id), "entry {index}: somebody came before");
                    held.insert(id.clone(), parts.clone());
                    grants += 1;
                    let gpus: Vec<_> = held.values().flatten().map(|part| (&part.node, &part.gpu)).collect();
                    assert_eq!(gpus.iter().collect::<BTreeSet<_>>().len(), gpus.len(), "entry {index}: a GPU is granted twice");
                    assert!(gpus.len() as f64 <= QUOTA_GPUS, "entry {index}: {} GPUs of {QUOTA_GPUS}", gpus.len());
                }
                Event::Returned { id } => assert!(held.remove(id).is_some(), "entry {index}"),
                Event::Ended { id, .. } => {
                    held.remove(id);
                    assert!(ended.insert(id.clone()), "entry {index}: {id} ends twice");
                }
                _ => {}
            }
        }
    }
    assert!(asked.iter().all(|id| ended.contains(id)), "not everything has ended");
    grants
}

fn log(pool: &Client) -> Vec<Logged> {
    let mut all: Vec<Logged> = Vec::new();
    loop {
        let after = all.last().map_or(0, |logged| logged.index);
        let more: Vec<Logged> = pool.get(&format!("/v1/events?after={after}")).unwrap();
        if more.is_empty() {
            return all;
        }
        all.extend(more);
    }
}

#[test]
fn whatever_is_killed_or_stopped_nothing_is_had_twice_and_everything_ends() {
    let Some(mut etcd) = Etcd::start() else { return };
    let (seconds, seed) = (number("OUTHAUL_CHECKER_SECONDS", SECONDS), number("OUTHAUL_CHECKER_SEED", 1));
    let mut pools = [Pool::start_over(&etcd), Pool::start_over(&etcd)];
    let clients = [pools[0].client(), pools[1].client()];
    let own = pools[0].own();
    let mut nodes: Vec<Node> = NODES.iter().zip(&pools).map(|(name, pool)| pool.node(name, NODE_GPUS)).collect();
    let quota = Quota { gpus: Some(QUOTA_GPUS), ..Quota::default() };
    clients[0].put::<serde_json::Value>("/v1/quotas/user:alice", &quota).unwrap();
    let uses = Mutex::new(Vec::new());
    let end = Instant::now() + Duration::from_secs(seconds);
    std::thread::scope(|scope| {
        for holder in 0..HOLDERS {
            let (clients, own, uses) = (&clients, &own, &uses);
            scope.spawn(move || {
                let mut random = Random(seed * 1_000 + holder + 1);
                for count in 0.. {
                    if Instant::now() >= end {
                        break;
                    }
                    let used = hold(clients, own, &format!("h{holder}-{count}"), &mut random);
                    uses.lock().unwrap().extend(used);
                }
            });
        }
        let mut random = Random(seed * 7_919 + 1);
        let mut world = World { etcd: &mut etcd, pools: &mut pools, nodes: &mut nodes };
        while Instant::now() < end {
            world.hurt(&mut random);
        }
    });
    until("something is left", || clients[0].get::<Vec<LeaseView>>("/v1/leases").is_ok_and(|leases| leases.is_empty()));
    let uses = uses.into_inner().unwrap();
    judge_uses(&uses);
    let grants = judge_log(&log(&clients[1]));
    println!("{grants} grants, {} programs ran", uses.len());
    assert!(uses.len() as u64 > seconds / 2 && grants >= uses.len(), "little happened: {grants} grants, {} programs", uses.len());
}
