//! Parts of a pool die, stop or become unreachable. Programs, leases, accounts, the queue and
//! messages survive. The tests use TCP, and really kill processes.

use crate::fixtures::installation::text;
use crate::fixtures::node_process::{self, assert_in_time};
use crate::fixtures::pool_processes::{Etcd, Pool, Program, Serving, Way, signal, until};
use outhaul_pool::http::api::{EnergyView, LeaseRequest, LeaseState, LeaseView};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::identity::secret::key_hash;
use outhaul_pool::model::lease::Ask;
use outhaul_pool::model::node::{Absence, Gpu, NodeFacts};
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

/// Maximum time for the pool to notice a silent node.
const NOTICED: Duration = Duration::from_secs(4);

/// Returns how long a part is away. Earlier releases could not survive `OUTHAUL_AWAY_SECONDS=12`.
fn away() -> Duration {
    Duration::from_secs(
        std::env::var("OUTHAUL_AWAY_SECONDS").map_or(2, |seconds| seconds.parse().unwrap()),
    )
}

/// Returns the only lease, once its node reports that the lease kept a GPU busy for `least_ns`.
fn works(pool: &Pool, least_ns: u64) -> LeaseView {
    let busy = |lease: &LeaseView| {
        let energy: EnergyView =
            pool.client().get(&format!("/v1/energy?lease={}", lease.id)).unwrap();
        energy.leases.iter().flat_map(|bill| &bill.items).any(|item| item.busy_ns > least_ns)
    };
    let mut found = None;
    until("the program does not work", || {
        found = pool.leases().into_iter().find(|lease| matches!(lease.state, LeaseState::Held(_)));
        found.as_ref().is_some_and(busy)
    });
    found.unwrap()
}

/// Checks that the program continues with its lease, and that the bill includes all of the
/// program's work.
fn goes_on(pool: &Pool, program: &mut Program, before: &LeaseView) {
    assert!(program.runs(), "the program ended");
    let now = works(pool, away().as_nanos() as u64 / 4);
    assert_eq!((now.id.as_str(), now.state), (before.id.as_str(), before.state), "the same grant");
    program.end();
    let settled = || {
        let energy: EnergyView =
            pool.client().get(&format!("/v1/energy?lease={}", before.id)).unwrap();
        energy.leases.iter().any(|bill| {
            bill.to_ms.is_some()
                && bill.items.iter().any(|item| item.busy_ns > away().as_nanos() as u64 / 4)
        })
    };
    until("the account is not handed in", settled);
}

#[test]
fn programs_go_on_without_the_pool_and_their_accounts_are_handed_in_later() {
    let mut pool = Pool::start();
    let node = pool.node("n1", 1);
    let mut program = pool.player();
    let before = works(&pool, 1);
    pool.kill();
    node.wait_for("programs continue, and the node reports");
    std::thread::sleep(away());
    pool.start_again();
    node.wait_for("the pool answers again");
    goes_on(&pool, &mut program, &before);
}

#[test]
fn programs_go_on_while_their_node_cannot_reach_the_pool() {
    let pool = Pool::start();
    let way = Way::to(&pool);
    let _node = pool.node_by(&way.url, "n1", 1);
    let mut program = pool.player();
    let before = works(&pool, 1);
    way.cut(true);
    let is_down = || pool.node_view("n1").unwrap().down.is_some();
    let cut = Instant::now();
    until("the node is not marked", is_down);
    assert_in_time(cut, NOTICED, "marking a node that cannot reach its pool");
    std::thread::sleep(away());
    let lease = &pool.leases()[0];
    assert!(
        lease.reason.as_ref().is_some_and(|reason| reason.contains("node n1 is down")),
        "{lease:?}"
    );
    way.cut(false);
    until("the node is not up again", || !is_down());
    goes_on(&pool, &mut program, &before);
}

#[test]
fn programs_go_on_with_their_leases_when_their_nodes_listener_is_killed() {
    let pool = Pool::start();
    let mut node = Serving::start(&pool.url, "n1", 1);
    until("the node does not join", || pool.node_view("n1").is_some());
    let mut program = pool.player();
    let before = works(&pool, 0);
    let billed = || {
        let energy: EnergyView =
            pool.client().get(&format!("/v1/energy?lease={}", before.id)).unwrap();
        energy.leases.iter().flat_map(|bill| &bill.items).map(|item| item.busy_ns).sum::<u64>()
    };
    for _ in 0..2 {
        let so_far = billed();
        node.kill();
        std::thread::sleep(away());
        assert!(billed() >= so_far);
        node.start_again();
        until("nothing is billed any more", || billed() > so_far);
    }
    assert!(program.runs(), "the program ended");
    let now = works(&pool, 0);
    assert_eq!((now.id.as_str(), now.state), (before.id.as_str(), before.state), "the same grant");
    program.end();
    until("the lease goes on", || {
        pool.leases().iter().all(|lease| !matches!(lease.state, LeaseState::Held(_)))
    });
}

