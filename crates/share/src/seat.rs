//! A session's seat at one engine: whether it has the turn, what it may submit, and when it passes
//! the turn on. The seat exchanges messages with the arbiter. A worker drives its seats with a real
//! clock, CUDA events and threads; the simulator drives them with a simulated clock. The caller
//! supplies time, threads, locks, and the work in flight.

use crate::event::{Action, GRACE_NS, Term, UNUSED_NS_MAX};
use crate::inflight_window::InFlight;
use crate::queue::TURN_TIMES_MOVED;

/// Cap on a measured absence; longer absences count as this long.
const ABSENCE_NS_MAX: u64 = 10_000_000;
/// Measured time that is collected before the seat reports it to the arbiter.
const CHARGE_NS: u64 = 2_000_000;

/// The arbiter's order to a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The session has the turn, as in `Action::Grant`.
    Grant {
        /// How much the session may submit.
        term: Term,
        /// Approximate length of the turn.
        length_ns: u64,
        /// Whether the session keeps the turn while it is out of work.
        keep: bool,
    },
    /// Another session wants the engine.
    Contended,
    /// No other session wants the engine any more.
    Keep,
    /// The turn is up.
    Drain,
}

impl Order {
    /// Returns the order that `action` gives a seat, or None if the action addresses no seat.
    pub fn of(action: Action) -> Option<Order> {
        match action {
            Action::Grant { term, length_ns, keep, .. } => {
                Some(Order::Grant { term, length_ns, keep })
            }
            Action::Contended { .. } => Some(Order::Contended),
            Action::Keep { .. } => Some(Order::Keep),
            Action::Drain { .. } => Some(Order::Drain),
            Action::Overlap { .. } | Action::Timer { .. } => None,
        }
    }
}

/// The caller's duties after an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Obeyed {
    /// Whether work may be submitted without asking the seat, if that has changed.
    pub free: Option<bool>,
    /// Whether the caller must check from now on when to pass the turn on.
    pub needs_keeper: bool,
}

/// The answer to whether a piece of work may be submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The piece may be submitted now; the caller calls `entered` afterwards.
    Enters,
    /// The piece must wait.
    Waits {
        /// Whether the caller must request a turn from the arbiter.
        asks: bool,
    },
}

/// The charges for a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// Time to charge to the session's own account, because no other session waited. The arbiter
    /// ignores this time.
    pub own_ns: u64,
    /// Time to report to the arbiter now.
    pub due_ns: u64,
}

/// The seat's report to the arbiter when a turn ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Farewell {
    /// Time to report to the arbiter now.
    pub due_ns: u64,
    /// Time in which the session held the turn unused, if it is long enough to be reported and paid
    /// for.
    pub unused_ns: Option<u64>,
    /// Predicted length of the session's next work, if the session already waits again.
    pub wants_ns: Option<u64>,
}

/// The answer to whether a session passes its turn on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// The session keeps the turn until something changes.
    Stays,
    /// No work is left. If none has arrived after `ns`, the turn is over. A program that returns at
    /// once still has the turn.
    After {
        /// Time after which the caller must ask again.
        ns: u64,
    },
    /// The session no longer has the turn.
    Over(Farewell),
}

#[derive(Clone, Copy, Debug)]
struct Turn {
    term: Term,
    length_ns: u64,
    keeps: bool,
    draining: bool,
    /// The time since when the turn has kept others from the engine.
    held_since_ns: u64,
    measured_ns: u64,
    charged_ns: u64,
}

impl Turn {
    /// Returns whether a piece should wait for the next turn.
    fn is_up_for(&self, now_ns: u64, predicted_ns: u64) -> bool {
        let held_ns = now_ns.saturating_sub(self.held_since_ns);
        let in_turn = !self.keeps && !self.draining && self.measured_ns > 0;
        in_turn && self.term.runs_over(predicted_ns, self.length_ns.saturating_sub(held_ns))
    }

    fn owed_ns(&self) -> u64 {
        self.measured_ns - self.charged_ns
    }
}

/// A session's seat at one engine. All times are nanoseconds of one monotonic clock, which the
/// caller reads.
#[derive(Clone, Debug)]
pub struct Seat {
    turn: Option<Turn>,
    asked: bool,
    /// The predicted length of the work that waits for admission.
    waiting_ns: Option<u64>,
    /// Whether a piece has been admitted but not submitted yet.
    entering: bool,
    /// Whether the turn must wait for unmeasured work to end.
    unwatched: bool,
    idle_since_ns: Option<u64>,
    /// Running mean of the time that the program takes to return with work.
    absence_ns: u64,
    /// The time that making the session's memory resident for this turn took. The turn outlasts the
    /// session's work by the same time.
    moved_ns: u64,
    /// The turn does not end before this time, even if the arbiter drained the session while memory
    /// was still moving.
    stays_until_ns: Option<u64>,
    /// Time that the session reported to the arbiter for charging. Another arbiter has no record of
    /// this time.
    charged_ns: u64,
}

