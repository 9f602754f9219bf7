//! Replaces the broken connections of a session's lanes. One thread per session retries until it
//! succeeds, the node refuses, or the grace period is over. Sessions in shared memory have no such
//! thread.

use crate::base::log;
use crate::session::Session;
use crate::session::connect::failure::explain;
use outhaul_transport::rejoin;
use outhaul_transport::{Bell, GRACE_VARIABLE, Grace, HelloError, Line, SessionKey};
use outhaul_wire::handshake::LANE_CALLBACKS;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Default grace period, in seconds.
const GRACE_SECONDS: u32 = 120;
/// Longest grace period, in seconds.
const GRACE_SECONDS_MAX: u32 = 24 * 3600;
/// Pause between two attempts. It is short, so that the client finds a restored node soon.
const PAUSE: Duration = Duration::from_millis(40);
/// Timeout of one attempt: once for the other machine to accept the connection, and once for its
/// answer.
const ATTEMPT_WAIT_MAX: Duration = Duration::from_secs(3);
/// How long a machine may refuse connections. After that time the client assumes that no node runs
/// there, and that the session is lost.
const CONNECTION_REFUSED_MAX: Duration = Duration::from_secs(10);
/// Time for the last attempt, including the report of its failure.
const LAST_ATTEMPT_MAX: Duration = Duration::from_secs(10);
/// Interval at which the client checks lanes from which no thread reads.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Longest interruption that the client does not report to the user.
const SILENT_BREAK_MAX: Duration = Duration::from_secs(2);

/// Returns the grace period that OUTHAUL_GRACE sets, or the default.
pub fn grace() -> Result<Duration, String> {
    let Ok(text) = std::env::var(GRACE_VARIABLE) else {
        return Ok(Duration::from_secs(GRACE_SECONDS.into()));
    };
    let seconds = text.parse().ok().filter(|seconds| *seconds <= GRACE_SECONDS_MAX);
    let seconds: u32 = seconds.ok_or_else(|| {
        format!(
            "{GRACE_VARIABLE} is '{text}', which is not a number of seconds \
        from 0 to {GRACE_SECONDS_MAX}"
        )
    })?;
    Ok(Duration::from_secs(seconds.into()))
}

/// Returns how long lanes wait for a new connection. The time suffices for this module to report
/// why none came.
pub fn grace_of_lines(grace: Duration) -> Grace {
    if grace.is_zero() { Grace::NONE } else { Grace::of(grace + LAST_ATTEMPT_MAX) }
}

/// The data that the client needs to reconnect a session's lanes.
pub struct Reconnecting {
    /// The connections of the lanes, by lane number.
    pub lines: Vec<Arc<Line>>,
    /// Key by which the worker recognises the session.
    pub key: SessionKey,
    /// Rings when a lane breaks.
    pub bell: Arc<Bell>,
    /// Longest time for which a lane may be broken.
    pub grace: Duration,
    /// Number of attempts so far. The worker refuses an attempt that is older than another one.
    pub attempts: AtomicU64,
}

/// The reason why a session cannot continue.
struct Hopeless(String);

impl Reconnecting {
    /// Reconnects broken lanes until the session ends.
    pub fn run(self, session: &Session) {
        let mut rings = 0;
        loop {
            rings = self.bell.wait(rings, CHECK_INTERVAL);
            if session.deferred.is_lost() {
                return;
            }
            self.lines.iter().for_each(|line| line.check());
            if self.is_broken()
                && let Err(Hopeless(reason)) = self.restore(session)
            {
                return session.lose(&reason);
            }
        }
    }

    fn is_broken(&self) -> bool {
        self.lines.iter().any(|line| line.broken_for().is_some())
    }

    /// Returns how long the lane that broke first has been broken. Each lane has the whole grace
    /// period.
    fn broken_for(&self) -> Duration {
        self.lines.iter().filter_map(|line| line.broken_for()).max().unwrap_or_default()
    }

