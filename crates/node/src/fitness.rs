//! Whether the node's driver starts at all. If a session's driver does not start, the cause may be
//! the session or the node. A second thread then tests the driver and tells the pool.
//!
//! Until that is done, new sessions wait. The failed session waits too before it reports its error:
//! its end frees a place, and the pool must know first that no session can begin there.

use outhaul_lock::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Longest wait of a session for the test.
const LOOK_SECONDS_MAX: u64 = 20;
/// Time after a successful test in which another failure causes no test: a session with a problem
/// of its own should not delay others.
const SURE: Duration = Duration::from_secs(10);

/// Result of the last test of the driver.
#[derive(Default)]
pub struct Fitness {
    state: Mutex<FitnessState>,
    changed: Condvar,
}

#[derive(Default)]
struct FitnessState {
    is_in_doubt: bool,
    /// Why no session can begin.
    trouble: Option<String>,
    /// Time of the last successful test.
    sure: Option<Instant>,
}

impl Fitness {
    fn state(&self) -> MutexGuard<'_, FitnessState> {
        self.state.lock()
    }

    /// Notes that a session's driver did not start.
    pub fn doubt(&self) {
        let mut state = self.state();
        if state.trouble.is_none() && state.sure.is_none_or(|sure| sure.elapsed() >= SURE) {
            state.is_in_doubt = true;
            self.changed.notify_all();
        }
    }

    /// Blocks until there is a doubt, or until the limit.
    pub fn await_doubt(&self, longest: Duration) {
        let waited =
            self.changed.wait_timeout_while(self.state(), longest, |state| !state.is_in_doubt);
        drop(waited);
    }

    /// Sets the result of a test: a problem, or none.
    pub fn find(&self, trouble: Option<String>) {
        let mut state = self.state();
        state.sure = trouble.is_none().then(Instant::now);
        state.trouble = trouble;
    }

    /// Ends the doubt: the pool knows the result.
    pub fn settle(&self) {
        self.state().is_in_doubt = false;
        self.changed.notify_all();
    }

    /// Returns why no session can begin, if that is known.
    pub fn trouble(&self) -> Option<String> {
        self.state().trouble.clone()
    }

    /// Waits until there is no doubt. Returns why no session can begin, if that is known.
    pub fn check(&self) -> Result<(), String> {
        let longest = Duration::from_secs(LOOK_SECONDS_MAX);
        let waited =
            self.changed.wait_timeout_while(self.state(), longest, |state| state.is_in_doubt);
        let (state, _) = waited;
        let words = |trouble: &String| format!("the node's GPUs cannot be used now: {trouble}");
        state.trouble.as_ref().map_or(Ok(()), |trouble| Err(words(trouble)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_while_it_is_in_doubt_waits_for_the_answer() {
        let fitness = Fitness::default();
        assert_eq!(fitness.check(), Ok(()));
        fitness.doubt();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| fitness.check());
            fitness.await_doubt(Duration::from_secs(60));
            fitness.find(Some("no driver".into()));
            assert_eq!(fitness.trouble().as_deref(), Some("no driver"));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiting.is_finished(), "the pool has not been told");
            fitness.settle();
            assert!(waiting.join().unwrap().is_err_and(|words| words.ends_with("no driver")));
        });
        fitness.find(None);
        assert_eq!(fitness.check(), Ok(()));
    }

    #[test]
    fn one_session_with_a_trouble_of_its_own_does_not_hold_up_others_again_and_again() {
        let fitness = Fitness::default();
        fitness.doubt();
        fitness.find(None);
        fitness.settle();
        fitness.doubt();
        assert!(!fitness.state().is_in_doubt);
    }
}
