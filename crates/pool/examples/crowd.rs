//! A whole pool over HTTP: 1,250 nodes with 10,000 GPUs that send heartbeats, 2,000 leases, and
//! simultaneous requests and releases. Measures the latency and the CPU time of these. Run with
//! `cargo run --release -p outhaul-pool --example crowd [etcd://HOST:PORT]`. Without an etcd the
//! log is in memory.

use outhaul_pool::http::api::{Activity, GpuUse, Health, Heartbeat, LeaseRequest, Order, Orders};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::http::service::Service;
use outhaul_pool::identity::secret::key_hash;
use outhaul_pool::log::keeper::Keeper;
use outhaul_pool::log::rules::Rules;
use outhaul_pool::log::store::{Etcd, Memory, Store};
use outhaul_pool::model::lease::Ask;
use outhaul_pool::model::node::{Gpu, NodeFacts};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const NODES: usize = 1250;
const GPUS: usize = 8;
const LEASES: usize = 2000;
const ROUNDS: u32 = 200;
const ROUND: Duration = Duration::from_millis(50);
const STACK_BYTES: usize = 256 << 10;

fn main() {
    let begin = Instant::now();
    let store: Arc<dyn Store> = match std::env::args().nth(1) {
        Some(etcd) => Arc::new(Etcd::open(&etcd.parse().unwrap()).unwrap()),
        None => Arc::new(Memory::default()),
    };
    let url = serve(store);
    for number in 0..NODES {
        let url = url.clone();
        std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(move || live(&url, number))
            .unwrap();
    }
    let client = Client::new(&url, "alice");
    while client.get::<Health>("/v1/health").unwrap().nodes < NODES {
        std::thread::sleep(Duration::from_millis(100));
    }
    (0..LEASES).for_each(|number| ask(&client, &format!("held{number}")));
    println!(
        "{} GPUs of {NODES} nodes and {LEASES} leases are there after {:.1} s",
        NODES * GPUS,
        begin.elapsed().as_secs_f64()
    );

    let (start, before_s) = (Instant::now(), processor_s());
    let mut took: Vec<Duration> = Vec::new();
    for number in 0..ROUNDS {
        let (id, at) = (format!("passing{number}"), Instant::now());
        ask(&client, &id);
        client.release(&id).unwrap();
        took.push(at.elapsed());
        std::thread::sleep((ROUND * (number + 1)).saturating_sub(start.elapsed()));
    }
    took.sort();
    let ms = |percent: usize| took[took.len() * percent / 100].as_secs_f64() * 1e3;
    println!(
        "one request and one end of a lease: {:.1} ms in the median, {:.1} ms at 99 %",
        ms(50),
        ms(99)
    );
    println!(
        "{:.2} processors busy, those of nodes included",
        (processor_s() - before_s) / start.elapsed().as_secs_f64()
    );
    std::process::exit(0);
}

/// Starts a pool process and returns its address.
fn serve(store: Arc<dyn Store>) -> String {
    let mut count = 0;
    let nonces = Box::new(move || {
        count += 1;
        format!("crowd-{count}")
    });
    let service =
        Service::start(Keeper::open(store.clone(), Rules::default(), nonces).unwrap(), store);
    let (give, address) = channel();
    std::thread::spawn(move || {
        outhaul_pool::http::listen::serve(([127, 0, 0, 1], 0).into(), service, None, |address| {
            give.send(address).unwrap()
        })
    });
    format!("http://{}", address.recv().unwrap())
}

fn ask(client: &Client, id: &str) {
    let ask = Ask { ttl_s: 3600, ..Ask::default() };
    client
        .request(&LeaseRequest { id: id.to_owned(), key_hash: key_hash("key"), holder: None, ask })
        .unwrap();
}

/// Simulates one node until the process ends.
fn live(url: &str, number: usize) {
    let (client, name) = (Client::new(url, "node"), format!("node{number}"));
    let gpu =
        |gpu| Gpu { uuid: format!("{name}-{gpu}"), model: "test".into(), memory_bytes: 80 << 30 };
    let gpus: Vec<Gpu> = (0..GPUS).map(gpu).collect();
    let idle = |gpu: &Gpu| GpuUse {
        gpu: gpu.uuid.clone(),
        busy_ns: 0,
        total_mj: 0,
        unleased_mj: 0,
        method: None,
    };
    let uses: Vec<GpuUse> = gpus.iter().map(idle).collect();
    let facts = NodeFacts {
        address: format!("{name}:7654"),
        name: name.clone(),
        gpus,
        link_gbps: 0,
        link_hops: 0,
        frame_curves: Vec::new(),
    };
    let join = || client.post::<Orders>("/v1/nodes", &facts).ok();
    // All nodes join at once, so some must retry.
    let Orders { joined, mut leases, .. } =
        std::iter::repeat_with(join).find_map(|orders| orders).unwrap();
    let activity = |one: &Order| Activity {
        id: one.id.clone(),
        fence: one.fence,
        sessions: 1,
        unused_s: 0,
        idle_s: 0,
    };
    loop {
        let known = leases.iter().map(activity).collect();
        match client.heartbeat(
            &name,
            &Heartbeat {
                joined,
                gpus: uses.clone(),
                leases: known,
                wait_ms: 3_000,
                ..Heartbeat::default()
            },
        ) {
            Ok(orders) => leases = orders.leases,
            Err(error @ ClientError::Gone(_)) => panic!("{error}"),
            Err(_) => std::thread::sleep(Duration::from_millis(500)),
        }
    }
}

/// Returns the CPU time that this process has used, in seconds.
fn processor_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    // User and system time, in hundredths of a second, follow the name, which may contain spaces.
    let fields = stat.rsplit(')').next().unwrap().split_whitespace();
    fields.skip(11).take(2).map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}
