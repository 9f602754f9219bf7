//! Tests a real node on the software GPU with clients that lie, vanish or arrive in large numbers.
//! Such a client's session may end. The node and the other sessions must continue, and the
//! session's resources must be free within a second.

#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod bare_node;

use bare_node::*;
use outhaul_abi::types::CUresult;
use outhaul_transport::{HelloError, SharedMemory, Transport, call_link, connect, link_lane};
use outhaul_wire::codec::{DecodeError, Field, List, Message, Reader};
use outhaul_wire::frame::{self, Header};
use outhaul_wire::handle::{self, Handle};
use outhaul_wire::handshake::{
    self, Dialect, Hello, LANE_BULK, LinkHello, NO_KEY_SHARE, PROTOCOL, Speaks,
};
use outhaul_wire::level::SPEC_HASH;
use outhaul_wire::limits::{
    ARENA_BASE, LANES_MAX, MANAGED_FETCH_BYTES_MAX, MANAGED_REGIONS_PER_QUERY_MAX,
};
use outhaul_wire::messages::{
    CallbackDone, CaptureBegin, CaptureEnd, ContextDestroy, ContextSynchronize, CopyFromSegment,
    CopyToArray, CopyToDeviceByLanes, EventCreate, EventDestroy, EventQuery, EventSynchronize,
    EventSynchronizeTimed, EventSynchronizeTimedReply, GateOpen, HostCallback, HostSegmentClose,
    HostSegmentOpen, JitOption, Link, LinkDone, LinkOpen, LinkPiece, LinkReceive, ManagedChanges,
    ManagedFetch, ManagedOpen, MemGetInfo, MemoryAdopt, MemoryMap, MemoryShare, MemoryShareReply,
    MemoryUnmap, MemsetD8Async, PackedPiece, PeerAccess, PeerOpen, Piece, ReplicaAwait,
    ReplicaQuery, ReplicaWrite, Reply, RunCallback, StreamCreate, StreamSynchronize,
    StreamWaitEvent, SurfaceCreate, TextureDestroy, WaitForChanges,
};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Sends a frame that violates the protocol in one of two sessions. That session must end with the
/// reason in the log, and the other session must not be affected.
fn ends_its_own_session_only(bytes: &[u8], reason: &str) {
    for transport in TRANSPORTS {
        let node = Node::over(transport);
        let (mut good, mut bad) = (node.session(), node.session());
        bad.commands.writer.write(&[bytes]).unwrap();
        let farewell = bad.assert_ended();
        assert!(farewell.contains(reason), "{farewell}");
        let line = node.wait_for("the session ends");
        assert!(line.contains(reason), "{line}");
        assert!(good.answers());
        assert!(node.session().answers());
    }
}

fn header(op: u16, body_bytes: u32) -> Vec<u8> {
    Header { body_bytes, op, context: 0, sequence: 1 }.encode().to_vec()
}

#[test]
fn an_absurd_length() {
    ends_its_own_session_only(&header(MemGetInfo::OP, u32::MAX), "over the limit");
}

#[test]
fn an_unknown_operation() {
    ends_its_own_session_only(&header(60_000, 0), "60000");
}

#[test]
fn a_message_that_is_too_short() {
    ends_its_own_session_only(&header(MemoryMap::OP, 0), "ends early");
}

#[test]
fn memory_outside_the_sessions_own() {
    let mut bytes = Vec::new();
    frame::append(&mut bytes, &MemoryMap { device: 0, address: 0x1000, bytes: 2 << 20 }, 0, 1, 0);
    ends_its_own_session_only(&bytes, "outside the session's memory");
    let mut bytes = Vec::new();
    frame::append(
        &mut bytes,
        &MemoryMap { device: 7, address: ARENA_BASE, bytes: 2 << 20 },
        0,
        1,
        0,
    );
    ends_its_own_session_only(&bytes, "no device 7");
}

