use super::*;
use outhaul_wire::codec::List;
use outhaul_wire::handshake::{self, HandshakeKind, PREFIX_BYTES};
use outhaul_wire::limits::ARENA_BASE;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

/// Accepts hellos. Answers with a welcome that contains neither a device nor a share of a key.
fn be_a_node_without_a_key(listener: &TcpListener) {
    let mut lanes = Vec::new();
    while let Ok((mut stream, _)) = listener.accept() {
        if lane_of_hello(&mut stream) == LANE_COMMANDS {
            let welcome = Welcome {
                release: "0",
                driver_version: 13000,
                devices: List(Vec::new()),
                key_share: NO_KEY_SHARE,
            };
            stream.write_all(&handshake::encode(HandshakeKind::Welcome, &welcome)).unwrap();
        }
        lanes.push(stream);
    }
}

fn lane_of_hello(stream: &mut TcpStream) -> u16 {
    let mut prefix = [0; PREFIX_BYTES];
    stream.read_exact(&mut prefix).unwrap();
    let mut body = vec![0; handshake::decode_prefix(&prefix).unwrap().body_bytes];
    stream.read_exact(&mut body).unwrap();
    let hello: Hello<'_> = Reader::new(&body).whole().unwrap();
    assert!(hello.grace_ms > 0 && hello.key_share != NO_KEY_SHARE);
    hello.lane
}

#[test]
fn a_node_without_a_key_is_refused_with_advice() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let node = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || be_a_node_without_a_key(&listener));
    let Err(message) = open(&node, ARENA_BASE) else {
        panic!("a session that could not outlast a connection began")
    };
    assert!(
        message.contains(&node)
            && message.contains("no share of a key")
            && message.contains("OUTHAUL_GRACE=0"),
        "{message}"
    );
}
