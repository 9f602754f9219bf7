//! A lane's connection over the network, which may break and be replaced by another one. What the
//! lane carries goes on where it stopped: each side keeps what the other is not known to have, and
//! says how much it has taken when a new connection comes. Bytes that a connection brings after it
//! was given up are not taken, so nothing comes twice.
//!
//! A line is open, broken, or over. A broken one waits for another connection for as long as its
//! grace; whoever reads or writes waits with it, and goes on with an error when it is over.

use crate::backlog::Backlog;
use crate::checked::{Word, word};
use crate::connection::has_ended;
use crate::incoming::Incoming;
use crate::life::{Ear, Heard};
use crate::pace::TcpInfo;
use crate::pipe::{Inlet, Outlet, Pipe};
use crate::send::is_writable;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use standing::{Actions, Standing};
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

mod standing;
pub(crate) use standing::Frozen;
pub use standing::Grace;

/// Signs of life of a line whose connection changed count from elsewhere.
const HEARD_PER_CONNECTION: u64 = 1 << 48;
/// From one look ahead of a writer that waits to the next: as long as a few hundred KiB take on a
/// fast network.
const LOOK_AHEAD_PAUSE: Duration = Duration::from_micros(500);

/// Looks, one a second, after which a connection whose other side acknowledges nothing is given up.
const SWALLOWED_LOOKS: u32 = 4;

/// In seconds, for how long a session waits for its node when a connection broke.
pub const GRACE_VARIABLE: &str = "OUTHAUL_GRACE";

/// Rung when a line breaks, for whoever makes new connections.
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

    /// Blocks until it has rung more often than `seen`, or for so long. How often it has rung.
    pub fn wait(&self, seen: u64, limit: Duration) -> u64 {
        let rings = self.rings.lock();
        let waited = self.rung.wait_timeout_while(rings, limit, |rings| *rings <= seen);
        *waited.0
    }
}

/// Where the line stands, and the connection that belongs to that.
struct State {
    standing: Standing,
    /// Of an open line.
    stream: Option<Arc<TcpStream>>,
    /// Of an open line, until whoever reads takes it.
    inlet: Option<Inlet>,
    /// What its other side had acknowledged at the last look, and for how many looks in a row it
    /// has acknowledged nothing of what it was sent.
    acked: (u64, u32),
}

/// For whoever writes.
struct Sending {
    backlog: Backlog,
    /// Of the connection that all of the backlog went to, and its generation.
    outlet: Option<(Outlet, u64)>,
}

pub struct Line {
    is_patient: bool,
    state: Mutex<State>,
    changed: Condvar,
    sending: Mutex<Sending>,
    incoming: Mutex<Incoming>,
    bell: Arc<Bell>,
}

