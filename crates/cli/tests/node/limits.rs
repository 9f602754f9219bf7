//! A node's limits on sessions and tenants: on memory, whatever a client claims, and on the run
//! time of kernels.

use crate::fixtures::installation::{Installation, text};
use crate::fixtures::node_process::{Node, PATIENCE, Session, built};
use outhaul_abi::types::CUresult;
use outhaul_transport::Transport;
use outhaul_wire::codec::{Message, Reader};
use outhaul_wire::handle::{Handle, HandleKind};
use outhaul_wire::limits::ARENA_BASE;
use outhaul_wire::messages::{
    Fault, ManagedOpen, MemoryAdopt, MemoryMap, MemoryShare, MemoryShareReply, MemoryUnmap,
    NvmlMemory, NvmlMemoryReply, PhysicalCreate, PhysicalRelease,
};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const GIB: u64 = 1 << 30;

fn node(arguments: &[&str]) -> Node {
    Node::start_as(|command| {
        command.args(arguments).env("OUTHAUL_SOFT_MEMORY", "4GiB");
    })
}

#[test]
fn a_session_gets_no_more_memory_than_its_limit_whatever_it_claims() {
    let node = node(&["--memory-per-session", "1GiB"]);
    let mut session = node.session();
    session.create_context();
    assert_eq!(session.memory(), (GIB, GIB), "of 4 GiB");
    let (_, body) = session.ask(&NvmlMemory { device: 0 });
    let nvml: NvmlMemoryReply = Reader::new(&body).whole().unwrap();
    assert_eq!((nvml.total_bytes, nvml.free_bytes), (GIB, GIB));
    assert_eq!((session.grow(GIB), session.grow(2 << 20)), (GIB, 0), "there is no more");
    // A well-behaved client does not exceed its grant. Because another client could, the worker
    // counts too.
    session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: 2 * GIB });
    assert_eq!(session.next_op(), Fault::OP);
    session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: GIB });
    assert_eq!(session.memory().0, 0);
    let mut other = node.session();
    other.create_context();
    assert_eq!(other.memory(), (GIB, GIB), "another session has its own");
}

#[test]
fn programs_in_turn_each_get_the_memory_of_the_one_before() {
    let mut node = node(&["--memory", "a=1GiB"]);
    node.tenant = "a".into();
    for transport in [Transport::SharedMemory, Transport::Tcp] {
        node.transport = transport;
        for _ in 0..10 {
            let mut session = node.session();
            session.create_context();
            assert_eq!((session.memory(), session.grow(GIB)), ((GIB, GIB), GIB));
        }
    }
}

#[test]
fn a_worker_that_hangs_is_killed_and_a_session_that_needs_its_memory_waits() {
    let mut node = node(&["--memory", "a=1GiB"]);
    node.tenant = "a".into();
    node.transport = Transport::SharedMemory;
    let mut hanging = node.session();
    let worker = node.worker();
    hanging.create_context();
    assert_eq!(hanging.grow(GIB), GIB);
    let mut waiting = node.session();
    waiting.create_context();
    assert_eq!(waiting.grow(2 << 20), 0, "the first has it all");
    // SAFETY: takes no pointers.
    assert_eq!(unsafe { libc::kill(worker as i32, libc::SIGSTOP) }, 0);
    drop(hanging);
    assert_eq!(waiting.grow(GIB), GIB);
    node.wait_for("has not ended although its client is gone, and is killed");
}

/// The stopped worker ends only after some checks of the watch. A session that needs none of its
/// memory has started and ended by then.
#[test]
fn a_session_that_needs_no_memory_waits_for_no_other() {
    let mut node = node(&[]);
    node.transport = Transport::SharedMemory;
    let mut hanging = node.session();
    let worker = node.worker();
    hanging.create_context();
    assert_eq!(hanging.memory(), (4 * GIB, 4 * GIB));
    // SAFETY: takes no pointers.
    assert_eq!(unsafe { libc::kill(worker as i32, libc::SIGSTOP) }, 0);
    drop(hanging);
    let mut session = node.session();
    let other = node.worker();
    session.create_context();
    session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: 2 << 20 });
    assert!(session.grow(GIB) > 0);
    drop(session);
    let line = node.wait_for("worker");
    assert!(line.contains(&format!("worker {other} of ")), "{line}");
    node.wait_for("has not ended although its client is gone, and is killed");
}

