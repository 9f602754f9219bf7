//! A pool with an identity, a node, and programs that lease from the pool, as processes over TLS.
//! Also the requests that each of them refuses.

use crate::fixtures::installation::{Installation, text};
use crate::fixtures::node_process::built;
use crate::fixtures::secure_pool::Pool;
use outhaul_transport::{HelloError, Transport, connect};
use outhaul_wire::handshake::{Hello, NO_KEY_SHARE, PROTOCOL};
use outhaul_wire::level::SPEC_HASH;
use outhaul_wire::limits::ARENA_BASE;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn a_program_leases_over_tls_within_its_users_token() {
    let pool = Pool::start();
    let node = pool.node("gpu7", &[]);
    pool.user("alice", &["--gpus", "1"]);
    let own = pool.installation.folder.join("outhaul").display().to_string();
    for transport in ["tcp", "shared-memory"] {
        let seen = pool
            .command("alice", &["run", "--", &own, "ls"])
            .env("OUTHAUL_TRANSPORT", transport)
            .output()
            .unwrap();
        assert_eq!(
            text(&seen.stdout).matches("Outhaul Software GPU").count(),
            1,
            "{transport}: {seen:?}"
        );
        node.wait_for("is worker");
    }
    let more = text(&pool.output("alice", &["run", "-n", "2", "--", "true"]).stderr);
    assert!(more.contains("the token of user:alice: 2.00 GPUs"), "{more}");
    let shown = text(&pool.output("alice", &["token", "show"]).stdout);
    assert!(shown.contains("alice in https://") && shown.contains("1 GPU at once"), "{shown}");
    assert!(text(&pool.output("alice", &["ls"]).stdout).contains("gpu7@127.0.0.1:"));
    assert!(pool.output("alice", &["token", "renew"]).status.success());
    let stranger = text(&pool.output("mallory", &["run", "--", "true"]).stderr);
    assert!(
        stranger.contains("does not know you") && stranger.contains("outhaul token join"),
        "{stranger}"
    );
    let not_hers = text(&pool.output("alice", &["node", "drain", "gpu7"]).stderr);
    assert!(not_hers.contains("not an operator"), "{not_hers}");
    let audit = pool.output("alice", &["audit"]);
    assert!(text(&audit.stderr).contains("`outhaul audit --user alice`"), "{audit:?}");
    let own = text(&pool.output("alice", &["audit", "--user", "alice"]).stdout);
    assert!(own.contains("alice asked for 1 GPU") && !own.contains("node gpu7"), "{own}");
    assert!(!pool.output("alice", &["audit", "--user", "bob"]).status.success());
}

#[test]
fn a_token_belongs_to_a_pool_whatever_its_address_and_joining_chooses_the_pool() {
    let (pool, other) = (Pool::start(), Pool::start());
    pool.user("alice", &[]);
    let at = |url: &str, arguments: &[&str]| {
        pool.command("alice", arguments).env("OUTHAUL_POOL", url).output().unwrap()
    };
    assert!(at("", &["ls"]).status.success(), "without an address");
    let named = pool.url.replace("127.0.0.1", "localhost");
    for _ in 0..2 {
        assert!(at(&named, &["health"]).status.success());
        let shown = text(&at(&named, &["token", "show", "--json"]).stdout);
        assert!(shown.contains("\"user\": \"alice\"") && shown.contains("expires_ms"), "{shown}");
    }
    // Another pool, and a name that the pool's certificate does not have, get no token.
    let refused = text(&at(&other.url, &["token", "show"]).stderr);
    assert!(refused.contains("does not know you"), "{refused}");
    let unnamed = pool.url.replace("127.0.0.1", "127.0.0.2");
    assert!(!at(&unnamed, &["token", "show"]).status.success());
    let forgotten = at(&named, &["token", "forget"]);
    assert!(forgotten.status.success(), "{forgotten:?}");
    assert!(!at(&pool.url, &["ls"]).status.success() && !at(&named, &["ls"]).status.success());
}

