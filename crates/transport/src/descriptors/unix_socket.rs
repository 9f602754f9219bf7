//! Connecting to a node on the same machine. The node has a socket in Linux's abstract namespace,
//! named after the address on which it listens. Such names are visible only in their network
//! namespace, so a program does not find a node in a container.

use crate::os::tcp_options::take_bursts;
use outhaul_abi::fd;
use outhaul_lock::Mutex;
use std::io;
use std::mem::MaybeUninit;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{self, UnixListener, UnixStream};
use std::time::Duration;

/// Longest wait for a listener whose accept queue stays full.
const CONNECT_WAIT: Duration = Duration::from_millis(if cfg!(test) { 300 } else { 5_000 });
/// The names of nodes' sockets whose accept queue stayed full.
static FULL: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
/// The most names that a process remembers.
const FULL_MAX: usize = 64;
/// Pause after a failed attempt to accept a client.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

fn name(address: SocketAddr) -> io::Result<net::SocketAddr> {
    net::SocketAddr::from_abstract_name(format!("outhaul/{address}"))
}

fn back_name(address: SocketAddr) -> io::Result<net::SocketAddr> {
    net::SocketAddr::from_abstract_name(format!("outhaul/{address}/administration"))
}

fn keeper_name(address: SocketAddr) -> io::Result<net::SocketAddr> {
    net::SocketAddr::from_abstract_name(format!("outhaul/{address}/keeper"))
}

/// Opens the local socket of a node that listens on `address`.
pub fn listen(address: SocketAddr) -> io::Result<UnixListener> {
    let listener = UnixListener::bind_addr(&name(address)?)?;
    take_bursts(&listener)?;
    Ok(listener)
}

/// Opens the socket for the node's administrators. The caller must check each connection with
/// `is_trusted`.
pub fn listen_behind(address: SocketAddr) -> io::Result<UnixListener> {
    UnixListener::bind_addr(&back_name(address)?)
}

/// Opens the socket of the keeper of a node that listens on `address`. The caller must check each
/// connection with `is_trusted`.
pub fn listen_as_keeper(address: SocketAddr) -> io::Result<UnixListener> {
    UnixListener::bind_addr(&keeper_name(address)?)
}

/// Connects to the keeper's socket, if the keeper belongs to this user or root.
pub fn dial_keeper(address: SocketAddr) -> Option<UnixStream> {
    connect(&keeper_name(address).ok()?).ok().filter(is_trusted)
}

/// Connects to the administrators' socket, if the node on `address` is on this machine and belongs
/// to this user or root.
pub fn dial_behind(address: SocketAddr) -> Option<UnixStream> {
    dial_named(address, back_name)
}

/// Connects to the node that listens on `address`, if that is an address of this machine and the
/// node has a local socket here.
pub fn dial(address: SocketAddr) -> Option<UnixStream> {
    dial_named(address, name)
}

fn dial_named(
    address: SocketAddr,
    name: impl Fn(SocketAddr) -> io::Result<net::SocketAddr>,
) -> Option<UnixStream> {
    if !is_own(address.ip()) {
        return None;
    }
    let any: IpAddr =
        if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let candidates = [
        address,
        SocketAddr::new(any, address.port()),
        SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), address.port()),
    ];
    let stream = candidates.into_iter().find_map(|candidate| try_once(&name(candidate).ok()?))?;
    is_trusted(&stream).then_some(stream)
}

/// Connects to a socket, unless its accept queue was full for too long earlier. Another user who
/// takes a node's name could otherwise delay each connection of every program. Those use TCP then.
fn try_once(name: &net::SocketAddr) -> Option<UnixStream> {
    let bytes = name.as_abstract_name()?;
    if FULL.lock().iter().any(|full| full == bytes) {
        return None;
    }
    let stream = connect(name);
    if stream.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock) {
        let mut full = FULL.lock();
        if full.len() < FULL_MAX {
            full.push(bytes.to_vec());
        }
    }
    stream.ok()
}

/// Connects as `UnixStream::connect_addr` does, but with a time limit.
pub fn connect(name: &net::SocketAddr) -> io::Result<UnixStream> {
    let bytes = name.as_abstract_name().ok_or(io::ErrorKind::InvalidInput)?;
    // SAFETY: all zero is a valid `sockaddr_un`, which contains only numbers.
    let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    // The name follows the zero byte that marks an abstract name.
    let place = address.sun_path.get_mut(1..1 + bytes.len()).ok_or(io::ErrorKind::InvalidInput)?;
    place.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte as libc::c_char);
    let length = std::mem::offset_of!(libc::sockaddr_un, sun_path) + 1 + bytes.len();
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: the call takes no pointers, and the descriptor has no other owner.
    let stream = UnixStream::from(unsafe { fd::owned(libc::socket(libc::AF_UNIX, kind, 0)) }?);
    stream.set_write_timeout(Some(CONNECT_WAIT))?;
    // SAFETY: the descriptor is open, and the address is valid for reads of that length.
    if unsafe {
        libc::connect(stream.as_raw_fd(), (&raw const address).cast(), length as libc::socklen_t)
    } < 0
    {
        return Err(io::Error::last_os_error());
    }
    stream.set_write_timeout(None)?;
    Ok(stream)
}

