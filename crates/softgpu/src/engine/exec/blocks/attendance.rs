//! The threads of a block that have arrived at the cluster barrier.

use super::limits::THREADS_MAX;

/// The threads of one block at the cluster barrier. The record begins anew each time the barrier is
/// passed.
#[derive(Clone, Copy, Default)]
pub struct Attendance {
    /// Threads that have arrived, with one bit for each.
    pub arrived: [u64; THREADS_MAX / 64],
    /// Threads that have arrived and wait, with one bit for each.
    pub waiting: [u64; THREADS_MAX / 64],
}

impl Attendance {
    /// Removes a thread that has left its kernel from the threads that have arrived.
    pub fn leave(&mut self, thread: u32) {
        self.arrived[thread as usize / 64] &= !(1 << (thread % 64));
    }
}
