//! Tests callers that claim a running session's lane without the right to it.

#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod bare_node;

use bare_node::*;
use outhaul_transport::{HelloError, KeyExchange, Lane, SessionKey, Transport, connect};
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{
    self, Confirm, HandshakeKind, Hello, LANE_CALLBACKS, LANE_COMMANDS, NO_KEY_SHARE, PREFIX_BYTES,
    PROTOCOL, Refusal, Rejoin, Rejoined, Welcome,
};
use outhaul_wire::level::SPEC_HASH;
use outhaul_wire::limits::ARENA_BASE;
use std::io::{Read, Write};
use std::net::TcpStream;

const GRACE_MS: u32 = 60_000;
/// A key share of low order, which makes all shared secrets equal.
const BAD_SHARE: [u8; 32] = {
    let mut share = NO_KEY_SHARE;
    share[0] = 1;
    share
};

/// A session that outlasts its connections, with its key.
struct Lasting {
    name: [u8; 16],
    commands: Lane,
    _callbacks: Lane,
    key: SessionKey,
}

impl Lasting {
    fn begin(node: &Node, name: [u8; 16]) -> Lasting {
        let exchange = KeyExchange::begin().unwrap();
        let lane = |lane| send_hello(node, name, lane, exchange.share).unwrap();
        let (callbacks, _) = lane(LANE_CALLBACKS);
        let (commands, welcome) = lane(LANE_COMMANDS);
        let welcome: Welcome<'_> = Reader::new(&welcome).whole().unwrap();
        let key = exchange.agree(&welcome.key_share).unwrap();
        Lasting { name, commands, _callbacks: callbacks, key }
    }

    /// Returns the call with which the session's client would continue the command lane.
    fn call(&self) -> Rejoin {
        self.proved(of(self.name))
    }

    fn proved(&self, call: Rejoin) -> Rejoin {
        self.key.call(call)
    }

    /// Returns a call whose lane cannot continue. The session ends if the worker accepts the call
    /// as its client's.
    fn fatal_call(&self, attempt: u64) -> Rejoin {
        self.proved(Rejoin { attempt, received: 1 << 60, ..self.call() })
    }

    /// Checks that no caller has taken a lane over, and that the worker still reads the session's
    /// own lane.
    fn assert_untouched(mut self, worker: u32) {
        self.commands.life.begin();
        std::thread::sleep(SECOND);
        assert!(!is_gone(worker));
        self.commands.writer.write(&[b"no frame of the protocol"]).unwrap();
        assert_gone(worker);
    }
}

fn send_hello(
    node: &Node,
    name: [u8; 16],
    lane: u16,
    key_share: [u8; 32],
) -> Result<(Lane, Vec<u8>), HelloError> {
    let (protocol, spec_hash, release, lease, tenant) = (PROTOCOL, SPEC_HASH, "0", "", "");
    let (session, lanes, arena_base, grace_ms) = (name, 2, ARENA_BASE, GRACE_MS);
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
        grace_ms,
        key_share,
    };
    connect(&node.address, &hello, Transport::Tcp, PATIENCE)
}

/// Calls the node for a lane and returns the answer. Returns `None` if the node closes the
/// connection.
fn call(node: &Node, rejoin: &Rejoin) -> Option<(HandshakeKind, Vec<u8>)> {
    read_answer(&mut send_rejoin(node, rejoin))
}

