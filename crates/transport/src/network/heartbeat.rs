//! Heartbeats. A lane whose other process was stopped, or whose network drops everything, looks
//! like a lane with nothing to send. So each side regularly sends a heartbeat, an empty frame, on
//! its lanes, and checks whether anything has arrived.
//!
//! Linux counts the bytes that have arrived, read or not. This module counts silence in checks, not
//! in time. So a process that was stopped for an hour does not mistake its own silence for the
//! other side's.
//!
//! Deliberately absent: TCP_USER_TIMEOUT, which ends connections whose other side does not read for
//! a while. The other side also stops reading under back-pressure or in a debugger.

use crate::network::source_and_sink::FrameSink;
use crate::os::tcp_info::TcpInfo;
use outhaul_wire::frame::BEAT;
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Interval of checks and heartbeats. TCP recovers from an interruption of five seconds in just
/// over six, and a silent lane must be reported within ten.
pub const TICK: Duration = Duration::from_secs(1);
/// Number of consecutive checks without new data after which a lane counts as silent.
const SILENT_TICKS_MAX: u32 = 8;
/// The value of `SILENT_TICKS_MAX` for a lane whose silent connection would be replaced, so that a
/// mistake costs little.
const SILENT_TICKS_OF_PATIENT_MAX: u32 = 2;
/// Largest number of consecutive checks that find nothing on any lane although the other side is
/// alive. The two sides' ticks are not in step.
const MISSED_TICKS_MAX: u32 = 1;
/// Shortest silence that is reported.
pub const SILENCE_MAX: Duration = Duration::from_secs(TICK.as_secs() * SILENT_TICKS_MAX as u64);

/// State of a lane's received data.
pub struct Received {
    /// A count that changes with each byte.
    pub count: u64,
    /// Whether some of the data is still unread. The reader is late then, so a lack of new data
    /// does not prove silence.
    pub unread: bool,
}

/// The receiving end of a lane, which is independent of the lane's reader.
pub trait ReceivingEnd: Send + Sync {
    /// Returns the state of the received data.
    fn received(&self) -> Received;

    /// Ends the connection: readers and writers return with an error.
    fn cut(&self);

    /// Gives the connection up. Returns whether another connection replaces it; otherwise the lane
    /// ends only when `cut` is called.
    fn interrupt(&self) -> bool {
        false
    }

    /// Returns whether another connection would replace this one.
    fn is_patient(&self) -> bool {
        false
    }

    /// Tells the other side that the lane ends in order, if that side would otherwise wait for
    /// another connection. Returns false if the message cannot be sent now, but perhaps later.
    fn send_goodbye(&self) -> bool {
        true
    }
}

impl ReceivingEnd for TcpStream {
    fn received(&self) -> Received {
        let mut unread = 0;
        // SAFETY: the descriptor is open, and the request writes an int.
        let asked = unsafe { libc::ioctl(self.as_raw_fd(), libc::FIONREAD, &raw mut unread) };
        match TcpInfo::of(self) {
            Some(info) if asked == 0 => {
                Received { count: info.bytes_received(), unread: unread > 0 }
            }
            // If Linux does not count bytes, nothing suggests that the other side is silent.
            _ => Received { count: 0, unread: true },
        }
    }

    fn cut(&self) {
        let _ = self.shutdown(Shutdown::Both);
    }
}

/// A lane, as the sender and checker of heartbeats sees it.
#[derive(Clone)]
pub struct LifeLine {
    way: Arc<FrameSink>,
    receiving_end: Arc<dyn ReceivingEnd>,
    used: Arc<AtomicBool>,
    /// The lane's byte count when this `LifeLine` was made.
    count: u64,
}

impl LifeLine {
    /// Makes the heartbeat of a lane from its sink and its receiving end.
    pub(crate) fn new(way: Arc<FrameSink>, receiving_end: Arc<dyn ReceivingEnd>) -> LifeLine {
        let count = receiving_end.received().count;
        LifeLine { way, receiving_end, used: Arc::default(), count }
    }

