//! A watch over the clients and workers of all sessions. A worker ends with its client, but needs
//! some time for that. A session that needs memory meanwhile waits for those that are ending.
//! A worker that hangs cannot end by itself, so the watch kills it.

use crate::log::log_event;
use crate::pidfd::Process;
use outhaul_lock::{Condvar, Mutex};
use outhaul_transport::os::send::has_ended;
use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

/// Interval of the checks. A worker's pulse counts at the same interval.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Number of checks for which a session whose client is gone may still run. The watch counts
/// checks, not time, so a machine that was suspended kills no worker.
const ENDING_CHECKS_MAX: u32 = 5;
/// Longest wait for sessions that are ending: until the watch has killed those that hang.
const ENDING_WAIT_MAX: Duration = Duration::from_secs(7);

/// A session, as the watch needs it.
pub struct Watched {
    /// The client's address, for the log.
    pub peer: String,
    /// The worker.
    pub worker: Arc<Process>,
    /// The socket of the session's first lane. Its end is the client's end, or a break after which
    /// the client may connect again.
    pub client: OwnedFd,
    /// Whether the client is on this machine. It then never connects again.
    pub is_local: bool,
    /// Time for which the session waits for its client after a break.
    pub grace: Duration,
    /// Returns the worker's pulse.
    pub pulse: Box<dyn Fn() -> u64 + Send + Sync>,
}

/// The watch.
#[derive(Default)]
pub struct SessionWatch {
    sessions: Mutex<Sessions>,
    ended: Condvar,
}

#[derive(Default)]
struct Sessions {
    next: u64,
    watched: BTreeMap<u64, Checked>,
}

/// A session, and the results of its checks.
struct Checked {
    session: Watched,
    /// Number of consecutive checks that found the connection ended.
    gone_checks: u32,
    /// The pulse at the last check, and the number of consecutive checks without a beat.
    pulse: (u64, u32),
    is_killed: bool,
}

/// A session under watch. Dropping this value ends the watch, and tells those who wait for the
/// session's end.
pub struct WatchedSession {
    watch: Arc<SessionWatch>,
    number: u64,
}

impl Watched {
    /// Returns the client's socket.
    pub fn socket(&self) -> BorrowedFd<'_> {
        self.client.as_fd()
    }
}

impl SessionWatch {
    /// Watches a session from now on.
    pub fn add(self: &Arc<SessionWatch>, session: Watched) -> WatchedSession {
        let mut sessions = self.sessions.lock();
        let number = sessions.next;
        sessions.next += 1;
        let checked = Checked { session, gone_checks: 0, pulse: (0, 0), is_killed: false };
        sessions.watched.insert(number, checked);
        WatchedSession { watch: self.clone(), number }
    }

    /// Blocks until all sessions that are ending now have returned their memory, but at most for
    /// `ENDING_WAIT_MAX`. `asking` is the process id of the worker that needs the memory. Returns
    /// whether any session was ending.
    pub fn await_endings(&self, asking: u32) -> bool {
        let ending = self.ending(asking);
        self.await_ends(&ending);
        !ending.is_empty()
    }

    /// Returns the numbers of the sessions that are ending, except the session of the worker
    /// `asking`.
    fn ending(&self, asking: u32) -> Vec<u64> {
        let sessions = self.sessions.lock();
        let others =
            sessions.watched.iter().filter(|(_, one)| one.session.worker.number() != asking);
        others.filter(|(_, one)| one.is_ending()).map(|(number, _)| *number).collect()
    }

    fn await_ends(&self, numbers: &[u64]) {
        let is_any_left = |sessions: &mut Sessions| {
            numbers.iter().any(|number| sessions.watched.contains_key(number))
        };
        let sessions = self.sessions.lock();
        drop(self.ended.wait_timeout_while(sessions, ENDING_WAIT_MAX, is_any_left));
    }

    /// Checks all sessions regularly, forever.
    pub fn check_regularly(&self) {
        loop {
            std::thread::sleep(CHECK_INTERVAL);
            self.check();
        }
    }

    /// Kills each worker that has not ended although its client is gone.
    fn check(&self) {
        let mut sessions = self.sessions.lock();
        for one in sessions.watched.values_mut() {
            if one.hangs() && !std::mem::replace(&mut one.is_killed, true) {
                let Watched { peer, worker, .. } = &one.session;
                log_event(&format!(
                    "worker {} of {peer} has not ended although its client is gone, and is killed",
                    worker.number()
                ));
                worker.kill();
            }
        }
    }
}

impl Checked {
    fn is_gone(&self) -> bool {
        has_ended(&self.session.client)
    }

    /// Returns whether the session's memory will soon be free. After a break, a client over the
    /// network may come back; the session counts as ending only for a few checks.
    fn is_ending(&self) -> bool {
        self.is_killed || self.gone_checks <= ENDING_CHECKS_MAX && self.is_gone()
    }

