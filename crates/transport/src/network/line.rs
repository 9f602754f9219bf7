//! A lane's connection over the network, which may break and be replaced by another one. The lane's
//! data continues where it stopped: each side keeps the data that the other may not have, and says
//! how much it has taken when a new connection comes. Data that arrives on a connection after it
//! was given up is not taken, so nothing arrives twice.
//!
//! A line is open, broken or over. A broken one waits for another connection for as long as its
//! grace. Readers and writers wait too, and return with an error when the line is over.

use crate::network::backlog::Backlog;
use crate::network::checksum::{Word, word};
use crate::network::heartbeat::{Ear, Heard};
use crate::network::incoming::{Incoming, Replaceable};
use crate::network::pipe::{Inlet, Outlet, Pipe};
use crate::os::send::{has_ended, is_writable};
use crate::os::tcp_info::TcpInfo;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use standing::{Actions, Standing};
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

mod standing;
pub(crate) use standing::Frozen;
pub use standing::Grace;

/// Added to the byte count for each new connection, so that the count differs from the old
/// connection's.
const HEARD_PER_CONNECTION: u64 = 1 << 48;
/// Time between two attempts of a waiting writer to read ahead: a few hundred KiB take that long on
/// a fast network.
const LOOK_AHEAD_PAUSE: Duration = Duration::from_micros(500);

/// Number of looks, one a second, after which a connection without acknowledgements is given up.
const SWALLOWED_LOOKS: u32 = 4;

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

    /// Blocks until the bell has rung more often than `seen`, or until the limit. Returns how often
    /// it has rung.
    pub fn wait(&self, seen: u64, limit: Duration) -> u64 {
        let rings = self.rings.lock();
        let waited = self.rung.wait_timeout_while(rings, limit, |rings| *rings <= seen);
        *waited.0
    }
}

/// The line's standing, and the connection that belongs to it.
struct LineState {
    standing: Standing,
    /// The connection of an open line.
    stream: Option<Arc<TcpStream>>,
    /// The reading end of an open line, until the reader takes it.
    inlet: Option<Inlet>,
    /// Bytes that the other side had acknowledged at the last look, and the number of looks in a
    /// row without progress.
    acked: (u64, u32),
}

