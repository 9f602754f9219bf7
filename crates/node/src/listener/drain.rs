//! Ending a node without ending its sessions. A draining node accepts no new sessions, and waits
//! until the running sessions end. It still accepts connections for their lanes, so sessions
//! survive broken connections meanwhile.

use outhaul_lock::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// Reason with which a draining node rejects new sessions.
pub const REFUSAL: &str = "the node is about to end and takes no new sessions: ask its pool for \
another one, or come back later";

/// The number of running sessions, and whether new sessions may begin.
#[derive(Default)]
pub struct Drain {
    sessions: Mutex<Sessions>,
    ended: Condvar,
}

#[derive(Default)]
struct Sessions {
    running: usize,
    is_draining: bool,
}

/// A guard for a running session, which counts as running until the guard is dropped.
pub struct Running<'d>(&'d Drain);

impl Drain {
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock()
    }

    /// Stops new sessions from beginning. Returns the number of running sessions.
    pub fn begin(&self) -> usize {
        let mut sessions = self.sessions();
        sessions.is_draining = true;
        sessions.running
    }

    /// Returns whether the node rejects new sessions.
    pub fn is_draining(&self) -> bool {
        self.sessions().is_draining
    }

    /// Blocks until no session runs, but at most for `limit`. Returns the number of sessions that
    /// still run.
    pub fn wait(&self, limit: Duration) -> usize {
        let waited =
            self.ended.wait_timeout_while(self.sessions(), limit, |sessions| sessions.running > 0);
        waited.0.running
    }

    /// Lets a session begin. The session counts as running until the result is dropped. Returns
    /// None once the drain has begun.
    pub fn admit(&self) -> Option<Running<'_>> {
        let mut sessions = self.sessions();
        (!sessions.is_draining).then(|| {
            sessions.running += 1;
            Running(self)
        })
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.sessions().running -= 1;
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drain_waits_for_running_sessions_and_admits_none() {
        let drain = Drain::default();
        let running = [drain.admit().unwrap(), drain.admit().unwrap()];
        assert_eq!((drain.begin(), drain.wait(Duration::from_millis(10))), (2, 2));
        assert!(drain.admit().is_none() && drain.is_draining());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| drain.wait(Duration::MAX));
            drop(running);
            assert_eq!(waiting.join().unwrap(), 0);
        });
    }
}
