//! Where a line stands: open, broken or over, what has come by it, and what follows from what
//! happens to it. Deliberately absent: sockets, locks, clocks. It is told the time and what
//! happened; what is to be done about it lies in its [`Actions`], which whoever owns the connection
//! takes after each step.

use crate::checked::Word;
use std::io;
use std::time::{Duration, Instant};

/// The other side is told at least that often how much has come, in bytes. Each time wakes whoever
/// reads there: every 256 KiB cost copies of 1 MiB a tenth.
const TOLD_BYTES: u64 = 2 << 20;
/// And with what is sent anyway.
const TOLD_ALONG_BYTES: u64 = 16 << 10;
/// Connections in a row that may spoil what they bring before any has brought a record or a word
/// whole: the way itself is faulty then.
pub(super) const SPOILT_MAX: u32 = 5;

/// How long a broken line waits for another connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace {
    pub broken: Duration,
    /// Where the other side ended the connection in order, as the system does for a process that is
    /// gone.
    pub ended: Duration,
}

impl Grace {
    pub const NONE: Grace = Grace { broken: Duration::ZERO, ended: Duration::ZERO };

    pub fn of(time: Duration) -> Grace {
        Grace { broken: time, ended: time }
    }

    fn after(&self, cause: &io::Error) -> Duration {
        if cause.kind() == io::ErrorKind::UnexpectedEof { self.ended } else { self.broken }
    }
}

enum Way {
    Open,
    Broken { cause: io::Error, since: Instant },
    Over(io::Error),
}

/// A line that takes nothing more from the connection that it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frozen {
    /// How much has come.
    pub received: u64,
    /// Of the connection to come. Another attempt makes it one that does not come.
    generation: u64,
}

impl Frozen {
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }
}

/// What is to be done because of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Actions {
    /// The connection is given up: nothing is read from it or written to it any more.
    pub close: bool,
    /// Whoever waits for the line looks again.
    pub wake: bool,
    /// Whoever makes new connections looks again.
    pub ring: bool,
}

pub(super) struct Standing {
    grace: Grace,
    way: Way,
    /// Of the connection: grows when one breaks, and with each attempt to have another.
    generation: u64,
    /// All before this position has come.
    received: u64,
    /// What the other side was told of that.
    told: u64,
    /// What the other side says that it has.
    acknowledged: u64,
    /// The last call for another connection that was answered.
    attempt: u64,
    /// Connections that spoilt what they brought, since anything came whole.
    spoilt: u32,
    actions: Actions,
}

/// An error again.
fn again(cause: &io::Error) -> io::Error {
    let by_kind = || io::Error::new(cause.kind(), cause.to_string());
    cause.raw_os_error().map_or_else(by_kind, io::Error::from_raw_os_error)
}

impl Standing {
    /// Of an open line.
    pub fn new(grace: Grace) -> Standing {
        Standing {
            grace,
            way: Way::Open,
            generation: 0,
            received: 0,
            told: 0,
            acknowledged: 0,
            attempt: 0,
            spoilt: 0,
            actions: Actions::default(),
        }
    }

    /// Whether it outlasts a connection at all.
    pub fn is_patient(&self) -> bool {
        self.grace != Grace::NONE
    }

    pub fn generation(&self) -> u64 {
        self.generation
    }

    pub fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// An error that says why, if the line is over.
    pub fn not_over(&self) -> io::Result<()> {
        match &self.way {
            Way::Over(cause) => Err(again(cause)),
            Way::Open | Way::Broken { .. } => Ok(()),
        }
    }

    /// For how long it has been broken. None if it is not, or over.
    pub fn broken_for(&self, now: Instant) -> Option<Duration> {
        match &self.way {
            Way::Broken { since, .. } => Some(now.saturating_duration_since(*since)),
            Way::Open | Way::Over(_) => None,
        }
    }

    /// For how long a broken line waits yet. None if it is not broken.
    pub fn grace_left(&self, now: Instant) -> Option<Duration> {
        match &self.way {
            Way::Broken { cause, since } => {
                Some(self.grace.after(cause).saturating_sub(now.saturating_duration_since(*since)))
            }
            Way::Open | Way::Over(_) => None,
        }
    }

    /// For how long whoever waits may sleep, or an error if the line is over, which it is when its
    /// grace is.
    pub fn may_sleep(&mut self, now: Instant) -> io::Result<Duration> {
        self.not_over()?;
        match (self.grace_left(now), &self.way) {
            (Some(Duration::ZERO), Way::Broken { cause, .. }) => Err(self.end(again(cause))),
            (left, _) => Ok(left.unwrap_or(Duration::MAX)),
        }
    }

