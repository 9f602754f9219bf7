//! Links: connections between the workers of two sessions. One calls the other's node, whose listener hands the connection to its worker through a
//! hatch; who knows the session's name and the key is let in.

use crate::connection::{Connection, HelloError};
use crate::door::Key;
use crate::lane::Lane;
use crate::local;
use crate::tcp;
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{self, HandshakeError, Kind, LinkHello, Refusal};
use std::io::{self, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The called worker answers when it has heard of the link, which its client tells it at the same time.
const ANSWER_SECONDS_MAX: u64 = 5;

/// Calls the worker of a session at the node at `address` (`host:port`).
pub fn call_link(address: &str, hello: &LinkHello, timeout: Duration) -> Result<TcpStream, HelloError> {
    let resolved: Vec<_> =
        address.to_socket_addrs().map_err(|e| HelloError::Unresolvable { address: address.to_owned(), reason: e.to_string() })?.collect();
    let mut stream = tcp::dial(&resolved, timeout).map_err(|error| HelloError::Unreachable { address: address.to_owned(), error })?;
    stream.write_all(&handshake::encode(Kind::Link, hello))?;
    let mut connection = Connection::Tcp(stream.try_clone()?);
    connection.set_read_timeout(Some(Duration::from_secs(ANSWER_SECONDS_MAX)))?;
    let answer = connection.read_message()?;
    connection.set_read_timeout(None)?;
    match answer {
        (Kind::Link, body) if Reader::new(&body).whole::<LinkHello>().as_ref() == Ok(hello) => Ok(stream),
        (Kind::Refusal, body) => {
            let refusal: Refusal<'_> = Reader::new(&body).whole().map_err(HandshakeError::from)?;
            Err(HelloError::Refused(refusal.reason.to_owned()))
        }
        (kind, _) => Err(HandshakeError::Unexpected(kind as u16).into()),
    }
}

/// The called worker's answer.
pub fn answer_link(stream: &mut TcpStream, hello: &LinkHello) -> io::Result<()> {
    stream.write_all(&handshake::encode(Kind::Link, hello))
}

pub fn link_lane(stream: TcpStream) -> Lane {
    tcp::lane(stream)
}

/// Through it a listener hands connections to one of its workers.
pub struct Hatch(UnixStream);

impl Hatch {
    /// The listener's end and the worker's.
    pub fn pair() -> io::Result<(Hatch, Hatch)> {
        let (one, other) = UnixStream::pair()?;
        Ok((Hatch(one), Hatch(other)))
    }

    pub fn descriptor(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Takes over an inherited end.
    ///
    /// # Safety
    /// The descriptor is that of a hatch, and nobody else in this process owns it.
    pub unsafe fn adopt(descriptor: RawFd) -> Hatch {
        // SAFETY: the caller's promise.
        Hatch(unsafe { OwnedFd::from_raw_fd(descriptor) }.into())
    }

    pub fn give(&self, key: &Key, connection: &Connection) -> io::Result<()> {
        match connection {
            Connection::Tcp(stream) => local::send(&self.0, key, stream.as_fd()),
            Connection::Local(..) => Err(io::Error::other("a link is a TCP connection")),
        }
    }

    /// The next connection; an error when the listener is gone.
    pub fn take(&self) -> io::Result<(Key, TcpStream)> {
        let mut key = Key::default();
        match local::receive(&self.0, &mut key, libc::MSG_WAITALL)? {
            (count, Some(descriptor)) if count == key.len() => Ok((key, descriptor.into())),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
