//! Links: connections between the workers of two sessions. One calls the other's node, whose listener hands the connection to its worker through a
//! hatch; who knows the session's name and the key is let in.

use crate::connection::{Connection, HelloError, dial, resolve};
use crate::deadline::Deadline;
use crate::door::Key;
use crate::lane::Lane;
use crate::local;
use crate::tls::{KEYS_BYTES, Keys, Tls};
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{self, HandshakeError, Kind, LinkHello, Refusal};
use std::io::{self, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The called worker answers when it has heard of the link, which its client tells it at the same time.
const ANSWER_WAIT: Duration = Duration::from_secs(5);

/// Calls the worker of a session at the node at `address` (`host:port`).
pub fn call_link(
    address: &str,
    hello: &LinkHello,
    timeout: Duration,
) -> Result<Connection, HelloError> {
    let mut connection = dial(address, &resolve(address)?, timeout)?;
    connection.write_all(&handshake::encode(Kind::Link, hello))?;
    match connection.read_message(Deadline::after(ANSWER_WAIT))? {
        (Kind::Link, body) if Reader::new(&body).whole::<LinkHello>().as_ref() == Ok(hello) => {
            Ok(connection)
        }
        (Kind::Refusal, body) => {
            let refusal: Refusal<'_> = Reader::new(&body).whole().map_err(HandshakeError::from)?;
            Err(HelloError::Refused(refusal.reason.to_owned()))
        }
        (kind, _) => Err(HandshakeError::Unexpected(kind as u16).into()),
    }
}

/// The called worker's answer.
pub fn answer_link(connection: &mut Connection, hello: &LinkHello) -> io::Result<()> {
    connection.write_all(&handshake::encode(Kind::Link, hello))
}

pub fn link_lane(connection: Connection) -> io::Result<Lane> {
    connection.into_lane()
}

/// What goes through a hatch beside a connection: the key of a link, whether the connection is sealed, and by which keys.
const WORDS_BYTES: usize = size_of::<Key>() + 1 + KEYS_BYTES;

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
        let mut words = [0; WORDS_BYTES];
        words[..key.len()].copy_from_slice(key);
        match connection {
            Connection::Tcp(stream) => local::send(&self.0, &words, stream.as_fd()),
            Connection::Tls(tls) => {
                words[key.len()] = 1;
                words[key.len() + 1..].copy_from_slice(&tls.handed_on()?.to_bytes());
                local::send(&self.0, &words, tls.stream.as_fd())
            }
            Connection::Local(..) => Err(io::Error::other("a link is a TCP connection")),
        }
    }

    /// The next connection; an error when the listener is gone.
    pub fn take(&self) -> io::Result<(Key, Connection)> {
        let mut words = [0; WORDS_BYTES];
        let (count, descriptor) = local::receive(&self.0, &mut words, libc::MSG_WAITALL)?;
        let stream: TcpStream =
            descriptor.filter(|_| count == words.len()).ok_or(io::ErrorKind::UnexpectedEof)?.into();
        let (mut key, mut keys) = (Key::default(), [0; KEYS_BYTES]);
        key.copy_from_slice(&words[..size_of::<Key>()]);
        keys.copy_from_slice(&words[size_of::<Key>() + 1..]);
        let sealed = words[size_of::<Key>()] == 1;
        let connection = if sealed {
            Connection::Tls(Tls::new(stream, Keys::from_bytes(&keys)).into())
        } else {
            Connection::Tcp(stream)
        };
        Ok((key, connection))
    }
}
