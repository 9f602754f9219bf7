//! A pool of three processes over three etcd members, with three nodes and many programs.
//! Meanwhile, threads kill, stop and disconnect processes at random, and set their clocks wrong.
//! This process records, by one clock, what programs requested, were granted and used. At the end
//! it checks that no two programs together ever used more of a GPU than exists. It also checks that
//! every request came to an end. Finally it judges the pool's own log and accounts independently:
//! they must agree.
//!
//!     OUTHAUL_CHAOS_SECONDS=3600 cargo test --release -p outhaul-cli --test chaos -- --nocapture
//!
//! A run prints its seed. `OUTHAUL_CHAOS_SEED` repeats the same faults, although the machine's
//! timing still differs.

#[allow(dead_code, reason = "each test binary uses a part of it")]
mod fixtures;
#[path = "../../pool/tests/judge/mod.rs"]
mod judge;

use fixtures::node_process::{Session, open_at};
use fixtures::pool_processes::{Cluster, Pool, Serving, Way, signal, until};
use judge::{Books, judge};
use outhaul_pool::http::api::{
    EnergyView, LeaseRequest, LeaseState, LeaseView, Logged, Quotas, Renewal, Unreachable,
};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::identity::secret::key_hash;
use outhaul_pool::log::entry::Entry;
use outhaul_pool::model::lease::{Amount, Ask, Holder, Part};
use outhaul_pool::model::quota::Quota;
use outhaul_transport::{HelloError, Transport};
use outhaul_wire::frame;
use outhaul_wire::messages::MemGetInfo;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Seconds of faults, unless the environment says otherwise.
const SECONDS: u64 = 18;
const PROCESSES: usize = 3;
const NODES: usize = 3;
const GPUS: usize = 2;
const PROGRAMS: u64 = 10;
const USERS: [&str; 3] = ["alice", "bob", "carol"];
/// Number of GPUs in Bob's quota.
const QUOTA_GPUS: f64 = 2.0;
/// Seconds that a lease lives without a heartbeat from its holder.
const TTL_S: u32 = 4;
const LANES: u16 = 2;
/// Maximum time for everything to end once all faults are repaired.
const END_WAIT: Duration = Duration::from_secs(60);

/// A random number generator with a seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.next(n) == 0
    }

    fn time(&mut self, from_ms: u64, to_ms: u64) -> Duration {
        Duration::from_millis(from_ms + self.next(to_ms - from_ms))
    }
}

/// A period in which a program certainly had these parts, because its session answered at the
/// beginning and at the end.
struct Use {
    lease: String,
    fence: u64,
    parts: Vec<Part>,
    from: Instant,
    to: Instant,
}

#[derive(Default)]
struct History {
    uses: Mutex<Vec<Use>>,
    /// The outcome of each lease, in a word.
    ends: Mutex<BTreeMap<String, &'static str>>,
}

struct World {
    seed: u64,
    until: Instant,
    urls: Vec<String>,
    history: History,
    number: AtomicU64,
    over: AtomicBool,
}

impl World {
    fn client(&self, random: &mut Random, user: &str) -> Client {
        Client::new(&self.urls[random.next(PROCESSES as u64) as usize], user)
    }
}

fn ask_of(random: &mut Random) -> Ask {
    let priority = if random.one_in(4) { 1 } else { 0 };
    let ask = Ask { ttl_s: TTL_S, priority, ..Ask::default() };
    match random.next(4) {
        0 => Ask { memory: Some(Amount::Percent(50)), ..ask },
        1 => Ask { memory: Some(Amount::Percent(30)), share_percent: Some(20), ..ask },
        2 if random.one_in(2) => Ask { gpus: 2, ..ask },
        _ => ask,
    }
}

/// Asks the processes in turn until one answers. Returns none if no process answers in `END_WAIT`
/// after the faults.
fn retry_while_busy<T>(
    world: &World,
    random: &mut Random,
    user: &str,
    ask: impl Fn(&Client) -> Result<T, ClientError>,
) -> Option<Result<T, ClientError>> {
    while world.until.elapsed() < END_WAIT {
        match ask(&world.client(random, user)) {
            Err(error) if error.is_passing() => std::thread::sleep(random.time(50, 300)),
            answer => return Some(answer),
        }
    }
    None
}

