//! Unused leases in a pool of two processes; each node talks to one of the processes.

#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod served;

use outhaul_pool::http::api::{Activity, Heartbeat, LeaseState, LeaseView, NodeView};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::identity::SteadyTime;
use outhaul_pool::log::store::{Memory, Store};
use outhaul_pool::model::lease::{Ask, End};
use served::{join, lease_request, pool_by, until};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const NODES: [&str; 2] = ["n0", "n1"];
const STEP_S: u64 = 1;
/// How long the lease may be unused, in seconds.
const QUIET_S: u64 = 20;
/// The interval at which a process writes a report.
const REPORT_MS: u64 = 500;

/// Two processes over one store, with a clock that the test sets, and a lease with a GPU on each of
/// two nodes.
struct World {
    clock_ms: Arc<AtomicU64>,
    store: Arc<Memory>,
    pools: [Client; 2],
    joined: [u64; 2],
    fence: u64,
    /// When each node's part of the lease was last used.
    used_s: [u64; 2],
    /// The process that each node talks to.
    speaks_to: [usize; 2],
}

impl World {
    fn new(ask: Ask) -> World {
        let clock_ms = Arc::new(AtomicU64::new(0));
        let read = clock_ms.clone();
        let store = Arc::new(Memory::default());
        let clock = SteadyTime::of(move || read.load(Ordering::Relaxed));
        let pools = ["one", "other"].map(|name| pool_by(clock.clone(), store.clone(), name));
        let joined = NODES.map(|node| join(&pools[0], node, 1).joined);
        until("the other process does not learn of the nodes", || {
            pools[1].get::<Vec<NodeView>>("/v1/nodes").unwrap().len() == 2
        });
        let LeaseState::Held(fence) =
            pools[0].request(&lease_request("x", Ask { gpus: 2, ..ask })).unwrap().state
        else {
            panic!("not granted")
        };
        until("the other process does not learn of the lease", || {
            pools[1].get::<LeaseView>("/v1/leases/x").is_ok()
        });
        World { clock_ms, store, pools, joined, fence, used_s: [0; 2], speaks_to: [0, 1] }
    }

    /// Lets time pass, in which the nodes report which parts were used.
    fn pass(&mut self, seconds: u64, used: [bool; 2]) {
        for _ in 0..seconds / STEP_S {
            self.both_listen();
            self.both_listen();
            let now_s = self.clock_ms.load(Ordering::Relaxed) / 1000;
            for node in 0..2 {
                self.used_s[node] = if used[node] { now_s } else { self.used_s[node] };
                let quiet_s = now_s - self.used_s[node];
                let sessions = u32::from(used[node]);
                let activity = Activity {
                    id: "x".into(),
                    fence: self.fence,
                    sessions,
                    unused_s: quiet_s,
                    idle_s: quiet_s,
                };
                let beat = Heartbeat {
                    joined: self.joined[node],
                    leases: vec![activity],
                    ..Heartbeat::default()
                };
                self.pools[self.speaks_to[node]].heartbeat(NODES[node], &beat).unwrap();
            }
        }
        // A process that writes a report has checked for silence since its previous report.
        self.both_listen();
        self.both_listen();
    }

    /// Lets time pass in which both processes exchange reports and check for silence. A process
    /// that does not listen for longer than that counts none of the time as silence.
    fn both_listen(&self) {
        let reports = || self.store.list("said/", "", 2).unwrap();
        let before = reports();
        self.clock_ms.fetch_add(REPORT_MS, Ordering::Relaxed);
        let is_new = |report: &(String, Vec<u8>)| !before.contains(report);
        until("the processes do not report", || {
            reports().len() == 2 && reports().iter().all(is_new)
        });
    }

    fn end(&self) -> Option<String> {
        match self.pools[0].get::<LeaseView>("/v1/leases/x") {
            Err(ClientError::Gone(why)) => Some(why),
            other => other.map(|_| None).unwrap(),
        }
    }
}

fn a_lease_lives_while_one_of_its_nodes_uses_it(ask: Ask, why: End) {
    let mut world = World::new(ask);
    world.pass(QUIET_S + 10, [true, false]);
    assert_eq!(world.end(), None, "the second node is idle, the first is not");
    // The last report that the other process received says that the second node's part is idle.
    world.speaks_to = [1, 0];
    world.pass(QUIET_S + 10, [false, true]);
    assert_eq!(world.end(), None, "the first node is idle, the second is not");
    world.speaks_to = [1, 1];
    world.pass(QUIET_S - STEP_S, [false, false]);
    assert_eq!(world.end(), None, "it may be unused for that long");
    // A silent node may use the lease for 5 s, and the test allows two heartbeats more.
    world.pass(5 + 2 * STEP_S, [false, false]);
    assert!(world.end().is_some_and(|end| end.contains(&why.to_string())), "{:?}", world.end());
}

#[test]
fn sessions_on_any_node_keep_a_lease_from_being_released() {
    a_lease_lives_while_one_of_its_nodes_uses_it(
        Ask { release_after_s: Some(QUIET_S), ..Ask::default() },
        End::Unused,
    );
}

#[test]
fn work_on_any_node_keeps_a_lease_from_being_killed() {
    a_lease_lives_while_one_of_its_nodes_uses_it(
        Ask { kill_after_s: Some(QUIET_S), ..Ask::default() },
        End::Idle,
    );
}

#[test]
fn a_timer_of_any_length_is_one() {
    let mut world = World::new(Ask {
        release_after_s: Some(u64::MAX),
        kill_after_s: Some(u64::MAX),
        ..Ask::default()
    });
    world.pass(10 * STEP_S, [false, false]);
    assert_eq!(world.end(), None);
    world.pools[1].release("x").unwrap();
    until("the lease does not end", || world.end().is_some());
}
