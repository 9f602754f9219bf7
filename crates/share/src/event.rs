//! The arbiter's events and actions. The caller supplies all times, in nanoseconds of one monotonic
//! clock.

use super::configuration::Configuration;
use super::inflight_window::InFlight;
use super::tenant::TenantId;
pub use outhaul_wire::effect::Engine;

/// The ID of a session: one client process and its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u64);

/// A message to the arbiter. `session` is the sender, and `engine` is the engine concerned.
#[allow(missing_docs, reason = "the variants' comments explain their fields")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A session of a configured tenant begins.
    Opened { session: SessionId, tenant: TenantId },
    /// The session is closed or dead and has no work left on the GPU.
    Ended { session: SessionId },
    /// A session without the turn has work. `predicted_ns` is the predicted length of its first
    /// piece.
    Wants { session: SessionId, engine: Engine, predicted_ns: u64 },
    /// A piece of work has ended after `measured_ns` on the GPU.
    Completed { session: SessionId, engine: Engine, measured_ns: u64 },
    /// The session held the engine for `unused_ns` without using it while others wanted it.
    Unused { session: SessionId, engine: Engine, unused_ns: u64 },
    /// The session has spent `moved_ns` on making its memory resident. A turn that ended soon would
    /// waste that time.
    Moved { session: SessionId, moved_ns: u64 },
    /// Memory of the session has left the GPU, and takes `return_ns` to come back.
    Evicted { session: SessionId, return_ns: u64 },
    /// The session has nothing in flight and gives up the turn, because it was drained or has no
    /// work.
    Yielded { session: SessionId, engine: Engine },
    /// The operator changed the shares or the policy. Sessions keep their tenants.
    Configured(Configuration),
    /// A requested timer has expired. Early and repeated timers are harmless.
    Timer,
}

/// The maximum time for which a session may hold a turn unused before it reports and pays for that
/// time.
pub const UNUSED_NS_MAX: u64 = 1_000_000;
/// How long a turn outlasts the work of a program that usually returns at once. Passing the turn to
/// another session and back takes equally long.
pub const GRACE_NS: u64 = 150_000;

/// The limit on a session's submissions during its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants' comments explain their fields")]
pub enum Term {
    /// A run of overlapping pieces, with at most `pieces_max` in flight. The session yields when
    /// none is in flight, even if it has more work.
    Run { pieces_max: usize },
    /// The session submits without asking until it is drained or out of work. At most `window_ns`
    /// of predicted time is in flight, or two pieces of at most that length each.
    Window { window_ns: u64 },
}

impl Term {
    /// Returns whether another piece may be submitted in addition to `in_flight`. One piece is
    /// always admitted when nothing is in flight; a piece longer than the window runs alone.
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

    /// Returns whether a piece runs alone and more than half of it would run after the turn's end.
    /// Such a piece waits for the next turn if this turn has done any work.
    pub fn runs_over(self, predicted_ns: u64, left_ns: u64) -> bool {
        matches!(self, Term::Window { window_ns } if predicted_ns > window_ns)
            && predicted_ns / 2 > left_ns
    }
}

/// An order from the arbiter. `session` is the recipient, and `engine` is the engine concerned.
#[allow(missing_docs, reason = "the variants' comments explain their fields")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The session has the turn for about `length_ns`. With `keep`, no other session wants the
    /// engine, so the session keeps the turn even while it is out of work.
    Grant { session: SessionId, engine: Engine, term: Term, length_ns: u64, keep: bool },
    /// Another session wants the engine: the recipient must give up the turn when it is out of
    /// work.
    Contended { session: SessionId, engine: Engine },
    /// No other session has wanted the engine for a while: the recipient keeps the turn even when
    /// it is out of work.
    Keep { session: SessionId, engine: Engine },
    /// The recipient must submit nothing more, and yield when nothing is in flight.
    Drain { session: SessionId, engine: Engine },
    /// One more session is about to use the engine; the driver's time slices divide the engine
    /// among them.
    Overlap { engine: Engine },
    /// The caller must send `Event::Timer` at `at_ns`.
    Timer { at_ns: u64 },
}