/// Returns whether `ip` is an address of this machine. A socket can be bound to no other address.
fn is_own(ip: IpAddr) -> bool {
    ip.is_loopback() || UdpSocket::bind((ip, 0)).is_ok()
}

/// Serves clients one after the other, forever.
pub fn accept_forever(listener: &UnixListener, serve: impl FnMut(UnixStream)) {
    serve_arrivals(listener.incoming(), || std::thread::sleep(ACCEPT_PAUSE), serve);
}

/// Serves each client that arrives. Pauses after a failed accept, because the process probably
/// lacks descriptors and would fail again at once.
fn serve_arrivals(
    arrivals: impl Iterator<Item = io::Result<UnixStream>>,
    mut pause: impl FnMut(),
    mut serve: impl FnMut(UnixStream),
) {
    for arrival in arrivals {
        match arrival {
            Ok(client) => serve(client),
            Err(_) => pause(),
        }
    }
}

/// Returns whether the other end belongs to root or to this user. Any process can take a name in
/// the abstract namespace before a node does. Root and this user are trusted, because they could do
/// worse without that name.
pub fn is_trusted(stream: &UnixStream) -> bool {
    // SAFETY: the call takes no arguments.
    let own = unsafe { libc::geteuid() };
    peer(stream).is_some_and(|peer| peer.uid == 0 || peer.uid == own)
}

/// Returns the process that was at the other end when the connection was made.
pub fn peer(stream: &UnixStream) -> Option<libc::ucred> {
    let mut peer = MaybeUninit::<libc::ucred>::uninit();
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: Linux writes at most `length` bytes, the size of the local.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            peer.as_mut_ptr().cast(),
            &mut length,
        )
    };
    // SAFETY: Linux filled the local, because the call succeeded with the whole length.
    (result == 0 && length as usize == size_of::<libc::ucred>())
        .then(|| unsafe { peer.assume_init() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::send::has_ended;

    /// Returns a port of this test run's own, because the whole machine shares the names.
    fn own_port() -> u16 {
        std::process::id() as u16
    }

    #[test]
    fn only_a_node_of_this_machine_has_a_local_socket() {
        let address = SocketAddr::from(([127, 9, 9, 9], own_port()));
        let entrance = listen(address).unwrap();
        assert!(listen(address).is_err());
        let stream = dial(address).unwrap();
        assert_eq!(peer(&stream).unwrap().pid as u32, std::process::id());
        let (accepted, _) = entrance.accept().unwrap();
        assert!(!has_ended(&stream));
        drop(accepted);
        assert!(has_ended(&stream));
        assert!(dial("192.0.2.1:1".parse().unwrap()).is_none());
    }

    #[test]
    fn a_server_pauses_after_each_client_that_it_could_not_accept() {
        let (client, _end) = UnixStream::pair().unwrap();
        let no_descriptor = || Err(io::Error::from_raw_os_error(libc::EMFILE));
        let arrivals = [no_descriptor(), Ok(client), no_descriptor()];
        let (mut pauses, mut served) = (0, 0);
        serve_arrivals(arrivals.into_iter(), || pauses += 1, |_| served += 1);
        assert_eq!((pauses, served), (2, 1));
    }

    #[test]
    fn connecting_to_a_socket_with_a_full_queue_ends_in_time() {
        let name = net::SocketAddr::from_abstract_name(format!(
            "outhaul/test/full/{}",
            std::process::id()
        ))
        .unwrap();
        let entrance = UnixListener::bind_addr(&name).unwrap();
        // SAFETY: the descriptor is open; the call makes its queue as short as possible.
        unsafe { libc::listen(entrance.as_raw_fd(), 0) };
        let start = std::time::Instant::now();
        let mut waiting = Vec::new();
        let refused = std::iter::repeat_with(|| connect(&name).map(|stream| waiting.push(stream)))
            .take(8)
            .find_map(Result::err);
        assert_eq!(refused.unwrap().kind(), io::ErrorKind::WouldBlock);
        assert!(start.elapsed() >= CONNECT_WAIT);
        assert_eq!(waiting[0].write_timeout().unwrap(), None);
    }

    #[test]
    fn a_socket_whose_queue_stayed_full_is_not_tried_again() {
        let address = SocketAddr::from(([127, 9, 9, 8], own_port()));
        let entrance = UnixListener::bind_addr(&name(address).unwrap()).unwrap();
        // SAFETY: the descriptor is open; the call makes its queue as short as possible.
        unsafe { libc::listen(entrance.as_raw_fd(), 0) };
        let waiting: Vec<UnixStream> = std::iter::from_fn(|| dial(address)).take(8).collect();
        assert!(waiting.len() < 8);
        waiting.iter().for_each(|_| drop(entrance.accept().unwrap()));
        assert!(dial(address).is_none() && connect(&name(address).unwrap()).is_ok());
    }

    #[test]
    fn a_node_on_every_address_is_found_at_each() {
        let _door = listen(SocketAddr::from(([0, 0, 0, 0], own_port()))).unwrap();
        assert!(dial(SocketAddr::from(([127, 0, 0, 1], own_port()))).is_some());
    }
}
