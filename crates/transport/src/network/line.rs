//! A lane's connection over the network, which may break and be replaced by another one. The lane's
//! data continues where it stopped: each side keeps the data that the other may not have received.
//! On a new connection, each side says how much it has received. The line discards data that
//! arrives on a connection that was given up, so nothing arrives twice.
//!
//! A line is open, broken or over. A broken line waits for another connection until its grace ends.
//! Readers and writers wait too, and return with an error when the line is over.

use crate::network::backlog::Backlog;
use crate::network::checksum::{ControlMessage, encode_control};
use crate::network::duplex_stream::{Inlet, Outlet, Pipe};
use crate::network::heartbeat::{Received, ReceivingEnd};
use crate::network::incoming::{Incoming, Replaceable};
use crate::os::send::{has_ended, is_writable};
use crate::os::tcp_info::TcpInfo;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use status::{Actions, LineStatus};
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

mod status;
pub(crate) use status::Frozen;
pub use status::Grace;

/// Added to the byte count for each new connection, so that the count differs from the old
/// connection's.
const COUNT_PER_CONNECTION: u64 = 1 << 48;
/// Interval at which a waiting writer tries to read ahead. A few hundred KiB take that long on a
/// fast network.
const READ_AHEAD_PAUSE: Duration = Duration::from_micros(500);

/// Number of checks, one per second, after which the line gives up a connection without
/// acknowledgements.
const UNACKNOWLEDGED_CHECKS_MAX: u32 = 4;

/// Name of the variable with the seconds for which a session waits for its node after a break.
pub const GRACE_VARIABLE: &str = "OUTHAUL_GRACE";

/// Rings when a line breaks, for the thread that makes new connections.
#[derive(Default)]
pub struct Bell {
    rings: Mutex<u64>,
    rung: Condvar,
}

impl Bell {
    fn ring(&self) {
        *self.rings.lock() += 1;
        self.rung.notify_all();
    }

    /// Blocks until the bell has rung more than `seen` times, or for `limit`. Returns how often the
    /// bell has rung.
    pub fn wait(&self, seen: u64, limit: Duration) -> u64 {
        let rings = self.rings.lock();
        let waited = self.rung.wait_timeout_while(rings, limit, |rings| *rings <= seen);
        *waited.0
    }
}

/// The line's status, and its connection.
struct LineState {
    status: LineStatus,
    /// The connection of an open line.
    stream: Option<Arc<TcpStream>>,
    /// The receiving end of an open line's connection, until the reader takes it.
    inlet: Option<Inlet>,
    /// Number of bytes that the other side had acknowledged at the last check, and number of
    /// consecutive checks without progress.
    acked: (u64, u32),
}

/// The writers' part of a line.
struct Sending {
    backlog: Backlog,
    /// The connection on which all of the backlog was sent, and its generation.
    outlet: Option<(Outlet, u64)>,
}

/// A lane's connection that can be replaced.
pub struct Line {
    is_patient: bool,
    state: Mutex<LineState>,
    changed: Condvar,
    sending: Mutex<Sending>,
    incoming: Mutex<Incoming>,
    bell: Arc<Bell>,
}

