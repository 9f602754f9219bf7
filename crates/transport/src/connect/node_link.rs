//! Links: connections between the workers of two sessions. One worker calls the other's node, and
//! that node's listener hands the connection to the other worker through a handover socket. The
//! worker accepts a caller that knows the session's name and the key.

use crate::connect::connection::{Connection, dial, resolve};
use crate::connect::hello_error::HelloError;
use crate::lanes::lane::Lane;
use crate::network::line::Grace;
use crate::os::deadline::Deadline;
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{self, HandshakeKind, LinkHello};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

/// Time limit for the called worker's answer. The worker answers once its own client has announced
/// the link, which happens concurrently.
const ANSWER_WAIT: Duration = Duration::from_secs(5);

/// Calls the worker of a session on the node at `address` (`host:port`).
pub fn call_link(
    address: &str,
    hello: &LinkHello,
    timeout: Duration,
) -> Result<Connection, HelloError> {
    let mut connection = dial(address, &resolve(address)?, timeout)?;
    connection.write_all(&handshake::encode(HandshakeKind::Link, hello))?;
    match connection.read_message(Deadline::after(ANSWER_WAIT))? {
        (HandshakeKind::Link, body)
            if Reader::new(&body)
                .beginning::<LinkHello>()
                .is_ok_and(|answer| answer.is_of(hello)) =>
        {
            Ok(connection)
        }
        (kind, body) => Err(HelloError::of_answer(kind, &body)),
    }
}

/// Sends the called worker's answer.
pub fn answer_link(connection: &mut Connection, hello: &LinkHello) -> io::Result<()> {
    connection.write_all(&handshake::encode(HandshakeKind::Link, hello))
}

/// Turns a connection into a link's lane, which ends with its connection.
pub fn link_lane(connection: Connection) -> io::Result<Lane> {
    connection.into_lane(Grace::NONE, Arc::default())
}
