//! Nodes' reports about GPUs and leases: the reports that the pool accepts, and what it shows.

#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod served;

use outhaul_pool::http::api::{
    Activity, EnergyView, GpuUse, Heartbeat, LeaseUse, LeaseView, UsageView,
};
use outhaul_pool::http::client::Client;
use outhaul_pool::identity::SteadyTime;
use outhaul_pool::model::bill::{Bill, FrameCounts, Method};
use outhaul_pool::model::lease::Ask;
use served::{join, lease_request, pool_by, store};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A time that is longer than the least time between two reports of a node, in milliseconds.
const APART_MS: u64 = 1_600;

fn gpu_use(gpu: &str, mj: u64) -> GpuUse {
    GpuUse {
        gpu: gpu.into(),
        busy_ns: mj,
        total_mj: mj,
        unleased_mj: mj,
        method: Some(Method::Nvml),
    }
}

fn lease_use(id: &str, gpu: &str, mj: u64, is_final: bool) -> LeaseUse {
    LeaseUse {
        id: id.into(),
        gpu: gpu.into(),
        busy_ns: mj,
        active_mj: mj,
        idle_mj: 0,
        method: Some(Method::Nvml),
        frames: FrameCounts::default(),
        is_final,
    }
}

/// A clock that the test sets.
#[derive(Clone, Default)]
struct Clock(Arc<AtomicU64>);

