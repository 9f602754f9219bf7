//! The health of the node's driver: whether it starts at all. If a session's driver does not start,
//! the cause may be the session or the node. Another thread then tests the driver and reports the
//! result to the pool.
//!
//! Until the pool has the result, new sessions wait. The failed session also waits before it
//! reports its error. Its end frees a place, and the pool must know first that no session can begin
//! there.

use outhaul_lock::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Longest wait of a session for the test's result, in seconds.
const TEST_SECONDS_MAX: u64 = 20;
/// Time after a successful test during which another failure causes no test, because a session with
/// its own problem should not delay others.
const RETEST_PAUSE: Duration = Duration::from_secs(10);

/// The result of the driver's last test.
#[derive(Default)]
pub struct DriverHealth {
    state: Mutex<DriverHealthState>,
    changed: Condvar,
}

#[derive(Default)]
struct DriverHealthState {
    is_suspect: bool,
    /// Why no session can begin.
    problem: Option<String>,
    /// Time of the last successful test.
    last_success: Option<Instant>,
}

impl DriverHealth {
    fn state(&self) -> MutexGuard<'_, DriverHealthState> {
        self.state.lock()
    }

    /// Records that a session's driver did not start. Requests a test unless a problem is already
    /// known or a test succeeded recently.
    pub fn suspect(&self) {
        let mut state = self.state();
        if state.problem.is_none()
            && state.last_success.is_none_or(|at| at.elapsed() >= RETEST_PAUSE)
        {
            state.is_suspect = true;
            self.changed.notify_all();
        }
    }

    /// Blocks until the driver is suspect, but at most for `longest`.
    pub fn await_suspicion(&self, longest: Duration) {
        let waited =
            self.changed.wait_timeout_while(self.state(), longest, |state| !state.is_suspect);
        drop(waited);
    }

    /// Sets the result of a test; None means that the driver works.
    pub fn set_result(&self, problem: Option<String>) {
        let mut state = self.state();
        state.last_success = problem.is_none().then(Instant::now);
        state.problem = problem;
    }

    /// Lets sessions continue, because the pool knows the result of the test.
    pub fn finish_test(&self) {
        self.state().is_suspect = false;
        self.changed.notify_all();
    }

    /// Returns why no session can begin, if the last test failed.
    pub fn problem(&self) -> Option<String> {
        self.state().problem.clone()
    }

    /// Waits for the end of a running test. Fails with the reason if no session can begin.
    pub fn check(&self) -> Result<(), String> {
        let longest = Duration::from_secs(TEST_SECONDS_MAX);
        let waited =
            self.changed.wait_timeout_while(self.state(), longest, |state| state.is_suspect);
        let (state, _) = waited;
        let text = |problem: &String| format!("the node's GPUs cannot be used now: {problem}");
        state.problem.as_ref().map_or(Ok(()), |problem| Err(text(problem)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_waits_for_the_result_of_a_running_test() {
        let health = DriverHealth::default();
        assert_eq!(health.check(), Ok(()));
        health.suspect();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| health.check());
            health.await_suspicion(Duration::from_secs(60));
            health.set_result(Some("no driver".into()));
            assert_eq!(health.problem().as_deref(), Some("no driver"));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiting.is_finished(), "the pool does not know the result yet");
            health.finish_test();
            assert!(waiting.join().unwrap().is_err_and(|error| error.ends_with("no driver")));
        });
        health.set_result(None);
        assert_eq!(health.check(), Ok(()));
    }

    #[test]
    fn a_failure_soon_after_a_successful_test_starts_no_test() {
        let health = DriverHealth::default();
        health.suspect();
        health.set_result(None);
        health.finish_test();
        health.suspect();
        assert!(!health.state().is_suspect);
    }
}
