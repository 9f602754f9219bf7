//! Tests a real node on the software GPU with messages that name objects which have ended. A
//! session survives these, but not the name of an object that it never had.

#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod bare_node;

use bare_node::*;
use outhaul_abi::types::CUresult;
use outhaul_wire::codec::{List, Message, Reader};
use outhaul_wire::handle::Handle;
use outhaul_wire::handle::HandleKind::{self, Context, Event, Memory, Stream};
use outhaul_wire::limits::{ARENA_BASE, GATES_MAX};
use outhaul_wire::messages::{
    ArrayCreate, ArrayDestroy, ContextDestroy, ContextSynchronize, EventCreate, EventDestroy,
    EventQuery, EventSynchronize, EventSynchronizeTimed, EventSynchronizeTimedReply, GateOpen,
    GateWait, MemGetInfo, MemGetInfoReply, MemoryMap, MemoryUnmap, PeerAccess, PhysicalCreate,
    PhysicalRelease, Reply, StreamCreate, StreamDestroy, StreamSynchronize, StreamWaitEvent,
};

fn nth(kind: HandleKind, index: u32) -> u64 {
    Handle { kind, node: 0, index, generation: 0 }.pack()
}

/// One thread of a program may end an object that another thread's message names.
#[test]
fn a_handle_that_ended_is_answered() {
    let node = Node::start(&[]);
    let mut session = node.session();
    session.create_context();
    let (gone, live) = (nth(Event, 0), nth(Event, 1));
    for event in [gone, live] {
        session.send(&EventCreate { event, flags: 0 });
    }
    session.send(&EventDestroy { event: gone });
    // The client chose this event on its own account, so nobody hears of an error.
    let (status, body) =
        session.ask(&EventSynchronizeTimed { event: live, starts: List(vec![gone, live]) });
    assert_eq!(status, CUresult::SUCCESS);
    let EventSynchronizeTimedReply { milliseconds } = Reader::new(&body).whole().unwrap();
    assert!(milliseconds.0.len() == 2 && milliseconds.0[0].is_nan());
    // The program named these, so it gets errors.
    assert_eq!(session.ask(&EventQuery { event: gone }).0, CUresult::INVALID_HANDLE);
    assert_eq!(session.ask(&EventSynchronize { event: gone }).0, CUresult::INVALID_HANDLE);
    session.send(&StreamWaitEvent { stream: 0, event: gone, flags: 0 });
    assert_eq!(session.next_fault().0, CUresult::INVALID_HANDLE);
    session.send(&EventDestroy { event: gone });
    assert_eq!(session.next_fault().0, CUresult::INVALID_HANDLE);
    session.send(&PhysicalCreate { memory: nth(Memory, 0), device: 0, bytes: 2 << 20 });
    session.send(&PhysicalRelease { memory: nth(Memory, 0) });
    session.send(&PhysicalRelease { memory: nth(Memory, 0) });
    assert_eq!(session.next_fault().0, CUresult::INVALID_VALUE);
    session.send(&PeerAccess { peer: nth(Context, 0), enable: false });
    assert_eq!(session.next_op(), Reply::OP);
    // A thread's default stream, and memory that the thread frees, while another thread destroys
    // their context.
    let (stream, address, bytes) = (nth(Stream, 0), ARENA_BASE, 2 << 20);
    session.send(&StreamCreate { stream, flags: 1, priority: 0 });
    session.send(&MemoryMap { device: 0, address, bytes });
    session.send(&ContextDestroy { context: nth(Context, 0) });
    session.send(&StreamDestroy { stream });
    session.send(&MemoryUnmap { device: 0, address, bytes });
    session.send(&MemoryMap { device: 0, address, bytes });
    session.create_context();
    assert_eq!(session.ask(&ContextSynchronize { is_implicit: false }).0, CUresult::SUCCESS);
    assert_eq!(session.ask(&StreamSynchronize { stream }).0, CUresult::INVALID_HANDLE);
}

/// The client opens a gate whether its stream waits there or not, before or after the wait.
#[test]
fn a_refused_wait_leaves_no_gate() {
    let node = Node::start(&[]);
    let mut session = node.session();
    session.create_context();
    let gone = nth(Stream, 0);
    session.send(&StreamCreate { stream: gone, flags: 1, priority: 0 });
    session.send(&StreamDestroy { stream: gone });
    let gates_max = GATES_MAX as u64;
    for gate in 0..2 * gates_max + 2 {
        let is_open_before = gate > gates_max;
        if is_open_before {
            session.send_on_callbacks(&GateOpen { gate });
        }
        session.send(&GateWait { gate, stream: gone });
        assert_eq!(session.next_fault().0, CUresult::INVALID_HANDLE);
        if !is_open_before {
            session.send_on_callbacks(&GateOpen { gate });
        }
    }
    assert_eq!(session.ask(&ContextSynchronize { is_implicit: false }).0, CUresult::SUCCESS);
}

/// A gate of a context that has ended is not one of the next context at its place.
#[test]
fn a_gate_ends_with_its_context() {
    let node = Node::start(&[]);
    let mut session = node.session();
    session.create_context();
    session.send(&GateWait { gate: 1, stream: 0 });
    session.send(&ContextDestroy { context: nth(Context, 0) });
    session.create_context();
    session.send(&GateWait { gate: 2, stream: 0 });
    session.send_on_callbacks(&GateOpen { gate: 2 });
    assert_eq!(session.ask(&ContextSynchronize { is_implicit: false }).0, CUresult::SUCCESS);
    session.send(&GateWait { gate: 3, stream: 0 });
    session.send_on_callbacks(&GateOpen { gate: 1 });
    session.send_on_callbacks(&GateOpen { gate: 3 });
    assert_eq!(session.ask(&ContextSynchronize { is_implicit: false }).0, CUresult::SUCCESS);
}

/// Arrays end with their context, and so does what the session is charged for them.
#[test]
fn arrays_end_with_their_context() {
    let node = Node::start(&[]);
    let mut session = node.session();
    let array = nth(HandleKind::Array, 0);
    for _ in 0..3 {
        session.create_context();
        let (_, body) = session.ask(&MemGetInfo {});
        let MemGetInfoReply { total, .. } = Reader::new(&body).whole().unwrap();
        // 60% of the device's memory, in rows of 16 KiB.
        let rows = total / 10 * 6 / (16 << 10);
        let (width, format, channels) = (1024, 0x20, 4);
        let (status, _) = session.ask(&ArrayCreate {
            array,
            width,
            height: rows.min(16 << 10),
            depth: rows.div_ceil(16 << 10),
            format,
            channels,
            flags: 0,
            levels: 0,
        });
        assert_eq!(status, CUresult::SUCCESS);
        session.send(&ContextDestroy { context: nth(Context, 0) });
        session.send(&ArrayDestroy { array });
        assert_eq!(session.next_fault().0, CUresult::INVALID_HANDLE);
    }
}

#[test]
fn a_handle_that_the_session_never_had() {
    let node = Node::start(&[]);
    for start in [nth(Event, 1), nth(Stream, 0), 0, 77] {
        let mut session = node.session();
        session.create_context();
        session.send(&EventCreate { event: nth(Event, 0), flags: 0 });
        session.send(&EventSynchronizeTimed { event: nth(Event, 0), starts: List(vec![start]) });
        assert!(session.assert_ended().contains("is not one of this session's"), "{start:#x}");
    }
}
