//! Connections before they become lanes. This module opens them over TCP or on the same machine,
//! performs the handshake, and transfers them to another process.

use crate::connect::hello_error::HelloError;
use crate::connect::redial;
use crate::connect::settings::{
    ARENA_SETTING, HELLO_WAIT, SIGN_WAIT, TRANSPORT_VARIABLE, WELCOME_WAIT,
};
use crate::descriptors::fd_channel::{receive_fd, send_fds};
use crate::descriptors::unix_socket;
use crate::lanes::lane::Lane;
use crate::lanes::ring;
use crate::lanes::ring::{End, LANE_BYTES};
use crate::lanes::tcp;
use crate::network::duplex_stream::Pipe;
use crate::network::line::{Bell, Grace};
use crate::network::tls;
use crate::network::tls::{Identity, Tls, Trust};
use crate::os::deadline::Deadline;
use crate::os::send::{Sending, has_ended, is_writable};
use crate::os::shared_memory::SharedMemory;
use crate::os::tcp_info::round_trip;
use crate::os::tcp_options;
use crate::os::tune_settings;
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{
    self, Dialect, HandshakeError, HandshakeKind, Hello, MAGIC, PREFIX_BYTES, QueuePosition,
    Refusal, Speaks,
};
use outhaul_wire::limits::ARENA_BASE;
use std::io::{self, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

const RELAY_BYTES: usize = 256 << 10;
const PLAIN_REFUSED: &str =
    "the node speaks TLS only: ask its pool for a lease, with `outhaul run --pool URL -- PROGRAM`";
/// Alignment of the arena's address in bytes: a multiple of every driver's allocation granularity.
const ARENA_ALIGNMENT: u64 = 2 << 20;

/// Kinds of connection to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transport {
    /// Shared memory with a node on this machine, else TCP.
    Auto,
    /// TCP only.
    Tcp,
    /// Shared memory only: fails for a node on another machine.
    SharedMemory,
}

impl Transport {
    /// Reads the value of OUTHAUL_TRANSPORT.
    pub fn from_environment() -> Result<Transport, HelloError> {
        match std::env::var(TRANSPORT_VARIABLE).unwrap_or_default().as_str() {
            "" | "auto" => Ok(Transport::Auto),
            "tcp" => Ok(Transport::Tcp),
            "shared-memory" => Ok(Transport::SharedMemory),
            other => Err(HelloError::Transport(other.to_owned())),
        }
    }
}

/// Returns the first address of device memory: the value of `arena-base`, or the default. The
/// setting helps programs that use the default addresses themselves.
pub fn arena_base() -> Result<u64, HelloError> {
    tune_settings::value(ARENA_SETTING).map_or(Ok(ARENA_BASE), |text| address_of_memory(&text))
}

fn address_of_memory(text: &str) -> Result<u64, HelloError> {
    let address = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    address
        .filter(|address| *address > 0 && address.is_multiple_of(ARENA_ALIGNMENT))
        .ok_or_else(|| HelloError::Arena(text.to_owned()))
}

/// A connection that carries the handshake and that a listener can hand to a worker.
pub enum Connection {
    /// A plain TCP connection.
    Tcp(TcpStream),
    /// A TCP connection with TLS.
    Tls(Box<Tls>),
    /// A Unix socket, and the lane's shared memory once the hello has delivered it.
    Local(UnixStream, Option<OwnedFd>),
}

/// A connection to a node before the first message.
pub struct Approach<'a> {
    address: &'a str,
    transport: Transport,
    timeout: Duration,
    resolved: Vec<SocketAddr>,
    way: ConnectionPath,
    lasts: (Grace, Arc<Bell>),
}

enum ConnectionPath {
    Local(UnixStream),
    Network(Connection),
}

/// Calls `greet` with this release's dialect. When the node speaks an older dialect that this
/// release knows, calls `greet` again with that dialect.
pub fn in_common<T>(greet: impl FnMut(Dialect) -> Result<T, HelloError>) -> Result<T, HelloError> {
    in_one_of(|dialect| dialect.level().is_some(), greet)
}