#[test]
fn options_of_the_jit_compiler_that_would_be_addresses() {
    let mut bytes = Vec::new();
    let names_of_symbols = JitOption { option: 17, value: 0x4141_4141_4141 };
    frame::append(
        &mut bytes,
        &Link { inputs: List(vec![]), options: List(vec![names_of_symbols]) },
        0,
        1,
        0,
    );
    ends_its_own_session_only(&bytes, "option 17 of the JIT compiler is not a number");
}

#[test]
fn arrays_and_textures_outside_the_sessions_own() {
    let mut bytes = Vec::new();
    frame::append(&mut bytes, &TextureDestroy { texture: 0x1234 }, 0, 1, 0);
    ends_its_own_session_only(&bytes, "texture 0x1234 is not one of this session's");
    let array = Handle { kind: handle::HandleKind::Array, node: 0, index: 5, generation: 0 }.pack();
    let mut bytes = Vec::new();
    frame::append(&mut bytes, &SurfaceCreate { array }, 0, 1, 0);
    ends_its_own_session_only(&bytes, "is not one of this session's");
    let mut bytes = Vec::new();
    frame::append(
        &mut bytes,
        &CopyToArray { array, at: [0; 3], width_bytes: u64::MAX, rows: 2, stream: 0 },
        0,
        1,
        0,
    );
    ends_its_own_session_only(&bytes, "a copy of 2 rows");
}

/// Drivers accept a stream outside its context, but the arbiter would not learn of such work.
#[test]
fn work_for_a_stream_in_no_context_is_refused_and_not_carried_out() {
    const NONE: u16 = 7;
    let node = Node::start(&[]);
    let mut session = node.session();
    session.create_context();
    session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: 2 << 20 });
    let stream =
        Handle { kind: handle::HandleKind::Stream, node: 0, index: 0, generation: 0 }.pack();
    session.send(&StreamCreate { stream, flags: 1, priority: 0 });
    let fill = |uc| MemsetD8Async { dst_device: ARENA_BASE, uc, n: PAGE_BYTES as u64, stream };
    session.send(&fill(3));
    let mut bytes = Vec::new();
    frame::append(&mut bytes, &fill(9), NONE, 1, 0);
    session.commands.writer.write(&[&bytes]).unwrap();
    let (status, body) = session.next_fault();
    assert_eq!((status, body.as_str()), (CUresult::INVALID_CONTEXT, "MemsetD8Async"));
    let (status, _) = session.ask(&StreamSynchronize { stream });
    assert_eq!(status, CUresult::SUCCESS);
    assert_eq!(session.read_page(ARENA_BASE), vec![3; PAGE_BYTES]);
}

/// One thread of a program may use an event while another thread destroys its context.
#[test]
fn an_event_of_a_destroyed_context_is_not_foreign() {
    let node = Node::start(&[]);
    let mut session = node.session();
    session.create_context();
    let event = Handle { kind: handle::HandleKind::Event, node: 0, index: 0, generation: 0 }.pack();
    let context =
        Handle { kind: handle::HandleKind::Context, node: 0, index: 0, generation: 0 }.pack();
    session.send(&EventCreate { event, flags: 0 });
    session.send(&ContextDestroy { context });
    session.create_context();
    let asked = [session.ask(&EventQuery { event }).0, session.ask(&EventSynchronize { event }).0];
    assert_eq!(asked, [CUresult::CONTEXT_IS_DESTROYED; 2]);
    let live = Handle { kind: handle::HandleKind::Event, node: 0, index: 1, generation: 0 }.pack();
    session.send(&EventCreate { event: live, flags: 0 });
    session.send(&StreamWaitEvent { stream: 0, event, flags: 0 });
    let timed = EventSynchronizeTimed { event: live, starts: List(vec![event]) };
    let (status, body) = session.ask(&timed);
    assert_eq!(status, CUresult::SUCCESS);
    let EventSynchronizeTimedReply { milliseconds } = Reader::new(&body).whole().unwrap();
    assert!(milliseconds.0.len() == 1 && milliseconds.0[0].is_nan());
    session.send(&EventDestroy { event });
    assert_eq!(session.ask(&EventQuery { event: live }).0, CUresult::SUCCESS);
}