fn violation(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl Line {
    pub fn new(Pipe { stream, inlet, outlet }: Pipe, grace: Grace, bell: Arc<Bell>) -> Arc<Line> {
        let standing = Standing::new(grace);
        let sending =
            Sending { backlog: Backlog::default(), outlet: Some((outlet, standing.generation())) };
        Arc::new(Line {
            is_patient: standing.is_patient(),
            state: Mutex::new(State {
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

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn sending(&self) -> MutexGuard<'_, Sending> {
        self.sending.lock()
    }

    /// Locked by whoever reads, while it waits too.
    pub(crate) fn incoming(&self) -> MutexGuard<'_, Incoming> {
        self.incoming.lock()
    }

    /// Something happens to the line now, and what follows is done.
    fn step<T>(&self, happen: impl FnOnce(&mut Standing, Instant) -> T) -> T {
        self.step_in(&mut self.state(), happen)
    }

    fn step_in<T>(&self, state: &mut State, happen: impl FnOnce(&mut Standing, Instant) -> T) -> T {
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

    /// The present connection, if there is one.
    pub fn stream(&self) -> Option<Arc<TcpStream>> {
        self.state().stream.clone()
    }

    /// For how long it has been broken. None if it is not, or over.
    pub fn broken_for(&self) -> Option<Duration> {
        self.state().standing.broken_for(Instant::now())
    }

    #[cfg(test)]
    fn is_over(&self) -> bool {
        self.state().standing.not_over().is_err()
    }

    /// Where nobody reads, nobody notices that the connection ended, or that nothing arrives any
    /// more of what is sent. To be called once a second.
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

    /// Nothing of what was sent has been acknowledged for `SWALLOWED_LOOKS`.
    fn swallows(&self, stream: &TcpStream) -> bool {
        let Some(info) = TcpInfo::of(stream) else { return false };
        let (acked, looks) = &mut self.state().acked;
        let is_news = !info.is_unacknowledged() || info.bytes_acked() != *acked;
        (*acked, *looks) = (info.bytes_acked(), if is_news { 0 } else { *looks + 1 });
        *looks >= SWALLOWED_LOOKS
    }

    /// Gives the connection up if something is on its way by it: for one on which nothing ever
    /// comes, when others are known to be silent.
    pub fn doubt(&self) {
        let info = self.stream().and_then(|stream| TcpInfo::of(&stream));
        if info.is_some_and(|info| info.is_unacknowledged()) {
            self.interrupt();
        }
    }

    /// What to read from, and its generation; for one reader, which keeps it. Waits while the line
    /// is broken, or gives None if it may not.
    pub(crate) fn inlet(&self, may_wait: bool) -> io::Result<Option<(Inlet, u64)>> {
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

    /// Until something changes, or for so long, or an error if the line is over.
    fn wait_at_most<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        limit: Duration,
    ) -> io::Result<MutexGuard<'s, State>> {
        let limit = self.step_in(&mut state, Standing::may_sleep)?.min(limit);
        Ok(self.changed.wait_timeout(state, limit).0)
    }

    /// The line is over, whatever its grace.
    pub fn end(&self, cause: io::Error) {
        self.step(|standing, _| standing.end(cause));
    }

    /// The connection of that generation is of no use any more.
    pub(crate) fn broke(&self, generation: u64, cause: io::Error) {
        self.step(|standing, now| standing.broke(now, generation, cause));
    }

    /// Bytes of a whole record have come by the connection of that generation. False if it was
    /// given up meanwhile: they come again.
    pub(crate) fn take(&self, generation: u64, bytes: usize) -> bool {
        let (taken, to_tell) =
            self.step(|standing, _| (standing.take(generation, bytes), standing.to_tell()));
        if let Some(received) = to_tell.filter(|_| taken) {
            self.tell_if_free(received);
        }
        taken
    }

    /// Unless somebody writes, who does so then.
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

    /// A word came whole.
    pub(crate) fn hear(&self, word: Word) {
        self.step(|standing, _| standing.hear(word));
    }

    /// Sends a record of so many bytes at most, which `fill` writes. It arrives, unless the line is
    /// over before: an error says that it is. Waits while too much is on its way.
    pub(crate) fn send(&self, bytes_max: usize, fill: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let mut sending = self.room()?;
        let Sending { backlog, outlet } = &mut *sending;
        let record = backlog.append(bytes_max, fill);
        let Some((open, generation)) = outlet else { return Ok(()) };
        let mut sent = open.send_all(record);
        if !self.is_patient {
            // Nobody would ask for it.
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
                self.end(violation("the other side says that it has what was never sent"));
            }
            self.state().standing.not_over()?;
            if sending.backlog.has_room() {
                return Ok(sending);
            }
            drop(sending);
            self.await_acknowledgement(acknowledged)?;
        }
    }

    /// Whoever reads hears of it, or this thread where nobody reads now.
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

    /// Nothing that the present connection brings from now on is taken, nor anything of one that
    /// was to come. None if the line is over, or waits for none.
    pub(crate) fn freeze(&self) -> Option<Frozen> {
        self.step(Standing::freeze)
    }

    /// As `freeze`, for the side that is called: None too if this attempt is older than another
    /// one.
    pub(crate) fn freeze_for(&self, attempt: u64) -> Option<Frozen> {
        self.step(|standing, now| standing.freeze_for(now, attempt))
    }

    /// Goes on with another connection, whose other side has all before the position; unless the
    /// line was frozen anew meanwhile. Waits while the other side does not read what is sent again.
    pub(crate) fn install(
        &self,
        pipe: impl Into<Pipe>,
        frozen: Frozen,
        position: u64,
    ) -> io::Result<()> {
        self.open(pipe, frozen)?.map_or(Ok(()), |outlet| self.catch_up(outlet, frozen, position))
    }

    /// Has another connection to read from. What it is written by, for `catch_up`; None if the line
    /// was frozen anew meanwhile.
    pub(crate) fn open(&self, pipe: impl Into<Pipe>, frozen: Frozen) -> io::Result<Option<Outlet>> {
        let Pipe { stream, inlet, outlet } = pipe.into();
        let mut state = self.state();
        let is_open = self.step_in(&mut state, |standing, _| standing.open(frozen))?;
        if is_open {
            (state.stream, state.inlet, state.acked) = (Some(stream), Some(inlet), (0, 0));
        }
        Ok(is_open.then_some(outlet))
    }

    /// Sends what the other side lacks, and lets others send behind that.
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
                "the other side lacks what it said that it has, or has what was never sent",
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

impl Ear for Line {
    fn heard(&self) -> Heard {
        let (stream, generation) = {
            let state = self.state();
            let generation = state.standing.generation();
            let Some(stream) = &state.stream else {
                // It is known to be silent, and somebody sees to that.
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

    /// Not while somebody else writes, nor where it would wait.
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