fn in_one_of<T>(
    knows: impl Fn(Dialect) -> bool,
    mut greet: impl FnMut(Dialect) -> Result<T, HelloError>,
) -> Result<T, HelloError> {
    match greet(Dialect::OWN) {
        Err(HelloError::Speaks { dialect, .. }) if dialect != Dialect::OWN && knows(dialect) => {
            greet(dialect)
        }
        answered => answered,
    }
}

/// Opens one lane to the node at `address` through an `Approach`. Returns the lane and the body of
/// the welcome, which is empty except on the command lane.
pub fn connect(
    address: &str,
    hello: &Hello<'_>,
    transport: Transport,
    timeout: Duration,
) -> Result<(Lane, Vec<u8>), HelloError> {
    Approach::to(address, transport, timeout)?.greet(hello, |_| {})
}

impl<'a> Approach<'a> {
    /// Connects to `host:port`, or to `name@host:port` if the node must prove its name.
    pub fn to(
        address: &'a str,
        transport: Transport,
        timeout: Duration,
    ) -> Result<Approach<'a>, HelloError> {
        let resolved = resolve(address)?;
        let local = if transport == Transport::Tcp {
            None
        } else {
            resolved.iter().find_map(|candidate| unix_socket::dial(*candidate))
        };
        let way = match local {
            Some(stream) => ConnectionPath::Local(stream),
            None if transport == Transport::SharedMemory => {
                return Err(HelloError::NotLocal { address: address.to_owned() });
            }
            None => ConnectionPath::Network(dial(address, &resolved, timeout)?),
        };
        Ok(Approach {
            address,
            transport,
            timeout,
            resolved,
            way,
            lasts: (Grace::NONE, Arc::default()),
        })
    }

    /// Lets a lane over TCP outlive a broken connection by up to `grace`. `bell` rings when the
    /// connection breaks.
    pub fn lasting(self, grace: Grace, bell: Arc<Bell>) -> Approach<'a> {
        Approach { lasts: (grace, bell), ..self }
    }

    /// Returns the connection's shortest round-trip time so far. Returns None for a local
    /// connection, or if Linux does not report the time.
    pub fn round_trip(&self) -> Option<Duration> {
        match &self.way {
            ConnectionPath::Network(connection) => connection.round_trip(),
            ConnectionPath::Local(_) => None,
        }
    }

    /// Sends the hello and waits for the welcome. Returns the lane and the body of the welcome,
    /// which is empty except on the command lane. Calls `waiting` with the number of sessions
    /// ahead of this one whenever the node reports that number.
    pub fn greet(
        self,
        hello: &Hello<'_>,
        mut waiting: impl FnMut(u32),
    ) -> Result<(Lane, Vec<u8>), HelloError> {
        let Approach { address, transport, timeout, resolved, way, lasts } = self;
        let (mut connection, detour) = match way {
            ConnectionPath::Network(connection) => (connection, None),
            ConnectionPath::Local(stream) => match offer_memory(stream, hello) {
                Ok((mut connection, memory)) => {
                    let welcome = connection.welcome(address, hello, &mut waiting)?;
                    return Ok((connection.over(Some(memory), End::Client, lasts)?, welcome));
                }
                Err(error) if transport == Transport::SharedMemory => {
                    return Err(HelloError::Unshared { address: address.to_owned(), error });
                }
                Err(error) => (dial(address, &resolved, timeout)?, Some(error)),
            },
        };
        connection.write_all(&handshake::encode(HandshakeKind::Hello, hello))?;
        let welcome = connection.welcome(address, hello, &mut waiting)?;
        Ok((Lane { detour, ..connection.over(None, End::Client, lasts)? }, welcome))
    }
}

