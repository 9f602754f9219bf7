//! Sends messages to a real worker on the software GPU that its decoder accepts but that make no
//! sense. Examples are live handles and addresses in the wrong places, absurd sizes, and missing
//! payloads. In every case, the worker's process must end in an orderly way. OUTHAUL_MUTATIONS sets
//! the number of sessions, and OUTHAUL_MUTATION_SEED the first seed.

#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod bare_node;

use bare_node::{Node, PATIENCE, Session};
use outhaul_transport::Transport;
use outhaul_wire::frame::Header;
use outhaul_wire::handle::{Handle, HandleKind};
use outhaul_wire::limits::{ARENA_BASE, BODY_BYTES_MAX};
use outhaul_wire::messages::{
    EventCreate, GraphCreate, MemoryMap, StreamCreate, head_bytes, samples,
};
use outhaul_wire::sample::Seed;
use std::time::Instant;

const MESSAGES: usize = 40;
const MAPPED_BYTES: u64 = 4 << 20;

fn number_of(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).map_or(usual, |text| text.parse().expect("a number"))
}

fn own(kind: HandleKind) -> u64 {
    Handle { kind, node: 0, index: 0, generation: 0 }.pack()
}

/// Returns numbers that the worker knows, numbers that it does not know, and limits that it
/// enforces.
fn likely() -> Vec<u64> {
    let handles = [
        HandleKind::Context,
        HandleKind::Stream,
        HandleKind::Event,
        HandleKind::Graph,
        HandleKind::Module,
        HandleKind::Array,
        HandleKind::Memory,
    ]
    .map(own);
    let addresses =
        [ARENA_BASE, ARENA_BASE + 512, ARENA_BASE + MAPPED_BYTES - 1, ARENA_BASE + MAPPED_BYTES];
    let sizes = [
        0,
        0,
        0,
        1,
        1,
        2,
        3,
        4,
        16,
        4096,
        MAPPED_BYTES,
        1 << 32,
        1 << 40,
        u64::MAX,
        i64::MAX as u64,
    ];
    [&handles[..], &addresses, &sizes].concat()
}

/// Creates a session that has one object of each of several kinds.
fn furnished(node: &Node) -> Session {
    let mut session = node.session();
    session.create_context();
    session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: MAPPED_BYTES });
    session.send(&StreamCreate { stream: own(HandleKind::Stream), flags: 1, priority: 0 });
    session.send(&EventCreate { event: own(HandleKind::Event), flags: 0 });
    session.send(&GraphCreate { graph: own(HandleKind::Graph), flags: 0 });
    assert!(session.answers());
    session
}

/// Returns a frame with a message that a client may send. Sometimes the message is not allowed, or
/// a byte is wrong.
fn frame(seed: &mut Seed) -> Vec<u8> {
    let all: Vec<_> = samples(seed).into_iter().filter(|sample| sample.op.is_some()).collect();
    let sample = seed.pick(&all).expect("there are messages");
    let op = sample.op.expect("filtered");
    let mut body = sample.body.clone();
    if seed.roll().is_multiple_of(8) && !body.is_empty() {
        let at = seed.roll() as usize % body.len();
        body[at] = seed.roll() as u8;
    }
    if head_bytes(op).is_some() {
        body.resize(body.len() + (seed.roll() as usize % 9000).min(BODY_BYTES_MAX), 7);
    }
    let context = u16::from(!seed.roll().is_multiple_of(8));
    let header = Header { body_bytes: body.len() as u32, op, context, sequence: seed.roll() };
    [&header.encode()[..], &body].concat()
}

/// Sends messages until the worker ends, and meanwhile reads its answers.
fn talk(session: Session, seed: &mut Seed) {
    let Session { mut commands, callbacks, .. } = session;
    let reading = std::thread::spawn(move || {
        while let Ok(header) = commands.reader.header() {
            if commands.reader.skip(header.body_bytes as usize).is_err() {
                break;
            }
        }
    });
    for _ in 0..MESSAGES {
        if commands.writer.write(&[&frame(seed)]).is_err() {
            break;
        }
    }
    drop((commands.writer, callbacks));
    reading.join().unwrap();
}

/// Returns the node's log up to the worker's end.
fn fate(node: &Node, worker: u32) -> String {
    let (start, mut log) = (Instant::now(), String::new());
    while let Ok(line) = node.log.recv_timeout(PATIENCE.saturating_sub(start.elapsed())) {
        log += &format!("{line}\n");
        if line.contains(&format!("worker {worker} of")) {
            return log;
        }
    }
    format!("{log}worker {worker} outlives its session")
}

#[test]
fn mutated_messages_end_a_session_at_worst() {
    let node = Node::over(Transport::Tcp);
    let first = number_of("OUTHAUL_MUTATION_SEED", 0);
    for number in first..first + number_of("OUTHAUL_MUTATIONS", 40) {
        let mut seed = Seed::with_likely(number, likely());
        let session = furnished(&node);
        let worker = node.worker();
        talk(session, &mut seed);
        let fate = fate(&node, worker);
        let in_order = fate.ends_with("ended\n") && !fate.contains("panicked");
        assert!(in_order, "OUTHAUL_MUTATION_SEED={number}:\n{fate}");
    }
}
