//! The arbiter's events and actions. The caller supplies all times, as nanoseconds of one monotonic
//! clock.

use super::configuration::Configuration;
use super::inflight_window::InFlight;
use super::tenant::TenantId;
pub use outhaul_wire::effect::Engine;

/// One client process and its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u64);

/// A message to the arbiter. `session` is its sender, and `engine` the engine that it is about.
#[allow(missing_docs, reason = "the variants' comments explain their fields")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A session of a configured tenant begins.
    Opened { session: SessionId, tenant: TenantId },
    /// The session is closed or dead and has no work left on the GPU.
    Ended { session: SessionId },
    /// A session without the turn has work; its first piece is predicted to take this long.
    Wants { session: SessionId, engine: Engine, predicted_ns: u64 },
    /// A piece of work has ended after this time on the GPU.
    Completed { session: SessionId, engine: Engine, measured_ns: u64 },
    /// The session had the engine for so long without using it, while others wanted it.
    Unused { session: SessionId, engine: Engine, unused_ns: u64 },
    /// The session has spent so long on making its memory resident. A turn that ended soon would
    /// waste that time.
    Moved { session: SessionId, moved_ns: u64 },
    /// The session has nothing in flight and gives up the turn: drained, or out of work.
    Yielded { session: SessionId, engine: Engine },
    /// The operator changed the shares or the policy. Sessions keep their tenants.
    Configured(Configuration),
    /// The time of a requested timer has come. Early and repeated timers do no harm.
    Timer,
}

/// How long a session may hold a turn without using it before it reports that time and pays for it.
pub const UNUSED_NS_MAX: u64 = 1_000_000;
/// How long a turn outlasts the work of a program that usually returns at once. Passing the turn on
/// and back takes as long.
pub const GRACE_NS: u64 = 150_000;

/// How much a session may submit in its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants' comments explain their fields")]
pub enum Term {
    /// A run of overlapping pieces, at most so many at a time. The session yields when none is in
    /// flight, even if it has more to do.
    Run { pieces_max: usize },
    /// The session submits without asking until it is drained or out of work. At most so much
    /// predicted time is in flight, or two pieces of at most that length each.
    Window { window_ns: u64 },
}

impl Term {
    /// Whether a piece may be submitted in addition to what is in flight. At least one more always
    /// may, so that the engine does not idle; a piece longer than the window runs alone.
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

    /// Whether a piece runs alone and would exceed the turn by more than it uses of it. Such a
    /// piece waits for the next turn if this turn has done any work.
    pub fn runs_over(self, predicted_ns: u64, left_ns: u64) -> bool {
        matches!(self, Term::Window { window_ns } if predicted_ns > window_ns)
            && predicted_ns / 2 > left_ns
    }
}

/// An order of the arbiter. `session` is its receiver, and `engine` the engine that it is about.
#[allow(missing_docs, reason = "the variants' comments explain their fields")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The session has the turn for about so long. With `keep`, no other session wants the engine:
    /// the session keeps the turn even while it is out of work and never waits.
    Grant { session: SessionId, engine: Engine, term: Term, length_ns: u64, keep: bool },
    /// Another session wants the engine: give the turn up when out of work.
    Contended { session: SessionId, engine: Engine },
    /// No other session has wanted the engine for a while: keep the turn when out of work.
    Keep { session: SessionId, engine: Engine },
    /// Submit nothing more; yield when nothing is in flight.
    Drain { session: SessionId, engine: Engine },
    /// One more session than before is about to use the engine; the driver's time slices share it
    /// out.
    Overlap { engine: Engine },
    /// Send `Event::Timer` at this time.
    Timer { at_ns: u64 },
}