/// Returns the IP addresses of `host:port` or `name@host:port`, at least one on success.
pub(crate) fn resolve(address: &str) -> Result<Vec<SocketAddr>, HelloError> {
    let resolved = tls::split(address).1.to_socket_addrs();
    Ok(resolved
        .map_err(|e| HelloError::Unresolvable {
            address: address.to_owned(),
            reason: e.to_string(),
        })?
        .collect())
}

/// Opens a connection over the network. If `address` has a name, the connection uses TLS and the
/// node must prove that name.
pub(crate) fn dial(
    address: &str,
    resolved: &[SocketAddr],
    timeout: Duration,
) -> Result<Connection, HelloError> {
    seal_with(address, redial::dial(resolved, timeout))
}

/// Opens a connection as `dial` does, but keeps trying until `limit`, because the node may come
/// back at any moment.
pub(crate) fn redial(
    address: &str,
    resolved: &[SocketAddr],
    limit: Duration,
) -> Result<Connection, HelloError> {
    seal_with(address, redial::redial(resolved, limit))
}

fn seal_with(address: &str, stream: io::Result<TcpStream>) -> Result<Connection, HelloError> {
    let stream =
        stream.map_err(|error| HelloError::Unreachable { address: address.to_owned(), error })?;
    let Some(name) = tls::split(address).0 else { return Ok(Connection::Tcp(stream)) };
    let trust = Trust::of_this_process().map_err(HelloError::NoTrust)?;
    let unproven = |error: io::Error| match is_broken(&error) {
        true => HelloError::Io(error),
        false => HelloError::Unproven { address: address.to_owned(), name: name.to_owned(), error },
    };
    let keys = tls::call(&stream, &trust, name, Deadline::after(HELLO_WAIT)).map_err(unproven)?;
    Ok(Connection::Tls(Tls::new(stream, keys).into()))
}

/// Creates the lane's shared memory, and sends the hello together with the memory's descriptor.
fn offer_memory(stream: UnixStream, hello: &Hello<'_>) -> io::Result<(Connection, SharedMemory)> {
    let (memory, descriptor) = SharedMemory::create(LANE_BYTES)?;
    send_fds(&stream, &handshake::encode(HandshakeKind::Hello, hello), &[descriptor.as_fd()], 0)?;
    Ok((Connection::Local(stream, None), memory))
}

impl Connection {
    /// Reads one whole message. Fails if the message is incomplete at `deadline`.
    pub(crate) fn read_message(
        &mut self,
        deadline: Deadline,
    ) -> Result<(HandshakeKind, Vec<u8>), HelloError> {
        let mut prefix = [0; PREFIX_BYTES];
        self.read_until(deadline, &mut prefix)?;
        let prefix = handshake::decode_prefix(&prefix)?;
        let mut body = vec![0; prefix.body_bytes];
        self.read_until(deadline, &mut body)?;
        prefix.check(&body)?;
        Ok((prefix.kind, body))
    }

    fn read_until(&mut self, deadline: Deadline, mut out: &mut [u8]) -> io::Result<()> {
        while !out.is_empty() {
            let count = match self {
                Connection::Tls(tls) => tls.read_until(deadline, out)?,
                Connection::Tcp(stream) => deadline.on(stream).read(out)?,
                Connection::Local(stream, _) => {
                    deadline.wait_for(stream).and_then(|()| self.read(out))?
                }
            };
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            out = &mut out[count..];
        }
        Ok(())
    }

