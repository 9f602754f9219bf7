//! The state of a line: whether it is open, broken or over, how much has arrived, and how each
//! event changes it. Deliberately absent: sockets, locks, clocks. The caller passes in the time and
//! the event. The owner of the connection fetches the resulting [`Actions`] after each step.

use crate::network::checksum::ControlMessage;
use std::io;
use std::time::{Duration, Instant};

/// Number of bytes after which an acknowledgement is sent on its own. Each one wakes the other
/// side's reader: one per 256 KiB made copies of 1 MiB a tenth slower.
const ACKNOWLEDGED_ALONE_BYTES_MIN: u64 = 2 << 20;
/// Number of bytes after which an acknowledgement is sent together with other data.
const ACKNOWLEDGED_WITH_DATA_BYTES_MIN: u64 = 16 << 10;
/// Number of consecutive connections that corrupt data before a record or control message arrives
/// whole. After these, the network itself counts as faulty.
pub(super) const CORRUPTIONS_MAX: u32 = 5;

/// How long a broken line waits for another connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace {
    /// Grace after a connection broke.
    pub broken: Duration,
    /// Grace after the other side ended the connection in order, as Linux does for a process that
    /// is gone.
    pub ended: Duration,
}

impl Grace {
    /// No grace: the line ends with its connection.
    pub const NONE: Grace = Grace { broken: Duration::ZERO, ended: Duration::ZERO };

    /// Returns a grace with `time` in both cases.
    pub fn of(time: Duration) -> Grace {
        Grace { broken: time, ended: time }
    }

    fn after(&self, cause: &io::Error) -> Duration {
        if cause.kind() == io::ErrorKind::UnexpectedEof { self.ended } else { self.broken }
    }
}

enum Connectivity {
    Open,
    Broken { cause: io::Error, since: Instant },
    Over(io::Error),
}

/// The state of a line that takes no more data from its old connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frozen {
    /// Number of bytes that have arrived.
    pub received: u64,
    /// Generation of the next connection. A further attempt makes this generation outdated.
    generation: u64,
}

impl Frozen {
    /// Returns the generation of the connection that may replace the old one.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }
}

/// Actions that the caller must carry out after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Actions {
    /// Close the connection: do not read from it or write to it any more.
    pub close: bool,
    /// Wake the threads that wait for the line.
    pub wake: bool,
    /// Wake the thread that makes new connections.
    pub ring: bool,
}

/// The state of a line: its connectivity, and the positions that have arrived in each direction.
pub(super) struct LineStatus {
    grace: Grace,
    connectivity: Connectivity,
    /// Generation of the connection. It increases when a connection breaks, and with each attempt
    /// to get another.
    generation: u64,
    /// Position before which everything has arrived.
    received: u64,
    /// Position that this side has acknowledged to the other.
    acknowledgement_sent: u64,
    /// Position that the other side has acknowledged.
    acknowledged: u64,
    /// Number of the last call for another connection that this side answered.
    attempt: u64,
    /// Number of connections that corrupted their data since a record or control message last
    /// arrived whole.
    corruptions: u32,
    actions: Actions,
}

/// Returns an equal error, because errors cannot be cloned.
fn again(cause: &io::Error) -> io::Error {
    let by_kind = || io::Error::new(cause.kind(), cause.to_string());
    cause.raw_os_error().map_or_else(by_kind, io::Error::from_raw_os_error)
}

impl LineStatus {
    /// Makes the status of an open line.
    pub fn new(grace: Grace) -> LineStatus {
        LineStatus {
            grace,
            connectivity: Connectivity::Open,
            generation: 0,
            received: 0,
            acknowledgement_sent: 0,
            acknowledged: 0,
            attempt: 0,
            corruptions: 0,
            actions: Actions::default(),
        }
    }

    /// Returns whether the line outlives its connection.
    pub fn is_patient(&self) -> bool {
        self.grace != Grace::NONE
    }

    /// Returns the present generation.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the position that the other side has acknowledged.
    pub fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// Returns the cause as an error if the line is over.
    pub fn not_over(&self) -> io::Result<()> {
        match &self.connectivity {
            Connectivity::Over(cause) => Err(again(cause)),
            Connectivity::Open | Connectivity::Broken { .. } => Ok(()),
        }
    }

    /// Returns for how long the line has been broken. Returns None if it is open or over.
    pub fn broken_for(&self, now: Instant) -> Option<Duration> {
        match &self.connectivity {
            Connectivity::Broken { since, .. } => Some(now.saturating_duration_since(*since)),
            Connectivity::Open | Connectivity::Over(_) => None,
        }
    }

    /// Returns how much longer a broken line waits. Returns None if it is not broken.
    pub fn grace_left(&self, now: Instant) -> Option<Duration> {
        match &self.connectivity {
            Connectivity::Broken { cause, since } => {
                Some(self.grace.after(cause).saturating_sub(now.saturating_duration_since(*since)))
            }
            Connectivity::Open | Connectivity::Over(_) => None,
        }
    }