/// A wait that the program did not request must neither wait for a capture nor invalidate a capture
/// that begins meanwhile.
#[test]
fn an_implicit_wait_and_a_capture_leave_each_other_alone() {
    let node = Node::start(&[]);
    let mut session = node.session();
    session.create_context();
    let stream =
        Handle { kind: handle::HandleKind::Stream, node: 0, index: 0, generation: 0 }.pack();
    let graph = Handle { kind: handle::HandleKind::Graph, node: 0, index: 0, generation: 0 }.pack();
    session.send(&StreamCreate { stream, flags: 1, priority: 0 });
    let wait = ContextSynchronize { is_implicit: true };
    assert_eq!(session.ask(&wait).0, CUresult::SUCCESS);
    let (dependencies, edges) = (List(vec![]), &[][..]);
    let begin = CaptureBegin { stream, graph, into: false, dependencies, edges };
    assert_eq!(session.ask(&begin).0, CUresult::SUCCESS);
    assert_eq!(session.ask(&wait).0, CUresult::NOT_READY);
    assert_eq!(session.ask(&CaptureEnd { stream }).0, CUresult::SUCCESS);
    assert_eq!(session.ask(&wait).0, CUresult::SUCCESS);
}

#[test]
fn peers_outside_the_sessions_own() {
    let node = Node::start(&[]);
    for message in [0, 1] {
        let mut session = node.session();
        session.create_context();
        match message {
            0 => session.send(&PeerOpen { accessor: 0, owner: 9 }),
            _ => session.send(&PeerAccess { peer: 77, enable: true }),
        }
        session.assert_ended();
    }
    assert!(node.session().answers());
}

/// A guessed key, another descriptor socket's key and the key of freed memory open nothing. Neither
/// session is affected.
#[test]
fn a_key_opens_only_its_own_memory() {
    let node = Node::start(&[]);
    let (mut owner, mut other) = (node.session(), node.session());
    let memory =
        |index| Handle { kind: handle::HandleKind::Memory, node: 0, index, generation: 0 }.pack();
    let (address, bytes) = (ARENA_BASE, 2 << 20);
    for session in [&mut owner, &mut other] {
        session.create_context();
    }
    assert_eq!(owner.ask(&MemoryShare { memory: 0, address }).0, CUresult::INVALID_VALUE);
    owner.send(&MemoryMap { device: 0, address, bytes });
    let (status, body) = owner.ask(&MemoryShare { memory: 0, address: address + 512 });
    let MemoryShareReply { socket, key, bytes: shared_bytes, offset } =
        Reader::new(&body).whole().unwrap();
    assert_eq!((status, shared_bytes, offset), (CUresult::SUCCESS, bytes, 512));
    let mut guess = key;
    guess[15] ^= 1;
    for (socket, key) in [(socket, guess), (socket ^ 1, key)] {
        assert_eq!(
            other.ask(&MemoryAdopt { memory: memory(1), socket, key }).0,
            CUresult::INVALID_VALUE
        );
    }
    assert_eq!(other.ask(&MemoryAdopt { memory: memory(1), socket, key }).0, CUresult::SUCCESS);
    owner.send(&MemoryUnmap { device: 0, address, bytes });
    assert!(owner.answers());
    assert_eq!(
        other.ask(&MemoryAdopt { memory: memory(2), socket, key }).0,
        CUresult::INVALID_VALUE
    );
    // A client never uses a handle twice by mistake.
    other.send(&MemoryAdopt { memory: memory(1), socket, key });
    other.assert_ended();
    assert!(owner.answers());
}

/// Creates a session with a context, a page of device memory, and a page of sevens that it shares
/// with its worker.
fn session_with_shared_page(node: &Node) -> (Session, SharedMemory) {
    let mut session = node.session();
    session.create_context();
    session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: 2 << 20 });
    let memory = session.commands.memory_socket.as_ref().unwrap().give(1, PAGE_BYTES, 0).unwrap();
    // SAFETY: the address is that of a new mapping of at least a page, which no other code uses
    // yet.
    unsafe { memory.address().write_bytes(7, PAGE_BYTES) };
    session.send(&HostSegmentOpen {
        segment: 1,
        bytes: PAGE_BYTES as u64,
        address: memory.address() as u64,
    });
    assert_eq!(session.next_op(), Reply::OP);
    (session, memory)
}

