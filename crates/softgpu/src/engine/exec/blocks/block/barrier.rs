//! A named barrier, at which the threads of a block wait for one another.

use crate::engine::exec::blocks::limits::THREADS_MAX;

/// The threads at a barrier.
#[derive(Clone, Default)]
pub(super) struct Barrier {
    /// Number of threads that have arrived.
    pub arrived: u32,
    /// Number of threads that the barrier waits for. 0 means every thread of the block.
    pub expected: u32,
    /// Threads that wait, with one bit for each.
    pub waiting: [u64; THREADS_MAX / 64],
    /// Whether the barrier also reduces the threads' predicates.
    pub reduces: bool,
    /// Number of threads that passed a true predicate.
    pub ones: u32,
    /// Number of threads that passed a false predicate.
    pub zeros: u32,
}

impl Barrier {
    /// Returns the results of a reduction: AND in bit 0, OR in bit 1, and the number of true
    /// predicates from bit 32.
    pub fn result(&self) -> u64 {
        u64::from(self.zeros == 0) | u64::from(self.ones > 0) << 1 | u64::from(self.ones) << 32
    }
}
