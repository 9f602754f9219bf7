//! Pools over a real etcd with one member, on this machine.

use outhaul_pool::http::api::{
    Activity, Health, Heartbeat, LeaseRequest, LeaseState, LeaseView, NodeView, Order, Orders,
    Renewal,
};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::http::listen::serve;
use outhaul_pool::http::service::Service;
use outhaul_pool::identity::secret::key_hash;
use outhaul_pool::log::keeper::Keeper;
use outhaul_pool::log::rules::Rules;
use outhaul_pool::log::store::{Etcd, Store};
use outhaul_pool::model::lease::Ask;
use outhaul_pool::model::node::{Gpu, NodeFacts};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);

struct Cluster {
    folder: PathBuf,
    address: SocketAddr,
    process: Child,
}

/// Returns a loopback address that stays free while no process listens there. Each test process has
/// its own hosts in 127.64.0.0/10. Outgoing connections, whose ports Linux chooses, use 127.0.0.1.
fn own_address() -> SocketAddr {
    static COUNT: AtomicU8 = AtomicU8::new(0);
    let [.., high, low] = std::process::id().to_be_bytes();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    assert!(count < 64, "this process has used its 64 addresses");
    (Ipv4Addr::new(127, 64 + count, high, low), 2379).into()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Cluster {
    /// Returns `None`, with a message, if the machine has no etcd.
    fn start() -> Option<Cluster> {
        if !Command::new("etcd")
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
        {
            eprintln!("skipped: no etcd on this machine (Debian's package: etcd-server)");
            return None;
        }
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("etcd-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let address = own_address();
        let process = Cluster::spawn(&folder, address, own_address());
        let cluster = Cluster { folder, address, process };
        until("etcd does not answer", || Etcd::open(&cluster.address("ready")).is_ok());
        Some(cluster)
    }

    fn spawn(folder: &PathBuf, own: SocketAddr, peer: SocketAddr) -> Child {
        let (own, peer) = (format!("http://{own}"), format!("http://{peer}"));
        let mut command = Command::new("etcd");
        command.arg("--data-dir").arg(folder).args([
            "--name",
            "one",
            "--listen-client-urls",
            &own,
            "--advertise-client-urls",
            &own,
        ]);
        command.args([
            "--listen-peer-urls",
            &peer,
            "--initial-advertise-peer-urls",
            &peer,
            "--initial-cluster",
            &format!("one={peer}"),
        ]);
        // The test does not cover syncing to the disk.
        command.arg("--unsafe-no-fsync");
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn address(&self, prefix: &str) -> outhaul_pool::log::store::EtcdAddress {
        // No member of the etcd listens at the first address.
        format!("etcd://127.0.0.1:1,{}/{prefix}", self.address).parse().unwrap()
    }

    fn pool(&self, name: &str) -> Client {
        let store = Arc::new(Etcd::open(&self.address("pool")).unwrap());
        let (own, mut count) = (name.to_owned(), 0);
        let nonces = Box::new(move || {
            count += 1;
            format!("{own}-{count}")
        });
        let service =
            Service::start(Keeper::open(store.clone(), Rules::default(), nonces).unwrap(), store);
        let (give, address) = channel();
        std::thread::spawn(move || {
            serve(([127, 0, 0, 1], 0).into(), service, None, |address| give.send(address).unwrap())
        });
        Client::new(&format!("http://{}", address.recv_timeout(PATIENCE).unwrap()), "alice")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
#[ignore = "needs etcd"]
fn values_are_swapped_listed_and_trimmed_and_names_lapse() {
    let Some(cluster) = Cluster::start() else { return };
    let (one, other) =
        (Etcd::open(&cluster.address("a")).unwrap(), Etcd::open(&cluster.address("b")).unwrap());
    assert_eq!(one.read("x").unwrap(), None);
    assert!(one.swap("x", 0, b"first").unwrap());
    assert!(!one.swap("x", 0, b"second").unwrap(), "it is there");
    let (version, bytes) = one.read("x").unwrap().unwrap();
    assert_eq!(bytes, b"first");
    assert!(!one.swap("x", version + 1, b"second").unwrap());
    assert!(one.swap("x", version, &[0, 255, 7]).unwrap());
    let (later, bytes) = one.read("x").unwrap().unwrap();
    assert!(later > version && bytes == [0, 255, 7]);
    assert_eq!(other.read("x").unwrap(), None, "another pool's");

    for key in ["log/1", "log/2", "log/3", "log0", "lof"] {
        assert!(one.swap(key, 0, key.as_bytes()).unwrap());
    }
    let keys = |prefix: &str, from: &str, max| {
        one.list(prefix, from, max).unwrap().into_iter().map(|(key, _)| key).collect::<Vec<_>>()
    };
    assert_eq!(keys("log/", "", 10), ["log/1", "log/2", "log/3"]);
    assert_eq!(
        (keys("log/", "log/2", 1), keys("log/", "log/9", 9).len(), keys("log/", "m", 9).len()),
        (vec!["log/2".to_owned()], 0, 0)
    );
    one.trim("log/", "log/3").unwrap();
    assert_eq!(keys("log", "", 10), ["log/3", "log0"]);

    one.put("said/a", b"first").unwrap();
    one.put("said/a", b"second").unwrap();
    assert_eq!(one.read("said/a").unwrap().unwrap().1, b"second");
    one.trim("said/a", "said/a\0").unwrap();
    assert_eq!(one.read("said/a").unwrap(), None);
}

#[test]
#[ignore = "needs etcd"]
fn a_watch_ends_when_something_is_written_and_not_before() {
    let Some(cluster) = Cluster::start() else { return };
    let (one, other) =
        (Etcd::open(&cluster.address("a")).unwrap(), Etcd::open(&cluster.address("a")).unwrap());
    assert!(one.swap("log/1", 0, b"first").unwrap());
    let seen = one.watch("log/", 0, PATIENCE).unwrap();
    assert!(seen >= one.read("log/1").unwrap().unwrap().0);
    one.put("said/a", b"not what is watched").unwrap();
    assert_eq!(one.watch("log/", seen, Duration::from_millis(300)).unwrap(), seen);
    let (start, written) = (Instant::now(), Duration::from_millis(500));
    let next = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| one.watch("log/", seen, PATIENCE).unwrap());
        std::thread::sleep(written);
        assert!(other.swap("log/2", 0, b"second").unwrap());
        waiting.join().unwrap()
    });
    assert!(next > seen && start.elapsed() >= written && start.elapsed() < PATIENCE / 2);
}

#[test]
#[ignore = "needs etcd"]
fn of_many_writers_of_one_key_one_succeeds() {
    let Some(cluster) = Cluster::start() else { return };
    let cluster = &cluster;
    let written = std::thread::scope(|scope| {
        let write = |n| Etcd::open(&cluster.address("a")).unwrap().swap("x", 0, &[n]).unwrap();
        let all: Vec<_> = (0..8u8).map(|n| scope.spawn(move || write(n))).collect();
        all.into_iter().map(|one| one.join().unwrap()).filter(|written| *written).count()
    });
    assert_eq!(written, 1);
}

fn facts() -> NodeFacts {
    let gpu = |n: u32| Gpu { uuid: format!("g{n}"), model: "test".into(), memory_bytes: 1 << 30 };
    NodeFacts {
        name: "n".into(),
        address: "n:1".into(),
        gpus: (0..4).map(gpu).collect(),
        link_gbps: 0,
        link_hops: 0,
        frame_curves: Vec::new(),
    }
}

/// Simulates a node that sends heartbeats to the two pool processes in turn.
fn live(pools: [Client; 2], joined: u64) {
    std::thread::spawn(move || {
        let (mut known, mut head) = (Vec::new(), 0);
        for pool in pools.iter().cycle() {
            let beat = Heartbeat {
                joined,
                head,
                leases: std::mem::take(&mut known),
                wait_ms: 500,
                ..Heartbeat::default()
            };
            let Ok(orders) = pool.heartbeat("n", &beat) else { return };
            let activity = |order: &Order| Activity {
                id: order.id.clone(),
                fence: order.fence,
                sessions: 0,
                unused_s: 0,
                idle_s: 0,
            };
            (known, head) = (orders.leases.iter().map(activity).collect(), orders.head);
        }
    });
}

fn lease_request(id: &str, gpus: u32) -> LeaseRequest {
    LeaseRequest {
        id: id.into(),
        key_hash: key_hash("key"),
        holder: None,
        ask: Ask { gpus, ttl_s: 600, ..Ask::default() },
    }
}

#[test]
#[ignore = "needs etcd"]
fn several_pool_processes_are_one_pool() {
    let Some(cluster) = Cluster::start() else { return };
    let (one, other) = (cluster.pool("one"), cluster.pool("other"));
    let orders: Orders = one.post("/v1/nodes", &facts()).unwrap();
    let beating = one.clone();
    let beat = move |leases| {
        beating.heartbeat(
            "n",
            &Heartbeat { joined: orders.joined, leases, wait_ms: 1_000, ..Heartbeat::default() },
        )
    };
    // The other process knows the node without a heartbeat from it.
    assert_eq!(other.get::<Vec<NodeView>>("/v1/nodes").unwrap().len(), 1);
    // The process that the node talks to learns what the other process granted.
    let granted = std::thread::scope(|scope| {
        let news = scope.spawn(|| beat(Vec::new()).unwrap().leases);
        assert!(matches!(
            other.request(&lease_request("a", 2)).unwrap().state,
            LeaseState::Held(_)
        ));
        news.join().unwrap()
    });
    assert_eq!((granted.len(), granted[0].id.as_str()), (1, "a"));
    live([one.clone(), other.clone()], orders.joined);
    // Both processes grant at once, and neither grants a GPU that the other has granted.
    std::thread::scope(|scope| {
        for (number, client) in [&one, &other, &one, &other].into_iter().enumerate() {
            scope.spawn(move || client.request(&lease_request(&format!("b{number}"), 1)).unwrap());
        }
    });
    let seen = || one.get::<Vec<LeaseView>>("/v1/leases").unwrap();
    until("one does not see the entries of the other", || seen().len() == 5);
    let leases = seen();
    let mut gpus: Vec<&str> =
        leases.iter().flat_map(|lease| &lease.parts).map(|part| part.gpu.as_str()).collect();
    gpus.sort();
    assert_eq!(gpus, ["g0", "g1", "g2", "g3"]);
    assert_eq!(
        leases.iter().filter(|lease| matches!(lease.state, LeaseState::Waiting(_))).count(),
        2
    );
    other.release("a").unwrap();
    let served = |leases: Vec<LeaseView>| {
        leases.len() == 4 && leases.iter().all(|lease| matches!(lease.state, LeaseState::Held(_)))
    };
    until("a waiting request is not served", || served(seen()));
    assert!(matches!(one.get::<LeaseView>("/v1/leases/a"), Err(ClientError::Gone(_))));
}

#[test]
#[ignore = "needs etcd"]
fn a_pool_reports_that_etcd_does_not_answer_and_continues_when_it_does() {
    let Some(mut cluster) = Cluster::start() else { return };
    let pool = cluster.pool("one");
    pool.post::<Orders>("/v1/nodes", &facts()).unwrap();
    pool.request(&lease_request("a", 1)).unwrap();
    cluster.process.kill().unwrap();
    cluster.process.wait().unwrap();
    let refused = pool.request(&lease_request("b", 1)).unwrap_err();
    assert!(
        matches!(&refused, ClientError::Unable { reason, .. } if reason.contains("etcd at")),
        "{refused}"
    );
    until("the pool does not report the fault", || pool.get::<Health>("/v1/health").is_err());
    cluster.process = Cluster::spawn(&cluster.folder, cluster.address, own_address());
    until("the pool does not get well", || pool.get::<Health>("/v1/health").is_ok());
    assert!(pool.renew("a", &Renewal::default()).is_ok(), "the lease outlived it");
}
