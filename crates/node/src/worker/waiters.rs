//! Threads for operations that wait, so that none of them holds up the stream of commands. A thread that has nothing to wait for sleeps
//! until the next one comes.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};

type Job = Box<dyn FnOnce() + Send>;

/// Waits under way at once; a client's threads wait one call each, so this is its number of threads.
const THREADS_MAX: usize = 4096;

#[derive(Default)]
pub struct Waiters {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    idle: usize,
    threads: usize,
}

impl Waiters {
    pub fn run(self: &Arc<Waiters>, job: impl FnOnce() + Send + 'static) {
        let mut state = self.state.lock().unwrap_or_else(|e| e.into_inner());
        state.jobs.push_back(Box::new(job));
        if state.idle >= state.jobs.len() || state.threads >= THREADS_MAX {
            self.wake.notify_one();
            return;
        }
        state.threads += 1;
        drop(state);
        let waiters = self.clone();
        std::thread::spawn(move || waiters.work());
    }

    fn work(&self) {
        let mut state = self.state.lock().unwrap_or_else(|e| e.into_inner());
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                job();
                state = self.state.lock().unwrap_or_else(|e| e.into_inner());
                continue;
            }
            state.idle += 1;
            state = self.wake.wait(state).unwrap_or_else(|e| e.into_inner());
            state.idle -= 1;
        }
    }
}
