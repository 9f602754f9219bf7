//! The interface of all policies: what a policy decides, and when the simulator or runtime asks it.

use crate::error::Error;
use crate::state::{Op, State};

/// A policy during one run. The caller asks it at the start and after every instant at which an
/// operation finished.
pub trait Scheduler: Send {
    /// Commands `state` to load, store, drop, read and queue. `finished` has the operations that
    /// finished since the last call.
    ///
    /// # Errors
    /// The errors of `state`, which mean a defect in the policy.
    fn step(&mut self, now_ns: u64, state: &mut State, finished: &[Op]) -> Result<(), Error>;

    /// Returns when the caller must ask the policy even if no operation finishes.
    fn wake_ns(&self) -> Option<u64> {
        None
    }
}
