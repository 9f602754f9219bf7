//! Threads for operations that wait, so that none of them holds up the stream of commands. A thread
//! that has nothing to wait for sleeps until the next one comes.

use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_transport::look::{LONGISH, SHORT, look};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Release};

type Job = Box<dyn FnOnce() + Send>;

/// Waits under way at once; a client's threads wait one call each, so this is its number of
/// threads.
const THREADS_MAX: usize = 4096;

#[derive(Default)]
pub struct Waiters {
    state: Mutex<State>,
    wake: Condvar,
    /// Grows with each job: what a thread that has not gone to sleep looks at.
    given: AtomicU64,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    idle: usize,
    /// Awake, and about to look at the jobs again.
    looking: usize,
    threads: usize,
}

impl Waiters {
    /// With a first thread.
    pub fn start() -> io::Result<Arc<Waiters>> {
        let waiters = Arc::new(Waiters::default());
        waiters.start_thread(&mut waiters.lock())?;
        Ok(waiters)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub fn run(self: &Arc<Waiters>, job: impl FnOnce() + Send + 'static) {
        let mut state = self.lock();
        state.jobs.push_back(Box::new(job));
        self.given.fetch_add(1, Release);
        if state.looking >= state.jobs.len() {
            return;
        }
        if state.idle >= state.jobs.len() || state.threads >= THREADS_MAX {
            self.wake.notify_one();
            return;
        }
        // Where there can be no more threads, those that there are see to it one after the other.
        if self.start_thread(&mut state).is_err() {
            self.wake.notify_one();
        }
    }

    fn start_thread(self: &Arc<Waiters>, state: &mut State) -> io::Result<()> {
        let waiters = self.clone();
        super::threads::try_start("waiter", move || waiters.work())?;
        state.threads += 1;
        Ok(())
    }

    fn look<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let seen = self.given.load(Acquire);
        // One that looks is enough.
        let limit = if state.looking == 0 { LONGISH } else { SHORT };
        state.looking += 1;
        drop(state);
        look(limit, || (self.given.load(Acquire) != seen).then_some(()));
        let mut state = self.lock();
        state.looking -= 1;
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
            state = self.look(state);
            if !state.jobs.is_empty() {
                continue;
            }
            state.idle += 1;
            state = self.wake.wait(state);
            state.idle -= 1;
        }
    }
}
