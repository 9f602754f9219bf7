//! A named barrier, at which threads of a block wait for one another.

use crate::engine::exec::blocks::limits::THREADS_MAX;

/// The threads at a barrier.
#[derive(Clone, Default)]
pub(super) struct Barrier {
    /// Threads that have arrived.
    pub arrived: u32,
    /// Threads that the barrier waits for. 0 means every thread of the block.
    pub expected: u32,
    /// Threads that wait, one bit each.
    pub waiting: [u64; THREADS_MAX / 64],
    /// Whether this is a reduction: the threads want to know how many passed a one.
    pub reduces: bool,
    /// Threads that passed a one.
    pub ones: u32,
    /// Threads that passed a zero.
    pub zeros: u32,
}

impl Barrier {
    /// Returns the results of a reduction: AND in bit 0, OR in bit 1, the count from bit 32.
    pub fn result(&self) -> u64 {
        u64::from(self.zeros == 0) | u64::from(self.ones > 0) << 1 | u64::from(self.ones) << 32
    }
}
