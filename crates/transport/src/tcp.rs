//! Lanes over TCP, sealed or not.

use crate::checked::Writing;
use crate::incoming::Reading;
use crate::lane::{Lane, LaneReader, LaneWriter};
use crate::life::LifeLine;
use crate::line::{Bell, Grace, Line};
use crate::look::SHORT;
use crate::pace::{FAR_MIN, PaceMeter, round_trip};
use crate::pipe::Pipe;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

/// Congestion control that spreads what is sent over the rate that it has seen: bursts that wait
/// for answers let it see little, and a connection of this machine to itself is held to a fraction
/// of what it carries. On a network it is what keeps shallow queues from running over; and it goes
/// on at the rate that it knows after a pause, where others begin anew, which costs several round
/// trips.
const PACED: &[u8] = b"bbr";
/// Which of these a process may choose is the system's to say.
const UNPACED: [&[u8]; 2] = [b"cubic", b"reno"];
const CONGESTION_NAME_BYTES: usize = 16;
const KEEPALIVE_IDLE_SECONDS: i32 = 4;
const KEEPALIVE_INTERVAL_SECONDS: i32 = 2;
const KEEPALIVE_PROBES: i32 = 2;

/// Connections that wait to be taken in: programs that start together open six each, far ones more.
/// The system may allow fewer.
const QUEUE_MAX: i32 = 4096;

/// A listener keeps so many waiting, as far as the system lets it.
pub fn take_bursts(listener: &impl AsRawFd) -> io::Result<()> {
    // SAFETY: an open descriptor that listens; listening again changes how many may wait.
    if unsafe { libc::listen(listener.as_raw_fd(), QUEUE_MAX) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// A connection to the first of the addresses that takes one.
pub fn dial(addresses: &[SocketAddr], timeout: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in addresses {
        match TcpStream::connect_timeout(address, timeout) {
            Ok(stream) => {
                tune(&stream)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// `bell` rings when its connection breaks, and another may take its place within the grace.
pub fn lane(pipe: impl Into<Pipe>, grace: Grace, bell: Arc<Bell>) -> Lane {
    let line = Line::new(pipe.into(), grace, bell);
    let reader = LaneReader::new(Box::new(Reading::new(line.clone())), SHORT);
    let writer = LaneWriter::new(Box::new(Writing::new(line.clone())));
    let life = LifeLine::new(writer.way(), line.clone());
    let meter = Some(PaceMeter::new(line.clone()));
    Lane { reader, writer, life, memory_socket: None, meter, line: Some(line), detour: None }
}

pub fn receive(stream: &TcpStream, out: &mut [u8], flags: i32) -> io::Result<usize> {
    // SAFETY: the descriptor is open and the buffer has the length that is passed.
    let count =
        unsafe { libc::recv(stream.as_raw_fd(), out.as_mut_ptr().cast(), out.len(), flags) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// No delay for small frames, no pacing where the other end is on this machine and pacing where it
/// is far, and a dead peer noticed within seconds.
pub fn tune(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    if is_one_machine(stream.local_addr()?.ip(), stream.peer_addr()?.ip()) {
        unpace(stream);
    } else if round_trip(stream).is_some_and(|time| time >= FAR_MIN) {
        // Where the system lets its processes choose it.
        choose(stream, PACED);
    }
    let set = |level: i32, option: i32, value: i32| {
        let length = size_of::<i32>() as libc::socklen_t;
        // SAFETY: the descriptor is open, and the value is an int as these options want.
        let result = unsafe {
            libc::setsockopt(stream.as_raw_fd(), level, option, (&raw const value).cast(), length)
        };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    set(libc::SOL_SOCKET, libc::SO_KEEPALIVE, 1)?;
    set(libc::IPPROTO_TCP, libc::TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS)?;
    set(libc::IPPROTO_TCP, libc::TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS)?;
    set(libc::IPPROTO_TCP, libc::TCP_KEEPCNT, KEEPALIVE_PROBES)
}

pub fn is_one_machine(here: IpAddr, there: IpAddr) -> bool {
    here == there || there.is_loopback()
}

/// Where the system's choice is a paced one. Another is somebody's decision, and stays.
fn unpace(stream: &TcpStream) {
    if congestion_control(stream).starts_with(PACED) {
        let _ = UNPACED.into_iter().any(|name| choose(stream, name));
    }
}

/// Whether the system lets it.
fn choose(stream: &TcpStream, name: &[u8]) -> bool {
    let length = name.len() as libc::socklen_t;
    // SAFETY: the descriptor is open, and the name has the length that is passed.
    unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_CONGESTION,
            name.as_ptr().cast(),
            length,
        ) == 0
    }
}

/// The name, and zeros behind it.
fn congestion_control(stream: &TcpStream) -> [u8; CONGESTION_NAME_BYTES] {
    let mut name = [0; CONGESTION_NAME_BYTES];
    let mut length = name.len() as libc::socklen_t;
    // SAFETY: the descriptor is open, and the kernel writes no more than the length that is passed.
    unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_CONGESTION,
            name.as_mut_ptr().cast(),
            &mut length,
        )
    };
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_network_is_between_two_addresses() {
        let is_one = |here: &str, there: &str| {
            is_one_machine(here.parse().expect("an address"), there.parse().expect("an address"))
        };
        assert!(
            is_one("127.0.0.1", "127.0.0.1")
                && is_one("10.0.0.1", "10.0.0.1")
                && is_one("::1", "::1")
        );
        assert!(!is_one("10.0.0.1", "10.0.0.2") && !is_one("fe80::1", "fe80::2"));
    }

    #[test]
    fn both_ends_of_a_connection_on_one_machine_are_not_paced() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let near =
            TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
        let (far, _) = listener.accept().expect("the other end");
        for end in [near, far] {
            // Without the algorithm this shows nothing, and a system without it has nothing to
            // show.
            choose(&end, PACED);
            let before = congestion_control(&end);
            tune(&end).expect("options that Linux has");
            let after = congestion_control(&end);
            assert!(!after.starts_with(PACED), "{}", String::from_utf8_lossy(&after));
            assert!(
                before == after || before.starts_with(PACED),
                "a choice that is not paced stays"
            );
        }
    }
}