    /// The line is over, whatever its grace; gives why, which is the first cause.
    pub fn end(&mut self, cause: io::Error) -> io::Error {
        match &self.way {
            Way::Over(first) => return again(first),
            Way::Open => self.give_up_connection(),
            Way::Broken { .. } => {}
        }
        let said = again(&cause);
        self.way = Way::Over(cause);
        self.tell_all();
        said
    }

    /// The connection of that generation is of no use any more.
    pub fn broke(&mut self, now: Instant, generation: u64, cause: io::Error) {
        if self.generation == generation {
            self.break_off(now, cause);
        }
    }

    /// The present connection is of no use any more.
    pub fn break_off(&mut self, now: Instant, cause: io::Error) {
        if !matches!(self.way, Way::Open) {
            return;
        }
        self.give_up_connection();
        self.spoilt += u32::from(cause.kind() == io::ErrorKind::InvalidData);
        let is_over = self.grace.after(&cause).is_zero() || self.spoilt >= SPOILT_MAX;
        self.way = if is_over { Way::Over(cause) } else { Way::Broken { cause, since: now } };
        self.tell_all();
    }

    fn give_up_connection(&mut self) {
        self.generation += 1;
        self.actions.close = true;
    }

    fn tell_all(&mut self) {
        (self.actions.wake, self.actions.ring) = (true, true);
    }

    /// Bytes of a whole record have come by the connection of that generation. False if it was
    /// given up meanwhile: they come again.
    pub fn take(&mut self, generation: u64, bytes: usize) -> bool {
        if self.generation != generation || !matches!(self.way, Way::Open) {
            return false;
        }
        self.spoilt = 0;
        self.received += bytes as u64;
        true
    }

    /// A word came whole.
    pub fn hear(&mut self, word: Word) {
        self.spoilt = 0;
        match word {
            Word::Received(position) => self.acknowledge(position),
            Word::Goodbye => drop(self.end(io::ErrorKind::UnexpectedEof.into())),
        }
    }

    /// The other side says that it has all before the position.
    pub fn acknowledge(&mut self, position: u64) {
        self.acknowledged = self.acknowledged.max(position);
        self.actions.wake = true;
    }

    /// How much has come, if the other side has to be told although nothing is sent: it may keep
    /// what it sends.
    pub fn to_tell(&self) -> Option<u64> {
        self.untold(TOLD_BYTES)
    }

    /// How much has come, if it is worth a word along with what is sent.
    pub fn to_tell_along(&self) -> Option<u64> {
        self.untold(TOLD_ALONG_BYTES)
    }

    fn untold(&self, bytes_min: u64) -> Option<u64> {
        (self.received - self.told >= bytes_min).then_some(self.received)
    }

    /// The other side was told.
    pub fn has_told(&mut self, position: u64) {
        self.told = self.told.max(position);
    }

    /// Nothing that the present connection brings from now on is taken, nor anything of one that
    /// was to come. None if the line is over, or waits for none.
    pub fn freeze(&mut self, now: Instant) -> Option<Frozen> {
        if !self.is_patient() {
            return None;
        }
        self.break_off(now, io::ErrorKind::ConnectionReset.into());
        self.not_over().ok()?;
        self.generation += 1;
        Some(Frozen { received: self.received, generation: self.generation })
    }

    /// As `freeze`, for the side that is called: None too if this call is older than another one.
    pub fn freeze_for(&mut self, now: Instant, attempt: u64) -> Option<Frozen> {
        if attempt <= self.attempt {
            return None;
        }
        self.attempt = attempt;
        self.freeze(now)
    }

    /// Whether nothing happened to the line since it was frozen, or since it was opened with that.
    pub fn is_of(&self, frozen: Frozen) -> bool {
        self.generation == frozen.generation
    }

    /// Another connection is there. False if it comes too late; an error if the line is over.
    pub fn open(&mut self, frozen: Frozen) -> io::Result<bool> {
        self.not_over()?;
        let comes = self.is_of(frozen) && !matches!(self.way, Way::Open);
        if comes {
            self.way = Way::Open;
            self.actions.wake = true;
        }
        Ok(comes)
    }

    /// What is to be done since this was asked last.
    pub fn actions(&mut self) -> Actions {
        std::mem::take(&mut self.actions)
    }
}

#[cfg(test)]
mod tests;