fn copy_from_page(offset: u64) -> CopyFromSegment {
    let width = 4096;
    CopyFromSegment {
        segment: 1,
        offset,
        host_pitch_bytes: width,
        address: ARENA_BASE,
        pitch_bytes: width,
        width_bytes: width,
        rows: 1,
        stream: 0,
    }
}

#[test]
fn a_copy_that_leaves_shared_memory() {
    let node = Node::over(Transport::SharedMemory);
    for offset in [1, u64::MAX] {
        let (mut session, _memory) = session_with_shared_page(&node);
        session.send(&copy_from_page(offset));
        session.assert_ended();
        assert!(node.wait_for("the session ends").contains("leave segment 1"));
    }
}

#[test]
fn shared_memory_stays_until_the_device_is_done_with_it() {
    let node = Node::over(Transport::SharedMemory);
    let (mut session, _memory) = session_with_shared_page(&node);
    // The device waits until the callback has returned. Meanwhile the memory is closed.
    session.send(&HostCallback { callback: 5, stream: 0 });
    assert_eq!(session.next_op(), RunCallback::OP);
    session.send(&copy_from_page(0));
    session.send(&HostSegmentClose { segment: 1 });
    assert!(session.answers());
    let mut done = Vec::new();
    frame::append(&mut done, &CallbackDone { callback: 5 }, 0, 0, 0);
    session.callbacks.writer.write(&[&done]).unwrap();
    assert!(session.read_page(ARENA_BASE).iter().all(|byte| *byte == 7));
}

#[test]
fn a_piece_that_no_command_names() {
    for transport in TRANSPORTS {
        let node = Node::over(transport);
        let (mut session, mut bulk) = node.open_with(LANE_BULK + 1).unwrap();
        let mut bytes = Vec::new();
        frame::append(&mut bytes, &Piece { copy: 2, offset: 0 }, 0, 0, 4096);
        bulk[0].writer.write(&[&bytes, &[0; 4096]]).unwrap();
        session.send(&CopyToDeviceByLanes {
            address: ARENA_BASE,
            bytes: 4096,
            piece_bytes: 1 << 20,
            lanes: 1,
            stream: 0,
            copy: 1,
        });
        session.assert_ended();
        let line = node.wait_for("the session ends");
        assert!(line.contains("4096 bytes at 0 of copy 1 came as"), "{line}");
    }
}

#[test]
fn a_gate_is_opened_once() {
    let node = Node::start(&[]);
    let mut session = node.session();
    for _ in 0..2 {
        session.send_on_callbacks(&GateOpen { gate: 7 });
    }
    session.assert_ended();
    node.wait_for("gate 7 is opened twice");
    let mut session = node.session();
    session.send(&GateOpen { gate: 7 });
    session.assert_ended();
    node.wait_for("belongs on the callback lane");
}

/// Reports the program's changes in pinned memory that the device reaches.
fn send_replica_write(session: &mut Session, number: u64, address: u64, bytes: &[u8]) {
    let mut head = Vec::new();
    frame::append(&mut head, &ReplicaWrite { number, address }, 0, 0, bytes.len());
    session.callbacks.writer.write(&[&head, bytes]).unwrap();
}

#[test]
fn a_replica_write_stays_inside_its_memory() {
    const ADDRESS: u64 = ARENA_BASE / 4 * 3;
    let node = Node::start(&[]);
    for outside in [ADDRESS + 93, ADDRESS + 99, ADDRESS + 1] {
        let mut session = node.session();
        session.create_context();
        let (status, _) = session.ask(&ManagedOpen {
            address: ADDRESS,
            bytes: 100,
            kind: 1,
            transfer: 0,
            by_touch: false,
        });
        assert_eq!(status, CUresult::SUCCESS);
        send_replica_write(&mut session, 1, ADDRESS + 92, &[7; 8]);
        send_replica_write(&mut session, 2, ADDRESS + 4096, &[7; 8]);
        session.send(&ReplicaAwait { number: 2 });
        assert!(session.answers(), "a write outside all memory is ignored");
        send_replica_write(&mut session, 3, outside, &[7; 100]);
        session.assert_ended();
        node.wait_for("leave their region");
    }
}

