//! An in-order work queue with its own thread, on which a CUDA stream is built.
//!
//! The thread starts with the first queued operation. If the queue is idle, a caller that is about
//! to wait runs its operation itself, which saves two thread switches per synchronous copy.
//! Deliberately absent: contexts, faults and the rules of the default stream, which `stream` adds.

use outhaul_lock::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;

use crate::driver::lock;
use crate::driver::system::error::{Error, Result};
use crate::driver::system::signal_mask;

/// Maximum number of operations that wait in a queue before submitters block, as with a GPU's ring.
pub const WAITING_MAX: usize = 4096;

/// The work of an operation.
pub type Work = Box<dyn FnOnce() + Send>;

/// A queue entry. The work starts when every ticket in `after` is done.
pub struct Operation {
    /// Tickets that the operation waits for.
    pub after: Vec<Ticket>,
    /// The operation's work.
    pub work: Work,
}

/// Identifies an operation of a queue, so that callers can wait for its completion.
#[derive(Clone)]
pub struct Ticket {
    queue: Arc<Queue>,
    number: u64,
}

/// An in-order work queue.
#[derive(Default)]
pub struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    waiting: VecDeque<Operation>,
    submitted: u64,
    completed: u64,
    running: bool,
    has_thread: bool,
    closed: bool,
}

impl Queue {
    /// Appends an operation and returns at once.
    pub fn push(self: &Arc<Self>, operation: Operation) -> Result<Ticket> {
        let mut state = lock(&self.state);
        if !state.has_thread {
            self.start_thread()?;
            state.has_thread = true;
        }
        state.waiting.push_back(operation);
        state.submitted += 1;
        self.changed.notify_all();
        Ok(Ticket { queue: Arc::clone(self), number: state.submitted })
    }

    /// Blocks while `waiting_max` or more operations wait. Several threads may pass at once, so the
    /// limit is exceeded by at most the number of threads.
    pub fn wait_for_room(&self, waiting_max: usize) {
        let mut state = lock(&self.state);
        while state.waiting.len() >= waiting_max {
            state = crate::driver::wait(&self.changed, state);
        }
    }

    /// Returns whether fewer than `waiting_max` operations wait.
    pub fn has_room(&self, waiting_max: usize) -> bool {
        lock(&self.state).waiting.len() < waiting_max
    }

    /// Reserves the next position for the caller, which runs its operation with `run_claimed`.
    /// Returns `None` if the queue is busy.
    pub fn claim(self: &Arc<Self>) -> Option<Ticket> {
        let mut state = lock(&self.state);
        if state.running || !state.waiting.is_empty() {
            return None;
        }
        state.running = true;
        state.submitted += 1;
        Some(Ticket { queue: Arc::clone(self), number: state.submitted })
    }

    /// Runs an operation at the position that `claim` reserved.
    pub fn run_claimed(&self, operation: Operation) {
        run(operation);
        self.finish();
    }

    /// Returns the ticket of the last operation submitted so far, unless that operation is done.
    pub fn tail(self: &Arc<Self>) -> Option<Ticket> {
        let state = lock(&self.state);
        (state.completed < state.submitted)
            .then(|| Ticket { queue: Arc::clone(self), number: state.submitted })
    }

    /// Lets the thread end when all queued work is done.
    pub fn close(&self) {
        lock(&self.state).closed = true;
        self.changed.notify_all();
    }

    /// Returns whether the queue is closed and all of its work is done.
    pub fn is_over(&self) -> bool {
        let state = lock(&self.state);
        state.closed && state.completed == state.submitted
    }

    fn start_thread(self: &Arc<Self>) -> Result<()> {
        let queue = Arc::clone(self);
        let _blocked = signal_mask::block_all();
        std::thread::Builder::new()
            .name("outhaul-stream".into())
            .spawn(move || queue.serve())
            .map(drop)
            .map_err(|_| Error::OperatingSystem)
    }

    fn serve(&self) {
        while let Some(operation) = self.next() {
            run(operation);
            self.finish();
        }
    }

    fn next(&self) -> Option<Operation> {
        let mut state = lock(&self.state);
        loop {
            if !state.running {
                if let Some(operation) = state.waiting.pop_front() {
                    state.running = true;
                    return Some(operation);
                }
                if state.closed {
                    // A late operation (a free after the stream is destroyed) starts a new thread.
                    state.has_thread = false;
                    return None;
                }
            }
            state = crate::driver::wait(&self.changed, state);
        }
    }

    fn finish(&self) {
        let mut state = lock(&self.state);
        state.running = false;
        state.completed += 1;
        self.changed.notify_all();
    }
}

fn run(operation: Operation) {
    for ticket in &operation.after {
        ticket.wait();
    }
    (operation.work)();
}

impl Ticket {
    /// Returns whether the operation is done.
    pub fn is_done(&self) -> bool {
        lock(&self.queue.state).completed >= self.number
    }

    /// Waits until the operation is done.
    pub fn wait(&self) {
        let mut state = lock(&self.queue.state);
        while state.completed < self.number {
            state = crate::driver::wait(&self.queue.changed, state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn operation(work: impl FnOnce() + Send + 'static) -> Operation {
        Operation { after: Vec::new(), work: Box::new(work) }
    }

    #[test]
    fn operations_run_in_order_and_tickets_tell() {
        let queue = Arc::new(Queue::default());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut last = None;
        for number in 0..100 {
            let seen = Arc::clone(&seen);
            last = Some(queue.push(operation(move || lock(&seen).push(number))).unwrap());
        }
        last.unwrap().wait();
        assert_eq!(*lock(&seen), (0..100).collect::<Vec<_>>());
        assert!(queue.tail().is_none());
        queue.close();
    }

    #[test]
    fn a_claimed_place_blocks_later_work() {
        let queue = Arc::new(Queue::default());
        let ticket = queue.claim().unwrap();
        assert!(queue.claim().is_none());
        let count = Arc::new(AtomicUsize::new(0));
        let (first, second) = (Arc::clone(&count), Arc::clone(&count));
        let after = queue
            .push(operation(move || assert_eq!(first.fetch_add(1, Ordering::SeqCst), 1)))
            .unwrap();
        assert!(!ticket.is_done() && !after.is_done());
        queue.run_claimed(operation(move || assert_eq!(second.fetch_add(1, Ordering::SeqCst), 0)));
        after.wait();
        assert_eq!(count.load(Ordering::SeqCst), 2);
        queue.close();
    }

    #[test]
    fn an_operation_waits_for_tickets_of_other_queues() {
        let (first, second) = (Arc::new(Queue::default()), Arc::new(Queue::default()));
        let gate = first.claim().unwrap();
        let done = second.push(Operation { after: vec![gate], work: Box::new(|| ()) }).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!done.is_done());
        first.run_claimed(operation(|| ()));
        done.wait();
        first.close();
        second.close();
    }
}