#[test]
#[ignore = "needs etcd"]
fn programs_go_on_without_etcd_whether_it_is_dead_or_stopped() {
    let mut etcd = Etcd::start();
    let pool = Pool::start_over(&etcd);
    let _node = pool.node("n1", 1);
    let mut program = pool.player();
    let before = works(&pool, 1);
    etcd.kill();
    std::thread::sleep(away() / 2);
    etcd.start_again();
    until("the pool does not get well", || {
        pool.client().get::<serde_json::Value>("/v1/health").is_ok()
    });
    std::thread::sleep(Duration::from_secs(1));
    etcd.stop();
    std::thread::sleep(away() / 2);
    etcd.go_on();
    until("the pool does not get well", || {
        pool.client().get::<serde_json::Value>("/v1/health").is_ok()
    });
    goes_on(&pool, &mut program, &before);
}

#[test]
fn an_operator_may_limit_how_long_sessions_continue_without_the_pool() {
    let mut pool = Pool::start();
    let mut node = node_process::Node::start_in_pool(|command| {
        command.args(["--pool", &pool.url, "--name", "n1", "--pool-absence-max", "2s"]);
    });
    node.lease = ask(&pool.client(), "limited", 600);
    let mut session = node.session();
    pool.kill();
    node.wait_for("all leases end");
    session.assert_ended();
}

/// Leases one GPU. Returns the lease's credential.
fn ask(client: &Client, id: &str, ttl_s: u32) -> String {
    let request = LeaseRequest {
        id: id.into(),
        key_hash: key_hash("key"),
        holder: None,
        ask: Ask { ttl_s, ..Ask::default() },
    };
    client.request(&request).unwrap();
    format!("{id}.key")
}

#[test]
#[ignore = "needs etcd"]
fn programs_that_ask_one_pool_process_run_on_nodes_that_ask_another() {
    let etcd = Etcd::start();
    let (one, other) = (Pool::start_over(&etcd), Pool::start_over(&etcd));
    let _node = other.node("n1", 2);
    let own = one.own();
    let run = |count: usize| {
        (0..count)
            .map(|_| one.command(&["run", "--", &own, "ls"]).output().unwrap())
            .collect::<Vec<Output>>()
    };
    let outputs: Vec<Output> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| run(5))).collect();
        all.into_iter().flat_map(|some| some.join().unwrap()).collect()
    });
    let failed: Vec<&Output> = outputs.iter().filter(|output| !output.status.success()).collect();
    assert!(
        failed.is_empty(),
        "{} of {} failed: {}",
        failed.len(),
        outputs.len(),
        text(&failed[0].stderr)
    );
    // If one process grants a lease, the other processes know that at once, and can release the
    // lease.
    for number in 0..20 {
        let id = format!("l{number}");
        ask(&one.client(), &id, 600);
        assert!(other.client().get::<LeaseView>(&format!("/v1/leases/{id}")).is_ok(), "{id}");
        other.client().release(&id).unwrap();
        assert!(matches!(
            one.client().get::<LeaseView>(&format!("/v1/leases/{id}")),
            Err(ClientError::Gone(_))
        ));
    }
}

/// Starts programs that each use a GPU for a moment once their input ends.
fn queue(pool: &Pool, count: usize) -> Vec<Child> {
    let line = format!("read line; exec {} ls", pool.own());
    let start = || {
        let mut command = pool.command(&["run", "--", "sh", "-c", &line]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    (0..count).map(|_| start()).collect()
}

#[test]
fn a_killed_node_fails_its_programs_and_no_waiting_one() {
    let pool = Pool::start();
    let (mut lost, _kept) = (pool.node("lost", 1), pool.node("kept", 1));
    let mut programs = queue(&pool, 12);
    until("nothing runs", || {
        pool.leases().iter().filter(|lease| matches!(lease.state, LeaseState::Held(_))).count() == 2
    });
    lost.kill();
    let killed = Instant::now();
    until("the node is not marked", || {
        pool.node_view("lost").is_some_and(|node| node.down.is_some())
    });
    assert_in_time(killed, NOTICED, "marking a node that was killed");
    programs.iter_mut().for_each(|program| drop(program.stdin.take()));
    let outputs: Vec<Output> =
        programs.into_iter().map(|program| program.wait_with_output().unwrap()).collect();
    let failed: Vec<&Output> = outputs.iter().filter(|output| !output.status.success()).collect();
    assert!(failed.len() <= 1, "{} failed: {failed:?}", failed.len());

    // The pool still lists the node, and all processes report it as down.
    let down = pool.node_view("lost").unwrap().down.unwrap();
    assert!(matches!(down.why, Absence::Silent | Absence::Unreachable), "{down:?}");
    let output_of = |arguments: &[&str]| text(&pool.command(arguments).output().unwrap().stdout);
    assert!(output_of(&["node", "ls"]).contains("down since"), "{}", output_of(&["node", "ls"]));
    assert!(output_of(&["health"]).contains("1 down: lost"), "{}", output_of(&["health"]));
    let metrics = pool.page("/metrics");
    assert!(metrics.contains("outhaul_node_up{node=\"lost\"} 0"), "{metrics}");
    assert!(pool.command(&["node", "forget", "lost"]).status().unwrap().success());
    assert!(pool.node_view("lost").is_none());
}

#[test]
fn a_node_that_ends_on_a_signal_leaves_the_pool_first() {
    let pool = Pool::start();
    let mut node = pool.node("n1", 1);
    node.lease = ask(&pool.client(), "ends", 600);
    let mut session = node.session();
    signal(node.process.id(), libc::SIGTERM);
    let signalled = Instant::now();
    let status = node.process.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(libc::SIGTERM));
    assert_eq!(pool.node_view("n1").unwrap().down.map(|down| down.why), Some(Absence::Left));
    let ended = pool.client().get::<LeaseView>("/v1/leases/ends").unwrap_err();
    assert!(
        matches!(&ended, ClientError::Gone(why) if why.contains("one of its nodes was lost")),
        "{ended}"
    );
    assert_in_time(signalled, NOTICED, "the end of a node after a signal");
    session.assert_ended();
    let _again = pool.node("n1", 1);
    assert_eq!(pool.node_view("n1").unwrap().down, None);
}

/// Registers a node that leaves as soon as a client asks whether it serves.
fn node_that_goes(pool: &Pool, name: &str) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let gpu = Gpu { uuid: "GPU-that-goes".into(), model: "test".into(), memory_bytes: 1 << 30 };
    let address = listener.local_addr().unwrap().to_string();
    let facts = NodeFacts {
        name: name.into(),
        address,
        gpus: vec![gpu],
        link_gbps: 0,
        link_hops: 0,
        frame_curves: Vec::new(),
    };
    pool.client().post::<serde_json::Value>("/v1/nodes", &facts).unwrap();
    let (client, name) = (pool.client(), name.to_owned());
    std::thread::spawn(move || {
        let asking = listener.accept();
        client.leave(&name).unwrap();
        drop(asking);
    });
}

