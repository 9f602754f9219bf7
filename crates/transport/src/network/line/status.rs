//! The state of a line: open, broken or over, how much has arrived, and what follows from each
//! event. Deliberately absent: sockets, locks, clocks. The caller passes in the time and the event.
//! The resulting [`Actions`] are for the owner of the connection, which fetches them after each
//! step.

use crate::network::checksum::ControlMessage;
use std::io;
use std::time::{Duration, Instant};

/// Number of bytes after which an acknowledgement is sent on its own. Each one wakes the reader on
/// the other side: one every 256 KiB cost a tenth of the speed of copies of 1 MiB.
const ACKNOWLEDGED_ALONE_BYTES_MIN: u64 = 2 << 20;
/// Number of bytes after which an acknowledgement is sent together with other data.
const ACKNOWLEDGED_WITH_DATA_BYTES_MIN: u64 = 16 << 10;
/// Number of connections in a row that may corrupt their data before any record or control message
/// arrives whole. After that, the network itself is faulty.
pub(super) const CORRUPTIONS_MAX: u32 = 5;

/// How long a broken line waits for another connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace {
    /// Time after a connection broke.
    pub broken: Duration,
    /// Time after the other side ended the connection in order, as Linux does for a process that is
    /// gone.
    pub ended: Duration,
}

impl Grace {
    /// No grace: the line ends with its connection.
    pub const NONE: Grace = Grace { broken: Duration::ZERO, ended: Duration::ZERO };

    /// Returns a grace with the same time in both cases.
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

/// A line that takes no more data from its old connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frozen {
    /// Number of bytes that have arrived.
    pub received: u64,
    /// Generation of the next connection. A further attempt makes it outdated.
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

/// The state of a line: which connection it has, and what has arrived in each direction.
pub(super) struct LineStatus {
    grace: Grace,
    connectivity: Connectivity,
    /// Generation of the connection. It grows when one breaks, and with each attempt to get
    /// another.
    generation: u64,
    /// Position before which everything has arrived.
    received: u64,
    /// The part of it that was acknowledged to the other side.
    acknowledgement_sent: u64,
    /// Position that the other side has acknowledged.
    acknowledged: u64,
    /// The last call for another connection that was answered.
    attempt: u64,
    /// Number of connections that corrupted their data since anything arrived whole.
    corruptions: u32,
    actions: Actions,
}

/// Makes the same error again, because errors cannot be cloned.
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

    /// Returns whether the line outlasts its connection.
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

    /// Returns for how long a waiting thread may sleep. Fails if the line is over, and ends it when
    /// its grace is over.
    pub fn may_sleep(&mut self, now: Instant) -> io::Result<Duration> {
        self.not_over()?;
        match (self.grace_left(now), &self.connectivity) {
            (Some(Duration::ZERO), Connectivity::Broken { cause, .. }) => {
                Err(self.end(again(cause)))
            }
            (left, _) => Ok(left.unwrap_or(Duration::MAX)),
        }
    }

    /// Ends the line, whatever its grace. Returns the first cause.
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

    /// Notes that the connection of that generation is broken.
    pub fn broke(&mut self, now: Instant, generation: u64, cause: io::Error) {
        if self.generation == generation {
            self.break_off(now, cause);
        }
    }

    /// Notes that the present connection is broken.
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

    /// Notes that bytes of a whole record have arrived on the connection of that generation.
    /// Returns false if that connection was given up meanwhile: then the bytes arrive again.
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

    /// Notes that the other side has everything before the position.
    pub fn acknowledge(&mut self, position: u64) {
        self.acknowledged = self.acknowledged.max(position);
        self.actions.wake = true;
    }

    /// Returns how much has arrived, if it must be acknowledged although there is nothing to send:
    /// the other side keeps its data until then.
    pub fn due_acknowledgement(&self) -> Option<u64> {
        self.due_acknowledgement_of(ACKNOWLEDGED_ALONE_BYTES_MIN)
    }

    /// Returns how much has arrived, if that is worth an acknowledgement together with other data.
    pub fn due_acknowledgement_with_data(&self) -> Option<u64> {
        self.due_acknowledgement_of(ACKNOWLEDGED_WITH_DATA_BYTES_MIN)
    }

    fn due_acknowledgement_of(&self, bytes_min: u64) -> Option<u64> {
        (self.received - self.acknowledgement_sent >= bytes_min).then_some(self.received)
    }

    /// Notes that the position was acknowledged to the other side.
    pub fn note_acknowledgement_sent(&mut self, position: u64) {
        self.acknowledgement_sent = self.acknowledgement_sent.max(position);
    }

    /// Stops taking data from the present connection, and from one that is being made. Returns None
    /// if the line is over, or never waits for another connection.
    pub fn freeze(&mut self, now: Instant) -> Option<Frozen> {
        if !self.is_patient() {
            return None;
        }
        self.break_off(now, io::ErrorKind::ConnectionReset.into());
        self.not_over().ok()?;
        self.generation += 1;
        Some(Frozen { received: self.received, generation: self.generation })
    }

    /// Does the same as `freeze`, for the side that is called. Also returns None if this call is
    /// older than another one.
    pub fn freeze_for(&mut self, now: Instant, attempt: u64) -> Option<Frozen> {
        if attempt <= self.attempt {
            return None;
        }
        self.attempt = attempt;
        self.freeze(now)
    }

    /// Returns whether nothing has happened to the line since it was frozen, or since it was opened
    /// with that.
    pub fn is_of(&self, frozen: Frozen) -> bool {
        self.generation == frozen.generation
    }

    /// Opens the line with another connection. Returns false if that comes too late. Fails if the
    /// line is over.
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