    /// Waits for the node's welcome and returns its body. Only the command lane gets a welcome;
    /// for other lanes, returns an empty body at once.
    fn welcome(
        &mut self,
        address: &str,
        hello: &Hello<'_>,
        waiting: &mut dyn FnMut(u32),
    ) -> Result<Vec<u8>, HelloError> {
        if hello.lane != handshake::LANE_COMMANDS {
            return Ok(Vec::new());
        }
        let (mut last, mut has_answered) = (Deadline::after(WELCOME_WAIT), false);
        loop {
            match self.read_message(Deadline::after(SIGN_WAIT).or(last)) {
                Ok((HandshakeKind::Starting, _)) => has_answered = true,
                Ok((HandshakeKind::Waiting, body)) => {
                    has_answered = true;
                    waiting(
                        Reader::new(&body)
                            .whole::<QueuePosition>()
                            .map_err(HandshakeError::from)?
                            .ahead,
                    );
                    // A session in the queue has not begun to start, so the time limit starts anew.
                    last = Deadline::after(WELCOME_WAIT);
                }
                Ok((HandshakeKind::Welcome, body)) => return Ok(body),
                Ok((kind, body)) => return Err(HelloError::of_answer(kind, &body)),
                Err(HelloError::Io(error))
                    if error.kind() == io::ErrorKind::TimedOut && !last.is_over() =>
                {
                    return Err(HelloError::Silent { address: address.to_owned(), has_answered });
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads a caller's first message within `HELLO_WAIT`: the hello of a lane or a link, or a
    /// rejoin. With an identity, connections over the network use TLS.
    pub fn accept_hello(
        &mut self,
        identity: Option<&Identity>,
    ) -> Result<(HandshakeKind, Vec<u8>), HelloError> {
        let deadline = Deadline::after(HELLO_WAIT);
        if let Connection::Tcp(stream) = self {
            tcp_options::tune(stream)?;
        }
        if let Some(identity) = identity {
            self.seal(identity, deadline)?;
        }
        let (kind, body) = self.read_message(deadline)?;
        if let Connection::Tls(tls) = self {
            tls.write_down()?;
        }
        match (kind, &self) {
            (HandshakeKind::Hello, Connection::Local(_, None)) => {
                Err(io::Error::other("a local connection came without its memory").into())
            }
            (HandshakeKind::Hello, _)
            | (
                HandshakeKind::Link | HandshakeKind::Rejoin,
                Connection::Tcp(_) | Connection::Tls(_),
            ) => Ok((kind, body)),
            _ => Err(HandshakeError::Unexpected(kind as u16).into()),
        }
    }

    /// Starts TLS on a connection over the network. Rejects a caller that does not use TLS.
    fn seal(&mut self, identity: &Identity, deadline: Deadline) -> Result<(), HelloError> {
        let Connection::Tcp(stream) = self else { return Ok(()) };
        let mut first = [0];
        deadline.wait_for(stream)?;
        if stream.peek(&mut first)? == 1 && first[0] == MAGIC[0] {
            self.read_message(deadline)?;
            let _ = self.refuse(PLAIN_REFUSED);
            return Err(HelloError::Refused(PLAIN_REFUSED.to_owned()));
        }
        let keys = tls::answer(stream, identity, deadline)?;
        *self = Connection::Tls(Tls::new(stream.try_clone()?, keys).into());
        Ok(())
    }

    /// Tells a client which dialect this node speaks.
    pub fn send_dialect(&mut self, release: &str) -> io::Result<()> {
        let Dialect { protocol, spec_hash } = Dialect::OWN;
        self.write_all(&handshake::encode(
            HandshakeKind::Speaks,
            &Speaks { protocol, spec_hash, release },
        ))
    }

    /// Tells a client that only inquires that the node would serve its session.
    pub fn send_acceptance(&mut self) -> io::Result<()> {
        self.write_all(&handshake::encode(HandshakeKind::Welcome, &()))
    }

    /// Tells a client that its session is starting.
    pub fn send_starting(&mut self) -> io::Result<()> {
        self.write_all(&handshake::encode(HandshakeKind::Starting, &()))?;
        match self {
            Connection::Tls(tls) => tls.write_down(),
            _ => Ok(()),
        }
    }

    /// Tells a client that `ahead` sessions are ahead of its own. Returns false if the client is
    /// gone or accepts no more data.
    pub fn send_waiting(&mut self, ahead: u32) -> bool {
        let is_sent = self.is_open()
            && self
                .write_all(&handshake::encode(HandshakeKind::Waiting, &QueuePosition { ahead }))
                .is_ok();
        match self {
            Connection::Tls(tls) => is_sent && tls.write_down().is_ok(),
            _ => is_sent,
        }
    }

    /// Returns the shortest round-trip time so far.
    pub(crate) fn round_trip(&self) -> Option<Duration> {
        match self {
            Connection::Tcp(stream) => round_trip(stream),
            Connection::Tls(tls) => round_trip(&tls.stream),
            Connection::Local(..) => None,
        }
    }

    /// Returns whether the connection is open and a short write would not block.
    pub fn is_open(&self) -> bool {
        match self {
            Connection::Tcp(stream) => is_writable(stream) && !has_ended(stream),
            Connection::Tls(tls) => is_writable(&tls.stream) && !has_ended(&tls.stream),
            Connection::Local(stream, _) => is_writable(stream) && !has_ended(stream),
        }
    }

    /// Tells the other side why the node does not serve it now. Never blocks.
    pub fn send_busy(&mut self, reason: &str) -> io::Result<()> {
        if self.is_open() {
            self.write_all(&handshake::encode(HandshakeKind::Busy, &Refusal { reason }))
        } else {
            Ok(())
        }
    }

    /// Returns the socket's descriptor.
    pub fn socket(&self) -> RawFd {
        match self {
            Connection::Tcp(stream) => stream.as_raw_fd(),
            Connection::Tls(tls) => tls.stream.as_raw_fd(),
            Connection::Local(stream, _) => stream.as_raw_fd(),
        }
    }

    /// Returns another descriptor of the socket if the other side is on this machine.
    pub fn local_socket(&self) -> io::Result<Option<OwnedFd>> {
        match self {
            Connection::Local(stream, _) => Ok(Some(stream.as_fd().try_clone_to_owned()?)),
            _ => Ok(None),
        }
    }

    /// Reads and discards data; returns false at the end or after an error. Linux resets a
    /// connection that is closed with unread data, and the other side then loses the last message.
    pub fn drain(&mut self) -> bool {
        matches!(self.read(&mut [0; 4096]), Ok(1..))
    }

    /// Tells the other side why the node does not serve it.
    pub fn refuse(&mut self, reason: &str) -> io::Result<()> {
        self.write_all(&handshake::encode(HandshakeKind::Refusal, &Refusal { reason }))
    }

    /// Forwards data from this connection to `target` until one of them ends, then shuts `target`
    /// down.
    pub fn relay(mut self, mut target: Connection) {
        let _ = match (&mut self, &mut target) {
            // Between two TCP sockets, `io::copy` uses a small buffer of its own.
            (Connection::Tcp(source), Connection::Tcp(target)) => io::copy(source, target),
            (source, target) => {
                io::copy(&mut BufReader::with_capacity(RELAY_BYTES, source), target)
            }
        };
        let _ = match &target {
            Connection::Tcp(stream) => stream.shutdown(Shutdown::Both),
            Connection::Tls(tls) => tls.stream.shutdown(Shutdown::Both),
            Connection::Local(stream, _) => stream.shutdown(Shutdown::Both),
        };
    }

    /// Returns the address or process at the other end, for the log.
    pub fn peer(&self) -> String {
        match self {
            Connection::Tcp(stream) => peer(stream),
            Connection::Tls(tls) => peer(&tls.stream),
            Connection::Local(stream, _) => unix_socket::peer(stream)
                .map_or("an unknown process".to_owned(), |p| format!("process {}", p.pid)),
        }
    }

    /// Returns the descriptors that another process needs to take over the connection: the
    /// socket's, and that of the shared memory or the keys.
    pub fn descriptors(&self) -> (BorrowedFd<'_>, Option<BorrowedFd<'_>>) {
        match self {
            Connection::Tcp(stream) => (stream.as_fd(), None),
            Connection::Tls(tls) => (tls.stream.as_fd(), tls.keys.as_ref().map(AsFd::as_fd)),
            Connection::Local(stream, memory) => (stream.as_fd(), memory.as_ref().map(AsFd::as_fd)),
        }
    }

    /// Takes over a connection from its descriptors. `sealed` means that a connection over the
    /// network uses TLS.
    pub fn adopt(
        (socket, beside): (OwnedFd, Option<OwnedFd>),
        sealed: bool,
    ) -> io::Result<Connection> {
        match (is_local(&socket)?, beside) {
            (true, Some(memory)) => Ok(Connection::Local(socket.into(), Some(memory))),
            (false, Some(keys)) if sealed => {
                Ok(Connection::Tls(Tls::read_down(socket.into(), keys)?.into()))
            }
            (false, None) if !sealed => Ok(Connection::Tcp(socket.into())),
            _ => Err(io::Error::other("a connection's memory or keys do not fit its kind")),
        }
    }

    /// Turns the connection into the node's end of a lane. Over TCP, the lane outlives a broken
    /// connection by up to `grace`, and `bell` rings when the connection breaks.
    pub fn into_lane(self, grace: Grace, bell: Arc<Bell>) -> io::Result<Lane> {
        let memory = match &self {
            Connection::Local(_, Some(descriptor)) => {
                Some(SharedMemory::adopt(descriptor, LANE_BYTES)?)
            }
            _ => None,
        };
        self.over(memory, End::Node, (grace, bell))
    }

    /// Turns a connection over the network into a pipe.
    pub(crate) fn into_pipe(self) -> io::Result<Pipe> {
        match self {
            Connection::Tcp(stream) => Ok(stream.into()),
            Connection::Tls(tls) => Ok((*tls).into()),
            Connection::Local(..) => Err(io::Error::other("the lane does not use TCP")),
        }
    }

    fn over(
        self,
        memory: Option<SharedMemory>,
        end: End,
        (grace, bell): (Grace, Arc<Bell>),
    ) -> io::Result<Lane> {
        match (self, memory) {
            (Connection::Tcp(stream), _) => Ok(tcp::lane(stream, grace, bell)),
            (Connection::Tls(tls), _) => Ok(tcp::lane(*tls, grace, bell)),
            (Connection::Local(stream, _), Some(memory)) => Ok(ring::lane(memory, stream, end)),
            (Connection::Local(..), None) => {
                Err(io::Error::other("a local connection has no memory"))
            }
        }
    }
}

/// Returns whether `error` means that the other side, or a network device in between, ended the
/// connection.
pub(crate) fn is_broken(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof
    )
}

fn peer(stream: &TcpStream) -> String {
    stream.peer_addr().map_or("an unknown address".to_owned(), |address| address.to_string())
}

/// Returns whether a connection's socket is a Unix socket, whose other end is on this machine.
pub fn is_local(socket: &OwnedFd) -> io::Result<bool> {
    let mut domain = 0;
    let mut length = size_of::<i32>() as libc::socklen_t;
    // SAFETY: the descriptor is open, and the option is an int, as the local is.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_DOMAIN,
            (&raw mut domain).cast(),
            &mut length,
        )
    };
    if result == 0 { Ok(domain == libc::AF_UNIX) } else { Err(io::Error::last_os_error()) }
}

impl Read for Connection {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Connection::Tcp(stream) => stream.read(out),
            Connection::Tls(tls) => tls.read(out),
            Connection::Local(stream, memory) => {
                let (count, descriptor) = receive_fd(stream, out, 0)?;
                if descriptor.is_some() {
                    *memory = descriptor;
                }
                Ok(count)
            }
        }
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Connection::Tcp(stream) => Sending(&*stream).write(bytes),
            Connection::Tls(tls) => tls.write(bytes),
            Connection::Local(stream, _) => Sending(&*stream).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outhaul_wire::handshake::NO_KEY_SHARE;
    use std::net::TcpListener;

