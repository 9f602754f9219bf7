//! Linux's measurements of a TCP connection.

use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// The beginning of Linux's `struct tcp_info`; the one in libc ends with the fields of 2015.
#[repr(C)]
#[derive(Default)]
pub(crate) struct TcpInfo {
    states: [u8; 8],
    windows_and_times: [u32; 24],
    pacing_rates: [u64; 2],
    pub bytes_acked: u64,
    bytes_received: u64,
    segments: [u32; 3],
    pub round_trip_us_min: u32,
    data_segments: [u32; 2],
    pub bytes_per_s: u64,
    pub busy_us: u64,
    pub held_up_us: u64,
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