    /// Blocks until no lane is broken. Fails if the session cannot continue.
    fn restore(&self, session: &Session) -> Result<(), Hopeless> {
        let began = Instant::now();
        let (mut is_reported, mut refused_since) = (false, None);
        // The worker sends nothing on the callback lane, so the client cannot notice missing
        // data there.
        self.lines
            .get(usize::from(LANE_CALLBACKS))
            .into_iter()
            .for_each(|line| line.interrupt_if_unacknowledged());
        log::note(|| format!("a connection to {} broke", session.node));
        while self.is_broken() && !session.deferred.is_lost() {
            let left = self.grace.saturating_sub(self.broken_for());
            let Err(error) = self.attempt(session, left.clamp(PAUSE, ATTEMPT_WAIT_MAX)) else {
                // Another lane has broken in the meantime, or the same one again. The pause limits
                // the rate of new connections.
                std::thread::sleep(if self.is_broken() { PAUSE } else { Duration::ZERO });
                continue;
            };
            if let HelloError::Refused(reason) = &error {
                return Err(Hopeless(format!(
                    "a connection broke, and the node no longer knows the session: {reason}"
                )));
            }
            let refused_for = since_of(&mut refused_since, is_connection_refused(&error));
            let (node, seconds) = (&session.node, self.grace.as_secs());
            if refused_for >= CONNECTION_REFUSED_MAX.min(self.grace) {
                return Err(Hopeless(format!(
                    "a connection broke, and nothing listens at {node} any more"
                )));
            }
            if self.broken_for() >= self.grace {
                let why = explain(node, &error);
                return Err(Hopeless(format!(
                    "a connection broke, and reconnecting failed for {seconds} s: {why}"
                )));
            }
            if began.elapsed() >= SILENT_BREAK_MAX && !std::mem::replace(&mut is_reported, true) {
                log::warn(&format!(
                    "the connection to {node} is lost; the program waits up to {seconds} s for it \
                    ({error})"
                ));
            }
            std::thread::sleep(PAUSE);
        }
        let back = || {
            format!(
                "connected to {} again after {:.1} s",
                session.node,
                began.elapsed().as_secs_f64()
            )
        };
        match is_reported {
            _ if session.deferred.is_lost() => {}
            true => log::warn(&back()),
            false => log::note(back),
        }
        Ok(())
    }

    /// Reconnects one broken lane first, which shows whether the network works again. Then
    /// reconnects all others in parallel, because each takes several round trips.
    fn attempt(&self, session: &Session, wait: Duration) -> Result<(), HelloError> {
        let call = |(lane, line): (usize, &Arc<Line>)| {
            let attempt = 1 + self.attempts.fetch_add(1, Relaxed);
            let lane = (lane as u16, attempt);
            rejoin(&session.node, (session.name, &self.key), lane, line, wait)
        };
        let broken =
            || self.lines.iter().enumerate().filter(|(_, line)| line.broken_for().is_some());
        broken().next().map_or(Ok(()), call)?;
        std::thread::scope(|scope| {
            // The new threads inherit this thread's signal mask, which blocks signals.
            let calls = broken()
                .map(|lane| std::thread::Builder::new().spawn_scoped(scope, move || call(lane)));
            let calls = calls.collect::<Result<Vec<_>, _>>()?;
            let died = |_| Err(io::Error::other("a thread that connects died").into());
            calls.into_iter().map(|call| call.join().unwrap_or_else(died)).fold(Ok(()), Result::and)
        })
    }
}

/// Returns whether the other machine reports that no process listens on the port.
fn is_connection_refused(error: &HelloError) -> bool {
    matches!(error, HelloError::Unreachable { error, .. } if error.kind()
        == io::ErrorKind::ConnectionRefused)
}

/// Returns for how long `is_so` has been true without interruption.
fn since_of(since: &mut Option<Instant>, is_so: bool) -> Duration {
    if !is_so {
        *since = None;
        return Duration::ZERO;
    }
    since.get_or_insert_with(Instant::now).elapsed()
}