    /// Sends a hello one byte at a time, each before a read would time out, until the other side
    /// stops reading.
    fn drip(mut into: impl Write + Send + 'static) -> std::thread::JoinHandle<()> {
        let (lease, tenant) = ("", "");
        let hello = Hello {
            protocol: 0,
            spec_hash: 0,
            release: "0",
            session: [0; 16],
            lane: 0,
            lanes: 2,
            arena_base: ARENA_BASE,
            lease,
            tenant,
            grace_ms: 0,
            key_share: NO_KEY_SHARE,
        };
        std::thread::spawn(move || {
            for byte in handshake::encode(HandshakeKind::Hello, &hello) {
                if into.write_all(&[byte]).is_err() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        })
    }

    #[test]
    fn a_hello_that_drips_in_is_no_hello() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (one, other) = UnixStream::pair().unwrap();
        let dripping =
            [drip(TcpStream::connect(listener.local_addr().unwrap()).unwrap()), drip(one)];
        for mut connection in
            [Connection::Tcp(listener.accept().unwrap().0), Connection::Local(other, None)]
        {
            let text = connection.accept_hello(None).err().unwrap().to_string();
            assert!(text.contains("takes too long"), "{text}");
        }
        dripping.into_iter().for_each(|thread| thread.join().unwrap());
    }

