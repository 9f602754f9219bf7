//! What the arbiter is told and what it answers. Times are nanoseconds of one clock that never goes
//! back, the caller's.

use super::configuration::Configuration;
use super::window::InFlight;
pub use outhaul_wire::effect::Engine;

/// Who holds a share: a user of the node, with any number of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantId(pub u32);

/// One client process and its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u64);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Opened {
        session: SessionId,
        tenant: TenantId,
    },
    /// Closed or dead: nothing of it is on the GPU any more.
    Ended {
        session: SessionId,
    },
    /// A session without the turn has work, the first piece of which is predicted to take this
    /// long.
    Wants {
        session: SessionId,
        engine: Engine,
        predicted_ns: u64,
    },
    /// A piece of work is over; what it took on the GPU.
    Completed {
        session: SessionId,
        engine: Engine,
        measured_ns: u64,
    },
    /// The session kept others from the engine for so long and did not use it.
    Unused {
        session: SessionId,
        engine: Engine,
        unused_ns: u64,
    },
    /// The session has spent so long on bringing its memory back, which would be lost if its turn
    /// ended soon.
    Moved {
        session: SessionId,
        moved_ns: u64,
    },
    /// The session has nothing in flight and gives up the turn: drained, or out of work.
    Yielded {
        session: SessionId,
        engine: Engine,
    },
    Configured(Configuration),
    /// A time that the arbiter asked for has come. Early and repeated ones do no harm.
    Timer,
}

/// What a session may hold a turn without using it, before it says so and that is charged too.
pub const UNUSED_NS_MAX: u64 = 1_000_000;
/// How long a turn outlasts the work of a program that comes back at once as a rule. Passing it on
/// and back takes as long.
pub const GRACE_NS: u64 = 150_000;

/// How much a session may submit in its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// A run of overlapping pieces, at most so many at a time: it yields when none is in flight,
    /// though it may have more to do.
    Run { pieces_max: usize },
    /// Without asking, until it is drained or out of work, with at most so much predicted time in
    /// flight, or two pieces no longer than that each.
    Window { window_ns: u64 },
}

impl Term {
    /// Whether a piece may be submitted beside what is in flight: one more at least, so that the
    /// engine does not wait for the next. A piece longer than the window goes alone.
    pub fn admits(self, in_flight: InFlight, predicted_ns: u64) -> bool {
        let InFlight { pieces: pieces_in_flight, predicted_ns: in_flight_ns } = in_flight;
        match self {
            _ if pieces_in_flight == 0 => true,
            Term::Run { pieces_max } => pieces_in_flight < pieces_max,
            Term::Window { window_ns } if pieces_in_flight == 1 => {
                predicted_ns <= window_ns && in_flight_ns <= window_ns
            }
            Term::Window { window_ns } => in_flight_ns.saturating_add(predicted_ns) <= window_ns,
        }
    }

    /// Whether a piece goes alone and would run over the end of the turn by more than it leaves of
    /// it: it would rather be the next turn's, if this one has had any.
    pub fn runs_over(self, predicted_ns: u64, left_ns: u64) -> bool {
        matches!(self, Term::Window { window_ns } if predicted_ns > window_ns)
            && predicted_ns / 2 > left_ns
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The session has the turn, for about so long. If nobody else wants the engine it keeps the
    /// turn while it is out of work, and so waits for nothing.
    Grant { session: SessionId, engine: Engine, term: Term, length_ns: u64, keep: bool },
    /// Somebody wants the engine: keep the turn no longer when out of work.
    Contended { session: SessionId, engine: Engine },
    /// Nobody has wanted the engine for a while: keep the turn when out of work.
    Keep { session: SessionId, engine: Engine },
    /// Submit nothing more; yield when nothing is in flight.
    Drain { session: SessionId, engine: Engine },
    /// One session more than before is about to use the engine: the driver's own time slices share
    /// it out.
    Overlap { engine: Engine },
    /// Send `Event::Timer` then.
    Timer { at_ns: u64 },
}
