//! Linux's measurements of a TCP connection.

use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// The beginning of Linux's `struct tcp_info`; libc's version ends with the fields of 2015.
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

/// Shortest round-trip time of a far network, on which one connection cannot have enough bytes in
/// flight.
pub const FAR_MIN: Duration = Duration::from_millis(5);

/// Returns the connection's shortest round-trip time so far. Returns None if Linux does not provide
/// or has not measured the time.
pub fn round_trip(stream: &TcpStream) -> Option<Duration> {
    let us = TcpInfo::of(stream)?.round_trip_us_min;
    (us != u32::MAX).then(|| Duration::from_micros(us.into()))
}

/// Index of `tcpi_unacked` in `windows_and_times`.
const UNACKED: usize = 4;

impl TcpInfo {
    /// Reads the figures of a connection. Returns None if Linux does not provide all fields.
    pub fn of(stream: &TcpStream) -> Option<TcpInfo> {
        let mut info = TcpInfo::default();
        let mut length = size_of::<TcpInfo>() as libc::socklen_t;
        // SAFETY: the descriptor is open, and Linux writes at most `length` bytes, the size of the
        // local.
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

    /// Returns the number of received bytes.
    pub fn bytes_received(&self) -> u64 {
        self.bytes_received
    }

    /// Returns the number of bytes that the other side has acknowledged.
    pub fn bytes_acked(&self) -> u64 {
        self.bytes_acked
    }

    /// Returns whether the other side has not acknowledged all sent data.
    pub fn is_unacknowledged(&self) -> bool {
        self.windows_and_times[UNACKED] > 0
    }
}