fn violation(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl Line {
    /// Makes an open line.
    pub fn new(Pipe { stream, inlet, outlet }: Pipe, grace: Grace, bell: Arc<Bell>) -> Arc<Line> {
        let status = LineStatus::new(grace);
        let sending =
            Sending { backlog: Backlog::default(), outlet: Some((outlet, status.generation())) };
        Arc::new(Line {
            is_patient: status.is_patient(),
            state: Mutex::new(LineState {
                status,
                stream: Some(stream),
                inlet: Some(inlet),
                acked: (0, 0),
            }),
            changed: Condvar::new(),
            sending: Mutex::new(sending),
            incoming: Mutex::default(),
            bell,
        })
    }

    fn state(&self) -> MutexGuard<'_, LineState> {
        self.state.lock()
    }

    fn sending(&self) -> MutexGuard<'_, Sending> {
        self.sending.lock()
    }

    /// Locks the reader's part. The reader holds this lock even while it waits.
    pub(crate) fn incoming(&self) -> MutexGuard<'_, Incoming> {
        self.incoming.lock()
    }

    /// Applies an event to the line and carries out the resulting actions.
    fn step<T>(&self, happen: impl FnOnce(&mut LineStatus, Instant) -> T) -> T {
        self.step_in(&mut self.state(), happen)
    }

    fn step_in<T>(
        &self,
        state: &mut LineState,
        happen: impl FnOnce(&mut LineStatus, Instant) -> T,
    ) -> T {
        let result = happen(&mut state.status, Instant::now());
        let Actions { close, wake, ring } = state.status.actions();
        if close {
            let _ = state.stream.take().map(|stream| stream.shutdown(Shutdown::Both));
            state.inlet = None;
        }
        if wake {
            self.changed.notify_all();
        }
        if ring {
            self.bell.ring();
        }
        result
    }

    /// Returns the present connection, if any.
    pub fn stream(&self) -> Option<Arc<TcpStream>> {
        self.state().stream.clone()
    }

    /// Returns for how long the line has been broken. Returns None if it is open or over.
    pub fn broken_for(&self) -> Option<Duration> {
        self.state().status.broken_for(Instant::now())
    }

    #[cfg(test)]
    fn is_over(&self) -> bool {
        self.state().status.not_over().is_err()
    }

    /// Checks the connection of a line without a reader. Otherwise no thread would notice that the
    /// connection ended, or that sent data no longer arrives. The caller invokes this function once
    /// a second.
    pub fn check(&self) {
        let Some(stream) = self.stream() else { return };
        if has_ended(&*stream) && !stream.received().unread {
            self.step(|status, now| {
                status.break_off(now, io::ErrorKind::ConnectionReset.into());
            });
        } else if self.is_stalled(&stream) {
            self.interrupt();
        }
    }

    /// Returns whether `UNACKNOWLEDGED_CHECKS_MAX` consecutive checks found unacknowledged data and
    /// no progress.
    fn is_stalled(&self, stream: &TcpStream) -> bool {
        let Some(info) = TcpInfo::of(stream) else { return false };
        let (acked, checks) = &mut self.state().acked;
        let is_news = !info.is_unacknowledged() || info.bytes_acked() != *acked;
        (*acked, *checks) = (info.bytes_acked(), if is_news { 0 } else { *checks + 1 });
        *checks >= UNACKNOWLEDGED_CHECKS_MAX
    }

    /// Gives the connection up if it has unacknowledged data. The caller uses this for a connection
    /// that never delivers data, when other connections are known to be silent.
    pub fn interrupt_if_unacknowledged(&self) {
        let info = self.stream().and_then(|stream| TcpInfo::of(&stream));
        if info.is_some_and(|info| info.is_unacknowledged()) {
            self.interrupt();
        }
    }

    /// Waits until the line's state changes, but at most for `limit`. Fails if the line is over.
    fn wait_at_most<'s>(
        &'s self,
        mut state: MutexGuard<'s, LineState>,
        limit: Duration,
    ) -> io::Result<MutexGuard<'s, LineState>> {
        let limit = self.step_in(&mut state, LineStatus::may_sleep)?.min(limit);
        Ok(self.changed.wait_timeout(state, limit).0)
    }

    /// Ends the line, regardless of its grace.
    pub fn end(&self, cause: io::Error) {
        self.step(|status, _| status.end(cause));
    }

    /// Acknowledges the first `received` bytes unless another thread is writing, because that
    /// thread then sends the acknowledgement.
    fn acknowledge_if_free(&self, received: u64) {
        let Some(mut sending) = self.sending.try_lock() else { return };
        if let Some((outlet, generation)) =
            sending.outlet.as_mut().filter(|(outlet, _)| is_writable(outlet.stream()))
            && let Err(error) = self.send_acknowledgement(outlet, received)
        {
            self.broke(*generation, error);
            sending.outlet = None;
        }
    }

    fn send_acknowledgement(&self, outlet: &mut Outlet, received: u64) -> io::Result<()> {
        let sent = outlet.send_all(&encode_control(ControlMessage::Received(received)));
        self.step(|status, _| status.note_acknowledgement_sent(received));
        sent
    }

    /// Sends a record of at most `bytes_max` bytes, which `fill` writes. Blocks while too many
    /// bytes are unacknowledged. Fails if the line is over. After success, the record arrives
    /// unless the line ends first.
    pub(crate) fn send(&self, bytes_max: usize, fill: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let mut sending = self.room()?;
        let Sending { backlog, outlet } = &mut *sending;
        let record = backlog.append(bytes_max, fill);
        let Some((open, generation)) = outlet else { return Ok(()) };
        let mut sent = open.send_all(record);
        if !self.is_patient {
            // The other side never asks for this record again.
            let _ = backlog.acknowledge(backlog.end());
        }
        if sent.is_ok()
            && let Some(received) = self.step(|status, _| status.due_acknowledgement_with_data())
        {
            sent = self.send_acknowledgement(open, received);
        }
        if let Err(error) = sent {
            if !self.is_patient {
                return Err(error);
            }
            self.broke(*generation, error);
            *outlet = None;
            return self.step(|status, _| status.not_over());
        }
        Ok(())
    }

    fn room(&self) -> io::Result<MutexGuard<'_, Sending>> {
        loop {
            let mut sending = self.sending();
            let acknowledged = self.state().status.acknowledged();
            if !sending.backlog.acknowledge(acknowledged) && acknowledged > sending.backlog.end() {
                self.end(violation("the other side acknowledges bytes that were never sent"));
            }
            self.state().status.not_over()?;
            if sending.backlog.has_room() {
                return Ok(sending);
            }
            drop(sending);
            self.await_acknowledgement(acknowledged)?;
        }
    }

    /// Waits until the other side acknowledges more than `seen`. The reader handles the
    /// acknowledgement. If no thread is reading, this thread handles it.
    fn await_acknowledgement(&self, seen: u64) -> io::Result<()> {
        loop {
            if let Some(mut incoming) = self.incoming.try_lock() {
                incoming.read_ahead(self)?;
            }
            let state = self.state();
            if state.status.acknowledged() > seen {
                return Ok(());
            }
            drop(self.wait_at_most(state, READ_AHEAD_PAUSE)?);
        }
    }

    /// Stops taking data from the present connection, and from a connection that is being made.
    /// Returns None if the line is over, or never waits for another connection.
    pub(crate) fn freeze(&self) -> Option<Frozen> {
        self.step(LineStatus::freeze)
    }

    /// Freezes the line as `freeze` does, on the side that is called. Also returns None if
    /// `attempt` is not newer than all others.
    pub(crate) fn freeze_for(&self, attempt: u64) -> Option<Frozen> {
        self.step(|status, now| status.freeze_for(now, attempt))
    }

    /// Continues with another connection, whose other side has received everything before
    /// `position`. Does nothing if the line was frozen again meanwhile. Blocks until the other side
    /// has read enough of the resent data.
    pub(crate) fn install(
        &self,
        pipe: impl Into<Pipe>,
        frozen: Frozen,
        position: u64,
    ) -> io::Result<()> {
        self.open(pipe, frozen)?.map_or(Ok(()), |outlet| self.catch_up(outlet, frozen, position))
    }

    /// Makes another connection available to the reader. Returns the connection's sending end for
    /// `catch_up`, or None if the line was frozen again meanwhile.
    pub(crate) fn open(&self, pipe: impl Into<Pipe>, frozen: Frozen) -> io::Result<Option<Outlet>> {
        let Pipe { stream, inlet, outlet } = pipe.into();
        let mut state = self.state();
        let is_open = self.step_in(&mut state, |status, _| status.open(frozen))?;
        if is_open {
            (state.stream, state.inlet, state.acked) = (Some(stream), Some(inlet), (0, 0));
        }
        Ok(is_open.then_some(outlet))
    }

    /// Sends the data that the other side lacks, then lets other threads send.
    pub(crate) fn catch_up(
        &self,
        mut outlet: Outlet,
        frozen: Frozen,
        position: u64,
    ) -> io::Result<()> {
        let mut sending = self.sending();
        if !self.state().status.is_of(frozen) {
            return Ok(());
        }
        sending.outlet = None;
        if !sending.backlog.acknowledge(position) {
            let cause = violation(
                "the other side lacks bytes that it acknowledged, or acknowledges bytes that were \
                 never sent",
            );
            return Err(self.step(|status, _| status.end(cause)));
        }
        self.step(|status, _| status.acknowledge(position));
        let sent = sending.backlog.rest().try_for_each(|bytes| outlet.send_all(bytes));
        match sent {
            Ok(()) => sending.outlet = Some((outlet, frozen.generation())),
            Err(error) => self.broke(frozen.generation(), error),
        }
        Ok(())
    }
}

