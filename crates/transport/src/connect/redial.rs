//! Connecting with a time limit, also to a machine that may come back at any moment. Linux
//! retransmits a lost connection request only after one second, then after two more. So `redial`
//! starts a further connection every 50 ms and takes the first that succeeds. A lost request then
//! costs little, and a slow one still succeeds.

use crate::os::tcp_options::tune;
use outhaul_abi::fd;
use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// Time between two connection requests.
const PAUSE: Duration = Duration::from_millis(50);
/// Upper bound on pending requests. At one per `PAUSE`, the oldest has had a second, more than a
/// round trip on a congested network.
const PENDING_MAX: usize = 20;

/// Connects to the first of `addresses` that accepts, and waits for each at most for `timeout`.
pub fn dial(addresses: &[SocketAddr], timeout: Duration) -> io::Result<TcpStream> {
    let mut last = no_address();
    for address in addresses {
        let connected = ask(*address).and_then(|socket| {
            first_of(&mut VecDeque::from([socket]), Instant::now() + timeout)?
                .ok_or_else(|| io::ErrorKind::TimedOut.into())
        });
        match connected {
            Ok(stream) => return tune(&stream).map(|()| stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn no_address() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "the name has no address")
}

/// Returns the first connection to any of `addresses` that succeeds within `limit`. Fails at once
/// if the machine answers with a refusal.
pub fn redial(addresses: &[SocketAddr], limit: Duration) -> io::Result<TcpStream> {
    let since = Instant::now();
    let mut pending = VecDeque::new();
    let mut last = io::Error::from(io::ErrorKind::TimedOut);
    for address in addresses.iter().cycle() {
        if since.elapsed() >= limit {
            return Err(last);
        }
        match ask(*address) {
            Ok(socket) => pending.push_back(socket),
            Err(error) if is_answer(&error) => return Err(error),
            Err(error) => last = error,
        }
        if pending.len() > PENDING_MAX {
            pending.pop_front();
        }
        let until = Instant::now() + PAUSE;
        match first_of(&mut pending, until) {
            Ok(Some(stream)) => return tune(&stream).map(|()| stream),
            Ok(None) => {}
            Err(error) if is_answer(&error) => return Err(error),
            Err(error) => {
                last = error;
                std::thread::sleep(until.saturating_duration_since(Instant::now()));
            }
        }
    }
    Err(no_address())
}

fn is_answer(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
    )
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Opens a non-blocking socket and starts to connect it.
fn ask(address: SocketAddr) -> io::Result<OwnedFd> {
    let family = if address.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: the call takes only numbers, and the descriptor has no other owner.
    let socket = unsafe { fd::owned(libc::socket(family, kind, 0)) }?;
    let connected = match address {
        SocketAddr::V4(v4) => {
            let name = libc::sockaddr_in {
                sin_family: libc::AF_INET as libc::sa_family_t,
                sin_port: v4.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(v4.ip().octets()) },
                sin_zero: [0; 8],
            };
            // SAFETY: the address is valid for reads of the length that is passed.
            check(unsafe {
                libc::connect(
                    socket.as_raw_fd(),
                    (&raw const name).cast(),
                    size_of_val(&name) as libc::socklen_t,
                )
            })
        }
        SocketAddr::V6(v6) => {
            let name = libc::sockaddr_in6 {
                sin6_family: libc::AF_INET6 as libc::sa_family_t,
                sin6_port: v6.port().to_be(),
                sin6_flowinfo: v6.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: v6.ip().octets() },
                sin6_scope_id: v6.scope_id(),
            };
            // SAFETY: as above.
            check(unsafe {
                libc::connect(
                    socket.as_raw_fd(),
                    (&raw const name).cast(),
                    size_of_val(&name) as libc::socklen_t,
                )
            })
        }
    };
    match connected {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(socket),
    }
}

/// Returns the first socket that connects before `until`. Removes the sockets that failed and
/// returns the error of one of them.
fn first_of(pending: &mut VecDeque<OwnedFd>, until: Instant) -> io::Result<Option<TcpStream>> {
    loop {
        let left_ms = until.saturating_duration_since(Instant::now()).as_millis() as libc::c_int;
        let entry = |socket: &OwnedFd| libc::pollfd {
            fd: socket.as_raw_fd(),
            events: libc::POLLOUT,
            revents: 0,
        };
        let mut entries: Vec<_> = pending.iter().map(entry).collect();
        // SAFETY: the entries live through the call.
        match unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, left_ms) } {
            0 => return Ok(None),
            found if found > 0 => {}
            // The program may have timers whose signals interrupt every wait.
            _ if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => continue,
            _ => return Err(io::Error::last_os_error()),
        }
        let mut failed = None;
        for index in (0..entries.len()).rev().filter(|index| entries[*index].revents != 0) {
            let Some(socket) = pending.remove(index) else { continue };
            let stream = TcpStream::from(socket);
            match stream.take_error()? {
                None => return stream.set_nonblocking(false).map(|()| Some(stream)),
                error => failed = error,
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Far longer than a call takes that does not wait.
    const WAIT: Duration = Duration::from_secs(60);

    #[test]
    fn a_machine_that_is_there_answers_or_refuses_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let since = Instant::now();
        for call in [dial, redial] {
            let stream = call(&[address], WAIT).unwrap();
            assert_eq!(listener.accept().unwrap().1, stream.local_addr().unwrap());
        }
        drop(listener);
        for call in [dial, redial] {
            let refused = call(&[address], WAIT).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        }
        assert!(since.elapsed() < WAIT);
    }

    /// A full accept queue drops requests, as a broken network does.
    #[test]
    fn a_lost_connection_is_dialed_again_soon() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        // SAFETY: the descriptor is open and listens; a second call only changes the queue's
        // length.
        check(unsafe { libc::listen(listener.as_raw_fd(), 0) }).unwrap();
        let address = listener.local_addr().unwrap();
        let _queued = TcpStream::connect(address).unwrap();
        assert_eq!(
            redial(&[address], Duration::from_millis(300)).unwrap_err().kind(),
            io::ErrorKind::TimedOut
        );
        let calling = std::thread::spawn(move || {
            redial(&[address], Duration::from_secs(10)).map(|_| Instant::now())
        });
        std::thread::sleep(Duration::from_millis(500));
        let back = Instant::now();
        listener.accept().unwrap();
        let late = calling.join().unwrap().unwrap() - back;
        assert!(
            late < Duration::from_millis(400),
            "{late:?}: the system itself asks again after a second"
        );
    }
}
