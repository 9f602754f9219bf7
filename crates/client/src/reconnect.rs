//! Makes new connections for lanes of a session that broke, until they are there, the node refuses,
//! or the grace is over. One thread for each session over a network.

use crate::connection::explain;
use crate::log;
use crate::session::Session;
use outhaul_transport::rejoin;
use outhaul_transport::{Bell, GRACE_VARIABLE, Grace, HelloError, Line, SessionKey};
use outhaul_wire::handshake::LANE_CALLBACKS;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

const GRACE_SECONDS: u32 = 120;
const GRACE_SECONDS_MAX: u32 = 24 * 3600;
/// Between two attempts: whoever is back is to be found soon.
const PAUSE: Duration = Duration::from_millis(40);
/// For how long an attempt waits for the other side's system to take the connection, and then for
/// its answer.
const ATTEMPT_WAIT_MAX: Duration = Duration::from_secs(3);
/// A machine that answers, and on which nothing listens any more, has lost its node, and with it
/// the session.
const NOBODY_LISTENS_MAX: Duration = Duration::from_secs(10);
/// For the last attempt, and to say that it was.
const LAST_WORD: Duration = Duration::from_secs(10);
/// Lanes that nobody reads from are looked at as often.
const LOOK: Duration = Duration::from_secs(1);
/// A shorter break is no news to the program's user.
const SAID_FROM: Duration = Duration::from_secs(2);

/// What OUTHAUL_GRACE says.
pub fn grace() -> Result<Duration, String> {
    let Ok(text) = std::env::var(GRACE_VARIABLE) else {
        return Ok(Duration::from_secs(GRACE_SECONDS.into()));
    };
    let seconds = text.parse().ok().filter(|seconds| *seconds <= GRACE_SECONDS_MAX);
    let seconds: u32 = seconds.ok_or_else(|| {
        format!(
            "{GRACE_VARIABLE} is '{text}', which is no number of seconds \
        from 0 to {GRACE_SECONDS_MAX}"
        )
    })?;
    Ok(Duration::from_secs(seconds.into()))
}

/// For how long lanes wait: until this module has said why none came.
pub fn grace_of_lines(grace: Duration) -> Grace {
    if grace.is_zero() { Grace::NONE } else { Grace::of(grace + LAST_WORD) }
}

/// What it takes to make a session's lanes go on.
pub struct Reconnecting {
    pub lines: Vec<Arc<Line>>,
    /// By which the worker knows who calls again.
    pub key: SessionKey,
    pub bell: Arc<Bell>,
    pub grace: Duration,
    /// How many there were: the worker takes none that is older than another.
    pub attempts: AtomicU64,
}

/// Why a session does not go on.
struct Hopeless(String);

impl Reconnecting {
    /// Sees to the lanes until the session is over.
    pub fn run(self, session: &Session) {
        let mut rings = 0;
        loop {
            rings = self.bell.wait(rings, LOOK);
            if session.deferred.is_lost() {
                return;
            }
            self.lines.iter().for_each(|line| line.look());
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

    /// For how long the lane has been broken that has been for longest: each has the grace for
    /// itself.
    fn broken_for(&self) -> Duration {
        self.lines.iter().filter_map(|line| line.broken_for()).max().unwrap_or_default()
    }

    /// Blocks until no lane is broken.
    fn restore(&self, session: &Session) -> Result<(), Hopeless> {
        let began = Instant::now();
        let (mut said, mut nobody_since) = (false, None);
        // The worker says nothing there, so nobody has missed anything.
        self.lines.get(usize::from(LANE_CALLBACKS)).into_iter().for_each(|line| line.doubt());
        log::note(|| format!("a connection to {} broke", session.node));
        while self.is_broken() && !session.deferred.is_lost() {
            let left = self.grace.saturating_sub(self.broken_for());
            let Err(error) = self.attempt(session, left.clamp(PAUSE, ATTEMPT_WAIT_MAX)) else {
                // Another lane has broken meanwhile, or the same one: not as fast as connections
                // can be had.
                std::thread::sleep(if self.is_broken() { PAUSE } else { Duration::ZERO });
                continue;
            };
            if let HelloError::Refused(reason) = &error {
                return Err(Hopeless(format!(
                    "a connection broke, and the node knows the session no more: {reason}"
                )));
            }
            let nobody_for = since_of(&mut nobody_since, is_nobody_there(&error));
            let (node, seconds) = (&session.node, self.grace.as_secs());
            if nobody_for >= NOBODY_LISTENS_MAX.min(self.grace) {
                return Err(Hopeless(format!(
                    "a connection broke, and nothing listens at {node} any more"
                )));
            }
            if self.broken_for() >= self.grace {
                let why = explain(node, &error);
                return Err(Hopeless(format!(
                    "a connection broke, and no other could be had for {seconds} s: {why}"
                )));
            }
            if began.elapsed() >= SAID_FROM && !std::mem::replace(&mut said, true) {
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
        match said {
            _ if session.deferred.is_lost() => {}
            true => log::warn(&back()),
            false => log::note(back),
        }
        Ok(())
    }

    /// For one lane first, which finds out when the network is back, then for all that are broken
    /// at once: each takes round trips.
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
            // They take no signals, as the thread that starts them.
            let calls = broken()
                .map(|lane| std::thread::Builder::new().spawn_scoped(scope, move || call(lane)));
            let calls = calls.collect::<Result<Vec<_>, _>>()?;
            let died = |_| Err(io::Error::other("a thread that connects died").into());
            calls.into_iter().map(|call| call.join().unwrap_or_else(died)).fold(Ok(()), Result::and)
        })
    }
}

/// That the other machine is there, and nobody listens on it.
fn is_nobody_there(error: &HelloError) -> bool {
    matches!(error, HelloError::Unreachable { error, .. } if error.kind()
        == io::ErrorKind::ConnectionRefused)
}

/// For how long something has been so each time.
fn since_of(since: &mut Option<Instant>, is_so: bool) -> Duration {
    if !is_so {
        *since = None;
        return Duration::ZERO;
    }
    since.get_or_insert_with(Instant::now).elapsed()
}