impl Replaceable for Line {
    fn inlet(&self, may_wait: bool) -> io::Result<Option<(Inlet, u64)>> {
        let mut state = self.state();
        loop {
            if let Some(inlet) = state.inlet.take() {
                return Ok(Some((inlet, state.status.generation())));
            }
            if !may_wait
                && state.status.grace_left(Instant::now()).is_some_and(|left| !left.is_zero())
            {
                return Ok(None);
            }
            state = self.wait_at_most(state, Duration::MAX)?;
        }
    }

    fn broke(&self, generation: u64, cause: io::Error) {
        self.step(|status, now| status.broke(now, generation, cause));
    }

    fn is_patient(&self) -> bool {
        self.is_patient
    }

    fn take(&self, generation: u64, bytes: usize) -> bool {
        let (taken, due_acknowledgement) =
            self.step(|status, _| (status.take(generation, bytes), status.due_acknowledgement()));
        if let Some(received) = due_acknowledgement.filter(|_| taken) {
            self.acknowledge_if_free(received);
        }
        taken
    }

    fn handle_control(&self, message: ControlMessage) {
        self.step(|status, _| status.handle_control(message));
    }
}

impl ReceivingEnd for Line {
    fn received(&self) -> Received {
        let (stream, generation) = {
            let state = self.state();
            let generation = state.status.generation();
            let Some(stream) = &state.stream else {
                // The line is known to be silent, and another thread replaces its connection.
                return Received {
                    count: generation.wrapping_mul(COUNT_PER_CONNECTION),
                    unread: true,
                };
            };
            (stream.clone(), generation)
        };
        let Received { count, unread } = stream.received();
        Received {
            count: count.wrapping_add(generation.wrapping_mul(COUNT_PER_CONNECTION)),
            unread,
        }
    }

    fn cut(&self) {
        self.end(io::ErrorKind::UnexpectedEof.into());
    }

    fn interrupt(&self) -> bool {
        if self.is_patient {
            self.step(|status, now| status.break_off(now, io::ErrorKind::TimedOut.into()));
        }
        self.is_patient
    }

    fn is_patient(&self) -> bool {
        self.is_patient
    }

    /// Sends nothing while another thread writes, or if the write would block.
    fn send_goodbye(&self) -> bool {
        if self.state().status.not_over().is_err() {
            return true;
        }
        let Some(mut sending) = self.sending.try_lock() else { return false };
        let outlet = sending.outlet.as_mut().filter(|(outlet, _)| is_writable(outlet.stream()));
        outlet.is_some_and(|(outlet, _)| {
            outlet.send_all(&encode_control(ControlMessage::Goodbye)).is_ok()
        })
    }
}

#[cfg(test)]
mod seeded_simulation;
#[cfg(test)]
mod tests;
