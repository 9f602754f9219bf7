//! A pool whose store fails, for example with a full disk. The pool reports the failure, grants
//! nothing, and continues when the store works again.

#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod served;

use outhaul_pool::http::api::{
    Activity, Health, Heartbeat, LeaseRequest, LeaseState, LeaseView, Renewal,
};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::identity::secret::key_hash;
use outhaul_pool::log::store::{Memory, Store, StoreError, Versioned};
use outhaul_pool::model::lease::Ask;
use served::{join, lease_request, pool, until};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A store that can always be read, and can be written unless its disk is full.
#[derive(Default)]
struct Disk {
    inner: Memory,
    full: AtomicBool,
    /// The number of times that the log was read.
    reads: AtomicUsize,
}

impl Disk {
    fn room(&self) -> Result<(), StoreError> {
        if self.full.load(Ordering::Relaxed) {
            Err(StoreError::NoAnswer("the disk is full".into()))
        } else {
            Ok(())
        }
    }
}

/// Returns the pool's metrics.
fn metrics(client: &Client) -> String {
    let mut stream = TcpStream::connect(client.url().trim_start_matches("http://")).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: p\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

impl Store for Disk {
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError> {
        self.inner.read(key)
    }

    fn list(
        &self,
        prefix: &str,
        from: &str,
        max: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.inner.list(prefix, from, max)
    }

    fn swap(&self, key: &str, expected: u64, value: &[u8]) -> Result<bool, StoreError> {
        self.room()?;
        self.inner.swap(key, expected, value)
    }

    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError> {
        self.inner.trim(prefix, end)
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.room()?;
        self.inner.put(key, value)
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn watch(&self, prefix: &str, seen: u64, patience: Duration) -> Result<u64, StoreError> {
        self.inner.watch(prefix, seen, patience)
    }
}

#[test]
fn a_full_disk_is_reported_and_grants_and_ends_nothing() {
    let disk = Arc::new(Disk::default());
    let client = pool(disk.clone(), "one");
    join(&client, "n", 2);
    let request = |id: &str| LeaseRequest {
        id: id.into(),
        key_hash: key_hash("key"),
        holder: None,
        ask: Ask::default(),
    };
    let held = client.request(&request("held")).unwrap().state;
    assert!(client.get::<Health>("/v1/health").is_ok_and(|health| health.held == 1));

    disk.full.store(true, Ordering::Relaxed);
    let refused = client.request(&request("second")).unwrap_err();
    assert!(
        matches!(&refused, ClientError::Unable { reason, .. } if reason.contains("the disk is \
        full")),
        "{refused}"
    );
    // The keeper looks for work a few more times and finds none, so it writes nothing.
    let reads = disk.reads.load(Ordering::Relaxed);
    until("the keeper works", || disk.reads.load(Ordering::Relaxed) >= reads + 3);
    let error = client.get::<Health>("/v1/health").unwrap_err().to_string();
    assert!(error.contains("the disk is full"), "{error}");
    assert!(metrics(&client).contains("outhaul_pool_healthy 0"));
    assert_eq!(
        client.renew("held", &Renewal::default()).unwrap().state,
        held,
        "granted leases continue"
    );
    assert_eq!(
        client.get::<Vec<LeaseView>>("/v1/leases").unwrap().len(),
        1,
        "nothing half done is shown"
    );

    disk.full.store(false, Ordering::Relaxed);
    let granted = client.request(&request("second")).unwrap();
    assert!(matches!(granted.state, LeaseState::Held(_)), "{granted:?}");
    until("the pool does not report that it is healthy again", || {
        client.get::<Health>("/v1/health").is_ok()
    });
}

#[test]
fn a_disk_that_fills_up_is_noticed_though_nobody_wants_anything_of_the_pool() {
    let disk = Arc::new(Disk::default());
    let client = pool(disk.clone(), "one");
    client.get::<Health>("/v1/health").unwrap();
    disk.full.store(true, Ordering::Relaxed);
    until("the pool reports that it is healthy", || {
        client.get::<Health>("/v1/health").is_err_and(|error| error.is_passing())
    });
    disk.full.store(false, Ordering::Relaxed);
    until("the pool does not report that it is healthy again", || {
        metrics(&client).contains("outhaul_pool_healthy 1")
    });
}

#[test]
fn news_wakes_waiting_requests_without_a_read_of_the_store_for_each() {
    let disk = Arc::new(Disk::default());
    let pool = pool(disk.clone(), "one");
    let joined = join(&pool, "n", 1).joined;
    let held = pool.request(&lease_request("held", Ask::default())).unwrap();
    let renewal = Renewal { seen: Some(held.state), wait_ms: 30_000 };
    let LeaseState::Held(fence) = held.state else { panic!("{held:?}") };
    let known = Activity { id: "held".into(), fence, sessions: 1, unused_s: 0, idle_s: 0 };
    let beat = Heartbeat { joined, leases: vec![known], wait_ms: 30_000, ..Heartbeat::default() };
    std::thread::scope(|scope| {
        let holder = scope.spawn(|| pool.renew("held", &renewal));
        let node = scope.spawn(|| {
            let answers = std::iter::repeat_with(|| pool.heartbeat("n", &beat).unwrap());
            answers.map(|orders| orders.leases).find(|leases| leases[0].id != "held").unwrap()
        });
        std::thread::sleep(Duration::from_millis(300));
        let (before, start) = (disk.reads.load(Ordering::Relaxed), Instant::now());
        for number in 0..100 {
            pool.request(&lease_request(&format!("waits{number}"), Ask::default())).unwrap();
        }
        // The keeper reads the log at its own pace, whatever the clients' pace.
        let reads = disk.reads.load(Ordering::Relaxed) - before;
        assert!(reads as u128 <= start.elapsed().as_millis() / 100 + 2, "{reads} reads");
        pool.release("held").unwrap();
        assert!(matches!(holder.join().unwrap(), Err(ClientError::Gone(_))));
        assert_eq!(node.join().unwrap()[0].id, "waits0");
    });
}