    /// Returns for how long a waiting thread may sleep. Fails if the line is over, and ends the
    /// line when its grace is over.
    pub fn may_sleep(&mut self, now: Instant) -> io::Result<Duration> {
        self.not_over()?;
        match (self.grace_left(now), &self.connectivity) {
            (Some(Duration::ZERO), Connectivity::Broken { cause, .. }) => {
                Err(self.end(again(cause)))
            }
            (left, _) => Ok(left.unwrap_or(Duration::MAX)),
        }
    }

    /// Ends the line, regardless of its grace. Returns the first cause.
    pub fn end(&mut self, cause: io::Error) -> io::Error {
        match &self.connectivity {
            Connectivity::Over(first) => return again(first),
            Connectivity::Open => self.give_up_connection(),
            Connectivity::Broken { .. } => {}
        }
        let copy = again(&cause);
        self.connectivity = Connectivity::Over(cause);
        self.notify_all();
        copy
    }

    /// Records that the connection of `generation` is broken.
    pub fn broke(&mut self, now: Instant, generation: u64, cause: io::Error) {
        if self.generation == generation {
            self.break_off(now, cause);
        }
    }

    /// Records that the present connection is broken.
    pub fn break_off(&mut self, now: Instant, cause: io::Error) {
        if !matches!(self.connectivity, Connectivity::Open) {
            return;
        }
        self.give_up_connection();
        self.corruptions += u32::from(cause.kind() == io::ErrorKind::InvalidData);
        let is_over = self.grace.after(&cause).is_zero() || self.corruptions >= CORRUPTIONS_MAX;
        self.connectivity = if is_over {
            Connectivity::Over(cause)
        } else {
            Connectivity::Broken { cause, since: now }
        };
        self.notify_all();
    }

    fn give_up_connection(&mut self) {
        self.generation += 1;
        self.actions.close = true;
    }

    fn notify_all(&mut self) {
        (self.actions.wake, self.actions.ring) = (true, true);
    }

    /// Records that a whole record of `bytes` bytes has arrived on the connection of `generation`.
    /// Returns false if that connection was given up meanwhile, because the bytes then arrive
    /// again.
    pub fn take(&mut self, generation: u64, bytes: usize) -> bool {
        if self.generation != generation || !matches!(self.connectivity, Connectivity::Open) {
            return false;
        }
        self.corruptions = 0;
        self.received += bytes as u64;
        true
    }

    /// Handles a control message that arrived whole.
    pub fn handle_control(&mut self, message: ControlMessage) {
        self.corruptions = 0;
        match message {
            ControlMessage::Received(position) => self.acknowledge(position),
            ControlMessage::Goodbye => drop(self.end(io::ErrorKind::UnexpectedEof.into())),
        }
    }

    /// Records that the other side has received everything before `position`.
    pub fn acknowledge(&mut self, position: u64) {
        self.acknowledged = self.acknowledged.max(position);
        self.actions.wake = true;
    }

    /// Returns the received position if an acknowledgement is due even without data to send,
    /// because the other side keeps its data until then.
    pub fn due_acknowledgement(&self) -> Option<u64> {
        self.due_acknowledgement_of(ACKNOWLEDGED_ALONE_BYTES_MIN)
    }

    /// Returns the received position if it is worth an acknowledgement together with other data.
    pub fn due_acknowledgement_with_data(&self) -> Option<u64> {
        self.due_acknowledgement_of(ACKNOWLEDGED_WITH_DATA_BYTES_MIN)
    }

    fn due_acknowledgement_of(&self, bytes_min: u64) -> Option<u64> {
        (self.received - self.acknowledgement_sent >= bytes_min).then_some(self.received)
    }

    /// Records that this side has acknowledged `position` to the other.
    pub fn note_acknowledgement_sent(&mut self, position: u64) {
        self.acknowledgement_sent = self.acknowledgement_sent.max(position);
    }

    /// Stops taking data from the present connection, and from a connection that is being made.
    /// Returns None if the line is over, or never waits for another connection.
    pub fn freeze(&mut self, now: Instant) -> Option<Frozen> {
        if !self.is_patient() {
            return None;
        }
        self.break_off(now, io::ErrorKind::ConnectionReset.into());
        self.not_over().ok()?;
        self.generation += 1;
        Some(Frozen { received: self.received, generation: self.generation })
    }

    /// Freezes the line as `freeze` does, on the side that is called. Also returns None if
    /// `attempt` is not newer than all others.
    pub fn freeze_for(&mut self, now: Instant, attempt: u64) -> Option<Frozen> {
        if attempt <= self.attempt {
            return None;
        }
        self.attempt = attempt;
        self.freeze(now)
    }

    /// Returns whether `frozen` is still current: no later freeze or break has changed the
    /// generation.
    pub fn is_of(&self, frozen: Frozen) -> bool {
        self.generation == frozen.generation
    }

    /// Opens the line with another connection. Returns false if `frozen` is outdated or the line is
    /// already open. Fails if the line is over.
    pub fn open(&mut self, frozen: Frozen) -> io::Result<bool> {
        self.not_over()?;
        let comes = self.is_of(frozen) && !matches!(self.connectivity, Connectivity::Open);
        if comes {
            self.connectivity = Connectivity::Open;
            self.actions.wake = true;
        }
        Ok(comes)
    }

    /// Returns the actions since the last call.
    pub fn actions(&mut self) -> Actions {
        std::mem::take(&mut self.actions)
    }
}

#[cfg(test)]
mod tests;