impl Default for Seat {
    fn default() -> Seat {
        Seat {
            turn: None,
            asked: false,
            waiting_ns: None,
            entering: false,
            unwatched: false,
            idle_since_ns: None,
            absence_ns: ABSENCE_NS_MAX,
            moved_ns: 0,
            stays_until_ns: None,
            charged_ns: 0,
        }
    }
}

impl Seat {
    /// Returns whether the session has the turn.
    pub fn has_turn(&self) -> bool {
        self.turn.is_some()
    }

    /// Returns whether the session has the turn and another session wants the engine.
    pub fn is_contended(&self) -> bool {
        self.turn.is_some_and(|turn| !turn.keeps)
    }

    /// Returns whether nothing more may be submitted in the current turn.
    pub fn is_draining(&self) -> bool {
        self.turn.is_some_and(|turn| turn.draining)
    }

    /// Returns whether the turn is a run, which has no time limit.
    pub fn is_run(&self) -> bool {
        self.turn.is_some_and(|turn| matches!(turn.term, Term::Run { .. }))
    }

    /// Returns whether a piece has been admitted but not submitted yet.
    pub fn is_entering(&self) -> bool {
        self.entering
    }

    /// Returns whether the turn must wait for unmeasured work to end.
    pub fn is_unwatched(&self) -> bool {
        self.unwatched
    }

    /// Notes that the unmeasured work has ended or is measured from now on.
    pub fn watched(&mut self) {
        self.unwatched = false;
    }

    /// Applies an order from the arbiter.
    pub fn obey(&mut self, now_ns: u64, order: Order) -> Obeyed {
        match (order, &mut self.turn) {
            (Order::Grant { term, length_ns, keep: keeps }, turn) => {
                let (draining, held_since_ns) = (false, now_ns);
                let (measured_ns, charged_ns) = (0, 0);
                *turn = Some(Turn {
                    term,
                    length_ns,
                    keeps,
                    draining,
                    held_since_ns,
                    measured_ns,
                    charged_ns,
                });
                (self.asked, self.moved_ns, self.stays_until_ns) = (false, 0, None);
                Obeyed { free: Some(keeps), needs_keeper: !keeps }
            }
            (Order::Contended, Some(turn)) => {
                turn.keeps = false;
                (turn.held_since_ns, turn.measured_ns, turn.charged_ns) = (now_ns, 0, 0);
                self.unwatched = true;
                Obeyed { free: Some(false), needs_keeper: true }
            }
            (Order::Contended, None) => Obeyed { free: Some(false), needs_keeper: false },
            (Order::Keep, Some(turn)) if !turn.draining => {
                turn.keeps = true;
                Obeyed { free: Some(true), needs_keeper: false }
            }
            (Order::Drain, Some(turn)) => {
                turn.draining = true;
                Obeyed::default()
            }
            (Order::Keep | Order::Drain, _) => Obeyed::default(),
        }
    }

    /// Requests admission for work of the predicted length `predicted_ns`. The caller repeats the
    /// request after every change until the work enters.
    pub fn admit(&mut self, now_ns: u64, in_flight: InFlight, predicted_ns: u64) -> Admission {
        self.come_back(now_ns);
        if let Some(turn) = self.open_turn(now_ns)
            && in_flight.pieces == 0
            && turn.is_up_for(now_ns, predicted_ns)
        {
            turn.draining = true;
        }
        let turn = self.open_turn(now_ns);
        if turn.is_some_and(|turn| turn.term.admits(in_flight, predicted_ns)) {
            return self.enter();
        }
        self.wait(predicted_ns)
    }

    /// Requests that the turn last during a command that is not work. A turn that is up suffices
    /// while work is in flight, because it lasts until that work has ended. That work may itself
    /// wait for the command.
    pub fn stay(&mut self, now_ns: u64, is_idle: bool) -> Admission {
        self.come_back(now_ns);
        if self.turn.is_some() && (!self.is_up(now_ns) || !is_idle) {
            return self.enter();
        }
        self.wait(0)
    }

    /// Returns the predicted time of further short pieces that may be submitted without asking
    /// again, in nanoseconds. The answer holds until the next order, while work is in flight.
    pub fn room_ns(&self, in_flight: InFlight) -> u64 {
        match self.turn {
            Some(Turn {
                term: Term::Window { window_ns }, draining: false, keeps: false, ..
            }) if !self.unwatched => window_ns.saturating_sub(in_flight.predicted_ns),
            _ => 0,
        }
    }

    fn enter(&mut self) -> Admission {
        (self.entering, self.waiting_ns) = (true, None);
        Admission::Enters
    }

    fn wait(&mut self, predicted_ns: u64) -> Admission {
        let asks = self.turn.is_none() && !self.asked;
        self.asked |= asks;
        self.waiting_ns = Some(predicted_ns);
        Admission::Waits { asks }
    }