/// The writers' part of a line.
struct Sending {
    backlog: Backlog,
    /// The connection that has all of the backlog, and its generation.
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
        let standing = Standing::new(grace);
        let sending =
            Sending { backlog: Backlog::default(), outlet: Some((outlet, standing.generation())) };
        Arc::new(Line {
            is_patient: standing.is_patient(),
            state: Mutex::new(LineState {
                standing,
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

    /// Locks the reader's part. The reader holds this lock while it waits too.
    pub(crate) fn incoming(&self) -> MutexGuard<'_, Incoming> {
        self.incoming.lock()
    }

    /// Applies an event to the line and carries out the actions that follow.
    fn step<T>(&self, happen: impl FnOnce(&mut Standing, Instant) -> T) -> T {
        self.step_in(&mut self.state(), happen)
    }

    fn step_in<T>(
        &self,
        state: &mut LineState,
        happen: impl FnOnce(&mut Standing, Instant) -> T,
    ) -> T {
        let said = happen(&mut state.standing, Instant::now());
        let Actions { close, wake, ring } = state.standing.actions();
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
        said
    }

    /// Returns the present connection, if there is one.
    pub fn stream(&self) -> Option<Arc<TcpStream>> {
        self.state().stream.clone()
    }

    /// Returns for how long the line has been broken. Returns None if it is open or over.
    pub fn broken_for(&self) -> Option<Duration> {
        self.state().standing.broken_for(Instant::now())
    }

    #[cfg(test)]
    fn is_over(&self) -> bool {
        self.state().standing.not_over().is_err()
    }

    /// Checks the connection of a line without a reader. Otherwise no thread would notice that the
    /// connection ended, or that sent data no longer arrives. The caller calls this once a second.
    pub fn look(&self) {
        let Some(stream) = self.stream() else { return };
        if has_ended(&*stream) && !stream.heard().unread {
            self.step(|standing, now| {
                standing.break_off(now, io::ErrorKind::ConnectionReset.into());
            });
        } else if self.swallows(&stream) {
            self.interrupt();
        }
    }

    /// Returns whether nothing that was sent has been acknowledged for `SWALLOWED_LOOKS`.
    fn swallows(&self, stream: &TcpStream) -> bool {
        let Some(info) = TcpInfo::of(stream) else { return false };
        let (acked, looks) = &mut self.state().acked;
        let is_news = !info.is_unacknowledged() || info.bytes_acked() != *acked;
        (*acked, *looks) = (info.bytes_acked(), if is_news { 0 } else { *looks + 1 });
        *looks >= SWALLOWED_LOOKS
    }

    /// Gives the connection up if it has unacknowledged data. This is for a connection that never
    /// brings data, when others are known to be silent.
    pub fn doubt(&self) {
        let info = self.stream().and_then(|stream| TcpInfo::of(&stream));
        if info.is_some_and(|info| info.is_unacknowledged()) {
            self.interrupt();
        }
    }

    /// Waits until something changes or until the limit. Fails if the line is over.
    fn wait_at_most<'s>(
        &'s self,
        mut state: MutexGuard<'s, LineState>,
        limit: Duration,
    ) -> io::Result<MutexGuard<'s, LineState>> {
        let limit = self.step_in(&mut state, Standing::may_sleep)?.min(limit);
        Ok(self.changed.wait_timeout(state, limit).0)
    }

    /// Ends the line, whatever its grace.
    pub fn end(&self, cause: io::Error) {
        self.step(|standing, _| standing.end(cause));
    }

    /// Acknowledges the bytes, unless another thread is writing, which does it then.
    fn tell_if_free(&self, received: u64) {
        let Some(mut sending) = self.sending.try_lock() else { return };
        if let Some((outlet, generation)) =
            sending.outlet.as_mut().filter(|(outlet, _)| is_writable(outlet.stream()))
            && let Err(error) = self.tell(outlet, received)
        {
            self.broke(*generation, error);
            sending.outlet = None;
        }
    }

    fn tell(&self, outlet: &mut Outlet, received: u64) -> io::Result<()> {
        let sent = outlet.send_all(&word(Word::Received(received)));
        self.step(|standing, _| standing.has_told(received));
        sent
    }

    /// Sends a record of at most `bytes_max` bytes, which `fill` writes. Blocks while too many
    /// bytes are unacknowledged. An error says that the line is over; otherwise the record arrives,
    /// unless the line ends before.
    pub(crate) fn send(&self, bytes_max: usize, fill: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let mut sending = self.room()?;
        let Sending { backlog, outlet } = &mut *sending;
        let record = backlog.append(bytes_max, fill);
        let Some((open, generation)) = outlet else { return Ok(()) };
        let mut sent = open.send_all(record);
        if !self.is_patient {
            // The other side would never ask for it.
            let _ = backlog.acknowledge(backlog.end());
        }
        if sent.is_ok()
            && let Some(received) = self.step(|standing, _| standing.to_tell_along())
        {
            sent = self.tell(open, received);
        }
        if let Err(error) = sent {
            if !self.is_patient {
                return Err(error);
            }
            self.broke(*generation, error);
            *outlet = None;
            return self.step(|standing, _| standing.not_over());
        }
        Ok(())
    }

    fn room(&self) -> io::Result<MutexGuard<'_, Sending>> {
        loop {
            let mut sending = self.sending();
            let acknowledged = self.state().standing.acknowledged();
            if !sending.backlog.acknowledge(acknowledged) && acknowledged > sending.backlog.end() {
                self.end(violation("the other side acknowledges bytes that were never sent"));
            }
            self.state().standing.not_over()?;
            if sending.backlog.has_room() {
                return Ok(sending);
            }
            drop(sending);
            self.await_acknowledgement(acknowledged)?;
        }
    }

    /// Waits until the other side acknowledges more than `seen`. The reader handles the
    /// acknowledgement, or this thread does if no thread reads now.
    fn await_acknowledgement(&self, seen: u64) -> io::Result<()> {
        loop {
            if let Some(mut incoming) = self.incoming.try_lock() {
                incoming.look_ahead(self)?;
            }
            let state = self.state();
            if state.standing.acknowledged() > seen {
                return Ok(());
            }
            drop(self.wait_at_most(state, LOOK_AHEAD_PAUSE)?);
        }
    }

