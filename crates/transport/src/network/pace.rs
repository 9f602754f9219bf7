//! Measuring how fast a connection has been. Linux knows how much the other side has acknowledged,
//! and for how long there was unacknowledged data.

use crate::connect::connection::Connection;
use crate::network::line::Line;
use crate::network::tcp::is_one_machine;
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

/// Measures a lane over TCP, with or without TLS.
#[derive(Clone)]
pub struct PaceMeter(Arc<Line>);

/// Figures that Linux has measured on a connection.
#[derive(Clone, Copy, Default, Debug)]
pub struct Pace {
    /// Bytes that the other side has acknowledged.
    pub delivered_bytes: u64,
    /// Time in which there was unacknowledged data, in microseconds.
    pub busy_us: u64,
    /// Part of that time in which the other side's receive window was full.
    pub held_up_us: u64,
    /// Recent rate while the connection was the limit.
    pub bytes_per_s: u64,
    /// Shortest round trip so far, in microseconds.
    pub round_trip_us_min: u32,
}

/// The beginning of Linux's `struct tcp_info`; the one in libc ends with the fields of 2015.
#[repr(C)]
#[derive(Default)]
pub(crate) struct TcpInfo {
    states: [u8; 8],
    windows_and_times: [u32; 24],
    pacing_rates: [u64; 2],
    bytes_acked: u64,
    bytes_received: u64,
    segments: [u32; 3],
    round_trip_us_min: u32,
    data_segments: [u32; 2],
    bytes_per_s: u64,
    busy_us: u64,
    held_up_us: u64,
}

/// Shortest round trip of a network that counts as far: there, more bytes are in flight than one
/// connection may have in flight.
pub const FAR_MIN: Duration = Duration::from_millis(5);

/// Returns the shortest round trip so far. Returns None if Linux does not provide it, or has not
/// measured one.
pub fn round_trip(stream: &TcpStream) -> Option<Duration> {
    let us = TcpInfo::of(stream)?.round_trip_us_min;
    (us != u32::MAX).then(|| Duration::from_micros(us.into()))
}

impl Connection {
    /// Returns the shortest round trip so far.
    pub(crate) fn round_trip(&self) -> Option<Duration> {
        match self {
            Connection::Tcp(stream) => round_trip(stream),
            Connection::Tls(tls) => round_trip(&tls.stream),
            Connection::Local(..) => None,
        }
    }
}

/// Index of `tcpi_unacked` among the numbers after the states.
const UNACKED: usize = 4;

impl TcpInfo {
    /// Returns None if Linux does not provide all fields.
    pub fn of(stream: &TcpStream) -> Option<TcpInfo> {
        let mut info = TcpInfo::default();
        let mut length = size_of::<TcpInfo>() as libc::socklen_t;
        // SAFETY: the descriptor is open, and the kernel writes no more than the length that is
        // passed.
        let result = unsafe {
            libc::getsockopt(
                stream.as_raw_fd(),
                libc::IPPROTO_TCP,
                libc::TCP_INFO,
                (&raw mut info).cast(),
                &mut length,
            )
        };
        (result == 0 && length as usize == size_of::<TcpInfo>()).then_some(info)
    }

    /// Returns the number of bytes that have arrived.
    pub fn bytes_received(&self) -> u64 {
        self.bytes_received
    }

    /// Returns the number of bytes that the other side has acknowledged.
    pub fn bytes_acked(&self) -> u64 {
        self.bytes_acked
    }

    /// Returns whether there is sent data that the other side has not acknowledged.
    pub fn is_unacknowledged(&self) -> bool {
        self.windows_and_times[UNACKED] > 0
    }
}

impl PaceMeter {
    /// Measures whichever connection the line has.
    pub fn new(line: Arc<Line>) -> PaceMeter {
        PaceMeter(line)
    }

    /// Returns whether the other end is this machine, as far as its address shows.
    pub fn is_at_home(&self) -> bool {
        let ends = |stream: Arc<TcpStream>| {
            Some((stream.local_addr().ok()?.ip(), stream.peer_addr().ok()?.ip()))
        };
        self.0.stream().and_then(ends).is_some_and(|(here, there)| is_one_machine(here, there))
    }

    /// Returns the figures of the present connection. Returns None if there is none, or if Linux
    /// does not provide them.
    pub fn read(&self) -> Option<Pace> {
        let info = TcpInfo::of(&*self.0.stream()?)?;
        let TcpInfo {
            bytes_acked: delivered_bytes,
            busy_us,
            held_up_us,
            bytes_per_s,
            round_trip_us_min,
            ..
        } = info;
        Some(Pace { delivered_bytes, busy_us, held_up_us, bytes_per_s, round_trip_us_min })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::line::Grace;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    #[test]
    fn what_was_sent_has_been_delivered_in_some_time() {
        const BYTES: usize = 8 << 20;
        /// Linux counts the time in its ticks, so one round may see none.
        const ROUNDS_MAX: u64 = 1000;
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut sender =
            TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
        let (mut receiver, _) = listener.accept().expect("the other end");
        let meter = PaceMeter::new(Line::new(
            sender.try_clone().expect("another handle").into(),
            Grace::NONE,
            Arc::default(),
        ));
        for round in 1..=ROUNDS_MAX {
            std::thread::scope(|scope| {
                scope.spawn(|| receiver.read_exact(&mut vec![0; BYTES]).expect("all came"));
                sender.write_all(&vec![1; BYTES]).expect("sent");
            });
            let pace = meter.read().expect("Linux tells");
            // The last acknowledgement may be late. Linux also counts the handshake's byte.
            let sent = round * BYTES as u64;
            let delivered = sent - BYTES as u64 / 2..=sent + 1;
            assert!(delivered.contains(&pace.delivered_bytes), "{pace:?}");
            assert!(pace.round_trip_us_min < 1_000_000, "{pace:?}");
            if pace.busy_us > 0 {
                return;
            }
        }
        panic!("no time was counted");
    }
}