    /// Returns the turn if work may be submitted in it.
    fn open_turn(&mut self, now_ns: u64) -> Option<&mut Turn> {
        if self.is_up(now_ns) || self.unwatched { None } else { self.turn.as_mut() }
    }

    /// Returns whether nothing more may be submitted in this turn.
    fn is_up(&self, now_ns: u64) -> bool {
        self.is_draining() && self.stays_until_ns.is_none_or(|until_ns| until_ns <= now_ns)
    }

    /// Notes that the session has work again.
    fn come_back(&mut self, now_ns: u64) {
        if let Some(since_ns) = self.idle_since_ns.take() {
            let away_ns = now_ns.saturating_sub(since_ns).min(ABSENCE_NS_MAX);
            self.absence_ns = (self.absence_ns + away_ns) / 2;
        }
    }

    /// Notes that the admitted piece has been submitted, or was not work.
    pub fn entered(&mut self) {
        self.entering = false;
    }

    /// Withdraws the admitted piece so that others go first. Returns whether another session wants
    /// the engine.
    pub fn step_back(&mut self) -> bool {
        (self.entering, self.stays_until_ns) = (false, None);
        let contended = self.turn.as_mut().filter(|turn| !turn.keeps);
        contended.map(|turn| turn.draining = true).is_some()
    }

    /// Notes that the turn began with moving memory for `took_ns`, which is not part of the work
    /// that follows.
    pub fn moved(&mut self, now_ns: u64, took_ns: u64) {
        self.moved_ns += took_ns;
        let stays_ns = took_ns.saturating_mul(TURN_TIMES_MOVED.into());
        self.stays_until_ns = Some(now_ns.saturating_add(stays_ns));
    }

    /// Notes that work has ended after `measured_ns`, and that `pieces_left` pieces are still in
    /// flight.
    pub fn measured(&mut self, measured_ns: u64, pieces_left: usize) -> Charge {
        let Some(turn) = self.turn.as_mut().filter(|turn| !turn.keeps) else {
            return Charge { own_ns: measured_ns, due_ns: 0 };
        };
        turn.measured_ns += measured_ns;
        turn.draining |= pieces_left == 0 && matches!(turn.term, Term::Run { .. });
        let mut due_ns = 0;
        if turn.owed_ns() >= CHARGE_NS {
            due_ns = turn.owed_ns();
            turn.charged_ns = turn.measured_ns;
            self.charged_ns += due_ns;
        }
        Charge { own_ns: 0, due_ns }
    }

    /// Gives up the turn if it is up or no work is left. `is_idle` means that nothing is in flight.
    pub fn pass_on(&mut self, now_ns: u64, is_idle: bool) -> Passing {
        let Some(turn) = self.turn.filter(|turn| !turn.keeps) else { return Passing::Stays };
        let is_up = self.is_up(now_ns);
        if !is_idle || self.entering || self.waiting_ns.is_some() && !is_up {
            return Passing::Stays;
        }
        if !is_up {
            let since_ns = *self.idle_since_ns.get_or_insert(now_ns);
            let (idle_ns, grace_ns) = (now_ns.saturating_sub(since_ns), self.grace_ns());
            if idle_ns < grace_ns {
                return Passing::After { ns: grace_ns - idle_ns };
            }
        }
        let held_ns = now_ns.saturating_sub(turn.held_since_ns);
        let unused_ns = held_ns.saturating_sub(turn.measured_ns);
        (self.turn, self.asked) = (None, self.waiting_ns.is_some());
        self.charged_ns += turn.owed_ns();
        Passing::Over(Farewell {
            due_ns: turn.owed_ns(),
            unused_ns: unused_ns.checked_sub(UNUSED_NS_MAX).filter(|unused_ns| *unused_ns > 0),
            wants_ns: self.waiting_ns,
        })
    }

    /// Returns how long a turn without work is kept.
    fn grace_ns(&self) -> u64 {
        if self.absence_ns < GRACE_NS { GRACE_NS.max(self.moved_ns) } else { self.moved_ns }
    }

    /// Drops the turn, because another arbiter has taken over that does not know about it. Returns
    /// the turn's used time, which moves to the session's own account.
    pub fn lose_turn(&mut self) -> u64 {
        let turn = self.turn.take();
        self.unwatched |= turn.is_some_and(|turn| turn.keeps);
        (self.moved_ns, self.stays_until_ns) = (0, None);
        turn.map_or(0, |turn| turn.owed_ns()) + std::mem::take(&mut self.charged_ns)
    }

    /// Returns the predicted length of the waiting work, if any, as a report to another arbiter.
    pub fn ask_anew(&mut self) -> Option<u64> {
        self.asked = self.waiting_ns.is_some();
        self.waiting_ns
    }

    /// Notes that the request for a turn did not reach the arbiter.
    pub fn request_failed(&mut self) {
        self.asked = false;
    }
}

#[cfg(test)]
mod tests;