#[test]
fn managed_memory_that_is_not_left_is_refused_and_the_session_continues() {
    let node = Node::start_as(|command| {
        command.env("OUTHAUL_SOFT_MEMORY", "256MiB");
    });
    let mut session = node.session();
    session.create_context();
    let (address, bytes) = (ARENA_BASE, GIB / 2);
    session.send(&MemoryMap { device: 0, address, bytes });
    assert_eq!(session.next_fault().0, CUresult::OUT_OF_MEMORY);
    let open = ManagedOpen { address, bytes, kind: 0, transfer: 0, by_touch: false };
    assert_eq!(session.ask(&open).0, CUresult::OUT_OF_MEMORY);
    assert!(session.answers());
}

#[test]
fn a_tenants_sessions_share_its_memory_and_its_limit_changes_while_they_run() {
    let mut node = node(&["--memory", "a=1GiB"]);
    node.tenant = "a".into();
    let mut first = node.session();
    first.create_context();
    assert_eq!((first.memory(), first.grow(GIB)), ((GIB, GIB), GIB));
    let mut second = node.session();
    second.create_context();
    assert_eq!((second.memory(), second.grow(2 << 20)), ((0, GIB), 0), "the first has it all");
    let set = |limit: &str| {
        Installation::bare().output(&["node", "set", "--node", &node.address, "--memory", limit])
    };
    assert!(text(&set("a=1536MiB").stdout).contains("a 1.50 GiB"));
    assert_eq!((second.memory().0, second.grow(GIB / 2)), (GIB / 2, GIB / 2));
    assert!(set("a=512MiB").status.success());
    first.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: GIB });
    assert_eq!(
        first.next_op(),
        Fault::OP,
        "what was granted under a higher limit is not given any more"
    );
    // The client considers the memory mapped until the refusal arrives.
    first.send(&MemoryUnmap { device: 0, address: ARENA_BASE, bytes: GIB });
    assert!(first.answers() && set("a=768MiB").status.success());
    assert_eq!(
        first.grow(PIECE_BYTES),
        PIECE_BYTES,
        "it goes on, and what it did not get is not charged"
    );
    node.tenant = "b".into();
    let mut other = node.session();
    other.create_context();
    assert_eq!(other.memory().1, 4 * GIB, "another tenant has no limit");
    assert_eq!(other.ask(&NvmlMemory { device: 0 }).0, CUresult::SUCCESS);
    let wrong = set("a=lots");
    assert!(!wrong.status.success() && text(&wrong.stderr).contains("10GiB"), "{wrong:?}");
}

#[test]
fn a_worker_has_nothing_of_its_node_that_it_does_not_need() {
    let node = Node::start_as(|command| {
        command.env("OTHERS_SECRET", "a canary").env("OUTHAUL_SOFT_MEMORY", "4GiB");
    });
    let _session = node.session();
    let worker = format!("/proc/{}", node.worker());
    let environment = text(&std::fs::read(format!("{worker}/environ")).unwrap());
    assert!(
        environment.contains("OUTHAUL_SOFT_MEMORY=4GiB") && !environment.contains("canary"),
        "{environment}"
    );
    let limits = std::fs::read_to_string(format!("{worker}/limits")).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
}

const PIECE_BYTES: u64 = 256 << 20;

/// Starts a session that asks for a piece of memory. The session maps the piece if the node grants
/// it. Returns whether it did.
fn session_with_a_piece(node: &Node) -> (Session, bool) {
    let mut session = node.session();
    session.create_context();
    let granted = session.grow(PIECE_BYTES);
    assert!([0, PIECE_BYTES].contains(&granted), "nothing that was not asked for: {granted}");
    if granted > 0 {
        session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: PIECE_BYTES });
    }
    assert!(session.answers());
    (session, granted > 0)
}

