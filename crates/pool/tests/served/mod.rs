//! Pool processes within the test's process, each a service over a store, reached over HTTP.

use outhaul_pool::http::api::{LeaseRequest, Orders};
use outhaul_pool::http::client::Client;
use outhaul_pool::http::listen::serve;
use outhaul_pool::http::service::Service;
use outhaul_pool::identity::secret::key_hash;
use outhaul_pool::identity::{SteadyTime, WallTime};
use outhaul_pool::log::keeper::Keeper;
use outhaul_pool::log::rules::Rules;
use outhaul_pool::log::store::{Memory, Store};
use outhaul_pool::model::lease::Ask;
use outhaul_pool::model::node::{Gpu, NodeFacts};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

pub const PATIENCE: Duration = Duration::from_secs(30);

/// Returns a store in memory.
pub fn store() -> Arc<Memory> {
    Arc::new(Memory::default())
}

/// Returns a keeper that writes to the log, with nonces of its own.
pub fn keeper(store: Arc<dyn Store>, name: &str) -> Keeper {
    let (own, mut count) = (name.to_owned(), 0);
    let nonces = Box::new(move || {
        count += 1;
        format!("{own}-{count}")
    });
    Keeper::open(store, Rules::default(), nonces).unwrap()
}

/// Starts a pool process with this name and returns a client of it.
pub fn pool(store: Arc<dyn Store>, name: &str) -> Client {
    pool_by(SteadyTime::begin(), store, name)
}

/// Starts a pool process that uses `clock` and returns a client of it.
#[allow(dead_code, reason = "not every test has one")]
pub fn pool_by(clock: SteadyTime, store: Arc<dyn Store>, name: &str) -> Client {
    let service =
        Service::start_by(WallTime::of_machine(), clock, keeper(store.clone(), name), store);
    let (give, address) = channel();
    std::thread::spawn(move || {
        serve(([127, 0, 0, 1], 0).into(), service, None, |address| give.send(address).unwrap())
    });
    Client::new(&format!("http://{}", address.recv_timeout(PATIENCE).unwrap()), "alice")
}

/// Lets a node with `gpus` GPUs join.
pub fn join(pool: &Client, name: &str, gpus: usize) -> Orders {
    let gpu =
        |gpu| Gpu { uuid: format!("{name}-g{gpu}"), model: "test".into(), memory_bytes: 1 << 30 };
    let (address, gpus) = (format!("{name}:1"), (0..gpus).map(gpu).collect());
    pool.post(
        "/v1/nodes",
        &NodeFacts {
            name: name.into(),
            address,
            gpus,
            link_gbps: 0,
            link_hops: 0,
            frame_curves: Vec::new(),
        },
    )
    .unwrap()
}

pub fn lease_request(id: &str, ask: Ask) -> LeaseRequest {
    LeaseRequest {
        id: id.into(),
        key_hash: key_hash("key"),
        holder: None,
        ask: Ask { ttl_s: 3600, ..ask },
    }
}

pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
