//! A pool, its nodes on the software GPU, and programs that lease from the pool, all as processes.

use crate::fixtures::installation::text;
use crate::fixtures::node_process::{Node, Session};
use crate::fixtures::pool_processes::{self, Pool, long, until};
use crate::fixtures::signals::interruptible;
use outhaul_abi::types::CUresult;
use outhaul_pool::http::api::{LeaseRequest, LeaseState, LeaseView, NodeView};
use outhaul_pool::http::client::ClientError;
use outhaul_pool::identity::secret::key_hash;
use outhaul_pool::model::lease::{Amount, Ask};
use outhaul_transport::HelloError;
use outhaul_wire::handle::{Handle, HandleKind};
use outhaul_wire::messages::ArrayCreate;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const GIB: u64 = 1 << 30;
const FORMAT_FLOAT: i32 = 0x20;

fn refusal(node: &Node) -> String {
    match node.open() {
        Err(HelloError::Refused(reason)) => reason,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("a session began"),
    }
}

#[test]
fn a_program_gets_the_requested_gpus_and_releases_them_however_it_ends() {
    let pool = Pool::start();
    let _node = pool.node("n1", 2);
    let own = pool.own();
    let seen = pool.output(&["run", "--memory", "25%", "--", &own, "ls"]);
    assert!(seen.status.success(), "{seen:?}");
    assert_eq!(
        text(&seen.stdout).matches("Outhaul Software GPU").count(),
        1,
        "one of two GPUs: {seen:?}"
    );
    let seen = pool.output(&[
        "run",
        "-n",
        "2",
        "--",
        "sh",
        "-c",
        &format!("{own} ls && {own} lease ls && exit 7"),
    ]);
    let said = text(&seen.stdout);
    assert_eq!(
        (seen.status.code(), said.matches("Outhaul Software GPU").count()),
        (Some(7), 2),
        "{said}"
    );
    assert!(said.contains("alice") && said.contains("held"), "{said}");
    until("a lease is left", || pool.leases().is_empty());

    let killed = pool.output(&["run", "--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(killed.status.code(), None, "the signal is the command's own");
    until("a lease is left", || pool.leases().is_empty());
    let missing = pool.output(&["run", "--", "/does/not/exist"]);
    assert_eq!(missing.status.code(), Some(127));
    until("a lease is left", || pool.leases().is_empty());
}

#[test]
fn only_the_holder_of_a_lease_has_sessions_and_they_end_with_it() {
    let pool = Pool::start();
    let mut node = pool.node("n1", 2);
    assert!(refusal(&node).contains("outhaul run --pool"));
    let credential = pool.lease("first", long(Ask::default()));
    for wrong in ["first.other", "second.key", "first."] {
        node.lease = wrong.into();
        let said = refusal(&node);
        assert!(said.contains("no lease"), "{said}");
    }
    node.lease = credential;
    // The node does not know the lease yet, so it asks the pool.
    let mut session: Session = node.session();
    assert!(session.answers());
    // Every lane of a session gets the same answer.
    pool.client().release("first").unwrap();
    session.assert_ended();
    node.wait_for(" ended with its lease");
    let said = refusal(&node);
    assert!(said.contains("has ended"), "{said}");
}

#[test]
fn the_sessions_of_a_lease_share_its_memory_and_get_no_more() {
    let pool = Pool::start();
    let mut node = pool.node("n1", 2);
    node.lease =
        pool.lease("quarter", long(Ask { memory: Some(Amount::Percent(25)), ..Ask::default() }));
    let mut first = node.session();
    first.create_context();
    assert_eq!(first.memory(), (GIB, GIB), "of 4 GiB");
    assert_eq!((first.grow(GIB), first.grow(2 << 20)), (GIB, 0), "there is no more");
    let mut second = node.session();
    second.create_context();
    assert_eq!((second.memory(), second.grow(2 << 20)), ((0, GIB), 0), "the first has it all");
    let array = Handle { kind: HandleKind::Array, node: 0, index: 0, generation: 0 }.pack();
    let image = ArrayCreate {
        array,
        width: 1024,
        height: 1024,
        depth: 0,
        format: FORMAT_FLOAT,
        channels: 4,
        flags: 0,
        levels: 0,
    };
    assert_eq!(second.ask(&image).0, CUresult::OUT_OF_MEMORY, "arrays count too");
    drop(first);
    until("the first session's memory is not given back", || second.memory().0 == GIB);
    assert_eq!(second.ask(&image).0, CUresult::SUCCESS);
    assert_eq!(second.memory().0, GIB - (16 << 20));
}

/// A program that keeps a GPU busy in its own lease until it is killed.
struct Player(Child);

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "compares times"]
fn leases_hold_their_shares_of_a_gpu_and_no_name_gets_around_them() {
    let pool = Pool::start();
    let node = Node::start_in_pool(|command| {
        command.args([
            "--pool",
            &pool.url,
            "--name",
            "n1",
            "--long-kernels",
            "wait",
            "--share",
            "other=90",
        ]);
    });
    let own = pool.own();
    let play = |share: &str| {
        let mut command = pool.command(&["run", "--share", share, "--", &own, "bench", "player"]);
        let rounds = [
            "--rounds",
            "500",
            "--kernels",
            "400",
            "--mark",
            "400",
            "--until-ns",
            &u64::MAX.to_string(),
        ];
        Player(
            command
                .args(rounds)
                .env("OUTHAUL_TENANT", "other")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
        )
    };
    let _players = [play("70%"), play("30%")];
    // Returns, for each lease, its share and how long it has computed.
    let snapshot = || {
        let status = pool.output(&["top", "--json", "--node", &node.address]).stdout;
        let status: serde_json::Value = serde_json::from_slice(&status).unwrap();
        let gpu = |tenant: &serde_json::Value| {
            let gpu = &tenant["gpus"][0];
            (gpu["share_percent"].as_f64().unwrap_or(0.0), gpu["compute_ns"].as_u64().unwrap_or(0))
        };
        let mut leases: Vec<(f64, u64)> =
            status["tenants"].as_array().unwrap().iter().map(gpu).filter(|gpu| gpu.1 > 0).collect();
        leases.sort_by(|one, other| other.0.total_cmp(&one.0));
        leases
    };
    let busy = |least_ns: u64| {
        move |leases: &[(f64, u64)]| {
            leases.len() == 2 && leases.iter().all(|lease| lease.1 > least_ns)
        }
    };
    until("the leases' programs do not get on", || busy(100_000_000)(&snapshot()));
    let before = snapshot();
    assert_eq!((before[0].0, before[1].0), (70.0, 30.0));
    until("the larger lease does not get on", || snapshot()[0].1 > before[0].1 + 1_000_000_000);
    let [large, small] = [0, 1].map(|lease| snapshot()[lease].1 - before[lease].1);
    assert!(
        large * 10 > small * 13 && small > large / 8,
        "{large} ns against {small} ns at 70 to 30"
    );
}

#[test]
fn a_waiting_client_learns_its_position_and_gets_a_lease_when_there_is_room() {
    let pool = Pool::start();
    let _node = pool.node("n1", 2);
    pool.lease("all", long(Ask { gpus: 2, ..Ask::default() }));
    let mut waiting = pool
        .command(&["run", "--share", "10%", "--", "true"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(waiting.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.next().unwrap().contains("no request is ahead"));
    let mut second = pool.command(&["run", "--", "true"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut seconds = BufReader::new(second.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(seconds.next().unwrap().contains("1 request is ahead"));
    // A program runs even if nobody reads its words any more.
    drop(seconds);
    pool.client().release("all").unwrap();
    assert!(lines.next().unwrap().contains("granted"));
    assert!(waiting.wait().unwrap().success() && second.wait().unwrap().success());
}

#[test]
fn a_request_leaves_with_its_program_and_says_meanwhile_who_holds_the_gpus() {
    let pool = Pool::start();
    let _node = pool.node("n1", 2);
    pool.lease("all", long(Ask { gpus: 2, seconds_max: Some(90), ..Ask::default() }));
    let is_waiting =
        || pool.leases().iter().any(|lease| matches!(lease.state, LeaseState::Waiting(_)));
    for (command, signal) in [
        (&["run", "--", "true"][..], libc::SIGINT),
        (&["run", "--", "true"], libc::SIGKILL),
        (&["request"], libc::SIGTERM),
    ] {
        let mut waiting = pool.command(command);
        let mut waiting = interruptible(waiting.stderr(Stdio::piped())).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(waiting.stderr.take().unwrap()).read_line(&mut line).unwrap();
        assert!(
            line.contains("waiting for 1 GPU: GPU 0 of n1 is held by alice until "),
            "{command:?} says {line:?}; {}",
            text(&pool.output(&["audit"]).stdout)
        );
        assert!(is_waiting());
        pool_processes::signal(waiting.id(), signal);
        assert!(!waiting.wait().unwrap().success());
        until("the request stays in the queue", || !is_waiting());
    }
    let audit = text(&pool.output(&["audit"]).stdout);
    assert_eq!(audit.matches("ended: it was released").count(), 3, "at once: {audit}");

    // A holder whose process ends without a word, as on a machine that is lost.
    let request = LeaseRequest {
        id: "ghost".into(),
        key_hash: key_hash("key"),
        holder: None,
        ask: Ask::default(),
    };
    pool.client().request(&request).unwrap();
    let address = pool.url.strip_prefix("http://").unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let body = r#"{"seen":{"waiting":0},"wait_ms":20000}"#;
    let head = "POST /v1/leases/ghost/renew HTTP/1.1\r\nHost: pool\r\nOuthaul-User: alice";
    write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    assert!(is_waiting());
    drop(stream);
    until("the request stays in the queue", || !is_waiting());
}

#[test]
fn a_pool_that_cannot_be_reached_is_named_while_a_program_waits_for_it() {
    let mut pool = Pool::start();
    pool.kill();
    let mut waiting = pool.command(&["run", "--", "true"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(waiting.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(waiting.try_wait().unwrap().is_none(), "it goes on trying: {line}");
    waiting.kill().unwrap();
    waiting.wait().unwrap();
    assert!(
        line.contains("cannot reach the pool") && line.contains("trying for up to 30 s"),
        "{line}"
    );
}

#[test]
fn a_shell_requests_renews_and_releases() {
    let pool = Pool::start();
    let _node = pool.node("n1", 2);
    let script = r#"set -e; eval "$(./outhaul request -n 2 --for 1h)"; ./outhaul lease renew; \
        ./outhaul ls; ./outhaul lease ls; dead=$OUTHAUL_LEASE; eval "$(./outhaul release)"; \
        ./outhaul lease ls; env | grep -c "^OUTHAUL_[NL]" || true; \
        OUTHAUL_NODE=$node OUTHAUL_LEASE=$dead ./outhaul run -- true || echo exit code $?"#;
    let script = script.replace("dead=", "node=$OUTHAUL_NODE; dead=");
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(script)
        .current_dir(&pool.installation.folder)
        .env("OUTHAUL_POOL", &pool.url)
        .env_remove("OUTHAUL_NODE");
    let output = command.output().unwrap();
    let said = text(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        (said.matches("Outhaul Software GPU").count(), said.matches(" held ").count()),
        (2, 1),
        "{said}"
    );
    assert!(pool.leases().is_empty());
    assert!(said.ends_with("\n0\nexit code 125\n"), "the shell has no lease: {said}");
    let errors = text(&output.stderr);
    let advice = "has ended: it was released; get another with `eval \"$(outhaul request)\"`";
    assert!(errors.contains(advice), "{errors}");
}

#[test]
fn a_pool_that_was_killed_goes_on_and_its_nodes_do_not_notice() {
    let mut pool = Pool::start();
    let mut node = pool.node("n1", 2);
    node.lease = pool.lease("kept", long(Ask::default()));
    let mut session = node.session();
    let before = pool.leases();
    pool.kill();
    assert!(session.answers(), "the session goes on");
    pool.start_again();
    until("the node is there again", || {
        pool.client().get::<Vec<NodeView>>("/v1/nodes").is_ok_and(|nodes| nodes.len() == 1)
    });
    assert_eq!(pool.leases()[0].state, before[0].state, "the same grant");
    assert!(session.answers());
    assert!(node.session().answers(), "and a new session of it");
}

#[test]
fn a_node_that_is_forgotten_takes_its_leases_along() {
    let pool = Pool::start();
    let node = pool.node("n1", 2);
    pool.lease("lost", long(Ask::default()));
    drop(node);
    let lost = || pool.client().get::<LeaseView>("/v1/leases/lost");
    until("nobody says that the node is down", || {
        lost().unwrap().reason.is_some_and(|reason| reason.contains("node n1 is down"))
    });
    // The node may return with all its sessions, unless an operator removes it first.
    assert!(pool.output(&["node", "forget", "n1"]).status.success());
    assert!(matches!(lost(), Err(ClientError::Gone(_))));
    let again = pool.client().get::<LeaseView>("/v1/leases/lost").unwrap_err().to_string();
    assert!(again.contains("one of its nodes was lost"), "{again}");
}

#[test]
fn leases_end_without_heartbeats_or_use() {
    let pool = Pool::start();
    let node = pool.node("n1", 2);
    pool.lease("silent", Ask { ttl_s: 2, share_percent: Some(10), ..Ask::default() });
    pool.lease(
        "unused",
        long(Ask { release_after_s: Some(1), share_percent: Some(10), ..Ask::default() }),
    );
    let why = |id: &str| match pool.client().get::<LeaseView>(&format!("/v1/leases/{id}")) {
        Err(ClientError::Gone(why)) => why,
        _ => String::new(),
    };
    until("the silent holder's lease goes on", || why("silent").contains("no heartbeat"));
    until("the unused lease goes on", || why("unused").contains("no session for too long"));
    drop(node);
}

#[test]
fn a_lease_of_gpus_on_several_nodes_is_one_list_of_devices() {
    let pool = Pool::start();
    let _nodes = [pool.node("n1", 2), pool.node("n2", 2)];
    let own = pool.own();
    let seen = pool.output(&["run", "-n", "3", "--", &own, "ls", "--json"]);
    assert!(seen.status.success(), "{seen:?}");
    let nodes: serde_json::Value = serde_json::from_slice(&seen.stdout).unwrap();
    let ordinals: Vec<u64> = nodes
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|node| node["devices"].as_array().unwrap())
        .map(|d| d["ordinal"].as_u64().unwrap())
        .collect();
    assert_eq!((nodes.as_array().unwrap().len(), ordinals), (2, vec![0, 1, 2]), "{nodes}");
    until("a lease is left", || pool.leases().is_empty());
}
