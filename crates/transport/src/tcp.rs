//! Lanes over TCP, and the handshake that opens them.

use crate::lane::{Lane, LaneReader, LaneWriter, Source};
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{self, HandshakeError, Hello, Kind, PREFIX_BYTES, Refusal};
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// How long a stranger may take to say hello.
const HELLO_SECONDS_MAX: u64 = 5;
/// A node starts a worker, which starts the GPU, before it answers.
const WELCOME_SECONDS_MAX: u64 = 60;
/// How long a reader looks for more before it sleeps, on a machine with cores to spare.
const LOOK: Duration = Duration::from_micros(50);
const CORES_TO_LOOK: usize = 4;
const KEEPALIVE_IDLE_SECONDS: i32 = 5;
const KEEPALIVE_INTERVAL_SECONDS: i32 = 2;
const KEEPALIVE_PROBES: i32 = 3;

#[derive(Debug, thiserror::Error)]
pub enum HelloError {
    #[error("cannot resolve {address}: {reason}")]
    Unresolvable { address: String, reason: String },
    #[error("cannot reach a node at {address}: {error}")]
    Unreachable { address: String, error: io::Error },
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
    #[error("the connection broke during the handshake: {0}")]
    Io(#[from] io::Error),
}

/// Opens one lane to the node at `address` (`host:port`). Returns it with the welcome's body on the first lane, empty on others.
pub fn connect(address: &str, hello: &Hello<'_>, timeout: Duration) -> Result<(Lane, Vec<u8>), HelloError> {
    let resolved = address
        .to_socket_addrs()
        .map_err(|e| HelloError::Unresolvable { address: address.to_owned(), reason: e.to_string() })?
        .collect::<Vec<_>>();
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    let mut stream = None;
    for candidate in resolved {
        match TcpStream::connect_timeout(&candidate, timeout) {
            Ok(connected) => {
                stream = Some(connected);
                break;
            }
            Err(error) => last = error,
        }
    }
    let mut stream = stream.ok_or_else(|| HelloError::Unreachable { address: address.to_owned(), error: last })?;
    tune(&stream)?;
    stream.write_all(&handshake::encode(Kind::Hello, hello))?;
    if hello.lane != handshake::LANE_COMMANDS {
        return Ok((lane(stream)?, Vec::new()));
    }
    stream.set_read_timeout(Some(Duration::from_secs(WELCOME_SECONDS_MAX)))?;
    let body = read_welcome(&mut stream)?;
    stream.set_read_timeout(None)?;
    Ok((lane(stream)?, body))
}

fn read_message(stream: &mut TcpStream) -> Result<(Kind, Vec<u8>), HelloError> {
    let mut prefix = [0; PREFIX_BYTES];
    stream.read_exact(&mut prefix)?;
    let (kind, length) = handshake::decode_prefix(&prefix)?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok((kind, body))
}

fn read_welcome(stream: &mut TcpStream) -> Result<Vec<u8>, HelloError> {
    match read_message(stream)? {
        (Kind::Welcome, body) => Ok(body),
        (Kind::Refusal, body) => {
            let refusal: Refusal<'_> = Reader::new(&body).whole().map_err(HandshakeError::from)?;
            Err(HelloError::Refused(refusal.reason.to_owned()))
        }
        (Kind::Hello, _) => Err(HandshakeError::Unexpected(Kind::Hello as u16).into()),
    }
}

/// Reads a stranger's hello within a time limit.
pub fn accept_hello(stream: &mut TcpStream) -> Result<Vec<u8>, HelloError> {
    stream.set_read_timeout(Some(Duration::from_secs(HELLO_SECONDS_MAX)))?;
    tune(stream)?;
    let (kind, body) = read_message(stream)?;
    stream.set_read_timeout(None)?;
    if kind == Kind::Hello { Ok(body) } else { Err(HandshakeError::Unexpected(kind as u16).into()) }
}

/// Tells the other side why it is not served.
pub fn refuse(stream: &mut TcpStream, reason: &str) -> io::Result<()> {
    stream.write_all(&handshake::encode(Kind::Refusal, &Refusal { reason }))
}

/// A lane from a connected socket that this process inherited.
pub fn from_descriptor(descriptor: OwnedFd) -> io::Result<Lane> {
    lane(TcpStream::from(descriptor))
}

fn lane(stream: TcpStream) -> io::Result<Lane> {
    let reader = LaneReader::new(Box::new(Socket(stream.try_clone()?)), look());
    Ok(Lane { reader, writer: LaneWriter::new(Box::new(stream)) })
}

/// Looking costs a core while it lasts, so a small machine sleeps at once.
fn look() -> Duration {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if cores >= CORES_TO_LOOK { LOOK } else { Duration::ZERO }
}

/// The reading half of a connection.
struct Socket(TcpStream);

impl Read for Socket {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out)
    }
}

impl Socket {
    fn receive(&self, out: &mut [u8], flags: i32) -> io::Result<usize> {
        // SAFETY: the descriptor is open and the buffer has the length that is passed.
        let count = unsafe { libc::recv(self.0.as_raw_fd(), out.as_mut_ptr().cast(), out.len(), flags) };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }
}

impl Source for Socket {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        match self.receive(out, libc::MSG_DONTWAIT) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            other => other.map(Some),
        }
    }

    fn read_all(&mut self, mut out: &mut [u8]) -> io::Result<()> {
        while !out.is_empty() {
            match self.receive(out, libc::MSG_WAITALL) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => out = &mut out[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// No delay for small frames, and a dead peer noticed within seconds.
pub fn tune(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let set = |level: i32, option: i32, value: i32| {
        let length = size_of::<i32>() as libc::socklen_t;
        // SAFETY: the descriptor is open, and the value is an int as these options want.
        let result = unsafe { libc::setsockopt(stream.as_raw_fd(), level, option, (&raw const value).cast(), length) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    set(libc::SOL_SOCKET, libc::SO_KEEPALIVE, 1)?;
    set(libc::IPPROTO_TCP, libc::TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS)?;
    set(libc::IPPROTO_TCP, libc::TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS)?;
    set(libc::IPPROTO_TCP, libc::TCP_KEEPCNT, KEEPALIVE_PROBES)
}

/// Takes over an inherited descriptor by number.
///
/// # Safety
/// The descriptor is open and nobody else in this process owns it.
pub unsafe fn adopt(descriptor: i32) -> OwnedFd {
    // SAFETY: the caller's promise.
    unsafe { OwnedFd::from_raw_fd(descriptor) }
}