    /// Starts heartbeats on the lane and sends the first one. A lane on which data arrives counts
    /// as used too.
    pub fn begin(&self) {
        self.used.store(true, Relaxed);
        self.beat();
    }

    fn beat(&self) {
        self.way.write_if_free(&BEAT);
    }

    /// Ends the connection.
    pub fn cut(&self) {
        self.receiving_end.cut();
    }

    /// Gives up the connection, which has been silent for too long. Returns whether another
    /// connection replaces it.
    pub fn interrupt(&self) -> bool {
        self.receiving_end.interrupt()
    }

    /// Tells the other side that the lane ends in order, because this process ends. Returns false
    /// if the message cannot be sent now, but perhaps later.
    pub fn send_goodbye(&self) -> bool {
        self.receiving_end.send_goodbye()
    }
}

/// The directions of a lane that have heartbeats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// This side sends heartbeats and checks the other side's.
    Both,
    /// This side only sends.
    Sends,
    /// This side only checks.
    Checks,
}

/// The lanes that may be silent without a report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// No lane, because the other side sends heartbeats at all times.
    None,
    /// All lanes together, because the user may have stopped the other side. A lane that is silent
    /// while others are not is reported.
    Whole,
}

struct Watched {
    line: LifeLine,
    role: Role,
    count: u64,
    silent_ticks: u32,
}

/// All lanes of a session. The caller calls `tick` once in each `TICK`.
pub struct Watch {
    lanes: Vec<Watched>,
    patience: Patience,
    /// Number of checks since data last arrived on any lane.
    missed_ticks: u32,
}

impl Watch {
    /// Watches the lanes.
    pub fn new(lanes: impl IntoIterator<Item = (LifeLine, Role)>, patience: Patience) -> Watch {
        let watched = |(line, role): (LifeLine, Role)| Watched {
            count: line.count,
            line,
            role,
            silent_ticks: 0,
        };
        Watch { lanes: lanes.into_iter().map(watched).collect(), patience, missed_ticks: 0 }
    }

    /// Sends heartbeats. Returns the index of a lane that has been silent for too long, if any.
    pub fn tick(&mut self) -> Option<usize> {
        let received: Vec<Received> =
            self.lanes.iter().map(|lane| lane.line.receiving_end.received()).collect();
        let anything =
            self.lanes.iter().zip(&received).any(|(lane, received)| lane.count != received.count);
        let ticks = self.ticks_of_silence(anything);
        for (lane, received) in self.lanes.iter_mut().zip(received) {
            let news = lane.count != received.count;
            lane.count = received.count;
            if news {
                lane.line.used.store(true, Relaxed);
            }
            if news || received.unread || !lane.is_used() {
                lane.silent_ticks = 0;
            } else {
                lane.silent_ticks += ticks;
            }
            if lane.is_used() && lane.role != Role::Checks {
                lane.line.beat();
            }
        }
        self.lanes.iter().position(|lane| {
            lane.role != Role::Sends && lane.silent_ticks >= lane.silent_ticks_max()
        })
    }

    /// Returns how long all lanes together have been silent. Always zero with `Patience::None`.
    pub fn silent_for(&self) -> Duration {
        TICK * self.missed_ticks
    }

    /// Returns the number of checks to add to a silent lane's silence.
    fn ticks_of_silence(&mut self, anything: bool) -> u32 {
        if self.patience == Patience::None {
            return 1;
        }
        if !anything {
            self.missed_ticks += 1;
            return 0;
        }
        let missed = std::mem::take(&mut self.missed_ticks);
        if missed <= MISSED_TICKS_MAX { 1 + missed } else { 1 }
    }
}

impl Watched {
    fn is_used(&self) -> bool {
        self.line.used.load(Relaxed)
    }

    fn silent_ticks_max(&self) -> u32 {
        if self.line.receiving_end.is_patient() {
            SILENT_TICKS_OF_PATIENT_MAX
        } else {
            SILENT_TICKS_MAX
        }
    }
}

#[cfg(test)]
mod tests;
