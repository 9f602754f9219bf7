//! Measuring a connection's past speed. Linux counts the bytes that the other side has
//! acknowledged, and the time in which there was unacknowledged data.

use crate::network::line::Line;
use crate::os::tcp_info::TcpInfo;
use crate::os::tcp_options::is_one_machine;
use std::net::TcpStream;
use std::sync::Arc;

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
    /// Part of the busy time in which the other side's receive window was full, in microseconds.
    pub held_up_us: u64,
    /// Recent rate while the connection was the bottleneck, in bytes per second.
    pub bytes_per_s: u64,
    /// Shortest round-trip time so far, in microseconds.
    pub round_trip_us_min: u32,
}

impl PaceMeter {
    /// Makes a meter for the line's present connection, whichever that is.
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

    /// Returns the present connection's figures. Returns None without a connection, or if Linux
    /// does not provide the figures.
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
    fn the_meter_measures_the_time_of_delivery() {
        const BYTES: usize = 8 << 20;
        /// Linux counts the busy time in its own ticks, so one round may see no time pass.
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
