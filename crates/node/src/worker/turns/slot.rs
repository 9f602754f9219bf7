//! One engine of one device, where the session's threads meet: who has been let in, what waits, and the turn, if the session has it.

use crate::arbiter::{Engine, Term};
use crate::control::{Note, Word};
use crate::worker::meter::Meter;
use outhaul_transport::look::{LONG, look};
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The longest absence that is told from a longer one.
const ABSENCE_MAX: Duration = Duration::from_millis(10);

/// One engine of one device.
pub struct Slot {
    pub device: u8,
    pub engine: Engine,
    /// The turn is kept: nobody else wants the engine.
    pub free: AtomicBool,
    /// The thread of commands has looked at `free` and is submitting.
    pub inside: AtomicBool,
    /// Counts how often the streams with work were taken over.
    pub harvests: AtomicU64,
    seat: Mutex<Seat>,
    moved: Condvar,
    /// Counts what `moved` tells.
    moves: AtomicU64,
}

/// The session there.
pub struct Seat {
    pub asked: bool,
    pub turn: Option<Turn>,
    /// Work that was submitted without being watched is to be waited for.
    pub unwatched: bool,
    /// The thread of commands has been let in and has not submitted yet.
    pub entering: bool,
    /// It waits to be let in, with work of this predicted length.
    pub waiting: Option<u64>,
    /// The slot has a thread that settles spans and passes the turn on.
    pub keeper: bool,
    /// Somebody waits for the oldest span.
    pub watching: bool,
    pub meter: Meter,
    pub idle_since: Option<Instant>,
    /// How long the program has taken lately to come back with work.
    pub absence: Duration,
    /// How long it took to bring the session's memory back for this turn: so long it outlasts the session's work.
    pub moved: Duration,
    /// And so long it does not end, though the node may have said that it is up while memory was still on its way.
    pub stays_until: Option<Instant>,
}

pub struct Turn {
    pub term: Term,
    pub length: Duration,
    pub keeps: bool,
    pub draining: bool,
    /// Since when others have been kept from the engine by it.
    pub held_since: Instant,
    pub measured_ns: u64,
    pub charged_ns: u64,
}

impl Turn {
    /// Whether a piece would rather be the next turn's.
    pub fn is_up_for(&self, predicted_ns: u64) -> bool {
        let in_turn = !self.keeps && !self.draining && self.measured_ns > 0;
        in_turn
            && self.term.runs_over(
                predicted_ns,
                self.length.saturating_sub(self.held_since.elapsed()).as_nanos() as u64,
            )
    }
}

impl Seat {
    fn new() -> Seat {
        Seat {
            asked: false,
            turn: None,
            unwatched: false,
            entering: false,
            waiting: None,
            keeper: false,
            watching: false,
            meter: Meter::default(),
            idle_since: None,
            absence: ABSENCE_MAX,
            moved: Duration::ZERO,
            stays_until: None,
        }
    }

    /// Nothing more is to be submitted in this turn.
    pub fn is_up(&self, turn: &Turn) -> bool {
        turn.draining && self.stays_until.is_none_or(|until| until <= Instant::now())
    }

    /// There is something to do again.
    pub fn come_back(&mut self) {
        if let Some(since) = self.idle_since.take() {
            self.absence = (self.absence + since.elapsed().min(ABSENCE_MAX)) / 2;
        }
    }
}

impl Slot {
    pub fn new(device: u8, engine: Engine) -> Slot {
        Slot {
            device,
            engine,
            free: AtomicBool::new(false),
            inside: AtomicBool::new(false),
            harvests: AtomicU64::new(0),
            seat: Mutex::new(Seat::new()),
            moved: Condvar::new(),
            moves: AtomicU64::new(0),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, Seat> {
        self.seat.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Something about the seat has changed. Whoever has changed it still holds its lock: one that looked in vain and is about to sleep hears of it then.
    pub fn tell(&self) {
        self.moves.fetch_add(1, Release);
        self.moved.notify_all();
    }

    /// Looks for a change for a while before it sleeps: while sessions take turns, the GPU idles for as long as a thread takes to wake up.
    pub fn wait<'s>(&'s self, seat: MutexGuard<'s, Seat>) -> MutexGuard<'s, Seat> {
        let moves = self.moves.load(Acquire);
        drop(seat);
        look(LONG, || (self.moves.load(Acquire) != moves).then_some(()));
        let seat = self.lock();
        match self.moves.load(Acquire) == moves {
            true => self.moved.wait(seat).unwrap_or_else(|e| e.into_inner()),
            false => seat,
        }
    }

    /// For so long at most.
    pub fn wait_briefly<'s>(
        &'s self,
        seat: MutexGuard<'s, Seat>,
        limit: Duration,
    ) -> MutexGuard<'s, Seat> {
        self.moved.wait_timeout(seat, limit).unwrap_or_else(|e| e.into_inner()).0
    }

    pub fn note(&self, word: Word, value: u64) -> Note {
        Note::new(word, self.device, self.engine, value)
    }

    pub fn let_go(&self) {
        let mut seat = self.lock();
        seat.entering = false;
        self.tell();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn a_piece_that_would_run_over_the_end_by_more_than_it_leaves_is_for_the_next_turn() {
        // So long that it does not matter when this is looked at.
        let held_since = Instant::now() - Duration::from_secs(1_000);
        let (term, length) = (Term::Window { window_ns: 200 * S }, Duration::from_secs(1_200));
        let turn = |measured_ns| Turn {
            term,
            length,
            keeps: false,
            draining: false,
            held_since,
            measured_ns,
            charged_ns: 0,
        };
        assert!(turn(1_000 * S).is_up_for(1_000 * S));
        assert!(!turn(1_000 * S).is_up_for(S), "it goes beside others");
        assert!(!turn(0).is_up_for(1_000 * S), "a turn has one at least");
        assert!(!Turn { keeps: true, ..turn(1_000 * S) }.is_up_for(1_000 * S), "nobody waits");
        assert!(
            !Turn { length: Duration::from_secs(6_000), ..turn(1_000 * S) }.is_up_for(1_000 * S)
        );
    }
}