impl Clock {
    fn pass(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

/// Starts a pool with two nodes, "honest" and "liar", that each have a lease. Another lease on
/// "honest" has ended.
fn shared_pool() -> (Client, Clock, u64, u64) {
    let clock = Clock::default();
    let read = clock.clone();
    let pool = pool_by(SteadyTime::of(move || read.0.load(Ordering::Relaxed)), store(), "one");
    let (honest, liar) = (join(&pool, "honest", 2).joined, join(&pool, "liar", 1).joined);
    pool.request(&lease_request("two", Ask { gpus: 2, ..Ask::default() })).unwrap();
    let own = pool.request(&lease_request("own", Ask::default())).unwrap();
    assert_eq!(own.parts[0].node, "liar");
    (pool, clock, honest, liar)
}

#[test]
fn a_node_that_speaks_of_others_changes_nothing() {
    let (pool, clock, honest, liar) = shared_pool();
    let ended = |pool: &Client| -> Bill {
        let energy: EnergyView = pool.get("/v1/energy").unwrap();
        energy.leases.into_iter().find(|bill| bill.to_ms.is_some()).unwrap()
    };
    pool.release("two").unwrap();
    assert_eq!(
        ended(&pool).parts,
        [
            ("honest".to_owned(), "honest-g0".to_owned()),
            ("honest".to_owned(), "honest-g1".to_owned())
        ]
    );
    pool.request(&lease_request(
        "again",
        Ask { gpus: 2, release_after_s: Some(1), ..Ask::default() },
    ))
    .unwrap();
    let again: LeaseView = pool.get("/v1/leases/again").unwrap();
    let outhaul_pool::http::api::LeaseState::Held(fence) = again.state else { panic!("{again:?}") };
    let lies = Heartbeat {
        unfit: false,
        head: 0,
        joined: liar,
        gpus: vec![gpu_use("honest-g0", 9_000), gpu_use("none", 9_000)],
        uses: vec![
            lease_use("two", "honest-g0", 7, true),
            // The pool also ignores reports under the name of the liar's own GPU and about running
            // leases.
            lease_use("two", "liar-g0", 7, true),
            lease_use("own", "liar-g0", 7, true),
            lease_use("again", "honest-g0", 7, false),
            lease_use("again", "liar-g0", 7, false),
            lease_use("own", "honest-g0", 7, false),
        ],
        leases: vec![Activity {
            id: "again".into(),
            fence,
            sessions: 0,
            unused_s: 9_999,
            idle_s: 9_999,
        }],
        wait_ms: 0,
    };
    for _ in 0..2 {
        pool.heartbeat("liar", &lies).unwrap();
        clock.pass(APART_MS);
    }
    let (energy, usage): (EnergyView, UsageView) =
        (pool.get("/v1/energy").unwrap(), pool.get("/v1/usage").unwrap());
    assert!(
        energy.gpus.is_empty() && energy.leases.iter().all(|bill| bill.items.is_empty()),
        "{energy:?}"
    );
    assert!(usage.gpus.is_empty() && usage.leases.is_empty(), "{usage:?}");
    pool.get::<LeaseView>("/v1/leases/again").unwrap();

    // The pool accepts the node's report about its own lease, and likewise the other node's.
    let truth = Heartbeat {
        joined: liar,
        gpus: vec![gpu_use("liar-g0", 5)],
        uses: vec![lease_use("own", "liar-g0", 5, false)],
        ..lies
    };
    pool.heartbeat("liar", &truth).unwrap();
    let final_uses =
        vec![lease_use("two", "honest-g0", 3, true), lease_use("two", "honest-g1", 4, true)];
    for _ in 0..2 {
        pool.heartbeat(
            "honest",
            &Heartbeat { joined: honest, uses: final_uses.clone(), ..Heartbeat::default() },
        )
        .unwrap();
    }
    let items: Vec<(String, u64)> =
        ended(&pool).items.into_iter().map(|item| (item.gpu, item.active_mj)).collect();
    assert_eq!(items, [("honest-g0".to_owned(), 3), ("honest-g1".to_owned(), 4)], "once");
    let energy: EnergyView = pool.get("/v1/energy").unwrap();
    assert_eq!((energy.gpus.len(), energy.gpus[0].total_mj), (1, 5));
}

#[test]
fn curves_come_when_they_are_asked_for_and_energy_of_one_lease_alone() {
    let (pool, clock, _, liar) = shared_pool();
    for step in 0..2 {
        let busy = GpuUse { busy_ns: step * APART_MS * 1_000_000 / 2, ..gpu_use("liar-g0", step) };
        let uses = vec![lease_use("own", "liar-g0", step, false)];
        pool.heartbeat(
            "liar",
            &Heartbeat { joined: liar, gpus: vec![busy], uses, ..Heartbeat::default() },
        )
        .unwrap();
        clock.pass(APART_MS);
    }
    let get = |query: &str| pool.get::<UsageView>(&format!("/v1/usage{query}")).unwrap();
    let points = |usage: &UsageView| (usage.history.len(), usage.gpus[0].history.len());
    assert_eq!(
        ["", "?history=none", "?history=mean", "?history=gpus"].map(|query| points(&get(query))),
        [(0, 0), (0, 0), (1, 0), (1, 1)]
    );
    let all = get("?history=gpus");
    assert_eq!(all.gpus[0].busy_percent, 50.0, "{all:?}");
    assert_eq!(all.history[0].1, all.gpus[0].history[0].1);
    let refused = pool.get::<UsageView>("/v1/usage?history=all").unwrap_err().to_string();
    assert!(refused.contains("history") && refused.contains("mean"), "{refused}");

    pool.heartbeat(
        "liar",
        &Heartbeat { joined: liar, gpus: vec![gpu_use("liar-g0", 5)], ..Heartbeat::default() },
    )
    .unwrap();
    let energy = |query: &str| pool.get::<EnergyView>(&format!("/v1/energy{query}")).unwrap();
    assert_eq!((energy("").leases.len(), energy("").gpus.len()), (2, 1));
    let one = energy("?lease=own");
    assert_eq!((one.leases.len(), one.leases[0].id.as_str(), one.gpus.len()), (1, "own", 0));
    assert!(energy("?lease=none").leases.is_empty());
}

/// Returns the active energy of a lease, in millijoules, and whether the pool heard it last.
fn active_mj(pool: &Client, id: &str) -> Option<(u64, bool)> {
    let energy: EnergyView = pool.get(&format!("/v1/energy?lease={id}")).unwrap();
    let item = energy.leases.first()?.items.first()?;
    Some((item.active_mj, item.last_reported))
}

#[test]
fn a_node_that_is_lost_leaves_its_leases_accounts_in_the_log() {
    let store = store();
    let pool = served::pool(store.clone(), "one");
    let (lost, gone) = (join(&pool, "lost", 1).joined, join(&pool, "gone", 1).joined);
    for id in ["first", "second"] {
        pool.request(&lease_request(id, Ask::default())).unwrap();
    }
    let leases: Vec<LeaseView> = pool.get("/v1/leases").unwrap();
    let on =
        |node: &str| leases.iter().find(|lease| lease.parts[0].node == node).unwrap().id.clone();
    let (held, ended) = (on("lost"), on("gone"));
    for mj in [5, 7] {
        for (node, joined, id) in [("lost", lost, &held), ("gone", gone, &ended)] {
            let uses = vec![lease_use(id, &format!("{node}-g0"), mj, false)];
            let gpus = vec![gpu_use(&format!("{node}-g0"), mj)];
            let heartbeat = Heartbeat { joined, uses, gpus, ..Heartbeat::default() };
            pool.heartbeat(node, &heartbeat).unwrap();
        }
    }
    // The program of one lease ends before the pool knows that the node is gone; the other holds.
    pool.release(&ended).unwrap();
    pool.leave("gone").unwrap();
    let unfit = Heartbeat { joined: lost, unfit: true, ..Heartbeat::default() };
    pool.heartbeat("lost", &unfit).unwrap();
    let other = served::pool(store, "other");
    served::until("another process knows the figures from the log alone", || {
        other.get::<Vec<LeaseView>>("/v1/leases").unwrap();
        [&held, &ended].into_iter().all(|id| active_mj(&other, id) == Some((7, true)))
    });
    pool.release(&held).unwrap();
    assert_eq!(active_mj(&pool, &held), Some((7, true)));
    // The node is back after all, with the final figures.
    let uses = vec![lease_use(&held, "lost-g0", 9, true)];
    for _ in 0..2 {
        let heartbeat = Heartbeat { joined: lost, uses: uses.clone(), ..Heartbeat::default() };
        pool.heartbeat("lost", &heartbeat).unwrap();
        assert_eq!(active_mj(&pool, &held), Some((9, false)));
    }
}

#[test]
fn a_node_that_is_down_offers_nothing_and_its_gpus_have_no_load() {
    let (pool, clock, honest, _) = shared_pool();
    pool.release("two").unwrap();
    let beat = |mj, unfit| {
        let gpus = vec![gpu_use("honest-g0", mj)];
        pool.heartbeat(
            "honest",
            &Heartbeat { joined: honest, gpus, unfit, ..Heartbeat::default() },
        )
        .unwrap();
        clock.pass(APART_MS);
    };
    let metrics = || {
        let mut text = Vec::new();
        pool.download("/metrics", &mut text).unwrap();
        String::from_utf8(text).unwrap()
    };
    let is_free = |ratio: u32| {
        let start = "outhaul_gpu_time_free_ratio{node=\"honest\"";
        let found = metrics();
        let mut lines = found.lines().filter(|line| line.starts_with(start));
        lines.all(|line| line.ends_with(&format!(" {ratio}")))
    };
    let watts = "outhaul_gpu_watts{node=\"honest\"";
    beat(0, false);
    beat(9_000, false);
    assert!(is_free(1) && metrics().contains(watts));
    beat(9_000, true);
    assert!(is_free(0) && !metrics().contains(watts), "{}", metrics());
    let nodes: Vec<outhaul_pool::http::api::NodeView> = pool.get("/v1/nodes").unwrap();
    let gpu = &nodes.iter().find(|node| node.name == "honest").unwrap().gpus[0];
    assert_eq!((gpu.memory_free_bytes, gpu.time_free_percent), (0, 0.0));
    let usage: UsageView = pool.get("/v1/usage").unwrap();
    assert!(usage.gpus.iter().all(|gpu| gpu.watts.is_none() && gpu.busy_percent == 0.0));
}
