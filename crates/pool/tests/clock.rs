//! A pool on a machine whose clock is wrong and is set while the pool runs. Tokens and certificates
//! follow the time of day; leases follow a clock that nobody can set.

#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod served;

use outhaul_pool::http::api::{LeaseView, Orders};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::http::joining::join;
use outhaul_pool::http::listen::{Identity, serve};
use outhaul_pool::http::service::Service;
use outhaul_pool::identity::{Authority, Grant, SteadyTime, User, WallTime};
use outhaul_pool::model::lease::Ask;
use outhaul_pool::model::node::{Gpu, NodeFacts};
use served::{PATIENCE, keeper, lease_request, store, until};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

const HOUR_S: u64 = 3600;
const DAY_S: u64 = 24 * HOUR_S;

/// A pool with an identity and a clock that the test sets. The clients use the machine's clock.
struct Pool {
    clock_s: Arc<AtomicU64>,
    folder: PathBuf,
    url: String,
}

fn now_s() -> u64 {
    WallTime::of_machine().now_s()
}

fn named(name: &str) -> User {
    User { name: name.into(), life_s: HOUR_S, until_s: now_s() + 10 * DAY_S, ..User::default() }
}

impl Pool {
    fn start(name: &str, clock_s: u64) -> Pool {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("clock-{name}-{}", std::process::id()));
        let authority = Authority::create(&folder, now_s() - 1000 * DAY_S).unwrap();
        let clock_s = Arc::new(AtomicU64::new(clock_s));
        let read = clock_s.clone();
        let store = store();
        let wall = WallTime::of(move || read.load(Ordering::Relaxed));
        let service =
            Service::start_by(wall, SteadyTime::begin(), keeper(store.clone(), name), store);
        let identity = Identity { authority, names: vec!["127.0.0.1".into()] };
        let (give, address) = channel();
        std::thread::spawn(move || {
            serve(([127, 0, 0, 1], 0).into(), service, Some(identity), |address| {
                give.send(address).unwrap()
            })
        });
        Pool {
            clock_s,
            folder,
            url: format!("https://{}", address.recv_timeout(PATIENCE).unwrap()),
        }
    }

    fn set(&self, clock_s: u64) {
        self.clock_s.store(clock_s, Ordering::Relaxed);
    }

    /// Returns a token from a machine whose clock shows `made_s`.
    fn token(&self, name: &str, made_s: u64, life_s: u64) -> String {
        Authority::open(&self.folder)
            .unwrap()
            .issue(Grant::JoinUser(named(name)), made_s, life_s)
            .unwrap()
    }

    fn join(&self, token: &str) -> Result<Client, String> {
        let (_, credentials) = join(&self.url, token).map_err(|error| error.to_string())?;
        Client::of(&self.url, &credentials).map_err(|error| error.to_string())
    }

    fn node(&self, made_s: u64) -> Result<Orders, ClientError> {
        let credentials =
            Authority::open(&self.folder).unwrap().node_credentials("n", made_s).unwrap();
        let gpus = vec![Gpu { uuid: "g".into(), model: "test".into(), memory_bytes: 1 << 30 }];
        let facts = NodeFacts {
            name: "n".into(),
            address: "n:1".into(),
            gpus,
            link_gbps: 0,
            link_hops: 0,
            frame_curves: Vec::new(),
        };
        Client::of(&self.url, &credentials).unwrap().post("/v1/nodes", &facts)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_clock_that_was_wrong_and_is_corrected_is_right_for_tokens_at_once() {
    let pool = Pool::start("corrected", now_s() - 2 * DAY_S);
    let token = pool.token("alice", now_s(), HOUR_S);
    let error = pool.join(&token).err().unwrap();
    assert!(error.contains("in the future") && error.contains("clock"), "{error}");
    pool.set(now_s() + 2 * DAY_S);
    let error = pool.join(&token).err().unwrap();
    assert!(error.contains("has expired"), "{error}");
    pool.set(now_s());
    let alice = pool.join(&token).unwrap();
    assert_eq!(alice.get::<Vec<LeaseView>>("/v1/leases").unwrap().len(), 0);
    pool.set(now_s() + 2 * HOUR_S);
    let error = alice.get::<Vec<LeaseView>>("/v1/leases").unwrap_err().to_string();
    assert!(error.contains("has expired"), "{error}");
}

#[test]
fn a_token_that_is_good_once_stays_so_whatever_is_done_to_the_clock() {
    let now_s = now_s();
    let pool = Pool::start("once", now_s);
    let (first, older) =
        (pool.token("alice", now_s, HOUR_S), pool.token("carol", now_s, HOUR_S / 2));
    pool.join(&first).unwrap();
    // The token has expired by a slightly fast clock, but not by a correct one.
    pool.set(now_s + HOUR_S + 200);
    pool.join(&pool.token("bob", now_s + HOUR_S, HOUR_S)).unwrap();
    pool.set(now_s);
    assert!(pool.join(&first).err().unwrap().contains("used already"));
    // With a clock that is far ahead, the pool forgets the used token.
    pool.set(now_s + 2 * DAY_S);
    pool.join(&pool.token("bob", now_s + 2 * DAY_S, HOUR_S)).unwrap();
    pool.set(now_s);
    let error = pool.join(&first).err().unwrap();
    assert!(error.contains("forgotten") && error.contains("clock"), "{error}");
    assert!(pool.join(&older).is_err(), "for all that the pool knows it was used too");
    pool.join(&pool.token("dave", now_s, DAY_S)).unwrap();
}

#[test]
fn leases_neither_end_nor_live_longer_when_the_clock_is_set() {
    let now_s = now_s();
    let pool = Pool::start("leases", now_s);
    pool.node(now_s).unwrap();
    let alice = pool.join(&pool.token("alice", now_s, 100 * DAY_S)).unwrap();
    // One lease of half the GPU lasts an hour, and one of the other half lasts two seconds.
    let half =
        |seconds| Ask { share_percent: Some(50), seconds_max: Some(seconds), ..Ask::default() };
    alice.request(&lease_request("hour", half(HOUR_S))).unwrap();
    alice.request(&lease_request("seconds", half(2))).unwrap();
    pool.set(now_s + 2 * DAY_S);
    std::thread::sleep(Duration::from_millis(500));
    pool.set(now_s - 200);
    let why = |id: &str| match alice.get::<LeaseView>(&format!("/v1/leases/{id}")) {
        Err(ClientError::Gone(why)) => why,
        Err(error) => panic!("{error}"),
        Ok(_) => String::new(),
    };
    assert_eq!(why("hour"), "");
    until("a clock that is set back prolongs a lease", || {
        why("seconds").contains("its time is over")
    });
    assert_eq!(why("hour"), "");
}

#[test]
fn the_pools_own_certificate_is_renewed_while_it_runs_and_nodes_are_judged_by_the_time_of_day() {
    // The listener's first certificate has expired by now.
    let pool = Pool::start("renewed", now_s() - 400 * DAY_S);
    let error = pool.node(now_s()).unwrap_err();
    assert!(
        matches!(&error, ClientError::Unproven { reason, .. } if reason.contains("its certificate \
        has expired")),
        "{error}"
    );
    pool.set(now_s());
    pool.node(now_s()).unwrap();
    let error = pool.node(now_s() - 400 * DAY_S).unwrap_err();
    assert!(
        matches!(&error, ClientError::Unproven { reason, .. } if reason.contains("this node's \
        certificate has expired")),
        "{error}"
    );
}