    /// Stops taking data from the present connection, and from one that is being made. Returns None
    /// if the line is over, or never waits for another connection.
    pub(crate) fn freeze(&self) -> Option<Frozen> {
        self.step(Standing::freeze)
    }

    /// Does the same as `freeze`, for the side that is called. Also returns None if this attempt is
    /// older than another one.
    pub(crate) fn freeze_for(&self, attempt: u64) -> Option<Frozen> {
        self.step(|standing, now| standing.freeze_for(now, attempt))
    }

    /// Continues with another connection, whose other side has everything before the position. Does
    /// nothing if the line was frozen again meanwhile. Blocks while the other side does not read
    /// the data that is sent again.
    pub(crate) fn install(
        &self,
        pipe: impl Into<Pipe>,
        frozen: Frozen,
        position: u64,
    ) -> io::Result<()> {
        self.open(pipe, frozen)?.map_or(Ok(()), |outlet| self.catch_up(outlet, frozen, position))
    }

    /// Makes another connection available to the reader. Returns its writing end for `catch_up`, or
    /// None if the line was frozen again meanwhile.
    pub(crate) fn open(&self, pipe: impl Into<Pipe>, frozen: Frozen) -> io::Result<Option<Outlet>> {
        let Pipe { stream, inlet, outlet } = pipe.into();
        let mut state = self.state();
        let is_open = self.step_in(&mut state, |standing, _| standing.open(frozen))?;
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
        if !self.state().standing.is_of(frozen) {
            return Ok(());
        }
        sending.outlet = None;
        if !sending.backlog.acknowledge(position) {
            let cause = violation(
                "the other side lacks bytes that it acknowledged, or acknowledges bytes that were \
                 never sent",
            );
            return Err(self.step(|standing, _| standing.end(cause)));
        }
        self.step(|standing, _| standing.acknowledge(position));
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
                return Ok(Some((inlet, state.standing.generation())));
            }
            if !may_wait
                && state.standing.grace_left(Instant::now()).is_some_and(|left| !left.is_zero())
            {
                return Ok(None);
            }
            state = self.wait_at_most(state, Duration::MAX)?;
        }
    }

    fn broke(&self, generation: u64, cause: io::Error) {
        self.step(|standing, now| standing.broke(now, generation, cause));
    }

    fn is_patient(&self) -> bool {
        self.is_patient
    }

    fn take(&self, generation: u64, bytes: usize) -> bool {
        let (taken, to_tell) =
            self.step(|standing, _| (standing.take(generation, bytes), standing.to_tell()));
        if let Some(received) = to_tell.filter(|_| taken) {
            self.tell_if_free(received);
        }
        taken
    }

    fn hear(&self, word: Word) {
        self.step(|standing, _| standing.hear(word));
    }
}

impl Ear for Line {
    fn heard(&self) -> Heard {
        let (stream, generation) = {
            let state = self.state();
            let generation = state.standing.generation();
            let Some(stream) = &state.stream else {
                // The line is known to be silent, and another thread takes care of that.
                return Heard {
                    count: generation.wrapping_mul(HEARD_PER_CONNECTION),
                    unread: true,
                };
            };
            (stream.clone(), generation)
        };
        let Heard { count, unread } = stream.heard();
        Heard { count: count.wrapping_add(generation.wrapping_mul(HEARD_PER_CONNECTION)), unread }
    }

    fn cut(&self) {
        self.end(io::ErrorKind::UnexpectedEof.into());
    }

    fn interrupt(&self) -> bool {
        if self.is_patient {
            self.step(|standing, now| standing.break_off(now, io::ErrorKind::TimedOut.into()));
        }
        self.is_patient
    }

    fn is_patient(&self) -> bool {
        self.is_patient
    }

    /// Does nothing while another thread writes, or if it would block.
    fn say_goodbye(&self) -> bool {
        if self.state().standing.not_over().is_err() {
            return true;
        }
        let Some(mut sending) = self.sending.try_lock() else { return false };
        let outlet = sending.outlet.as_mut().filter(|(outlet, _)| is_writable(outlet.stream()));
        outlet.is_some_and(|(outlet, _)| outlet.send_all(&word(Word::Goodbye)).is_ok())
    }
}

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;