fn send_rejoin(node: &Node, rejoin: &Rejoin) -> TcpStream {
    let mut stream = TcpStream::connect(&node.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(&handshake::encode(HandshakeKind::Rejoin, rejoin)).unwrap();
    stream
}

fn read_answer(stream: &mut TcpStream) -> Option<(HandshakeKind, Vec<u8>)> {
    let mut prefix = [0; PREFIX_BYTES];
    stream.read_exact(&mut prefix).ok()?;
    let prefix = handshake::decode_prefix(&prefix).unwrap();
    let mut body = vec![0; prefix.body_bytes];
    stream.read_exact(&mut body).unwrap();
    Some((prefix.kind, body))
}

/// Calls the node for a lane, reads the worker's answer, and confirms it.
fn call_and_confirm(
    node: &Node,
    rejoin: &Rejoin,
    confirm: impl FnOnce(&Rejoined) -> Confirm,
) -> TcpStream {
    let mut stream = send_rejoin(node, rejoin);
    let Some((HandshakeKind::Rejoined, body)) = read_answer(&mut stream) else {
        panic!("it is not answered")
    };
    let answer: Rejoined = Reader::new(&body).whole().unwrap();
    stream.write_all(&handshake::encode(HandshakeKind::Confirm, &confirm(&answer))).unwrap();
    stream
}

fn of(session: [u8; 16]) -> Rejoin {
    Rejoin {
        protocol: PROTOCOL,
        spec_hash: SPEC_HASH,
        session,
        lane: LANE_COMMANDS,
        attempt: 1,
        received: 0,
        proof: [0; 32],
    }
}

#[test]
fn a_call_for_an_unknown_session_is_refused() {
    let node = Node::start(&[]);
    for stranger in [of([250; 16]), Rejoin { protocol: 1, ..of([250; 16]) }] {
        let Some((HandshakeKind::Refusal, body)) = call(&node, &stranger) else {
            panic!("it was taken in")
        };
        assert_eq!(
            Reader::new(&body).whole::<Refusal<'_>>().unwrap().reason,
            "the node has no session of that name"
        );
    }
}

#[test]
fn a_lane_that_is_not_there_or_an_old_call_changes_nothing() {
    let node = Node::start(&[]);
    let session = Lasting::begin(&node, [1; 16]);
    let worker = node.worker();
    assert!(call(&node, &session.proved(Rejoin { lane: 40, ..session.call() })).is_none());
    assert!(call(&node, &session.proved(Rejoin { attempt: 0, ..session.call() })).is_none());
    session.assert_untouched(worker);
}

/// An attacker on the network can read the session's name, but not its key.
#[test]
fn a_caller_without_the_key_changes_nothing() {
    let node = Node::start(&[]);
    let session = Lasting::begin(&node, [4; 16]);
    let worker = node.worker();
    let stranger = KeyExchange::begin().unwrap();
    let share = KeyExchange::begin().unwrap().share;
    let stranger = stranger.agree(&share).unwrap();
    assert!(call(&node, &of(session.name)).is_none());
    assert!(call(&node, &stranger.call(of(session.name))).is_none());
    // The calls were intercepted, and one field was changed in each.
    for changed in
        [Rejoin { attempt: 2, ..session.call() }, Rejoin { received: 1, ..session.call() }]
    {
        assert!(call(&node, &changed).is_none());
    }
    session.assert_untouched(worker);
}

#[test]
fn a_replayed_call_is_answered_once() {
    let node = Node::start(&[]);
    let session = Lasting::begin(&node, [5; 16]);
    node.worker();
    let Some((HandshakeKind::Rejoined, body)) = call(&node, &session.call()) else {
        panic!("its client is not let in")
    };
    let answer: Rejoined = Reader::new(&body).whole().unwrap();
    assert!(session.key.is_answer(&session.call(), &answer), "the worker proves its identity");
    assert!(call(&node, &session.call()).is_none(), "a repeated call is not answered");
}

/// An attacker has recorded a call that the network then lost.
#[test]
fn an_intercepted_call_takes_no_lane_over() {
    let node = Node::start(&[]);
    let session = Lasting::begin(&node, [7; 16]);
    let worker = node.worker();
    let lost = session.fatal_call(1);
    let mut stranger = call_and_confirm(&node, &lost, |answer| Confirm { proof: answer.proof });
    assert!(read_answer(&mut stranger).is_none(), "a caller that cannot confirm gets no answer");
    assert!(!is_gone(worker));
    let _held = call_and_confirm(&node, &session.fatal_call(2), |answer| {
        session.key.confirm(&session.fatal_call(2), answer)
    });
    assert_gone(worker);
}

/// An attacker on the network can read the session's name.
#[test]
fn another_session_of_the_same_name_is_refused_and_the_first_one_continues() {
    let node = Node::start(&[]);
    let session = Lasting::begin(&node, [3; 16]);
    let worker = node.worker();
    let share = KeyExchange::begin().unwrap().share;
    let _callbacks = send_hello(&node, session.name, LANE_CALLBACKS, share);
    let second = send_hello(&node, session.name, LANE_COMMANDS, share);
    assert!(
        matches!(second, Err(HelloError::Refused(reason)) if reason.contains("another session of \
        the node has this name"))
    );
    assert!(
        matches!(call(&node, &session.call()), Some((HandshakeKind::Rejoined, _))),
        "its worker can still be called"
    );
    assert!(!is_gone(worker));
}

/// Without a key no caller can claim the session's lanes.
#[test]
fn a_session_without_a_key_continues_and_ends_with_its_first_broken_connection() {
    let node = Node::start(&[]);
    for (name, share) in [([6; 16], BAD_SHARE), ([8; 16], NO_KEY_SHARE)] {
        let _callbacks = send_hello(&node, name, LANE_CALLBACKS, share).unwrap();
        let (commands, _) = send_hello(&node, name, LANE_COMMANDS, share).unwrap();
        let worker = node.worker();
        std::thread::sleep(SECOND);
        assert!(!is_gone(worker));
        drop(commands);
        assert_gone(worker);
    }
}

#[test]
fn a_caller_that_claims_more_than_was_sent_ends_that_session_alone() {
    let node = Node::start(&[]);
    let mut good = node.session();
    node.worker();
    let session = Lasting::begin(&node, [2; 16]);
    let worker = node.worker();
    let lie = session.fatal_call(1);
    let _held = call_and_confirm(&node, &lie, |answer| session.key.confirm(&lie, answer));
    assert_gone(worker);
    assert!(good.answers() && node.session().answers());
}

#[test]
fn a_session_that_waits_for_no_other_connection_gets_none() {
    let node = Node::start(&[]);
    let mut session = node.session();
    assert!(call(&node, &of(session.name)).is_none());
    assert!(session.answers());
}