    /// Makes one check. Returns whether the worker must be killed. A worker over the network that
    /// still has a pulse waits for its client, or serves another connection of that client.
    fn hangs(&mut self) -> bool {
        self.gone_checks = if self.is_gone() { self.gone_checks.saturating_add(1) } else { 0 };
        let (pulse, (last, checks)) = ((self.session.pulse)(), self.pulse);
        self.pulse = (pulse, if pulse == last { checks.saturating_add(1) } else { 0 });
        let limit = ENDING_CHECKS_MAX;
        if self.session.is_local {
            return self.gone_checks >= limit;
        }
        let grace = self.session.grace.div_duration_f64(CHECK_INTERVAL).ceil() as u32;
        self.gone_checks.min(self.pulse.1) >= grace.saturating_add(limit)
    }
}

impl Drop for WatchedSession {
    fn drop(&mut self) {
        self.watch.sessions.lock().watched.remove(&self.number);
        self.watch.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream;
    use std::process::Command;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

    /// A session of a stopped worker, under watch.
    struct Session {
        worker: Arc<Process>,
        client: UnixStream,
        pulse: Arc<AtomicU64>,
        watched: WatchedSession,
    }

    impl Session {
        /// Ends the client. Processes that other tests are starting may hold copies of its socket,
        /// so closing the socket would not be enough.
        fn end_client(&self) {
            self.client.shutdown(Shutdown::Both).unwrap();
        }
    }

    /// Starts a worker, stops it, and lets `watch` watch its session.
    fn session(watch: &Arc<SessionWatch>, is_local: bool, grace: Duration) -> Session {
        let process = Command::new("sleep").arg("1000").spawn().unwrap();
        // SAFETY: takes no pointers; the process is this one's child.
        assert_eq!(unsafe { libc::kill(process.id() as i32, libc::SIGSTOP) }, 0);
        let (client, socket) = UnixStream::pair().unwrap();
        let (worker, pulse) = (Arc::new(Process::from(process)), Arc::new(AtomicU64::new(0)));
        let watched = watch.add(Watched {
            peer: "a test".into(),
            worker: worker.clone(),
            client: socket.into(),
            is_local,
            grace,
            pulse: Box::new({
                let pulse = pulse.clone();
                move || pulse.load(SeqCst)
            }),
        });
        Session { worker, client, pulse, watched }
    }

    /// Makes checks until the worker has been killed. Returns their number, or `None` if the worker
    /// survives `most` checks.
    fn checks_until_killed(watch: &SessionWatch, most: u32) -> Option<u32> {
        (1..=most).find(|_| {
            watch.check();
            watch.sessions.lock().watched.values().all(|one| one.is_killed)
        })
    }

    #[test]
    fn a_hanging_worker_is_killed_once_its_local_client_is_gone() {
        let watch = Arc::new(SessionWatch::default());
        let session = session(&watch, true, Duration::from_secs(100));
        assert_eq!(checks_until_killed(&watch, 100), None, "its client is there");
        session.end_client();
        assert_eq!(checks_until_killed(&watch, 100), Some(ENDING_CHECKS_MAX));
        session.worker.await_end();
    }

    #[test]
    fn a_worker_over_the_network_is_killed_only_without_a_pulse_and_after_its_grace() {
        let watch = Arc::new(SessionWatch::default());
        let session = session(&watch, false, Duration::from_millis(2500));
        session.end_client();
        for _ in 0..50 {
            session.pulse.fetch_add(1, SeqCst);
            watch.check();
        }
        assert!(session.worker.runs(), "it may serve another connection of its client");
        assert_eq!(checks_until_killed(&watch, 100), Some(3 + ENDING_CHECKS_MAX));
        session.worker.await_end();
    }

    #[test]
    fn who_needs_memory_waits_for_the_sessions_that_are_ending_and_for_no_others() {
        let watch = Arc::new(SessionWatch::default());
        let [stays, goes] = [(); 2].map(|()| session(&watch, true, Duration::ZERO));
        assert!(!watch.await_endings(0), "none is ending");
        goes.end_client();
        assert!(!watch.await_endings(goes.worker.number()), "no session waits for itself");
        let ending = watch.ending(0);
        assert_eq!(ending, [1]);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| watch.await_ends(&ending));
            goes.worker.kill();
            goes.worker.await_end();
            drop(goes.watched);
            waiting.join().unwrap();
        });
        assert!(!watch.await_endings(0), "it has ended");
        stays.worker.kill();
    }

    #[test]
    fn a_break_counts_as_an_end_only_for_a_while() {
        let watch = Arc::new(SessionWatch::default());
        let session = session(&watch, false, Duration::from_secs(1000));
        session.end_client();
        assert!(watch.sessions.lock().watched[&0].is_ending());
        for _ in 0..=ENDING_CHECKS_MAX {
            session.pulse.fetch_add(1, SeqCst);
            watch.check();
        }
        assert!(!watch.await_endings(0) && session.worker.runs());
        session.worker.kill();
    }
}