/// Runs one program after another, each with its own lease.
fn programs(world: &World, number: u64) {
    let mut random = Random(world.seed * 7919 + number * 104_729 + 1);
    while Instant::now() < world.until {
        let id = format!("p{}", world.number.fetch_add(1, Ordering::Relaxed));
        let end = program(world, &mut random, &id).unwrap_or("had no answer");
        world.history.ends.lock().unwrap().insert(id, end);
        std::thread::sleep(random.time(1, 200));
    }
}

/// Runs one program. Returns how its lease ended, or none if the pool never answered.
fn program(world: &World, random: &mut Random, id: &str) -> Option<&'static str> {
    let user = USERS[random.next(USERS.len() as u64) as usize];
    let holder = Some(Holder { user: user.into(), group: None });
    let request =
        LeaseRequest { id: id.into(), key_hash: key_hash("key"), holder, ask: ask_of(random) };
    let mut lease = match retry_while_busy(world, random, user, |client| client.request(&request))?
    {
        Ok(lease) => lease,
        Err(_) => return Some("was refused"),
    };
    let gives_up = random.one_in(12);
    loop {
        if let LeaseState::Held(fence) = lease.state {
            match use_it(world, random, &lease, fence) {
                Used::Well => break,
                Used::Vanished => return Some("vanished"),
                Used::Nowhere(address) => {
                    let report = Unreachable { fence, address };
                    match retry_while_busy(world, random, user, |client| {
                        client.unreachable(id, &report)
                    })? {
                        Ok(again) => lease = again,
                        Err(_) => return Some("ended"),
                    }
                    std::thread::sleep(random.time(50, 500));
                    continue;
                }
            }
        }
        if gives_up {
            return Some("gave up");
        }
        let renewal = Renewal { seen: Some(lease.state), wait_ms: 1000 };
        match retry_while_busy(world, random, user, |client| client.renew(id, &renewal))? {
            Ok(again) => lease = again,
            Err(_) => return Some("ended"),
        }
    }
    retry_while_busy(world, random, user, |client| client.release(id))?
        .map_or(Some("ended"), |()| Some("was released"))
}

enum Used {
    Well,
    /// The program vanished without a release.
    Vanished,
    /// One of the lease's nodes was unreachable.
    Nowhere(String),
}

