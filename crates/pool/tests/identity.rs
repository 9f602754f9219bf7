//! A pool with an identity, over TLS: the callers that it accepts, as whom, and what each may do.

use outhaul_pool::Error;
use outhaul_pool::http::api::{
    Health, Heartbeat, LeaseRequest, LeaseState, LeaseView, NodeView, Orders, Renewal,
};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::http::joining::{JoinError, join, renew};
use outhaul_pool::http::listen::{Identity, serve};
use outhaul_pool::http::service::Service;
use outhaul_pool::identity::authority::Authority;
use outhaul_pool::identity::credentials::Proof;
use outhaul_pool::identity::secret::key_hash;
use outhaul_pool::identity::{Credentials, Grant, User, WallTime};
use outhaul_pool::log::keeper::Keeper;
use outhaul_pool::log::rules::Rules;
use outhaul_pool::log::store::Memory;
use outhaul_pool::model::lease::{Amount, Ask};
use outhaul_pool::model::node::{Gpu, NodeFacts};
use outhaul_pool::model::quota::Quota;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

const HOUR_S: u64 = 3600;

struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name =
            format!("identity-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Folder(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name))
    }

    fn authority(&self) -> Authority {
        if Authority::is_in(&self.0) {
            Authority::open(&self.0).unwrap()
        } else {
            Authority::create(&self.0, now_s()).unwrap()
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Pool {
    url: String,
    folder: Folder,
}

fn now_s() -> u64 {
    WallTime::of_machine().now_s()
}

impl Pool {
    fn start() -> Pool {
        let store = Arc::new(Memory::default());
        let mut count = 0;
        let nonces = Box::new(move || {
            count += 1;
            count.to_string()
        });
        let keeper = Keeper::open(store.clone(), Rules::default(), nonces).unwrap();
        let folder = Folder::new();
        let authority = folder.authority();
        let names = vec!["localhost".into(), "127.0.0.1".into()];
        let (give, address) = channel();
        let service = Service::start(keeper, store);
        std::thread::spawn(move || {
            serve(
                ([127, 0, 0, 1], 0).into(),
                service,
                Some(Identity { authority, names }),
                |address| give.send(address).unwrap(),
            )
        });
        Pool { url: format!("https://{}", address.recv().unwrap()), folder }
    }

    fn token(&self, grant: Grant, life_s: u64) -> String {
        self.folder.authority().issue(grant, now_s(), life_s).unwrap()
    }

    fn node_credentials(&self, name: &str) -> Credentials {
        join(&self.url, &self.token(Grant::JoinNode(name.into()), HOUR_S)).unwrap().1
    }

    fn user_credentials(&self, user: User) -> Credentials {
        join(&self.url, &self.token(Grant::JoinUser(user), HOUR_S)).unwrap().1
    }

    fn client(&self, credentials: &Credentials) -> Client {
        Client::of(&self.url, credentials).unwrap()
    }

    fn user(&self, user: User) -> Client {
        self.client(&self.user_credentials(user))
    }
}

fn named(name: &str) -> User {
    User { name: name.into(), life_s: HOUR_S, until_s: now_s() + 10 * HOUR_S, ..User::default() }
}

fn facts(name: &str) -> NodeFacts {
    let gpu =
        |n: u32| Gpu { uuid: format!("GPU-{n}"), model: "test".into(), memory_bytes: 1 << 30 };
    NodeFacts {
        name: name.into(),
        address: "a:1".into(),
        gpus: (0..4).map(gpu).collect(),
        link_gbps: 0,
        link_hops: 0,
        frame_curves: Vec::new(),
    }
}

fn lease_request(id: &str, ask: Ask) -> LeaseRequest {
    LeaseRequest { id: id.into(), key_hash: key_hash("key"), holder: None, ask }
}

fn refused<T: std::fmt::Debug>(answer: Result<T, ClientError>) -> String {
    match answer {
        Err(ClientError::Refused(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

fn unproven<T: std::fmt::Debug>(answer: Result<T, ClientError>) -> String {
    match answer {
        Err(ClientError::Unproven { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn tls_errors_name_the_other_protocol_or_name() {
    let pool = Pool::start();
    let ca_pem = pool.folder.authority().ca_pem;
    let elsewhere = pool.url.replace("127.0.0.1", "127.0.0.2");
    let asked = |url: &str| Client::knowing(url, &ca_pem).unwrap().get::<Health>("/v1/health");
    asked(&pool.url).unwrap();
    // Clients reach the pool through a relay, under a name that is not in the pool's certificate.
    let relay = std::net::TcpListener::bind("127.0.0.2:0").unwrap();
    let (other_name, behind) = (
        format!("https://{}", relay.local_addr().unwrap()),
        pool.url.trim_start_matches("https://").to_owned(),
    );
    std::thread::spawn(move || {
        let (near, far) =
            (relay.accept().unwrap().0, std::net::TcpStream::connect(behind).unwrap());
        let (mut from, mut to) = (near.try_clone().unwrap(), far.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut from, &mut to));
        let _ = std::io::copy(&mut &far, &mut &near);
    });
    let error = unproven(asked(&other_name));
    assert!(error.contains("not for the name") && error.contains("--name HOST"), "{error}");
    let error = Client::new(&pool.url.replace("https", "http"), "alice")
        .get::<Health>("/v1/health")
        .unwrap_err();
    assert!(
        matches!(&error, ClientError::Foreign { reason, .. } if reason.contains("write https://")),
        "{error}"
    );
    let error = unproven(asked(&plain_http()));
    assert!(error.contains("does not speak TLS") && error.contains("http://"), "{error}");
    assert!(
        matches!(asked(&elsewhere), Err(ClientError::Unreachable { .. })),
        "no process is there"
    );
}

/// Starts a server that refuses every request, without TLS, and returns its URL.
fn plain_http() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
    });
    url
}

#[test]
fn a_node_has_the_name_of_its_certificate() {
    let pool = Pool::start();
    let node = pool.client(&pool.node_credentials("gpu7"));
    let orders: Orders = node.post("/v1/nodes", &facts("gpu7")).unwrap();
    node.heartbeat("gpu7", &Heartbeat { joined: orders.joined, ..Heartbeat::default() }).unwrap();
    assert!(
        refused(node.post::<Orders>("/v1/nodes", &facts("gpu8"))).contains("to the node 'gpu7'")
    );
    assert!(refused(node.heartbeat("gpu8", &Heartbeat::default())).contains("to the node 'gpu7'"));
    assert!(refused(node.request(&lease_request("x", Ask::default()))).contains("is not a user"));
    let user = pool.user(named("alice"));
    assert!(refused(user.post::<Orders>("/v1/nodes", &facts("gpu8"))).contains("is not a node"));
    assert_eq!(user.get::<Vec<NodeView>>("/v1/nodes").unwrap().len(), 1);
}

#[test]
fn a_certificate_of_another_pool_opens_nothing() {
    let (pool, other) = (Pool::start(), Pool::start());
    let foreign = other.node_credentials("gpu7");
    // The client trusts the right pool, but presents another pool's certificate.
    let own = pool.node_credentials("gpu8");
    let mixed = Credentials { ca_pem: own.ca_pem.clone(), proof: foreign.proof.clone() };
    let error = unproven(pool.client(&mixed).post::<Orders>("/v1/nodes", &facts("gpu7")));
    assert!(
        error.contains("this node's certificate") && error.contains("pool token node"),
        "{error}"
    );
    // A node does not accept another pool as its own.
    let error = unproven(pool.client(&foreign).post::<Orders>("/v1/nodes", &facts("gpu7")));
    assert!(
        error.contains("not of the pool that this machine joined") && error.contains("join anew"),
        "{error}"
    );
    // A node's certificate does not make its holder a pool.
    assert!(
        pool.folder.authority().certify_pool(vec!["gpu7.node.outhaul".into()], now_s()).is_err()
    );
}

#[test]
fn a_join_token_is_good_once_in_its_time_and_in_its_pool() {
    let pool = Pool::start();
    let token = pool.token(Grant::JoinNode("gpu7".into()), HOUR_S);
    join(&pool.url, &token).unwrap();
    let error = join(&pool.url, &token).unwrap_err().to_string();
    assert!(error.contains("used already"), "{error}");
    let late = pool
        .folder
        .authority()
        .issue(Grant::JoinUser(named("alice")), now_s() - HOUR_S, 60)
        .unwrap();
    assert!(join(&pool.url, &late).unwrap_err().to_string().contains("has expired"));
    let early = pool
        .folder
        .authority()
        .issue(Grant::JoinUser(named("alice")), now_s() + HOUR_S, 60)
        .unwrap();
    assert!(join(&pool.url, &early).unwrap_err().to_string().contains("clock"));
    let other = Pool::start();
    let foreign = other.token(Grant::JoinUser(named("alice")), HOUR_S);
    assert!(matches!(join(&pool.url, &foreign), Err(JoinError::Here(Error::Identity(error)))
            if error.contains("is not the pool")));
    // The pool refuses the token even if the client skips that check.
    let stranger = Client::knowing(&pool.url, &pool.folder.authority().ca_pem).unwrap();
    let body = outhaul_pool::http::joining::Joining { token: foreign, public_key: None };
    assert!(
        refused(stranger.post::<serde_json::Value>("/v1/identity", &body))
            .contains("not of this pool")
    );
}

#[test]
fn of_many_callers_with_one_token_one_joins() {
    let pool = Pool::start();
    let token = pool.token(Grant::JoinUser(named("alice")), HOUR_S);
    let let_in = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(|| join(&pool.url, &token).is_ok())).collect();
        all.into_iter().map(|one| one.join().unwrap()).filter(|ok| *ok).count()
    });
    assert_eq!(let_in, 1);
}

#[test]
fn a_token_limits_its_users_leases() {
    let pool = Pool::start();
    pool.client(&pool.node_credentials("n")).post::<Orders>("/v1/nodes", &facts("n")).unwrap();
    let limits = Quota { gpus: Some(2.0), leases: Some(2), ..Quota::default() };
    let alice = pool.user(User { limits, priority_max: 1, ..named("alice") });
    let error = refused(alice.request(&lease_request("three", Ask { gpus: 3, ..Ask::default() })));
    assert!(error.contains("the token of user:alice") && error.contains("3.00 GPUs"), "{error}");
    let error =
        refused(alice.request(&lease_request("first", Ask { priority: 2, ..Ask::default() })));
    assert!(error.contains("priority 2") && error.contains("up to 1"), "{error}");
    let two = alice.request(&lease_request("two", Ask { gpus: 2, ..Ask::default() })).unwrap();
    assert!(matches!(two.state, LeaseState::Held(_)) && two.holder.user == "alice");
    let third = alice.request(&lease_request("third", Ask::default())).unwrap();
    assert!(
        matches!(third.state, LeaseState::Waiting(_)),
        "there is room, and the token does not allow it"
    );
    let limits = Quota { leases: Some(1), ..Quota::default() };
    let carol = pool.user(User { limits, ..named("carol") });
    alice.release("two").unwrap();
    let ask = || Ask { memory: Some(Amount::Percent(10)), ..Ask::default() };
    let first = carol.request(&lease_request("carols", ask())).unwrap();
    let next = carol.request(&lease_request("next", ask())).unwrap();
    assert!(matches!((first.state, next.state), (LeaseState::Held(_), LeaseState::Waiting(_))));
    let why = next.reason.unwrap();
    assert!(why.contains("user:carol: 2 leases with this lease; the quota is 1"), "{why}");
    carol.release("carols").unwrap();
    let granted = carol.renew("next", &Renewal::default()).unwrap().state;
    assert!(matches!(granted, LeaseState::Held(_)), "one lease after the other passes");
    let lease = pool
        .user(named("bob"))
        .request(&LeaseRequest {
            holder: Some(two.holder),
            ..lease_request("of-alice", Ask::default())
        })
        .unwrap();
    assert_eq!(lease.holder.user, "bob", "no user asks on another's behalf");
}

#[test]
fn a_lease_is_its_holders_and_the_pool_its_operators() {
    let pool = Pool::start();
    pool.client(&pool.node_credentials("n")).post::<Orders>("/v1/nodes", &facts("n")).unwrap();
    let (alice, bob) = (pool.user_credentials(named("alice")), pool.user(named("bob")));
    pool.client(&alice).request(&lease_request("x", Ask::default())).unwrap();
    assert!(refused(bob.renew("x", &Renewal::default())).contains("another user"));
    assert!(
        refused(bob.clone().holding("x.wrong").renew("x", &Renewal::default()))
            .contains("another user")
    );
    assert!(
        refused(bob.clone().holding("y.key").renew("x", &Renewal::default()))
            .contains("another user")
    );
    assert!(refused(bob.release("x")).contains("not an operator"));
    // A lease's key suffices to keep the lease, so the lease outlives the token of its request.
    let keeper = Client::knowing(&pool.url, &alice.ca_pem).unwrap();
    assert!(refused(keeper.clone().renew("x", &Renewal::default())).contains("must know who asks"));
    keeper.clone().holding("x.key").renew("x", &Renewal::default()).unwrap();
    assert!(refused(keeper.get::<Vec<LeaseView>>("/v1/leases")).contains("must know who asks"));
    let carol = pool.user(named("carol"));
    assert!(
        refused(carol.put::<()>("/v1/nodes/n/drain", &serde_json::json!({ "draining": true })))
            .contains("not an operator")
    );
    assert!(
        refused(carol.put::<()>("/v1/quotas/user:bob", &Quota::default()))
            .contains("not an operator")
    );
    let root = pool.user(User { operator: true, ..named("root") });
    root.put::<()>("/v1/nodes/n/drain", &serde_json::json!({ "draining": true })).unwrap();
    root.release("x").unwrap();
    let error = pool.client(&alice).get::<LeaseView>("/v1/leases/x").unwrap_err().to_string();
    assert!(error.contains("killed"), "{error}");
}

#[test]
fn holders_renew_certificates_and_tokens_until_they_expire() {
    let pool = Pool::start();
    let node = pool.node_credentials("gpu7");
    let renewed = renew(&pool.url, &node).unwrap();
    assert_ne!(renewed.proof, node.proof);
    assert_eq!(renewed.node_name().unwrap().as_deref(), Some("gpu7"));
    pool.client(&renewed).post::<Orders>("/v1/nodes", &facts("gpu7")).unwrap();
    let alice = pool.user_credentials(named("alice"));
    assert_ne!(renew(&pool.url, &alice).unwrap().proof, alice.proof);
    let over = pool.token(Grant::User(User { until_s: now_s() - 1, ..named("alice") }), HOUR_S);
    let over = Credentials { proof: Proof::Token(over), ..alice };
    assert!(
        renew(&pool.url, &over).unwrap_err().to_string().contains("time of user alice is over")
    );
}

#[test]
fn an_identity_whose_making_was_interrupted_is_made_anew() {
    let folder = Folder::new();
    folder.authority();
    std::fs::remove_file(folder.0.join("ca.pem")).unwrap();
    let half = std::fs::read(folder.0.join("ca-key.pem")).unwrap();
    let again = Authority::create(&folder.0, now_s()).unwrap();
    assert_ne!(std::fs::read(folder.0.join("ca-key.pem")).unwrap(), half);
    assert_eq!(Authority::open(&folder.0).unwrap().ca_pem, again.ca_pem);
}

#[test]
fn a_folder_keeps_its_credentials() {
    let folder = Folder::new();
    let authority = folder.authority();
    assert!(
        Authority::create(&folder.0, now_s())
            .is_err_and(|error| error.to_string().contains("nothing was changed"))
    );
    let mode = |name: &str| {
        std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(folder.0.join(name)).unwrap())
            & 0o777
    };
    assert_eq!((mode("ca-key.pem"), mode("token-key.der")), (0o600, 0o600));
    let credentials = authority.certify_pool(vec!["pool".into()], now_s()).unwrap();
    let own = folder.0.join("own");
    credentials.save(&own).unwrap();
    credentials.save(&own).unwrap();
    assert_eq!(Credentials::load(&own).unwrap(), Some(credentials));
    assert_eq!(Credentials::load(&folder.0.join("none")).unwrap(), None);
    for key in ["", "04", &"zz".repeat(65), &"02".repeat(65)] {
        assert!(authority.certify_node("gpu7", key, now_s()).is_err(), "{key}");
    }
    for name in ["", "a b", "-a", "a..b", &"a".repeat(200), "a/b"] {
        assert!(
            authority.certify_node(name, &format!("04{}", "11".repeat(64)), now_s()).is_err(),
            "{name}"
        );
    }
}
