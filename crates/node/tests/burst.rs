//! Many programs connect at once to a node that cannot serve them all together. The node serves
//! each of them in the end. Until then a program waits, or is asked to try again, and does not
//! notice.

#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod bare_node;

use bare_node::*;
use outhaul_transport::{Approach, HelloError, Transport, connect, retry_while_busy};
use outhaul_wire::handshake::{Hello, LANE_COMMANDS, NO_KEY_SHARE, PROTOCOL};
use outhaul_wire::level::SPEC_HASH;
use outhaul_wire::limits::ARENA_BASE;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Number of each program's connections.
const LANES: u16 = 6;
/// Number of programs. `OUTHAUL_PROGRAMS=1000` takes as many more seconds as the machine needs for
/// the workers.
const PROGRAMS: usize = 30;
/// Number of silent connections. `OUTHAUL_SILENT=3000` needs a higher limit on open files.
const SILENT: usize = 700;

fn number_of(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).map_or(otherwise, |number| number.parse().unwrap())
}

fn may_open_many_files() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls get a pointer to the local `limit`.
    unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        limit.rlim_cur = limit.rlim_max;
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &limit), 0);
    }
}

/// Runs `programs` programs at once, each of which uses the GPU briefly. Returns how often a
/// program was asked to try again.
fn all_are_served(node: &Node, programs: usize) -> usize {
    let address = node.address.as_str();
    let again = AtomicUsize::new(0);
    let program = || {
        let busy = |_: &str| {
            again.fetch_add(1, Ordering::Relaxed);
        };
        let (mut session, _bulk) =
            retry_while_busy(busy, || open_at(address, Transport::Tcp, ("", ""), LANES))?;
        assert!(session.answers());
        Ok::<(), HelloError>(())
    };
    let ended: Vec<Result<(), HelloError>> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..programs).map(|_| scope.spawn(program)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let failed: Vec<&HelloError> = ended.iter().filter_map(|one| one.as_ref().err()).collect();
    assert!(
        failed.is_empty(),
        "{} of {programs} were not served, one for: {}",
        failed.len(),
        failed[0]
    );
    again.into_inner()
}

fn open_files(node: &Node) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", node.process.id())).unwrap().count()
}

/// Waits until the node has no more open files than `before`.
fn nothing_stays_open(node: &Node, before: usize) {
    let start = Instant::now();
    while open_files(node) > before {
        assert!(start.elapsed() < PATIENCE, "{} files are open, {before} were", open_files(node));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn programs_that_come_at_once_are_all_served() {
    may_open_many_files();
    let node = Node::start(&["--sessions", "8"]);
    let mut other = node.session();
    let before = open_files(&node);
    all_are_served(&node, number_of("OUTHAUL_PROGRAMS", PROGRAMS));
    nothing_stays_open(&node, before);
    assert!(other.answers());
}

#[test]
fn programs_at_a_node_with_few_descriptors_are_all_served() {
    let node = Node::start_under(&["prlimit", "--nofile=128"], &[]);
    let mut other = node.session();
    let before = open_files(&node);
    let again = all_are_served(&node, 40);
    assert!(again > 0, "the limit was never reached");
    nothing_stays_open(&node, before);
    assert!(other.answers());
}

#[test]
fn silent_connections_delay_no_session_and_are_closed() {
    may_open_many_files();
    let node = Node::start(&[]);
    let mut other = node.session();
    let before = open_files(&node);
    let _silent: Vec<TcpStream> = (0..number_of("OUTHAUL_SILENT", SILENT))
        .map(|_| TcpStream::connect(&node.address).unwrap())
        .collect();
    // At most half of all silent connections may come from one address.
    for transport in TRANSPORTS {
        let start = Instant::now();
        let opened = retry_while_busy(|_| {}, || open_by(&node, transport));
        assert!(opened.is_ok(), "{:?}", opened.err());
        assert_in_time(start, Duration::from_secs(10), "a session among silent connections");
    }
    nothing_stays_open(&node, before);
    assert!(other.answers());
}

/// Asks the node whether it would serve a session.
fn open_by(node: &Node, transport: Transport) -> Result<(), HelloError> {
    let (protocol, spec_hash, release, session) = (PROTOCOL, SPEC_HASH, "0", [0; 16]);
    let (lane, lanes, arena_base, lease, tenant) = (LANE_COMMANDS, 0, ARENA_BASE, "", "");
    let hello = Hello {
        protocol,
        spec_hash,
        release,
        session,
        lane,
        lanes,
        arena_base,
        lease,
        tenant,
        grace_ms: 0,
        key_share: NO_KEY_SHARE,
    };
    connect(&node.address, &hello, transport, PATIENCE).map(drop)
}

#[test]
fn a_client_without_a_place_waits_learns_its_position_and_gets_the_next_place() {
    let node = Node::start(&["--sessions", "1"]);
    let first = node.session();
    let (protocol, spec_hash, release, arena_base, lease, tenant) =
        (PROTOCOL, SPEC_HASH, "0", ARENA_BASE, "", "");
    let hello = |number, lane| Hello {
        protocol,
        spec_hash,
        release,
        session: [number; 16],
        lane,
        lanes: 2,
        arena_base,
        lease,
        tenant,
        grace_ms: 0,
        key_share: NO_KEY_SHARE,
    };
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for number in [1, 2, 3] {
            let (sender, address, hello) = (sender.clone(), node.address.as_str(), &hello);
            let approach = move || Approach::to(address, Transport::Tcp, PATIENCE).unwrap();
            let callbacks = approach().greet(&hello(number, 1), |_| {}).unwrap();
            let waits = move || {
                let welcome = approach().greet(&hello(number, LANE_COMMANDS), |ahead| {
                    sender.send((number, Some(ahead))).unwrap()
                });
                sender.send((number, None)).unwrap();
                drop((callbacks, welcome.unwrap()));
            };
            scope.spawn(waits);
            assert_eq!(receiver.recv_timeout(PATIENCE), Ok((number, Some(u32::from(number) - 1))));
        }
        drop(first);
        let started: Vec<u8> = std::iter::from_fn(|| receiver.recv_timeout(PATIENCE).ok())
            .filter(|(_, ahead)| ahead.is_none())
            .map(|(n, _)| n)
            .take(3)
            .collect();
        assert_eq!(started, [1, 2, 3], "in the order in which they came");
    });
}

#[test]
fn a_client_that_disconnects_while_it_waits_leaves_the_queue() {
    let node = Node::start(&["--sessions", "1"]);
    let first = node.session();
    let before = open_files(&node);
    // The client gives up while it waits to be served.
    let (protocol, spec_hash, release, session) = (PROTOCOL, SPEC_HASH, "0", [9; 16]);
    let (arena_base, lease, tenant, lanes) = (ARENA_BASE, "", "", 2);
    let hello = |lane| Hello {
        protocol,
        spec_hash,
        release,
        session,
        lane,
        lanes,
        arena_base,
        lease,
        tenant,
        grace_ms: 0,
        key_share: NO_KEY_SHARE,
    };
    let callbacks = connect(&node.address, &hello(1), Transport::Tcp, PATIENCE).unwrap();
    let mut commands = TcpStream::connect(&node.address).unwrap();
    std::io::Write::write_all(
        &mut commands,
        &outhaul_wire::handshake::encode(outhaul_wire::handshake::HandshakeKind::Hello, &hello(0)),
    )
    .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(open_files(&node) > before, "it does not wait");
    drop((callbacks, commands));
    nothing_stays_open(&node, before);
    drop(first);
    assert!(node.session().answers());
}
