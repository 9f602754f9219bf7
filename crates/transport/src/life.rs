//! Signs of life. A lane whose other side is a process that was stopped, or whose way swallows
//! everything, looks like one on which nothing happens to be said. So each side says a beat on its
//! lanes every so often, a frame without a meaning, and looks whether anything has come. What has
//! come is the kernel's to know, read or not, and time is counted in looks: a process that was
//! stopped for an hour does not take its own silence for the other side's. Deliberately absent:
//! TCP_USER_TIMEOUT, which ends connections whose other side does not read for a while.
//! Back-pressure does that, and so does a debugger.

use crate::lane::Way;
use crate::pace::TcpInfo;
use outhaul_wire::frame::BEAT;
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// From one look, and one beat, to the next. TCP comes back from a cut of five seconds in just over
/// six, and a word is to come within ten.
pub const TICK: Duration = Duration::from_secs(1);
/// Looks in a row that find nothing new.
const SILENT_TICKS_MAX: u32 = 8;
/// Where another connection would take the place of the silent one, little is lost by a mistake.
const SILENT_TICKS_OF_PATIENT_MAX: u32 = 2;
/// Looks in a row between which nothing comes on any lane though the other side lives: the two
/// sides' ticks are not in step.
const MISSED_TICKS_MAX: u32 = 1;
/// How long a lane has been silent at least when that is said.
pub const SILENCE_MAX: Duration = Duration::from_secs(TICK.as_secs() * SILENT_TICKS_MAX as u64);

/// What has come on a lane.
pub struct Heard {
    /// A count that changes with each byte.
    pub count: u64,
    /// Some of it lies there still: whoever reads is behind, and what is behind that cannot be
    /// known.
    pub unread: bool,
}

/// The receiving end of a lane, beside whoever reads from it.
pub trait Ear: Send + Sync {
    fn heard(&self) -> Heard;

    /// Ends the connection: whoever reads or writes goes on with an error.
    fn cut(&self);

    /// Gives the connection up. Whether another one takes its place; the lane ends otherwise only
    /// when it is cut.
    fn interrupt(&self) -> bool {
        false
    }

    /// Whether it would.
    fn is_patient(&self) -> bool {
        false
    }

    /// Says that the lane ends in order, where the other side would wait for another connection.
    /// False if it cannot be said now, and may be later.
    fn say_goodbye(&self) -> bool {
        true
    }
}

impl Ear for TcpStream {
    fn heard(&self) -> Heard {
        let mut unread = 0;
        // SAFETY: the descriptor is open, and the request writes an int.
        let asked = unsafe { libc::ioctl(self.as_raw_fd(), libc::FIONREAD, &raw mut unread) };
        match TcpInfo::of(self) {
            Some(info) if asked == 0 => Heard { count: info.bytes_received(), unread: unread > 0 },
            // Of a kernel that does not tell nobody is accused.
            _ => Heard { count: 0, unread: true },
        }
    }

    fn cut(&self) {
        let _ = self.shutdown(Shutdown::Both);
    }
}

/// A lane, for whoever says beats on it and looks for them.
#[derive(Clone)]
pub struct LifeLine {
    way: Arc<Way>,
    ear: Arc<dyn Ear>,
    used: Arc<AtomicBool>,
    /// What had come when this was made.
    count: u64,
}

impl LifeLine {
    pub(crate) fn new(way: Arc<Way>, ear: Arc<dyn Ear>) -> LifeLine {
        let count = ear.heard().count;
        LifeLine { way, ear, used: Arc::default(), count }
    }

    /// The lane is used from now on, and the other side is to know. A lane on which something comes
    /// is used too.
    pub fn begin(&self) {
        self.used.store(true, Relaxed);
        self.beat();
    }

    fn beat(&self) {
        self.way.write_if_free(&BEAT);
    }

    pub fn cut(&self) {
        self.ear.cut();
    }

    /// The lane has been silent for too long. Whether another connection takes the place of this
    /// one.
    pub fn interrupt(&self) -> bool {
        self.ear.interrupt()
    }

    /// The lane ends in order, since its process does. False if that cannot be said now, and may be
    /// later.
    pub fn say_goodbye(&self) -> bool {
        self.ear.say_goodbye()
    }
}

/// What is done with a lane.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Both,
    Speaks,
    Hears,
}

/// Whose silence says what.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// The other side says beats whatever happens.
    None,
    /// The other side may have been stopped by its user. A lane that is silent while others are not
    /// is held up somewhere.
    Whole,
}

struct Watched {
    line: LifeLine,
    role: Role,
    count: u64,
    silent_ticks: u32,
}

/// All lanes of a session. Somebody calls `tick` as often as it says.
pub struct Watch {
    lanes: Vec<Watched>,
    patience: Patience,
    /// Looks since something came on any lane.
    missed_ticks: u32,
}

impl Watch {
    pub fn new(lanes: impl IntoIterator<Item = (LifeLine, Role)>, patience: Patience) -> Watch {
        let watched = |(line, role): (LifeLine, Role)| Watched {
            count: line.count,
            line,
            role,
            silent_ticks: 0,
        };
        Watch { lanes: lanes.into_iter().map(watched).collect(), patience, missed_ticks: 0 }
    }

    /// Says beats, and gives the number of a lane that has been silent for too long.
    pub fn tick(&mut self) -> Option<usize> {
        let heard: Vec<Heard> = self.lanes.iter().map(|lane| lane.line.ear.heard()).collect();
        let anything = self.lanes.iter().zip(&heard).any(|(lane, heard)| lane.count != heard.count);
        let ticks = self.ticks_of_silence(anything);
        for (lane, heard) in self.lanes.iter_mut().zip(heard) {
            let news = lane.count != heard.count;
            lane.count = heard.count;
            if news {
                lane.line.used.store(true, Relaxed);
            }
            if news || heard.unread || !lane.is_used() {
                lane.silent_ticks = 0;
            } else {
                lane.silent_ticks += ticks;
            }
            if lane.is_used() && lane.role != Role::Hears {
                lane.line.beat();
            }
        }
        self.lanes.iter().position(|lane| {
            lane.role != Role::Speaks && lane.silent_ticks >= lane.silent_ticks_max()
        })
    }

    /// For how long nothing has come on any lane, where that alone ends nothing.
    pub fn silent_for(&self) -> Duration {
        TICK * self.missed_ticks
    }

    /// For how many looks a lane on which nothing has come counts as silent.
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
        if self.line.ear.is_patient() { SILENT_TICKS_OF_PATIENT_MAX } else { SILENT_TICKS_MAX }
    }
}

#[cfg(test)]
mod tests;