#[test]
fn managed_memory_is_backed_and_a_query_beyond_it_ends_the_session() {
    const BYTES: u64 = 4 << 20;
    let node = Node::start(&[]);
    let open =
        |address, bytes| ManagedOpen { address, bytes, kind: 0, transfer: 0, by_touch: true };
    let session = || {
        let mut session = node.session();
        session.create_context();
        session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: BYTES });
        session
    };
    for (address, bytes) in [
        (ARENA_BASE + BYTES - 4096, 8192),
        (ARENA_BASE, 1 << 60),
        (ARENA_BASE + 100, 4096),
        (ARENA_BASE, 100),
    ] {
        let mut session = session();
        session.send(&open(address, bytes));
        session.assert_ended();
    }
    let asks: [&dyn Fn(&mut Session); 6] = [
        &|session| {
            session.send_on_callbacks(&ManagedChanges {
                first: ARENA_BASE + 4096,
                others: List(vec![]),
            })
        },
        &|session| {
            session.send_on_callbacks(&ManagedChanges {
                first: ARENA_BASE,
                others: List(vec![ARENA_BASE; MANAGED_REGIONS_PER_QUERY_MAX]),
            })
        },
        &|session| {
            session.send_on_callbacks(&ManagedFetch {
                address: ARENA_BASE + BYTES - 4096,
                bytes: 8192,
                is_touched: true,
            })
        },
        &|session| {
            session.send_on_callbacks(&ManagedFetch {
                address: ARENA_BASE,
                bytes: MANAGED_FETCH_BYTES_MAX + 4096,
                is_touched: true,
            })
        },
        &|session| send_replica_write(session, 1, ARENA_BASE, &[1; 100]),
        &|session| {
            session.send(&WaitForChanges {
                stream: 0,
                whole: true,
                is_implicit: false,
                looks: List(vec![ARENA_BASE; MANAGED_REGIONS_PER_QUERY_MAX + 1]),
            })
        },
    ];
    for ask in asks {
        let mut session = session();
        let (status, _) = session.ask(&open(ARENA_BASE, BYTES));
        assert_eq!(status, CUresult::SUCCESS);
        ask(&mut session);
        session.assert_ended();
    }
    // The worker ignores memory that was closed meanwhile, and answers the wait anyway.
    let mut session = session();
    let (status, _) = session.ask(&WaitForChanges {
        stream: 0,
        whole: true,
        is_implicit: false,
        looks: List(vec![ARENA_BASE, 7]),
    });
    assert_eq!(status, CUresult::SUCCESS);
}

#[test]
fn a_session_that_awaits_a_missing_write_delays_no_other_session() {
    let node = Node::start(&[]);
    let mut waiting = node.session();
    waiting.send(&ReplicaAwait { number: 5 });
    assert!(node.session().answers());
    send_replica_write(&mut waiting, 5, ARENA_BASE, &[0; 8]);
    assert!(waiting.answers());
    waiting.send(&ReplicaQuery { number: 1 });
    waiting.assert_ended();
    node.wait_for("belongs on the callback lane");
}