#[test]
fn a_tenants_memory_limit_counts_what_its_sessions_hold() {
    let mut node = node(&["--memory", "a=1GiB"]);
    node.tenant = "a".into();
    let mut sessions: Vec<Session> = (0..4)
        .map(|_| session_with_a_piece(&node))
        .inspect(|(_, fits)| assert!(fits))
        .map(|(s, _)| s)
        .collect();
    let (mut late, fits) = session_with_a_piece(&node);
    assert!(!fits);
    sessions[1].send(&MemoryUnmap { device: 0, address: ARENA_BASE, bytes: PIECE_BYTES });
    assert!(sessions[1].answers());
    assert_eq!(
        (late.grow(PIECE_BYTES), late.grow(2 << 20)),
        (PIECE_BYTES, 0),
        "what one unmaps is another's"
    );
    sessions[1].send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: PIECE_BYTES });
    assert_eq!(sessions[1].next_op(), Fault::OP, "and its own no more");
    drop(sessions);
    until(|| late.grow(PIECE_BYTES) == PIECE_BYTES, "the ended sessions' memory is not given back");
}

#[test]
fn memory_that_is_adopted_counts() {
    let mut node = node(&["--memory", "a=1GiB"]);
    node.tenant = "a".into();
    let mut session = node.session();
    session.create_context();
    let memory =
        |index: u32| Handle { kind: HandleKind::Memory, node: 0, index, generation: 0 }.pack();
    let mut adopted = 0;
    for i in 0..8 {
        let (made, kept) = (memory(2 * i), memory(2 * i + 1));
        if session.grow(PIECE_BYTES) == 0 {
            break;
        }
        session.send(&PhysicalCreate { memory: made, device: 0, bytes: PIECE_BYTES });
        let (status, body) = session.ask(&MemoryShare { memory: made, address: 0 });
        assert_eq!(status, CUresult::SUCCESS);
        let MemoryShareReply { socket, key, .. } = Reader::new(&body).whole().unwrap();
        let (status, _) = session.ask(&MemoryAdopt { memory: kept, socket, key });
        session.send(&PhysicalRelease { memory: made });
        match status {
            CUresult::SUCCESS => adopted += 1,
            refused => assert_eq!(refused, CUresult::OUT_OF_MEMORY),
        }
    }
    assert_eq!(adopted, 3, "of 1 GiB, as long as the first handle and the adopted one both count");
    session.send(&PhysicalRelease { memory: memory(1) });
    assert_eq!(session.grow(2 * PIECE_BYTES), 2 * PIECE_BYTES);
}

fn until(mut holds: impl FnMut() -> bool, otherwise: &str) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{otherwise}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a program that launches `kernels` kernels of `rounds` rounds and waits for them, eight
/// times.
fn burner(node: &Node, installation: &Installation, rounds: &str, kernels: &str) -> Child {
    let outhaul = installation.folder.join("outhaul").display().to_string();
    let mut command = installation.command(&[
        "run",
        "--node",
        &node.address,
        "--",
        &outhaul,
        "bench",
        "player",
        "--rounds",
        rounds,
    ]);
    command.args(["--kernels", kernels, "--mark", kernels, "--bursts", "8"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_kernel_that_runs_for_too_long_ends_its_session_and_no_other() {
    let node = node(&["--kernel-limit", "1s"]);
    let installation = Installation::bare();
    std::fs::create_dir(installation.folder.join("outhaul-client")).unwrap();
    std::fs::hard_link(
        built("libouthaul_client.so"),
        installation.folder.join("outhaul-client/libcuda.so.1"),
    )
    .unwrap();
    let mut other = node.session();
    let endless = burner(&node, &installation, "100000000000", "1").wait_with_output().unwrap();
    let words = "a kernel ran for longer than the 1 s that the node allows";
    assert!(!endless.status.success() && text(&endless.stderr).contains(words), "{endless:?}");
    node.wait_for(words);
    assert!(other.answers());
    // The limit applies to kernels that never end. A program may compute for as long as it likes,
    // because its turns end between two kernels.
    let many = burner(&node, &installation, "500", "4000").wait_with_output().unwrap();
    assert!(many.status.success(), "{many:?}");
}
