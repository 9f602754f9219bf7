//! The features that a pool's operators need: probes, a role for metrics, a backup, a stated limit,
//! a doctor, and machine-readable logs.

use crate::fixtures::installation::text;
use crate::fixtures::node_process;
use crate::fixtures::pool_processes::{Etcd, Pool, until};
use crate::fixtures::secure_pool;
use outhaul_pool::http::api::{Health, LeaseRequest, LeaseState, LeaseView, Quotas};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::identity::secret::key_hash;
use outhaul_pool::model::lease::{Amount, Ask};
use outhaul_pool::model::quota::Quota;
use std::net::TcpStream;

fn ask(client: &Client, id: &str, ask: Ask) -> Result<LeaseView, ClientError> {
    client.request(&LeaseRequest {
        id: id.into(),
        key_hash: key_hash("key"),
        holder: None,
        ask: Ask { ttl_s: 600, ..ask },
    })
}

#[test]
#[ignore = "needs etcd"]
fn probes_say_whether_the_process_serves_and_whether_the_pool_grants() {
    let mut etcd = Etcd::start();
    let pool = Pool::start_over(&etcd);
    let status = |path: &str| pool.page(path).split(' ').nth(1).unwrap().to_owned();
    assert_eq!((status("/healthz"), status("/readyz")), ("200".into(), "200".into()));
    etcd.kill();
    until("it is still ready", || status("/readyz") == "503");
    assert_eq!(status("/healthz"), "200", "a restart would not help");
    etcd.start_again();
    until("it is not ready again", || status("/readyz") == "200");
}

#[test]
fn a_pool_is_backed_up_while_it_runs_and_goes_on_from_that_in_another_store() {
    let mut pool = Pool::start();
    let node = pool.node("n1", 2);
    ask(&pool.client(), "held", Ask::default()).unwrap();
    ask(&pool.client(), "waits", Ask { gpus: 2, ..Ask::default() }).unwrap();
    pool.client()
        .put::<Quotas>("/v1/quotas/user:bob", &Quota { gpus: Some(1.0), ..Quota::default() })
        .unwrap();
    let file = pool.installation.folder.join("pool.backup").display().to_string();
    let backed_up = pool.command(&["pool", "backup", &file]).output().unwrap();
    assert!(text(&backed_up.stdout).contains("1 node and 2 leases"), "{backed_up:?}");
    // The backup lacks entries from after this point, but the node knows of them.
    ask(&pool.client(), "later", Ask { memory: Some(Amount::Percent(50)), ..Ask::default() })
        .unwrap();
    let serves = |credential: &str| {
        node_process::open_at(&node.address, outhaul_transport::Transport::Tcp, (credential, ""), 2)
    };
    until("the node does not know the later lease", || serves("later.key").is_ok());
    pool.kill();
    let other = pool.installation.folder.join("other.sqlite").display().to_string();
    let restore = || pool.command(&["pool", "restore", &file, "--store", &other]).output().unwrap();
    let restored = restore();
    assert!(restored.status.success(), "{restored:?}");
    let again = restore();
    assert!(
        !again.status.success() && text(&again.stderr).contains("holds a pool already"),
        "{again:?}"
    );
    pool.store_is(other);
    pool.start_again();
    let client = pool.client();
    let lease = |id: &str| client.get::<LeaseView>(&format!("/v1/leases/{id}"));
    assert!(
        matches!(lease("held").unwrap().state, LeaseState::Held(_))
            && matches!(lease("waits").unwrap().state, LeaseState::Waiting(0))
    );
    assert!(lease("later").is_err());
    assert!(client.get::<Quotas>("/v1/quotas").unwrap().quotas["user:bob"].gpus == Some(1.0));
    // The restored pool's log is older than the one that the node knows. The node accepts the
    // pool's orders all the same.
    until("the node is not up", || pool.node_view("n1").is_some_and(|node| node.down.is_none()));
    client.release("waits").unwrap();
    ask(&client, "new", Ask::default()).unwrap();
    for credential in ["held.key", "new.key"] {
        until("the node does not serve a lease of the pool", || serves(credential).is_ok());
    }
    assert!(serves("later.key").is_err());
}

