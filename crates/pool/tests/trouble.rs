//! A pool whose store fails, as by a full disk: it says so, grants nothing, and goes on when the store does.

use outhaul_pool::api::{Health, LeaseRequest, LeaseView, Orders, Renewal, Standing};
use outhaul_pool::client::{Client, ClientError, key_hash};
use outhaul_pool::keeper::Keeper;
use outhaul_pool::lease::Ask;
use outhaul_pool::node::{Gpu, NodeFacts};
use outhaul_pool::rules::Rules;
use outhaul_pool::service::Service;
use outhaul_pool::store::{Memory, Store, StoreError, Versioned};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

/// A store that can be read, and written unless its disk is full.
struct Disk {
    inner: Memory,
    full: AtomicBool,
}

impl Disk {
    fn room(&self) -> Result<(), StoreError> {
        if self.full.load(Ordering::Relaxed) { Err(StoreError("the disk is full".into())) } else { Ok(()) }
    }
}

impl Store for Disk {
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError> {
        self.inner.read(key)
    }

    fn list(&self, prefix: &str, from: &str, max: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.inner.list(prefix, from, max)
    }

    fn swap(&self, key: &str, expected: u64, value: &[u8]) -> Result<bool, StoreError> {
        self.room()?;
        self.inner.swap(key, expected, value)
    }

    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError> {
        self.inner.trim(prefix, end)
    }

    fn hold(&self, name: &str, ttl: Duration) -> Result<(), StoreError> {
        self.room()?;
        self.inner.hold(name, ttl)
    }

    fn renew(&self, name: &str) -> Result<bool, StoreError> {
        self.inner.renew(name)
    }

    fn let_go(&self, name: &str) -> Result<(), StoreError> {
        self.inner.let_go(name)
    }

    fn held(&self) -> Result<BTreeSet<String>, StoreError> {
        self.inner.held()
    }

    fn watch(&self, seen: u64, patience: Duration) -> Result<u64, StoreError> {
        self.inner.watch(seen, patience)
    }
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_full_disk_is_said_grants_nothing_and_ends_nothing() {
    let start = Instant::now();
    let disk = Arc::new(Disk { inner: Memory::new(Box::new(move || start.elapsed())), full: AtomicBool::new(false) });
    let mut count = 0;
    let nonces = Box::new(move || {
        count += 1;
        count.to_string()
    });
    let keeper = Keeper::open(disk.clone(), Rules::default(), nonces).unwrap();
    let service = Service::start(keeper, disk.clone());
    let (give, take) = channel();
    std::thread::spawn(move || {
        outhaul_pool::listen::serve(([127, 0, 0, 1], 0).into(), service, None, |address| give.send(address).unwrap())
    });
    let client = Client::new(&format!("http://{}", take.recv_timeout(PATIENCE).unwrap()), "alice");
    let gpu = |gpu| Gpu { uuid: format!("g{gpu}"), model: "test".into(), memory_bytes: 1 << 30 };
    let gpus = (0..2).map(gpu).collect();
    let node = NodeFacts { name: "n".into(), address: "n:1".into(), gpus, link_gbps: 0, link_hops: 0 };
    client.post::<Orders>("/v1/nodes", &node).unwrap();
    let request = |id: &str| LeaseRequest { id: id.into(), key_hash: key_hash("key"), holder: None, ask: Ask::default() };
    let held = client.request(&request("held")).unwrap().standing;
    assert!(client.get::<Health>("/v1/health").is_ok_and(|health| health.held == 1));

    disk.full.store(true, Ordering::Relaxed);
    let refused = client.request(&request("second")).unwrap_err();
    assert!(matches!(&refused, ClientError::Unable { reason, .. } if reason.contains("the disk is full")), "{refused}");
    let said = client.get::<Health>("/v1/health").unwrap_err().to_string();
    assert!(said.contains("the disk is full"), "{said}");
    assert_eq!(client.renew("held", &Renewal::default()).unwrap().standing, held, "what was granted goes on");
    assert_eq!(client.get::<Vec<LeaseView>>("/v1/leases").unwrap().len(), 1, "nothing half done is shown");

    disk.full.store(false, Ordering::Relaxed);
    let granted = client.request(&request("second")).unwrap();
    assert!(matches!(granted.standing, Standing::Held(_)), "{granted:?}");
    until("the pool does not say that it is well again", || client.get::<Health>("/v1/health").is_ok());
}