#[test]
fn a_shell_that_requested_a_lease_knows_the_node_and_another_pools_node_is_none() {
    let pool = Pool::start();
    let _node = pool.node("gpu7", &[]);
    pool.user("alice", &[]);
    let script = r#"set -e; eval "$(./outhaul request)"; export OUTHAUL_TRANSPORT=tcp; ./outhaul ls
        OUTHAUL_NODE=gpu8@${OUTHAUL_NODE#*@} ./outhaul ls 2>&1 || true
        OUTHAUL_CA=$OTHER ./outhaul ls 2>&1 || true
        OUTHAUL_NODE=${OUTHAUL_NODE#*@} ./outhaul ls 2>&1 || true
        ./outhaul release"#;
    let other = Pool::start();
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(script)
        .current_dir(&pool.installation.folder)
        .env("HOME", pool.home("alice"))
        .env("OUTHAUL_POOL", &pool.url);
    command
        .env("OTHER", other.home("home").join(".local/state/outhaul/identity/ca.pem"))
        .env_remove("XDG_CONFIG_HOME");
    let said = text(&command.env_remove("OUTHAUL_NODE").output().unwrap().stdout);
    let lines: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(said.matches("Outhaul Software GPU").count(), 1, "{said}");
    assert!(lines.iter().any(|line| line.contains("does not prove to be 'gpu8'")), "{said}");
    assert!(
        lines.iter().any(|line| line.contains("does not prove to be 'gpu7'")
            && line.contains("not of this pool")),
        "{said}"
    );
    assert!(
        lines.iter().any(|line| line.contains("speaks TLS only")),
        "without a name it would go in the clear: {said}"
    );
}

#[test]
fn the_holder_of_a_leases_key_renews_and_releases_it_without_a_token() {
    let pool = Pool::start();
    let _node = pool.node("gpu7", &[]);
    pool.user("alice", &[]);
    let requested = text(&pool.output("alice", &["request", "--share", "10%"]).stdout);
    let value = |name: &str| {
        let rest = requested.split(&format!("{name}=")).nth(1).unwrap();
        rest.split_whitespace().next().unwrap().trim_matches('\'').to_owned()
    };
    let (lease, ca) = (value("OUTHAUL_LEASE"), value("OUTHAUL_CA"));
    let id = lease.split_once('.').unwrap().0.to_owned();
    let as_stranger = |arguments: &[&str], lease: &str, ca: &str| {
        let output = pool
            .command("mallory", arguments)
            .env("OUTHAUL_LEASE", lease)
            .env("OUTHAUL_CA", ca)
            .output()
            .unwrap();
        (output.status.success(), text(&output.stderr))
    };
    let (done, said) = as_stranger(&["release"], &format!("{id}.wrong"), &ca);
    assert!(!done && said.contains("must know who asks"), "{said}");
    let (done, said) = as_stranger(&["release"], &lease, "");
    assert!(!done && said.contains("does not know you"), "nobody says which pool it is: {said}");
    let (done, said) = as_stranger(&["release", "another"], &lease, &ca);
    assert!(!done && said.contains("does not know you"), "the key is of one lease only: {said}");
    for arguments in [&["lease", "renew"][..], &["lease", "renew", &id], &["release"]] {
        let (done, said) = as_stranger(arguments, &lease, &ca);
        assert!(done, "{arguments:?}: {said}");
    }
    let (done, said) = as_stranger(&["lease", "renew"], &lease, &ca);
    assert!(!done && said.contains("it was released"), "{said}");
}

#[test]
fn a_users_token_that_a_node_is_given_stays_good() {
    let pool = Pool::start();
    let token = pool.token(&["user", "alice"]);
    let library = built("libouthaul_softgpu.so").display().to_string();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--gpu", &library, "--join", &token];
    let refused = pool.output("gpu7", &[&serve[..], &["--pool", &pool.url]].concat());
    assert!(text(&refused.stderr).contains("the token is for a user"), "{refused:?}");
    let joined = pool.output("alice", &["token", "join", &token, "--pool", &pool.url]);
    assert!(joined.status.success(), "{joined:?}");
}

#[test]
fn a_join_token_is_used_once_and_a_node_comes_back_without_one() {
    let pool = Pool::start();
    let token = pool.token(&["node", "gpu7"]);
    let library = built("libouthaul_softgpu.so").display().to_string();
    let cache = pool.installation.folder.join("cache").display().to_string();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--gpu", &library, "--cache", &cache];
    let without = text(&pool.output("gpu7", &[&serve[..], &["--pool", &pool.url]].concat()).stderr);
    assert!(without.contains("pool token node"), "{without}");
    let misplaced = pool.output("gpu7", &["token", "join", &token, "--pool", &pool.url]);
    assert!(text(&misplaced.stderr).contains("the token is for a node"), "{misplaced:?}");
    let begin = |arguments: &[&str]| {
        let mut process = pool.command("gpu7", &[&serve, arguments].concat());
        let mut process = process
            .args(["--pool", &pool.url])
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines =
            BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        // The node listens at another port, so it must wait until its predecessor has ended.
        let found = lines.find(|line| line.contains("in the pool at") || line.contains("cannot"));
        let _ = process.kill();
        let _ = process.wait();
        found.unwrap_or_default()
    };
    assert!(begin(&["--join", &token]).contains("as gpu7"));
    assert!(begin(&[]).contains("as gpu7"), "it has a certificate now");
    assert!(begin(&["--name", "gpu8"]).contains("cannot be 'gpu8'"));
    std::fs::remove_dir_all(pool.home("gpu7")).unwrap();
    let again = begin(&["--join", &token]);
    assert!(again.contains("used already"), "{again}");
}

#[test]
fn a_node_without_a_renewed_certificate_logs_that_and_joins_anew_with_a_token() {
    let (before, pool) = (Pool::start(), Pool::start());
    let folder = before.installation.folder.join("identity").display().to_string();
    let library = built("libouthaul_softgpu.so").display().to_string();
    let cache = pool.installation.folder.join("cache").display().to_string();
    // Returns the node's output up to the line with the text `last`.
    let serve = |pool: &Pool, more: &[&str], last: &str| {
        let mut command = pool.command(
            "gpu7",
            &["serve", "--listen", "127.0.0.1:0", "--gpu", &library, "--cache", &cache],
        );
        command
            .args(["--pool", &pool.url, "--identity", &folder])
            .args(more)
            .stderr(Stdio::piped())
            .stdout(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut said = String::new();
        for line in BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok) {
            said += &line;
            if line.contains(last) {
                break;
            }
        }
        let _ = process.kill();
        let _ = process.wait();
        said
    };
    let (joined, turned_away) = ("in the pool at", "not in the pool");
    let token = before.token(&["node", "gpu7"]);
    assert!(!serve(&before, &["--join", &token], joined).contains("renewed"));
    let said = serve(&before, &["--join", &token], joined);
    assert!(!said.contains("renewed"), "a token that is used up does no harm: {said}");
    let said = serve(&pool, &[], turned_away);
    assert!(said.contains("is not renewed") && said.contains("--join TOKEN"), "{said}");
    let said = serve(&pool, &["--join", &token], turned_away);
    assert!(said.contains("joining with the token failed too"), "{said}");
    let said = serve(&pool, &["--join", &pool.token(&["node", "gpu7"])], joined);
    assert!(said.contains("has joined anew with its token"), "{said}");
    assert!(!serve(&pool, &[], joined).contains("renewed"));
}

#[test]
fn without_an_identity_a_pool_listens_beyond_this_machine_only_if_insecure() {
    let installation = Installation::with_client();
    let home = installation.folder.join("home");
    let output = |arguments: &[&str]| {
        let output = installation
            .command(arguments)
            .env("HOME", &home)
            .env_remove("XDG_STATE_HOME")
            .output()
            .unwrap();
        (output.status.code(), text(&output.stderr))
    };
    let (code, said) = output(&["pool", "serve", "--listen", "0.0.0.0:0"]);
    assert!(
        code == Some(1) && said.contains("outhaul pool init") && said.contains("--insecure"),
        "{said}"
    );
    let (code, said) =
        output(&["pool", "serve", "--listen", "127.0.0.1:0", "--identity", "/none/here"]);
    assert!(
        code == Some(1) && said.contains("/none/here") && said.contains("pool init --identity"),
        "{said}"
    );
    let (code, said) = output(&["serve", "--listen", "0.0.0.0:0", "--pool", "http://127.0.0.1:1"]);
    assert!(code == Some(1) && said.contains("--insecure"), "{said}");
    let (code, said) = output(&["token", "join", "x", "--pool", "http://127.0.0.1:1"]);
    assert!(code == Some(1) && said.contains("https://"), "{said}");
}

#[test]
fn lanes_of_one_session_are_of_one_lease_and_a_trusted_network_goes_without_tls() {
    let pool = Pool::start();
    let node = pool.node("gpu7", &["--insecure"]);
    pool.user("alice", &[]);
    let own = pool.installation.folder.join("outhaul").display().to_string();
    let seen = pool
        .command("alice", &["run", "--", &own, "ls"])
        .env("OUTHAUL_TRANSPORT", "tcp")
        .output()
        .unwrap();
    assert_eq!(text(&seen.stdout).matches("Outhaul Software GPU").count(), 1, "{seen:?}");
    // Opens two lanes of one session, the second with another lease. Each lane has its own thread
    // on the node, so either lane may come first. Then neither session begins, and the test asks
    // for both again.
    let hello = |session, lane, lease| Hello {
        protocol: PROTOCOL,
        spec_hash: SPEC_HASH,
        release: "0",
        session: [session; 16],
        lane,
        lanes: 2,
        arena_base: ARENA_BASE,
        lease,
        tenant: "",
        grace_ms: 0,
        key_share: NO_KEY_SHARE,
    };
    let refusal = |session| {
        let open = |lane, lease| {
            connect(&node.address, &hello(session, lane, lease), Transport::Tcp, PATIENCE)
        };
        let _first = open(1, "one.key").unwrap();
        std::thread::sleep(Duration::from_millis(50));
        open(0, "other.key").map(drop).unwrap_err()
    };
    let is_refused = |session| match refusal(session) {
        HelloError::Refused(reason) => reason.contains("another session"),
        _ => false,
    };
    assert!((77..82).any(is_refused));
}