/// Holds sessions on all nodes of a lease for a while.
fn use_it(world: &World, random: &mut Random, lease: &LeaseView, fence: u64) -> Used {
    let credential = format!("{}.key", lease.id);
    let mut sessions = Vec::new();
    for node in &lease.nodes {
        match open_at(node, Transport::Tcp, (&credential, ""), LANES) {
            Ok((session, _)) => sessions.push(session),
            // The caller reports an unreachable node. After any other error, the lease may have
            // ended.
            Err(HelloError::Unreachable { .. } | HelloError::Silent { .. }) => {
                return Used::Nowhere(node.clone());
            }
            Err(_) => return Used::Well,
        }
    }
    let lasts = random.time(50, 1500);
    let (over, vanishes, mut lets_go) =
        (Instant::now() + lasts, random.one_in(8), random.one_in(4));
    let answer = |sessions: &mut Vec<Session>| sessions.iter_mut().all(lives);
    if !answer(&mut sessions) {
        return Used::Well;
    }
    let from = Instant::now();
    let mut to = from;
    let user = lease.holder.user.as_str();
    while Instant::now() < over && answer(&mut sessions) {
        to = Instant::now();
        if lets_go && from.elapsed() > lasts / 4 {
            // The program releases its lease, but continues as long as the nodes let it.
            lets_go = false;
            let _ = world.client(random, user).release(&lease.id);
        }
        if random.one_in(10) {
            // Sends a heartbeat, which may get lost, because a later one may arrive.
            let _ =
                world.client(random, user).renew(&lease.id, &Renewal { seen: None, wait_ms: 0 });
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let (lease, parts) = (lease.id.clone(), lease.parts.clone());
    world.history.uses.lock().unwrap().push(Use { lease, fence, parts, from, to });
    if vanishes { Used::Vanished } else { Used::Well }
}

/// Returns whether a session answers.
fn lives(session: &mut Session) -> bool {
    let mut bytes = Vec::new();
    frame::append(&mut bytes, &MemGetInfo {}, 1, 1, 0);
    let written = session.commands.writer.write(&[&bytes]).is_ok();
    written
        && session
            .commands
            .reader
            .header()
            .and_then(|header| session.commands.reader.skip(header.body_bytes as usize))
            .is_ok()
}

/// Breaks and repairs processes or connections repeatedly. Repairs all of them when the time is
/// over.
fn gremlin(
    world: &World,
    number: u64,
    pause_ms: (u64, u64),
    broken_ms: (u64, u64),
    mut act: impl FnMut(&mut Random, Duration),
) {
    let mut random = Random(world.seed * 31 + number * 7_368_787 + 1);
    while !world.over.load(Ordering::Relaxed) {
        std::thread::sleep(random.time(pause_ms.0, pause_ms.1));
        if world.over.load(Ordering::Relaxed) {
            return;
        }
        let broken = random.time(broken_ms.0, broken_ms.1);
        act(&mut random, broken);
    }
}

/// Stops a process for a while.
fn pause(process: u32, time: Duration) {
    signal(process, libc::SIGSTOP);
    std::thread::sleep(time);
    signal(process, libc::SIGCONT);
}

#[test]
#[ignore = "needs etcd"]
fn no_lease_is_granted_twice_lost_or_left_over_whatever_breaks() {
    let cluster = Cluster::start(3);
    let seconds =
        std::env::var("OUTHAUL_CHAOS_SECONDS").map_or(SECONDS, |seconds| seconds.parse().unwrap());
    let by_time =
        || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let seed = std::env::var("OUTHAUL_CHAOS_SEED")
        .map_or_else(|_| by_time(), |seed| seed.parse().unwrap());
    println!("seed {seed}");
    let pools: Vec<Pool> = (0..PROCESSES).map(|_| Pool::start_over_url(cluster.url())).collect();
    let urls: Vec<String> = pools.iter().map(|pool| pool.url.clone()).collect();
    let ways: Vec<Way> = pools.iter().map(Way::to).collect();
    let nodes: Vec<Serving> = ways
        .iter()
        .enumerate()
        .take(NODES)
        .map(|(n, way)| Serving::start(&way.url, &format!("n{n}"), GPUS))
        .collect();
    let quota = Quota { gpus: Some(QUOTA_GPUS), ..Quota::default() };
    until("no quota can be set", || {
        pools[0].client().put::<Quotas>("/v1/quotas/user:bob", &quota).is_ok()
    });
    until("the nodes do not join", || {
        (0..NODES)
            .all(|n| pools[0].node_view(&format!("n{n}")).is_some_and(|node| node.down.is_none()))
    });
    let (history, number, over) = Default::default();
    let world = World {
        seed,
        until: Instant::now() + Duration::from_secs(seconds),
        urls,
        history,
        number,
        over,
    };

    let (pools, _nodes, _cluster) = break_things(&world, pools, ways, nodes, cluster);
    let healthy = |pool: &Pool| pool.client().get::<serde_json::Value>("/v1/health").is_ok();
    until("a pool process does not get well", || pools.iter().all(healthy));
    until("a request does not end", || {
        pools[0].client().get::<Vec<LeaseView>>("/v1/leases").is_ok_and(|leases| leases.is_empty())
    });
    let books = judge(&format!("seed {seed}"), &log(&pools[0].client()));
    uses_add_up(&world, &books);
    accounts_add_up(&pools[0].client(), &books);
    tell(&world, &books);
}

/// Checks the uses of two programs that had one GPU, each in its period in tenths of a second. The
/// log has a grant for each program.
fn had_by(tenths: [(u64, u64); 2]) {
    let (start, mut books, history) = (Instant::now(), Books::default(), History::default());
    for (fence, (from, to)) in (1..).zip(tenths) {
        let parts = vec![Part {
            node: "n".into(),
            gpu: "g".into(),
            memory_bytes: 1,
            time_ns: 1_000_000_000,
            fraction: 1.0,
        }];
        books.grants.insert((format!("p{fence}"), fence), parts.clone());
        let [from, to] = [from, to].map(|tenth| start + Duration::from_millis(100 * tenth));
        history.uses.lock().unwrap().push(Use {
            lease: format!("p{fence}"),
            fence,
            parts,
            from,
            to,
        });
    }
    let (urls, number, over) = Default::default();
    uses_add_up(&World { seed: 0, until: start, urls, history, number, over }, &books);
}

#[test]
fn two_that_had_a_gpu_one_after_the_other_are_not_taken_for_two_at_once() {
    had_by([(0, 5), (6, 9)]);
}

#[test]
#[should_panic(expected = "at once")]
fn two_that_had_a_gpu_at_once_are_seen() {
    had_by([(0, 5), (4, 9)]);
}

/// Breaks processes and connections until the time is over and all programs have ended.
fn break_things(
    world: &World,
    pools: Vec<Pool>,
    ways: Vec<Way>,
    nodes: Vec<Serving>,
    mut cluster: Cluster,
) -> (Vec<Pool>, Vec<Serving>, Cluster) {
    std::thread::scope(|scope| {
        let crowd: Vec<_> =
            (0..PROGRAMS).map(|number| scope.spawn(move || programs(world, number))).collect();
        let of_pool = |(number, pool): (usize, Pool)| {
            scope.spawn(move || plague_pool(world, number as u64, pool))
        };
        let pools: Vec<_> = pools.into_iter().enumerate().map(of_pool).collect();
        let of_node = |(number, node): (usize, Serving)| {
            scope.spawn(move || plague_node(world, 10 + number as u64, node))
        };
        let nodes: Vec<_> = nodes.into_iter().enumerate().map(of_node).collect();
        let members = scope.spawn(move || {
            plague_members(world, 20, &mut cluster);
            cluster
        });
        for (number, way) in ways.into_iter().enumerate() {
            scope.spawn(move || {
                gremlin(world, 30 + number as u64, (1000, 6000), (100, 4000), |_, broken| {
                    way.cut(true);
                    std::thread::sleep(broken);
                    way.cut(false);
                });
            });
        }
        std::thread::sleep(world.until.saturating_duration_since(Instant::now()));
        world.over.store(true, Ordering::Relaxed);
        let cluster = members.join().unwrap();
        crowd.into_iter().for_each(|programs| programs.join().unwrap());
        let pools = pools.into_iter().map(|pool| pool.join().unwrap()).collect();
        (pools, nodes.into_iter().map(|node| node.join().unwrap()).collect(), cluster)
    })
}

fn plague_pool(world: &World, number: u64, mut pool: Pool) -> Pool {
    gremlin(world, number, (1000, 6000), (100, 3000), |random, broken| match random.next(3) {
        0 => pause(pool.id(), broken),
        1 => pool.set_clock(random.next(2 * 86_400) as i64 - 86_400),
        _ => {
            pool.kill();
            std::thread::sleep(broken);
            pool.start_again();
        }
    });
    pool
}

fn plague_node(world: &World, number: u64, mut node: Serving) -> Serving {
    gremlin(world, number, (1000, 5000), (50, 3000), |random, broken| match random.next(5) {
        0 => pause(node.id(), broken),
        1 => {
            node.kill();
            std::thread::sleep(broken);
            node.start_again();
        }
        2 => node
            .worker(random.next(8))
            .into_iter()
            .for_each(|worker| pause(worker, broken.min(Duration::from_secs(1)))),
        _ => {
            node.worker(random.next(8)).into_iter().for_each(|worker| signal(worker, libc::SIGKILL))
        }
    });
    node
}

/// Stops or kills one member at a time, and sometimes two, so that the third cannot work alone.
fn plague_members(world: &World, number: u64, cluster: &mut Cluster) {
    gremlin(world, number, (1500, 5000), (100, 3000), |random, broken| {
        let (first, both, kills) = (random.next(3) as usize, random.one_in(4), random.one_in(2));
        let victims = if both { vec![first, (first + 1) % 3] } else { vec![first] };
        for victim in &victims {
            if kills { cluster.kill(*victim) } else { signal(cluster.id(*victim), libc::SIGSTOP) }
        }
        std::thread::sleep(broken);
        for victim in victims {
            if kills {
                cluster.start_again(victim)
            } else {
                signal(cluster.id(victim), libc::SIGCONT)
            }
        }
    });
}

fn log(pool: &Client) -> Vec<(u64, Entry)> {
    let mut log: Vec<(u64, Entry)> = Vec::new();
    loop {
        let after = log.last().map_or(0, |(index, _)| *index);
        let more: Vec<Logged> = pool.get(&format!("/v1/events?after={after}")).unwrap();
        if more.is_empty() {
            return log;
        }
        log.extend(more.into_iter().map(|Logged { index, entry }| (index, entry)));
    }
}

/// Checks that programs never had more of a GPU than exists, and never more than the log says.
fn uses_add_up(world: &World, books: &Books) {
    let uses = world.history.uses.lock().unwrap();
    for used in uses.iter() {
        let granted = books.grants.get(&(used.lease.clone(), used.fence));
        assert_eq!(
            granted,
            Some(&used.parts),
            "{} used what the log does not say that it was granted",
            used.lease
        );
        for part in &used.parts {
            let is_same = |other: &&Part| (&other.node, &other.gpu) == (&part.node, &part.gpu);
            // Programs that had the GPU when this program began to use it.
            let at_once =
                uses.iter().filter(|other| other.from <= used.from && used.from <= other.to);
            let mut fractions: BTreeMap<&str, f64> = BTreeMap::new();
            for other in at_once {
                fractions.extend(
                    other
                        .parts
                        .iter()
                        .find(is_same)
                        .map(|part| (other.lease.as_str(), part.fraction)),
                );
            }
            let sum: f64 = fractions.values().sum();
            assert!(
                sum <= 1.0 + 1e-9,
                "seed {}: {} of {} was used by {fractions:?} at once",
                world.seed,
                part.gpu,
                part.node
            );
        }
    }
    let ended =
        |lease: &String| !books.leases.contains_key(lease) || books.ended.contains_key(lease);
    let ends = world.history.ends.lock().unwrap();
    let left: Vec<&String> = ends.keys().filter(|lease| !ended(lease)).collect();
    assert!(left.is_empty() && books.ended.len() == books.leases.len(), "{left:?} came to no end");
    let unanswered: Vec<&String> =
        ends.iter().filter(|(_, end)| **end == "had no answer").map(|(lease, _)| lease).collect();
    assert!(unanswered.is_empty(), "no answer for {unanswered:?}");
}

/// Checks that the pool's bills agree with its log, and that the pool no longer holds any lease.
fn accounts_add_up(pool: &Client, books: &Books) {
    let energy: EnergyView = pool.get("/v1/energy").unwrap();
    for bill in &energy.leases {
        let account = books
            .bills
            .get(&bill.id)
            .unwrap_or_else(|| panic!("a bill for {}, which held nothing", bill.id));
        assert_eq!(
            (bill.from_ms, bill.to_ms),
            (account.from_ms, Some(account.to_ms)),
            "{}",
            bill.id
        );
        for item in &bill.items {
            assert!(
                account.billed.contains(&(item.node.clone(), item.gpu.clone())),
                "{}: {item:?}",
                bill.id
            );
        }
    }
    let quotas: Quotas = pool.get("/v1/quotas").unwrap();
    for (subject, usage) in &quotas.usage {
        assert_eq!(
            (usage.leases, usage.memory_bytes, usage.gpus),
            (0, 0, 0.0),
            "{subject} is left with something"
        );
        let hours =
            books.gpu_hours.get(subject.trim_start_matches("user:")).copied().unwrap_or(0.0);
        assert!(
            (usage.gpu_hours - hours).abs() <= 1e-6 * hours.max(1.0),
            "{subject}: {} GPU-hours, by the log {hours}",
            usage.gpu_hours
        );
    }
}

/// Prints a summary. Fails if little happened, because the test would prove nothing.
fn tell(world: &World, books: &Books) {
    let mut words = BTreeMap::<&str, usize>::new();
    world
        .history
        .ends
        .lock()
        .unwrap()
        .values()
        .for_each(|word| *words.entry(word).or_default() += 1);
    let mut reasons = BTreeMap::<String, usize>::new();
    books.ended.values().for_each(|end| *reasons.entry(end.to_string()).or_default() += 1);
    let uses = world.history.uses.lock().unwrap().len();
    println!(
        "{} requests, {} grants, {uses} uses; programs: {words:?}; leases: {reasons:?}",
        books.leases.len(),
        books.grants.len()
    );
    assert!(books.grants.len() > 10 && uses > 5, "{} grants, {uses} uses", books.grants.len());
}
