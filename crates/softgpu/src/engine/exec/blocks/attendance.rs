//! The threads of a block at the barrier of its cluster.

use super::limits::THREADS_MAX;

/// Threads of a block at the barrier of its cluster: those that have arrived since it was last
/// passed, and those among them that wait.
#[derive(Clone, Copy, Default)]
pub struct Attendance {
    /// Threads that have arrived, one bit each.
    pub arrived: [u64; THREADS_MAX / 64],
    /// Threads that wait, one bit each.
    pub waiting: [u64; THREADS_MAX / 64],
}

impl Attendance {
    /// Removes a thread that has left its kernel.
    pub fn leave(&mut self, thread: u32) {
        self.arrived[thread as usize / 64] &= !(1 << (thread % 64));
    }
}