#[test]
fn a_program_whose_node_goes_before_it_began_is_placed_anew() {
    let pool = Pool::start();
    node_that_goes(&pool, "goes");
    let program = pool
        .command(&["run", "--", &pool.own(), "ls"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the node does not go", || {
        pool.node_view("goes").is_some_and(|node| node.down.is_some())
    });
    let _node = pool.node("n1", 1);
    let output = program.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert!(
        output.status.success() && said.contains("asking the pool for another lease"),
        "{said}"
    );
    until("a lease is left", || pool.leases().is_empty());
}

#[test]
fn a_node_whose_driver_does_not_start_fails_one_program_and_nothing_that_waits() {
    let pool = Pool::start();
    let (unfit, _kept) = (pool.node("unfit", 1), pool.node("kept", 1));
    let own = std::fs::read_link(format!("/proc/{}/exe", unfit.process.id())).unwrap();
    let (driver, away) =
        (own.with_file_name("outhaul-soft/libcuda.so.1"), own.with_file_name("away"));
    let mut programs = queue(&pool, 12);
    until("nothing runs", || {
        pool.leases().iter().filter(|lease| matches!(lease.state, LeaseState::Held(_))).count() == 2
    });
    std::fs::rename(&driver, &away).unwrap();
    programs.iter_mut().for_each(|program| drop(program.stdin.take()));
    let outputs: Vec<Output> =
        programs.into_iter().map(|program| program.wait_with_output().unwrap()).collect();
    let failed: Vec<&Output> = outputs.iter().filter(|output| !output.status.success()).collect();
    assert!(failed.len() <= 1, "{} failed: {failed:?}", failed.len());
    assert_eq!(pool.node_view("unfit").unwrap().down.map(|down| down.why), Some(Absence::Unfit));
    let said = text(&pool.command(&["doctor"]).output().unwrap().stdout);
    assert!(said.contains("its driver does not start"), "{said}");
    std::fs::rename(&away, &driver).unwrap();
    until("the node is not up again", || pool.node_view("unfit").unwrap().down.is_none());
    unfit.wait_for("sessions can begin again");
}

#[test]
fn a_node_whose_binary_is_replaced_serves_on() {
    let pool = Pool::start();
    let mut node = pool.node("n1", 1);
    let program = std::fs::read_link(format!("/proc/{}/exe", node.process.id())).unwrap();
    let new = program.with_extension("new");
    std::fs::copy(&program, &new).unwrap();
    std::fs::rename(new, program).unwrap();
    node.lease = ask(&pool.client(), "new", 600);
    assert!(node.session().answers());
}

#[test]
fn a_second_process_on_one_file_is_refused_at_once() {
    let pool = Pool::start();
    let store = pool.installation.folder.join("pool.sqlite").display().to_string();
    let start = Instant::now();
    let refused = pool
        .command(&["pool", "serve", "--listen", "127.0.0.1:0", "--store", &store])
        .output()
        .unwrap();
    let said = text(&refused.stderr);
    assert!(!refused.status.success() && said.contains("belongs to another pool"), "{said}");
    assert_in_time(start, Duration::from_secs(3), "the refusal of a second process");
}
