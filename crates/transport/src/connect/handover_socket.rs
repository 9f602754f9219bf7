//! A socket through which a listener hands connections to one of its workers: links, and new
//! connections for lanes.

use crate::connect::connection::Connection;
use crate::descriptors::fd_channel::{FdChannel, at_most_one, send_fds};
use crate::descriptors::fd_server::Key;
use crate::network::tls::{KEYS_BYTES, Keys, Tls};
use outhaul_wire::codec::{Field, Reader};
use outhaul_wire::handshake::Rejoin;
use std::io;
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The recipient of a connection that a listener hands over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// The worker's link with this key.
    Link(Key),
    /// A lane of the session, which continues with this connection.
    Lane(Rejoin),
}

/// Size of an encoded `Caller`: one byte for its kind, then a rejoin; a link's key is shorter.
const CALLER_BYTES: usize = 1 + 2 + 8 + 16 + 2 + 8 + 8 + 32;
/// Size of the data that a handover socket carries with a connection: the caller, whether the
/// connection uses TLS, and its keys.
const PAYLOAD_BYTES: usize = CALLER_BYTES + 1 + KEYS_BYTES;

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
pub struct HandoverSocket(FdChannel);

impl From<OwnedFd> for HandoverSocket {
    fn from(end: OwnedFd) -> HandoverSocket {
        HandoverSocket(end.into())
    }
}

impl AsFd for HandoverSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl HandoverSocket {
    /// Makes the listener's end and the worker's end.
    pub fn pair() -> io::Result<(HandoverSocket, HandoverSocket)> {
        let (one, other) = FdChannel::pair()?;
        Ok((HandoverSocket(one), HandoverSocket(other)))
    }

    /// Hands over `connection` for `caller`. Never blocks, because the listener also serves other
    /// sessions.
    pub fn give(&self, caller: Caller, connection: &Connection) -> io::Result<()> {
        let mut payload = [0; PAYLOAD_BYTES];
        payload[..CALLER_BYTES].copy_from_slice(&caller.to_bytes());
        let stream = match connection {
            Connection::Tcp(stream) => stream,
            Connection::Tls(tls) => {
                payload[CALLER_BYTES] = 1;
                payload[CALLER_BYTES + 1..].copy_from_slice(&tls.handed_on()?.to_bytes());
                &*tls.stream
            }
            Connection::Local(..) => {
                return Err(io::Error::other("a handover socket carries only TCP connections"));
            }
        };
        send_fds(&self.0, &payload, &[stream.as_fd()], libc::MSG_DONTWAIT)
    }

    /// Waits for the next connection. Fails with `InvalidData` if a message lacks its descriptor,
    /// because this process has too many open, or cannot be decoded. More connections may follow
    /// such a message. Any other error means that the listener is gone.
    pub fn take(&self) -> io::Result<(Caller, Connection)> {
        let (payload, fds) = self.0.receive()?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let payload: [u8; PAYLOAD_BYTES] =
            payload.try_into().map_err(|_| io::ErrorKind::InvalidData)?;
        let stream: TcpStream = at_most_one(fds)?.ok_or(io::ErrorKind::InvalidData)?.into();
        let caller =
            Caller::from_bytes(&payload[..CALLER_BYTES]).ok_or(io::ErrorKind::InvalidData)?;
        let mut keys = [0; KEYS_BYTES];
        keys.copy_from_slice(&payload[CALLER_BYTES + 1..]);
        let sealed = payload[CALLER_BYTES] == 1;
        let connection = if sealed {
            Connection::Tls(Tls::new(stream, Keys::from_bytes(&keys)).into())
        } else {
            Connection::Tcp(stream)
        };
        Ok((caller, connection))
    }
}