#[test]
fn a_link_is_for_a_session_and_taken_by_its_key() {
    let node = Node::start(&[]);
    let mut session = node.session();
    let hello = |session, key| LinkHello {
        protocol: PROTOCOL,
        spec_hash: SPEC_HASH,
        session,
        key: [key; 16],
    };
    let stranger = call_link(&node.address, &hello([250; 16], 1), PATIENCE);
    assert!(stranger.is_err_and(|e| e.to_string().contains("no session of that name")));
    // This link arrives before the session mentions links, and its key is not the one that the
    // session names.
    let mut other = TcpStream::connect(&node.address).unwrap();
    other
        .write_all(&handshake::encode(handshake::HandshakeKind::Link, &hello(session.name, 9)))
        .unwrap();
    session.create_context();
    session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: 4 << 20 });
    assert!(session.answers());
    session.send_on_callbacks(&LinkOpen {
        link: 3,
        key: [1; 16],
        address: "",
        session: session.name,
    });
    let mut lane =
        link_lane(call_link(&node.address, &hello(session.name, 1), PATIENCE).unwrap()).unwrap();

    let context =
        Handle { kind: handle::HandleKind::Context, node: 0, index: 0, generation: 0 }.pack();
    let rows = |copy| LinkReceive {
        link: 3,
        copy,
        context,
        address: ARENA_BASE,
        pitch_bytes: 4096,
        width_bytes: 4096,
        rows: 1,
    };
    // The first piece has the expected size; the second one is smaller. After that the link carries
    // no more pieces.
    for (copy, bytes, taken) in [(1, 4096, true), (2, 100, false), (3, 4096, false)] {
        session.send_on_callbacks(&rows(copy));
        let mut head = Vec::new();
        frame::append(&mut head, &LinkPiece { copy, status: 0 }, 0, 0, bytes);
        // The worker does not read the last piece.
        let _ = lane.writer.write(&[&head, &vec![5; bytes]]);
        let header = session.commands.reader.header().unwrap();
        assert_eq!(header.op, LinkDone::OP);
        let body = session.commands.reader.body(header.body_bytes as usize).unwrap();
        let done: LinkDone = Reader::new(&body).whole().unwrap();
        assert_eq!((done.copy, done.status == CUresult::SUCCESS.0), (copy, taken));
    }
    assert!(session.answers());
    session.send_on_callbacks(&LinkReceive { rows: 0, ..rows(4) });
    session.assert_ended();
}

#[test]
fn a_bulk_lane_without_a_free_buffer_is_not_read() {
    const PIECES: u64 = 8;
    let node = Node::over(Transport::SharedMemory);
    let (mut session, mut bulk) = node.open_with(LANE_BULK + 1).unwrap();
    session.create_context();
    session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: PIECES << 22 });
    let copy = |copy, pieces: u64| CopyToDeviceByLanes {
        address: ARENA_BASE,
        bytes: pieces << 22,
        piece_bytes: 1 << 22,
        lanes: 1,
        stream: 0,
        copy,
    };
    // The first copy starts the lane's thread. The second copy's pieces arrive before their
    // command.
    session.send(&copy(0, 1));
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for (copy, piece) in [(0, 0)].into_iter().chain((0..PIECES).map(|i| (1, i))) {
            let mut head = Vec::new();
            frame::append(&mut head, &Piece { copy, offset: piece << 22 }, 0, 0, 1 << 22);
            bulk[0].writer.write(&[&head, &vec![piece as u8 + 1; 1 << 22]]).unwrap();
        }
        sender.send(()).unwrap();
        bulk
    });
    assert!(receiver.recv_timeout(Duration::from_millis(300)).is_err());
    session.send(&copy(1, PIECES));
    receiver.recv_timeout(PATIENCE).unwrap();
    let address = ARENA_BASE + (PIECES << 22) - PAGE_BYTES as u64;
    assert!(session.read_page(address).iter().all(|byte| *byte == PIECES as u8));
}

