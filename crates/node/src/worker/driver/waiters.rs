//! Threads for operations that block, so that these do not delay the command thread. An idle
//! thread sleeps until the next operation.

use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_transport::os::spin::{ANSWER_SPIN, SERVICE_SPIN, spin};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Release};

type Job = Box<dyn FnOnce() + Send>;

/// Maximum number of threads. Each of the client's threads waits for at most one call, so this
/// limits the client's threads.
const THREADS_MAX: usize = 4096;

/// A session's threads for blocking operations.
#[derive(Default)]
pub struct Waiters {
    state: Mutex<WaitersState>,
    wake: Condvar,
    /// Number of jobs so far, which spinning threads poll.
    given: AtomicU64,
}

#[derive(Default)]
struct WaitersState {
    jobs: VecDeque<Job>,
    idle: usize,
    /// Number of threads that are awake and about to check for jobs again.
    spinning: usize,
    threads: usize,
}

impl Waiters {
    /// Creates the set and starts its first thread.
    pub fn start() -> io::Result<Arc<Waiters>> {
        let waiters = Arc::new(Waiters::default());
        waiters.start_thread(&mut waiters.lock())?;
        Ok(waiters)
    }

    fn lock(&self) -> MutexGuard<'_, WaitersState> {
        self.state.lock()
    }

    /// Runs a job in another thread.
    pub fn run(self: &Arc<Waiters>, job: impl FnOnce() + Send + 'static) {
        let mut state = self.lock();
        state.jobs.push_back(Box::new(job));
        self.given.fetch_add(1, Release);
        if state.spinning >= state.jobs.len() {
            return;
        }
        if state.idle >= state.jobs.len() || state.threads >= THREADS_MAX {
            self.wake.notify_one();
            return;
        }
        // If no more threads can be started, the existing ones run the jobs one after the other.
        if self.start_thread(&mut state).is_err() {
            self.wake.notify_one();
        }
    }

    fn start_thread(self: &Arc<Waiters>, state: &mut WaitersState) -> io::Result<()> {
        let waiters = self.clone();
        crate::worker::io::threads::try_start("waiter", move || waiters.work())?;
        state.threads += 1;
        Ok(())
    }

    fn spin_for_jobs<'s>(
        &'s self,
        mut state: MutexGuard<'s, WaitersState>,
    ) -> MutexGuard<'s, WaitersState> {
        let seen = self.given.load(Acquire);
        // One spinning thread suffices.
        let limit = if state.spinning == 0 { SERVICE_SPIN } else { ANSWER_SPIN };
        state.spinning += 1;
        drop(state);
        spin(limit, || (self.given.load(Acquire) != seen).then_some(()));
        let mut state = self.lock();
        state.spinning -= 1;
        state
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                job();
                state = self.lock();
                continue;
            }
            state = self.spin_for_jobs(state);
            if !state.jobs.is_empty() {
                continue;
            }
            state.idle += 1;
            state = self.wake.wait(state);
            state.idle -= 1;
        }
    }
}