    #[test]
    fn a_dialer_gives_up_a_silent_node_but_not_a_starting_one() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let hello = Hello {
            protocol: handshake::PROTOCOL,
            spec_hash: 0,
            release: "0",
            session: [0; 16],
            lane: handshake::LANE_COMMANDS,
            lanes: 2,
            arena_base: ARENA_BASE,
            lease: "",
            tenant: "",
            grace_ms: 0,
            key_share: NO_KEY_SHARE,
        };
        let call =
            || connect(&address, &hello, Transport::Tcp, SIGN_WAIT).map(|(_, welcome)| welcome);
        let text = call().unwrap_err().to_string();
        assert!(text.contains("no sign of life") && text.contains(&address), "{text}");
        drop(listener.accept().unwrap());
        let node = std::thread::spawn(move || {
            let mut connection = Connection::Tcp(listener.accept().unwrap().0);
            connection.accept_hello(None).unwrap();
            for _ in 0..4 {
                std::thread::sleep(SIGN_WAIT / 2);
                connection.send_starting().unwrap();
            }
            connection
                .write_all(&handshake::encode(HandshakeKind::Welcome, &"hello yourself"))
                .unwrap();
            connection
        });
        assert!(call().unwrap().ends_with(b"hello yourself"));
        drop(node.join().unwrap());
    }

    /// The node has the previous release's spec. The client repeats its hello only if it knows that
    /// spec.
    #[test]
    fn a_hello_is_repeated_in_an_older_nodes_dialect() {
        let older = Dialect { spec_hash: 1, ..Dialect::OWN };
        let speaks = |dialect| Err(HelloError::Speaks { dialect, release: "0.0.9".into() });
        let tried_dialects = |knows_it: bool| {
            let mut tried = Vec::new();
            let answered = in_one_of(
                |dialect| knows_it && dialect == older,
                |dialect| {
                    tried.push(dialect);
                    if dialect == older { Ok(()) } else { speaks(older) }
                },
            );
            (tried, answered.map_err(|error| error.to_string()))
        };
        assert_eq!(tried_dialects(true), (vec![Dialect::OWN, older], Ok(())));
        let (once, refused) = tried_dialects(false);
        assert_eq!(once, [Dialect::OWN]);
        assert!(refused.unwrap_err().contains("the node is Outhaul 0.0.9"));
    }

    #[test]
    fn an_arena_address_is_parsed_or_refused() {
        assert_eq!(address_of_memory("0x1000000000").unwrap(), 0x10_0000_0000);
        for text in ["", "0x", "0", "0x0", "4096", "0x1000", "0x10000000000000000", "over there"] {
            let error = address_of_memory(text).unwrap_err().to_string();
            assert!(error.contains(&format!("arena-base is '{text}'")), "{error}");
        }
    }
}
