//! A pool with ten thousand GPUs and two thousand clients. Measures the time of a request, without
//! a disk and with one, and the process's memory. Checks that every expired lease ends. Run with
//! `cargo run --release -p outhaul-pool --example scale`.

use outhaul_pool::liveness::attendance::{Attendance, Event as Message, lease_name, node_name};
use outhaul_pool::log::entry::{Entry, Event};
use outhaul_pool::log::keeper::{ActorCommand, Keeper};
use outhaul_pool::log::rules::{Command, Rules};
use outhaul_pool::log::store::{Memory, Sqlite, Store};
use outhaul_pool::model::actor::Actor;
use outhaul_pool::model::lease::{Amount, Ask, End, Holder};
use outhaul_pool::model::node::{Gpu, NodeFacts};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

const NODES: usize = 1250;
const NODE_GPUS: usize = 8;
const CLIENTS: usize = 2000;
const REQUESTS_PER_S: u32 = 100;
const SECONDS: u32 = 15;
/// One holder vanishes after this many requests.
const VANISHING: usize = 10;
const TTL_S: u32 = 5;

fn facts(node: usize) -> NodeFacts {
    let gpu = |gpu| Gpu {
        uuid: format!("GPU-{node}-{gpu}"),
        model: "H200".into(),
        memory_bytes: 141 << 30,
    };
    let gpus = (0..NODE_GPUS).map(gpu).collect();
    NodeFacts {
        name: format!("n{node}"),
        address: format!("n{node}:7654"),
        gpus,
        link_gbps: [10, 25, 100][node % 3],
        link_hops: 0,
        frame_curves: Vec::new(),
    }
}

/// Returns a request: for one or several whole GPUs, or for parts of GPUs.
fn ask(number: usize) -> Ask {
    let memory =
        (!number.is_multiple_of(2)).then_some(Amount::Percent(10 + (number * 37 % 60) as u32));
    Ask { gpus: [1, 1, 1, 2, 4, 8][number % 6], memory, ttl_s: TTL_S, ..Ask::default() }
}

fn request(number: usize) -> ActorCommand {
    let holder = Holder {
        user: format!("user{}", number % 100),
        group: Some(format!("group{}", number % 10)),
    };
    let command = Command::Request {
        id: format!("l{number}"),
        key_hash: "0".repeat(64),
        holder,
        ask: ask(number),
        limits: None,
    };
    (command.actor(), command)
}

/// Adds the leases that expired in `entry` to `ended`.
fn note(entry: &Entry, ended: &mut BTreeSet<String>) {
    let lapsed = entry.events.iter().filter_map(|(_, event)| match event {
        Event::Ended { id, end: End::Expired } => Some(id.clone()),
        _ => None,
    });
    ended.extend(lapsed);
}

fn resident_mib() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    // `statm` counts pages of 4 KiB.
    pages.split_ascii_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0)
        / 256
}

fn main() {
    let folder = std::env::args().nth(1).map_or_else(std::env::temp_dir, Into::into);
    let folder = outhaul_files::TemporaryFolder::within(&folder, "scale").expect("a new folder");
    let path = folder.path().join("pool.sqlite");
    println!("The log in memory:");
    measure(Arc::new(Memory::default()));
    println!("The log on a disk:");
    measure(Arc::new(Sqlite::open(&path).expect("a new file")));
}

fn measure(store: Arc<dyn Store>) {
    let mut count = 0u64;
    let nonces = Box::new(move || {
        count += 1;
        count.to_string()
    });
    let mut keeper = Keeper::open(store.clone(), Rules::default(), nonces).expect("an empty log");
    let start = Instant::now();
    let now_ms = move || start.elapsed().as_millis() as u64;
    let joins: Vec<ActorCommand> =
        (0..NODES).map(|node| (Actor::pool(), Command::Join(facts(node)))).collect();
    joins
        .chunks(250)
        .for_each(|some| assert!(keeper.step(now_ms(), some, |_, _| {}).iter().all(Result::is_ok)));
    let mut attendance = Attendance::new("one".into(), now_ms());
    // Live holders and nodes send heartbeats; all else follows from silence.
    let judge = |attendance: &mut Attendance,
                 keeper: &mut Keeper,
                 holding: &BTreeSet<usize>,
                 ended: &mut BTreeSet<String>| {
        let leases = holding.iter().map(|number| lease_name(&format!("l{number}")));
        let nodes = (0..NODES).map(|node| node_name(&format!("n{node}")));
        leases
            .chain(nodes)
            .for_each(|name| attendance.step(now_ms(), Message::Received { name, age_ms: 0 }));
        attendance.step(now_ms(), Message::Listened);
        let silent = attendance.judge(now_ms(), &keeper.state().read());
        keeper.step(now_ms(), &silent, |_, entry| note(entry, ended));
    };
    println!(
        "{} GPUs of {NODES} nodes joined in {:.1} s",
        NODES * NODE_GPUS,
        start.elapsed().as_secs_f64()
    );

    let (mut number, mut holding, mut vanished) =
        (0, BTreeSet::<usize>::new(), BTreeSet::<String>::new());
    let (mut took, mut ended) = (Vec::new(), BTreeSet::<String>::new());
    // The first requests fill the pool with as many leases as clients.
    while holding.len() < CLIENTS {
        let commands: Vec<ActorCommand> = (number..number + 100).map(request).collect();
        assert!(
            keeper
                .step(now_ms(), &commands, |_, entry| note(entry, &mut ended))
                .iter()
                .all(Result::is_ok)
        );
        holding.extend(number..number + 100);
        judge(&mut attendance, &mut keeper, &holding, &mut ended);
        number += 100;
    }
    let measured = Instant::now();
    let mut missed = 0;
    for tick in 0..SECONDS * REQUESTS_PER_S {
        let due = measured + Duration::from_secs(1) / REQUESTS_PER_S * tick;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        // One lease ends and one begins, while other holders vanish.
        let oldest = holding.pop_first().expect("never empty");
        let leaving = if number.is_multiple_of(VANISHING) {
            vanished.insert(format!("l{oldest}"));
            None
        } else {
            Some((Actor::pool(), Command::Finish { id: format!("l{oldest}"), end: End::Released }))
        };
        let commands: Vec<ActorCommand> = [request(number)].into_iter().chain(leaving).collect();
        let before = Instant::now();
        let answers = keeper.step(now_ms(), &commands, |_, entry| note(entry, &mut ended));
        took.push(before.elapsed());
        missed += answers.iter().filter(|answer| answer.is_err()).count();
        holding.insert(number);
        number += 1;
        if tick.is_multiple_of(REQUESTS_PER_S) {
            judge(&mut attendance, &mut keeper, &holding, &mut ended);
        }
    }
    for _ in 0..=TTL_S {
        std::thread::sleep(Duration::from_secs(1));
        judge(&mut attendance, &mut keeper, &holding, &mut ended);
    }
    took.sort();
    let quantile = |part: f64| took[((took.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    println!(
        "{} requests at {REQUESTS_PER_S} a second beside {CLIENTS} leases, {missed} refused",
        took.len()
    );
    println!(
        "one request and one release, until they are in the log: {:.2} ms in the median, {:.2} ms \
        at 99 %",
        quantile(0.5),
        quantile(0.99)
    );
    println!(
        "{} of {} holders that vanished are found; {} MiB resident",
        ended.intersection(&vanished).count(),
        vanished.len(),
        resident_mib()
    );
}
