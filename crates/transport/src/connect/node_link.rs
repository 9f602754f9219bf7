//! Links: connections between the workers of two sessions. One worker calls the other's node, whose
//! listener passes the connection to its worker through a handover socket. The worker accepts a
//! caller that knows the session's name and the key.

use crate::connect::connection::{Connection, dial, resolve};
use crate::connect::hello_error::HelloError;
use crate::descriptors::key_socket::Key;
use crate::descriptors::unix_socket;
use crate::lanes::lane::Lane;
use crate::network::line::Grace;
use crate::network::tls::{KEYS_BYTES, Keys, Tls};
use crate::os::deadline::Deadline;
use outhaul_wire::codec::{Field, Reader};
use outhaul_wire::handshake::{self, Kind, LinkHello, Rejoin};
use std::io::{self, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

/// Time for the called worker to answer. It answers after its client has told it of the link, which
/// happens at the same time.
const ANSWER_WAIT: Duration = Duration::from_secs(5);

/// Calls the worker of a session on the node at `address` (`host:port`).
pub fn call_link(
    address: &str,
    hello: &LinkHello,
    timeout: Duration,
) -> Result<Connection, HelloError> {
    let mut connection = dial(address, &resolve(address)?, timeout)?;
    connection.write_all(&handshake::encode(Kind::Link, hello))?;
    match connection.read_message(Deadline::after(ANSWER_WAIT))? {
        (Kind::Link, body)
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
    connection.write_all(&handshake::encode(Kind::Link, hello))
}

/// Turns a connection into a link's lane, which ends with its connection.
pub fn link_lane(connection: Connection) -> io::Result<Lane> {
    connection.into_lane(Grace::NONE, Arc::default())
}

/// The recipient of a connection that a listener hands over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// The link with this key.
    Link(Key),
    /// A lane of the session, which continues with this connection.
    Lane(Rejoin),
}

/// Size of an encoded `Caller`: one byte for its kind, then a rejoin; a link's key is shorter.
const CALLER_BYTES: usize = 1 + 2 + 8 + 16 + 2 + 8 + 8 + 32;
/// Size of the data that a handover socket carries with a connection: the caller, whether the
/// connection uses TLS, and its keys.
const WORDS_BYTES: usize = CALLER_BYTES + 1 + KEYS_BYTES;

impl Caller {
    fn to_bytes(self) -> [u8; CALLER_BYTES] {
        let mut bytes = [0; CALLER_BYTES];
        match self {
            Caller::Link(key) => bytes[1..][..key.len()].copy_from_slice(&key),
            Caller::Lane(call) => {
                bytes[0] = 1;
                bytes[1..].copy_from_slice(&call.encoded());
            }
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Caller> {
        match bytes.split_first()? {
            (0, rest) => Some(Caller::Link(rest.get(..size_of::<Key>())?.try_into().ok()?)),
            (_, rest) => Reader::new(rest).whole().ok().map(Caller::Lane),
        }
    }
}

/// A socket through which a listener hands connections to one of its workers.
pub struct HandoverSocket(UnixStream);

impl From<OwnedFd> for HandoverSocket {
    fn from(end: OwnedFd) -> HandoverSocket {
        HandoverSocket(end.into())
    }
}

impl HandoverSocket {
    /// Makes the listener's end and the worker's end.
    pub fn pair() -> io::Result<(HandoverSocket, HandoverSocket)> {
        let (one, other) = UnixStream::pair()?;
        Ok((HandoverSocket(one), HandoverSocket(other)))
    }

    /// Returns the descriptor of this end.
    pub fn descriptor(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Returns this end, so that it can itself be sent to another process.
    pub fn end(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Takes over an inherited end.
    ///
    /// # Safety
    /// The descriptor is that of a handover socket, and nobody else in this process owns it.
    pub unsafe fn adopt(descriptor: RawFd) -> HandoverSocket {
        // SAFETY: the caller's promise.
        HandoverSocket::from(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }

    /// Hands over a connection. Never blocks, because the listener serves others too.
    pub fn give(&self, caller: Caller, connection: &Connection) -> io::Result<()> {
        let mut words = [0; WORDS_BYTES];
        words[..CALLER_BYTES].copy_from_slice(&caller.to_bytes());
        match connection {
            Connection::Tcp(stream) => {
                unix_socket::send(&self.0, &words, stream.as_fd(), libc::MSG_DONTWAIT)
            }
            Connection::Tls(tls) => {
                words[CALLER_BYTES] = 1;
                words[CALLER_BYTES + 1..].copy_from_slice(&tls.handed_on()?.to_bytes());
                unix_socket::send(&self.0, &words, tls.stream.as_fd(), libc::MSG_DONTWAIT)
            }
            Connection::Local(..) => {
                Err(io::Error::other("a handover socket carries only TCP connections"))
            }
        }
    }

    /// Waits for the next connection. Returns an error when the listener is gone.
    pub fn take(&self) -> io::Result<(Caller, Connection)> {
        let mut words = [0; WORDS_BYTES];
        let (count, descriptor) = unix_socket::receive(&self.0, &mut words, libc::MSG_WAITALL)?;
        let stream: TcpStream =
            descriptor.filter(|_| count == words.len()).ok_or(io::ErrorKind::UnexpectedEof)?.into();
        let caller =
            Caller::from_bytes(&words[..CALLER_BYTES]).ok_or(io::ErrorKind::InvalidData)?;
        let mut keys = [0; KEYS_BYTES];
        keys.copy_from_slice(&words[CALLER_BYTES + 1..]);
        let sealed = words[CALLER_BYTES] == 1;
        let connection = if sealed {
            Connection::Tls(Tls::new(stream, Keys::from_bytes(&keys)).into())
        } else {
            Connection::Tcp(stream)
        };
        Ok((caller, connection))
    }
}
