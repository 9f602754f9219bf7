//! TCP socket options.

use crate::os::tcp_info::{FAR_MIN, round_trip};
use std::io;
use std::net::{IpAddr, TcpStream};
use std::os::fd::AsRawFd;

/// Name of the congestion control algorithm that paces packets at a measured rate.
///
/// On one machine the algorithm hurts. Short bursts that wait for answers show it only a low rate,
/// so it limits the connection to a fraction of its speed. On a network, the algorithm keeps
/// shallow queues from overflowing. After a pause, it continues at the known rate, whereas other
/// algorithms start anew, which costs several round trips.
const PACED: &[u8] = b"bbr";
/// Names of congestion control algorithms without pacing; Linux decides which of them a process may
/// choose.
const UNPACED: [&[u8]; 2] = [b"cubic", b"reno"];
const CONGESTION_NAME_BYTES: usize = 16;
const KEEPALIVE_IDLE_SECONDS: i32 = 4;
const KEEPALIVE_INTERVAL_SECONDS: i32 = 2;
const KEEPALIVE_PROBES: i32 = 2;

/// Number of connections that may wait to be accepted. Programs that start together open six each,
/// and more on far networks. Linux may allow fewer.
const QUEUE_MAX: i32 = 4096;

/// Lets `QUEUE_MAX` connections wait on a listener, as far as Linux allows.
pub fn take_bursts(listener: &impl AsRawFd) -> io::Result<()> {
    // SAFETY: the descriptor is open and listens; a second call only changes the queue's length.
    if unsafe { libc::listen(listener.as_raw_fd(), QUEUE_MAX) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Receives into `out`. Returns the number of bytes.
pub fn receive(stream: &TcpStream, out: &mut [u8], flags: i32) -> io::Result<usize> {
    // SAFETY: the descriptor is open and the buffer has the length that is passed.
    let count =
        unsafe { libc::recv(stream.as_raw_fd(), out.as_mut_ptr().cast(), out.len(), flags) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Sets options: no delay for small frames, and keepalive that notices a dead peer within seconds.
/// Turns pacing on if the other end is far, and off if it is on this machine.
pub fn tune(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    if is_one_machine(stream.local_addr()?.ip(), stream.peer_addr()?.ip()) {
        unpace(stream);
    } else if round_trip(stream).is_some_and(|time| time >= FAR_MIN) {
        // The call succeeds only if Linux lets processes choose this algorithm.
        choose(stream, PACED);
    }
    let set = |level: i32, option: i32, value: i32| {
        let length = size_of::<i32>() as libc::socklen_t;
        // SAFETY: the descriptor is open, and the value is an int, as these options require.
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

/// Returns whether both addresses belong to one machine.
pub fn is_one_machine(here: IpAddr, there: IpAddr) -> bool {
    here == there || there.is_loopback()
}

/// Turns pacing off if Linux's default algorithm paces. A different default is an administrator's
/// decision and remains.
fn unpace(stream: &TcpStream) {
    if congestion_control(stream).starts_with(PACED) {
        let _ = UNPACED.into_iter().any(|name| choose(stream, name));
    }
}

/// Chooses the congestion control algorithm `name`. Returns whether Linux allows it.
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

/// Returns the name of the connection's congestion control algorithm, padded with zeros.
fn congestion_control(stream: &TcpStream) -> [u8; CONGESTION_NAME_BYTES] {
    let mut name = [0; CONGESTION_NAME_BYTES];
    let mut length = name.len() as libc::socklen_t;
    // SAFETY: the descriptor is open, and Linux writes at most `length` bytes, the size of the
    // local.
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
            // Without the algorithm this test proves nothing, but then pacing cannot occur.
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