#[test]
fn a_packed_piece_of_another_length_than_stated_ends_the_session() {
    // A zstd frame with one block: one byte, repeated 4,096 times.
    const PACKED: [u8; 11] = [0x28, 0xB5, 0x2F, 0xFD, 0x60, 0x00, 0x0F, 0x03, 0x80, 0x00, 0x07];
    let node = Node::over(Transport::Tcp);
    let with_piece = |bytes: u32, packed: &[u8]| {
        let (mut session, mut bulk) = node.open_with(LANE_BULK + 1).unwrap();
        session.create_context();
        session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: 4 << 20 });
        let mut head = Vec::new();
        frame::append(&mut head, &PackedPiece { copy: 1, offset: 0, bytes }, 0, 0, packed.len());
        bulk[0].writer.write(&[&head, packed]).unwrap();
        let bytes = u64::from(bytes).max(1);
        session.send(&CopyToDeviceByLanes {
            address: ARENA_BASE,
            bytes,
            piece_bytes: 1 << 22,
            lanes: 1,
            stream: 0,
            copy: 1,
        });
        (session, bulk)
    };
    let (mut session, _bulk) = with_piece(4096, &PACKED);
    assert!(session.read_page(ARENA_BASE).iter().all(|byte| *byte == 7));
    let mut changed = PACKED;
    changed[7] = 0x05;
    let lies: [(u32, &[u8]); 7] = [
        (4095, &PACKED),
        (4097, &PACKED),
        (0, &PACKED),
        ((4 << 20) + 1, &PACKED),
        (u32::MAX, &PACKED),
        (4096, &[]),
        (4096, &changed),
    ];
    for (bytes, packed) in lies {
        let (mut session, _bulk) = with_piece(bytes, packed);
        session.assert_ended();
        let line = node.wait_for("the session ends");
        assert!(
            line.contains(&format!(
                "{} packed bytes are not a piece of {bytes} bytes",
                packed.len()
            )),
            "{line}"
        );
    }
}

#[test]
fn bulk_lanes_carry_pieces_only() {
    let node = Node::start(&[]);
    let (mut session, mut bulk) = node.open_with(LANE_BULK + 1).unwrap();
    bulk[0].writer.write(&[&header(MemGetInfo::OP, 0)]).unwrap();
    session.send(&CopyToDeviceByLanes {
        address: ARENA_BASE,
        bytes: 4096,
        piece_bytes: 1 << 20,
        lanes: 1,
        stream: 0,
        copy: 1,
    });
    session.assert_ended();
    assert!(node.wait_for("the session ends").contains("is not allowed here"));
}

#[test]
fn strangers_are_turned_away_and_delay_no_session() {
    let node = Node::start(&[]);
    let _silent: Vec<_> = (0..20).map(|_| TcpStream::connect(&node.address).unwrap()).collect();
    let mut browser = TcpStream::connect(&node.address).unwrap();
    browser.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    // The node closes the connection, with or without a reset.
    assert!(!matches!(browser.read(&mut [0; 64]), Ok(1..)));
    let line = node.wait_for("turned away");
    assert!(line.contains("does not speak Outhaul's protocol"), "{line}");
    assert!(node.session().answers());
}

/// Tests the largest set of descriptors that a worker inherits. A missing descriptor would end the
/// session.
#[test]
fn a_session_with_all_lanes_in_shared_memory_begins_on_a_node_that_oversubscribes() {
    let mut node = Node::start(&["--oversubscribe", "1073741824"]);
    node.transport = Transport::SharedMemory;
    let (mut session, bulk) = node.open_with(LANES_MAX).unwrap();
    assert_eq!(bulk.len(), usize::from(LANES_MAX - LANE_BULK));
    assert!(session.answers());
}

#[test]
fn a_program_of_this_machine_must_bring_the_memory_of_its_lane() {
    let node = Node::start(&[]);
    let socket =
        std::os::unix::net::SocketAddr::from_abstract_name(format!("outhaul/{}", node.address))
            .unwrap();
    let mut stranger = UnixStream::connect_addr(&socket).unwrap();
    let hello = Hello { release: "0", session: [9; 16], ..client_hello(PROTOCOL, SPEC_HASH) };
    stranger.write_all(&handshake::encode(handshake::HandshakeKind::Hello, &hello)).unwrap();
    assert!(node.wait_for("turned away").contains("without its memory"));
    assert_eq!(stranger.read(&mut [0; 64]).unwrap(), 0);
}