#[test]
fn a_token_for_metrics_reads_them_and_nothing_else() {
    let pool = secure_pool::Pool::start();
    let token = pool.token(&["monitor", "prometheus", "--for", "30d"]);
    let ca = pool.home("home").join(".local/state/outhaul/identity/ca.pem");
    let credentials = outhaul_pool::identity::Credentials {
        ca_pem: std::fs::read_to_string(ca).unwrap(),
        proof: outhaul_pool::identity::credentials::Proof::Token(token),
    };
    let client = Client::of(&pool.url, &credentials).unwrap();
    let mut metrics = Vec::new();
    client.download("/metrics", &mut metrics).unwrap();
    assert!(
        text(&metrics).contains("# TYPE outhaul_pool_entries_total counter"),
        "{}",
        text(&metrics)
    );
    for path in ["/v1/nodes", "/v1/leases", "/v1/quotas", "/v1/events", "/v1/usage", "/v1/backup"] {
        let refused = client.get::<serde_json::Value>(path).unwrap_err().to_string();
        assert!(refused.contains("prometheus is good for metrics only"), "{path}: {refused}");
    }
    assert!(ask(&client, "x", Ask::default()).unwrap_err().to_string().contains("for metrics"));
    let mut none = Vec::new();
    assert!(
        Client::knowing(&pool.url, &credentials.ca_pem)
            .unwrap()
            .download("/metrics", &mut none)
            .is_err(),
        "without a token"
    );
}

#[test]
fn a_pool_at_its_connection_limit_answers_why_and_closes_idle_connections() {
    let pool = Pool::start_under(&["prlimit", "--nofile=128"]);
    let address = pool.url.strip_prefix("http://").unwrap();
    let idle: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(address).unwrap()).collect();
    let asked = || pool.client().get::<Health>("/v1/health");
    // The pool explains its limit to only some clients at once. It closes further connections
    // without an answer, and those clients retry.
    let is_explained = |error: &ClientError| {
        error.is_passing() && error.to_string().contains("connections already")
    };
    until("no client learns the reason", || asked().is_err_and(|error| is_explained(&error)));
    until("the connections stay", || asked().is_ok());
    drop(idle);
}

#[test]
fn requests_that_can_never_be_served_are_refused_with_the_reason() {
    let pool = Pool::start();
    let _node = pool.node("n1", 2);
    let client = pool.client();
    let refused = |asked: Ask| ask(&client, "x", asked).unwrap_err().to_string();
    assert!(
        refused(Ask { gpus: 3, ..Ask::default() })
            .contains("the pool has 2 such GPUs; 3 were requested")
    );
    client
        .put::<Quotas>("/v1/quotas/user:alice", &Quota { gpus: Some(0.5), ..Quota::default() })
        .unwrap();
    let memory_bytes = pool.node_view("n1").unwrap().gpus[0].gpu.memory_bytes;
    // Asks for three quarters of a GPU's memory, but for no share.
    let much = refused(Ask { memory: Some(Amount::Bytes(memory_bytes / 4 * 3)), ..Ask::default() });
    assert!(much.contains("0.75 GPUs with this lease; the quota is 0.5"), "{much}");
    assert!(
        ask(&client, "y", Ask { memory: Some(Amount::Bytes(memory_bytes / 4)), ..Ask::default() })
            .is_ok()
    );
}

#[test]
fn the_doctor_checks_a_pool_and_each_of_its_nodes() {
    let mut pool = Pool::start();
    let doctor = |pool: &Pool| {
        text(&pool.command(&["doctor", "--pool", &pool.url]).output().unwrap().stdout)
    };
    let lonely = doctor(&pool);
    assert!(lonely.contains("WRONG  nodes") && lonely.contains("outhaul serve --pool"), "{lonely}");
    let node = pool.node("n1", 1);
    let well = doctor(&pool);
    assert!(
        well.contains(&format!("ok     node n1         answers at {}", node.address)),
        "{well}"
    );
    drop(node);
    until("the node is not down", || pool.node_view("n1").unwrap().down.is_some());
    let down = doctor(&pool);
    assert!(down.contains("WRONG  node n1") && down.contains("down"), "{down}");
    pool.kill();
    let dead = doctor(&pool);
    assert!(dead.contains("WRONG  pool") && dead.contains("cannot reach the pool"), "{dead}");
}

#[test]
fn a_log_is_of_json_where_that_is_requested() {
    let pool = Pool::start();
    let node = node_process::Node::start_in_pool(|command| {
        command.args(["--pool", &pool.url, "--name", "n1"]).env("OUTHAUL_LOG_FORMAT", "json");
    });
    assert!(node.open().is_err(), "it has no lease");
    let line = node.wait_for("turned away");
    let value: serde_json::Value =
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
    assert!(
        value["message"].as_str().unwrap().contains("turned away")
            && value["time"].as_str().unwrap().ends_with('Z'),
        "{line}"
    );
    assert_eq!(value["process"], node.process.id());
}
