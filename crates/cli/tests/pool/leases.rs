//! A pool, its nodes on the software GPU, and programs that lease from the pool, all as processes.

use crate::fixtures::installation::{Installation, text};
use crate::fixtures::node_process::{Node, PATIENCE, Session, built};
use crate::fixtures::pool_processes;
use outhaul_abi::types::CUresult;
use outhaul_pool::http::api::{
    EnergyView, Heartbeat, LeaseRequest, LeaseState, LeaseView, NodeView, Orders, Renewal,
};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::http::server::OPENAPI;
use outhaul_pool::identity::secret::key_hash;
use outhaul_pool::model::bill::Method;
use outhaul_pool::model::lease::{Amount, Ask};
use outhaul_pool::model::node::{Gpu, NodeFacts};
use outhaul_transport::HelloError;
use outhaul_wire::handle::{Handle, HandleKind};
use outhaul_wire::messages::ArrayCreate;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const GIB: u64 = 1 << 30;
const FORMAT_FLOAT: i32 = 0x20;

struct Pool {
    url: String,
    process: Child,
    installation: Installation,
}

impl Pool {
    fn start() -> Pool {
        let installation = Installation::with_client();
        let (process, url) = spawn(&installation, "127.0.0.1:0");
        Pool { url, process, installation }
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    fn start_again(&mut self) {
        let address = self.url.strip_prefix("http://").unwrap();
        (self.process, self.url) = spawn(&self.installation, address);
    }

    fn client(&self) -> Client {
        Client::new(&self.url, "alice")
    }

    /// Starts a node with two GPUs of 4 GiB that joins the pool.
    fn node(&self, name: &str) -> Node {
        Node::start_in_pool(|command| {
            command
                .args(["--pool", &self.url, "--name", name])
                .env("OUTHAUL_SOFT_DEVICES", "2")
                .env("OUTHAUL_SOFT_MEMORY", "4GiB");
        })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.installation.command(arguments);
        command.env("OUTHAUL_POOL", &self.url).env("USER", "alice");
        command
    }

    fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn leases(&self) -> Vec<LeaseView> {
        self.client().get("/v1/leases").unwrap()
    }

    /// Requests a lease and waits for it. Returns the lease's credential.
    fn lease(&self, id: &str, ask: Ask) -> String {
        let request = LeaseRequest { id: id.into(), key_hash: key_hash("key"), holder: None, ask };
        let view = self.client().request(&request).unwrap();
        assert!(matches!(view.state, LeaseState::Held(_)), "{view:?}");
        format!("{id}.key")
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn spawn(installation: &Installation, address: &str) -> (Child, String) {
    let store = installation.folder.join("pool.sqlite").display().to_string();
    let mut command =
        installation.command(&["pool", "serve", "--listen", address, "--store", &store]);
    let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (process, line.trim().rsplit(' ').next().unwrap().to_owned())
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn long(ask: Ask) -> Ask {
    Ask { ttl_s: 600, ..ask }
}

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
    let _node = pool.node("n1");
    let own = pool.installation.folder.join("outhaul").display().to_string();
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
    let mut node = pool.node("n1");
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
    let said = refusal(&node);
    assert!(said.contains("has ended"), "{said}");
}

#[test]
fn the_sessions_of_a_lease_share_its_memory_and_get_no_more() {
    let pool = Pool::start();
    let mut node = pool.node("n1");
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
    let own = pool.installation.folder.join("outhaul").display().to_string();
    let library = pool.installation.folder.join("outhaul-client/libcuda.so.1");
    std::fs::remove_file(&library).unwrap();
    std::fs::hard_link(built("libouthaul_client.so"), library).unwrap();
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
    let _node = pool.node("n1");
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
    let _node = pool.node("n1");
    pool.lease("all", long(Ask { gpus: 2, seconds_max: Some(90), ..Ask::default() }));
    let is_waiting =
        || pool.leases().iter().any(|lease| matches!(lease.state, LeaseState::Waiting(_)));
    for (command, signal) in [
        (&["run", "--", "true"][..], libc::SIGINT),
        (&["run", "--", "true"], libc::SIGKILL),
        (&["request"], libc::SIGTERM),
    ] {
        let mut waiting = pool.command(command);
        let mut waiting =
            pool_processes::interruptible(waiting.stderr(Stdio::piped())).spawn().unwrap();
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
    let _node = pool.node("n1");
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
    let mut node = pool.node("n1");
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
    let node = pool.node("n1");
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
    let node = pool.node("n1");
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
fn quotas_draining_and_the_audit() {
    let pool = Pool::start();
    let _node = pool.node("n1");
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

fn facts(address: &str) -> NodeFacts {
    let gpu = Gpu { uuid: "GPU-1".into(), model: "test".into(), memory_bytes: GIB };
    NodeFacts {
        name: "n1".into(),
        address: address.into(),
        gpus: vec![gpu],
        link_gbps: 0,
        link_hops: 0,
    }
}

#[test]
fn a_sign_of_life_waits_for_news_and_a_foreign_one_is_refused() {
    let pool = Pool::start();
    let client = pool.client();
    let orders: Orders = client.post("/v1/nodes", &facts("a:1")).unwrap();
    let beat = |joined, wait_ms| {
        client.heartbeat("n1", &Heartbeat { joined, wait_ms, ..Heartbeat::default() })
    };
    assert_eq!(beat(orders.joined, 0).unwrap().leases, Vec::new());
    assert!(matches!(beat(orders.joined + 1, 0), Err(ClientError::Gone(_))), "of another joining");
    assert!(
        matches!(client.heartbeat("n2", &Heartbeat::default()), Err(ClientError::Gone(_))),
        "of no node"
    );
    let impostor = client.post::<Orders>("/v1/nodes", &facts("b:1")).unwrap_err().to_string();
    assert!(impostor.contains("choose another name"), "{impostor}");

    let asked = std::thread::scope(|scope| {
        let news = scope.spawn(|| beat(orders.joined, 20_000).unwrap().leases);
        let ask = Ask { memory: Some(Amount::Bytes(GIB / 4)), ..Ask::default() };
        pool.lease("x", ask);
        news.join().unwrap()
    });
    assert_eq!(
        (asked.len(), asked[0].parts[0].memory_bytes, asked[0].parts[0].time_ns),
        (1, GIB / 4, 250_000_000)
    );
    let seen = Some(LeaseState::Held(asked[0].fence));
    let ended = std::thread::scope(|scope| {
        let news = scope.spawn(|| client.renew("x", &Renewal { seen, wait_ms: 20_000 }));
        Client::new(&pool.url, "bob").release("x").unwrap();
        news.join().unwrap()
    });
    assert!(matches!(&ended, Err(ClientError::Gone(why)) if why.contains("killed")), "{ended:?}");
}

#[test]
fn the_interface_agrees_with_its_document() {
    let pool = Pool::start();
    let document: serde_json::Value = serde_json::from_str(OPENAPI).unwrap();
    assert_eq!(pool.client().get::<serde_json::Value>("/v1/openapi.json").unwrap(), document);
    for (path, methods) in document["paths"].as_object().unwrap() {
        if ["/metrics", "/healthz", "/readyz", "/v1/backup"].contains(&path.as_str()) {
            continue;
        }
        let path =
            path.replace("{id}", "none").replace("{node}", "none").replace("{subject}", "none");
        // The pool accepts every value that the document allows for a parameter.
        for parameter in methods["get"]["parameters"].as_array().into_iter().flatten() {
            for value in parameter["schema"]["enum"].as_array().into_iter().flatten() {
                let asked = format!(
                    "{path}?{}={}",
                    parameter["name"].as_str().unwrap(),
                    value.as_str().unwrap()
                );
                pool.client().get::<serde_json::Value>(&asked).unwrap();
            }
        }
        for method in methods.as_object().unwrap().keys() {
            let client = pool.client();
            let none = serde_json::json!({});
            let answer: Result<serde_json::Value, ClientError> = match method.as_str() {
                "get" => client.get(&path),
                "post" => client.post(&path, &none),
                "put" => client.put(&path, &none),
                "delete" => client.delete(&path),
                other => panic!("{other}"),
            };
            // The pool has this path and method, whatever it answers.
            let said = answer.map_or_else(|error| error.to_string(), |_| String::new());
            assert!(
                !said.contains("no such path") && !said.contains("not a pool of this release"),
                "{method} {path}: {said}"
            );
        }
    }
    let nonsense = pool.client().get::<serde_json::Value>("/v2").unwrap_err().to_string();
    assert!(nonsense.contains("openapi.json"), "{nonsense}");
    for (body, words) in [
        ("{\"gpus\": 1}", "unknown field"),
        ("[", "the request's body"),
        ("{\"id\": 5}", "expected a string"),
    ] {
        let refused = post_raw(&pool.url, body);
        assert!(refused.contains("422") && refused.contains(words), "{refused}");
    }
}

/// Sends `body` as a request for a lease, and returns the answer.
fn post_raw(url: &str, body: &str) -> String {
    let head = "POST /v1/leases HTTP/1.1\r\nhost: pool\r\nconnection: close\r\n";
    raw(url, &format!("{head}content-length: {}\r\n\r\n{body}", body.len()))
}

fn raw(url: &str, request: &str) -> String {
    let mut stream = std::net::TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn metrics_have_a_series_for_each_gpu_and_each_lease() {
    let pool = Pool::start();
    let _node = pool.node("n1");
    pool.lease("quarter", long(Ask { memory: Some(Amount::Percent(25)), ..Ask::default() }));
    let metrics =
        raw(&pool.url, "GET /metrics HTTP/1.1\r\nhost: pool\r\nconnection: close\r\n\r\n");
    let value = |series: &str| {
        metrics
            .lines()
            .filter(|line| line.starts_with(series))
            .map(|line| line.rsplit(' ').next().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(value("outhaul_gpu_memory_bytes{node=\"n1\"").len(), 2, "{metrics}");
    let mut free = value("outhaul_gpu_time_free_ratio{");
    free.sort_unstable();
    assert_eq!(
        (free, value("outhaul_lease_gpus{lease=\"quarter\",user=\"alice\"}")),
        (vec!["0.75", "1"], vec!["0.25"]),
        "{metrics}"
    );
    assert_eq!(
        (value("outhaul_pool_healthy"), value("outhaul_requests_waiting")),
        (vec!["1"], vec!["0"]),
        "{metrics}"
    );
    // The output describes each family of metrics once.
    assert_eq!(metrics.matches("# TYPE outhaul_gpu_memory_bytes gauge").count(), 1);
    let dashboard = include_str!("../../../../docs/dashboards/pool.json");
    let dashboard: serde_json::Value = serde_json::from_str(dashboard).unwrap();
    let targets = dashboard["panels"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap());
    let expressions: Vec<&str> = targets.map(|target| target["expr"].as_str().unwrap()).collect();
    let words = expressions
        .iter()
        .flat_map(|expression| expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    let asked: BTreeSet<&str> = words.filter(|word| word.starts_with("outhaul_")).collect();
    let described =
        metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    assert_eq!(
        asked,
        described.collect(),
        "the dashboard asks for what is there, and for all of it"
    );
}

#[test]
fn a_lease_of_gpus_on_several_nodes_is_one_list_of_devices() {
    let pool = Pool::start();
    let _nodes = [pool.node("n1"), pool.node("n2")];
    let own = pool.installation.folder.join("outhaul").display().to_string();
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

#[test]
fn nothing_listens_beyond_the_machine_by_accident() {
    let refused = Installation::bare().output(&["pool", "serve", "--listen", "0.0.0.0:0"]);
    assert!(
        !refused.status.success() && text(&refused.stderr).contains("--insecure"),
        "{refused:?}"
    );
}

#[test]
fn a_leases_usage_is_reported_during_and_after_it_and_adds_up() {
    let pool = Pool::start();
    let mut node = pool.node("n1");
    let usage = |client: &Client| client.get::<EnergyView>("/v1/energy").unwrap();
    until("no usage of the boards is reported", || {
        usage(&pool.client()).gpus.iter().filter(|gpu| gpu.total_mj > 0).count() == 2
    });
    node.lease = pool.lease("job", long(Ask::default()));
    let mut session = node.session();
    session.create_context();
    assert!(session.answers());
    until("the lease has no part of what is idle", || {
        usage(&pool.client())
            .leases
            .iter()
            .any(|bill| bill.items.iter().any(|item| item.idle_mj > 0))
    });
    let metrics =
        raw(&pool.url, "GET /metrics HTTP/1.1\r\nhost: pool\r\nconnection: close\r\n\r\n");
    let series = [
        "outhaul_gpu_busy_ratio{node=\"n1\"",
        "outhaul_lease_gpu_seconds_total{lease=\"job\"}",
        "outhaul_lease_joules_total{lease=\"job\"}",
    ];
    assert!(series.iter().all(|series| metrics.contains(series)), "{metrics}");
    for arguments in [&["top", "--once", "--pool", &pool.url][..], &["top", "--pool", "--once"]] {
        let top = text(&pool.output(arguments).stdout);
        assert!(top.contains("2 GPUs, 1 lease,") && top.contains("job"), "{top}");
    }
    pool.client().release("job").unwrap();
    let settled = || {
        usage(&pool.client())
            .leases
            .into_iter()
            .find(|bill| bill.to_ms.is_some() && !bill.items.is_empty())
    };
    until("the lease is not settled", || settled().is_some());
    let bill = settled().unwrap();
    assert_eq!(
        (bill.id.as_str(), bill.items.len(), bill.items[0].method),
        ("job", 1, Some(Method::Synthetic))
    );
    // The settled lease's energy and the unleased energy together are all energy that the GPUs
    // drew.
    let all = usage(&pool.client());
    let total: u64 = all.gpus.iter().map(|gpu| gpu.total_mj).sum();
    let split: u64 = all.gpus.iter().map(|gpu| gpu.unleased_mj).sum::<u64>()
        + bill.items.iter().map(|i| i.active_mj + i.idle_mj).sum::<u64>();
    assert_eq!(split, total);
    let shown = text(&pool.output(&["energy"]).stdout);
    assert!(
        shown.contains("job") && shown.contains("synthetic") && shown.contains("UNLEASED"),
        "{shown}"
    );
}