#[test]
fn the_client_of_an_incomplete_session_learns_the_reason() {
    for transport in TRANSPORTS {
        let node = Node::start(&[]);
        let hello =
            Hello { release: "0", session: [5; 16], lanes: 3, ..client_hello(PROTOCOL, SPEC_HASH) };
        let start = Instant::now();
        let Err(HelloError::Busy(reason)) = connect(&node.address, &hello, transport, PATIENCE)
        else {
            panic!("taken in")
        };
        assert!(reason.contains("1 of the session's 3 connections"), "{reason}");
        assert_in_time(start, Duration::from_secs(10), "an answer about an incomplete session");
    }
}

fn client_hello(protocol: u16, spec_hash: u64) -> Hello<'static> {
    let (release, session, lease, tenant) = ("9.9.9", [7; 16], "", "");
    Hello {
        protocol,
        spec_hash,
        release,
        session,
        lane: 0,
        lanes: 2,
        arena_base: ARENA_BASE,
        lease,
        tenant,
        grace_ms: 0,
        key_share: NO_KEY_SHARE,
    }
}

#[test]
fn a_client_of_another_spec_learns_both_releases() {
    let node = Node::start(&[]);
    let call = |hello: &Hello<'_>| {
        connect(&node.address, hello, Transport::Tcp, PATIENCE).map(drop).unwrap_err()
    };
    let HelloError::Refused(old) = call(&client_hello(7, 1)) else {
        panic!("it knows no other answer")
    };
    assert!(old.contains("9.9.9") && old.contains(env!("CARGO_PKG_VERSION")), "{old}");
    let new = call(&client_hello(PROTOCOL, 1));
    assert!(matches!(new, HelloError::Speaks { dialect: Dialect::OWN, .. }), "{new}");
    assert!(new.to_string().contains("install the same release on both"), "{new}");
}

/// The client's hello has more fields than this release reads. The node tells the client its own
/// dialect, with which the client can continue.
#[test]
fn a_client_of_a_later_release_learns_the_nodes_dialect() {
    let node = Node::start(&[]);
    let mut body = client_hello(PROTOCOL + 1, 2).encoded();
    body.extend(b"what a later release says besides");
    let mut stranger = TcpStream::connect(&node.address).unwrap();
    stranger.write_all(&handshake::encode(handshake::HandshakeKind::Hello, &Raw(&body))).unwrap();
    let mut answer = Vec::new();
    stranger.read_to_end(&mut answer).unwrap();
    let (prefix, body) = answer.split_at(handshake::PREFIX_BYTES);
    assert_eq!(
        handshake::decode_prefix(prefix.try_into().unwrap()).unwrap().kind,
        handshake::HandshakeKind::Speaks
    );
    let speaks: Speaks<'_> = Reader::new(body).whole().unwrap();
    assert_eq!(speaks.dialect(), Dialect::OWN);
    assert!(node.session().answers());
}

/// A message body of raw bytes.
struct Raw<'a>(&'a [u8]);

impl<'a> Field<'a> for Raw<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0);
    }

    fn take(_: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Err(DecodeError::Trailing)
    }
}

#[test]
fn a_client_that_vanishes_takes_its_worker_along() {
    for transport in TRANSPORTS {
        let node = Node::over(transport);
        let mut session = node.session();
        let worker = node.worker();
        session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: 64 << 20 });
        assert!(session.answers() && !is_gone(worker));
        drop(session);
        assert_gone(worker);
    }
}

#[test]
fn a_worker_that_dies_is_noticed_within_a_second() {
    for transport in TRANSPORTS {
        let node = Node::over(transport);
        let mut other = node.session();
        node.worker();
        let mut session = node.session();
        let killed = std::process::Command::new("sh")
            .args(["-c", &format!("kill -9 {}", node.worker())])
            .status()
            .unwrap();
        assert!(killed.success());
        session.assert_ended();
        let line = node.wait_for("died");
        assert!(line.contains("signal: 9"), "{line}");
        assert!(other.answers());
    }
}

#[test]
fn a_node_that_ends_takes_its_workers_along() {
    for transport in TRANSPORTS {
        let mut node = Node::over(transport);
        let mut session = node.session();
        let worker = node.worker();
        node.process.kill().unwrap();
        session.assert_ended();
        assert_gone(worker);
    }
}
