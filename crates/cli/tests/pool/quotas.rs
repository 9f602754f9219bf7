//! Quotas, nodes that drain, and the record of all changes.

use crate::fixtures::installation::text;
use crate::fixtures::pool_processes::Pool;
use outhaul_pool::http::api::{LeaseRequest, LeaseState};
use outhaul_pool::identity::secret::key_hash;
use outhaul_pool::model::lease::Ask;

#[test]
fn quotas_draining_and_the_audit() {
    let pool = Pool::start();
    let _node = pool.node("n1", 2);
    let ok = |arguments: &[&str]| {
        let output = pool.output(arguments);
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout)
    };
    assert!(ok(&["health"]).contains("1 node, 2 GPUs"));
    assert!(ok(&["quota", "user:alice", "--gpus", "1"]).contains("of 1"));
    let refused = pool.output(&["run", "-n", "2", "--", "true"]);
    assert!(
        text(&refused.stderr).contains("user:alice: 2.00 GPUs with this lease; the quota is 1"),
        "{refused:?}"
    );
    ok(&["quota", "user:alice", "--clear"]);
    let refused = text(&pool.output(&["quota", "user:jürgen", "--gpus", "1"]).stderr);
    assert!(refused.contains("'jürgen' cannot name a user"), "{refused}");
    // A lease ends only after its program has, so the second request may have to wait for that.
    ok(&["quota", "user:*", "--leases", "1"]);
    ok(&["run", "--", "true"]);
    ok(&["run", "--", "true"]);
    let jurgen = pool.command(&["run", "--", "true"]).env("USER", "jürgen").output().unwrap();
    assert!(jurgen.status.success(), "{jurgen:?}");
    assert!(ok(&["quota"]).contains("user:j_fcrgen"));
    let nameless = pool.command(&["run", "--", "true"]).env("USER", "ü".repeat(30)).output();
    assert!(text(&nameless.unwrap().stderr).contains("set USER to another one"));
    ok(&["quota", "user:*", "--clear"]);
    ok(&["node", "drain", "n1"]);
    assert!(ok(&["node", "ls"]).contains("draining"));
    let request = LeaseRequest {
        id: "waits".into(),
        key_hash: key_hash("key"),
        holder: None,
        ask: Ask::default(),
    };
    assert_eq!(pool.client().request(&request).unwrap().state, LeaseState::Waiting(0));
    assert!(ok(&["ls"]).contains("draining"), "without a node it is the pool's GPUs");
    ok(&["node", "drain", "n1", "--undo"]);
    assert!(ok(&["lease", "ls"]).contains("held"));
    ok(&["lease", "kill", "waits"]);
    let audit = ok(&["audit"]);
    for event in [
        "node n1 joined with 2 GPUs",
        "the quota of user:alice is 1 GPU at once",
        "node n1 gets no new leases",
        "alice asked for 1 GPU: lease waits",
        "lease waits got 100 % of",
        "lease waits ended: it was released",
        "user:alice",
    ] {
        assert!(audit.contains(event), "{event}: {audit}");
    }
    let json = ok(&["audit", "--json", "--since", "1d", "--user", "alice"]);
    assert!(json.contains("\"quota_set\"") && !json.contains("\"joined\""), "{json}");
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert!(first["at_ms"].is_u64(), "{first}");
    assert_eq!(ok(&["audit", "--since", "2100-01-01"]), "");
}
