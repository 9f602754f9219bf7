//! The interface of all policies: what a policy decides, and when it is asked.

use crate::error::Error;
use crate::state::{Op, State};

/// Decides. Asked once at the start and after every instant at which something finished.
pub trait Scheduler: Send {
    /// Commands `state` to load, store, drop, read and queue. `finished` is what ended since the
    /// last call.
    ///
    /// # Errors
    /// Whatever `state` refuses: a defect of the policy.
    fn step(&mut self, now_ns: u64, state: &mut State, finished: &[Op]) -> Result<(), Error>;

    /// When it wants to be asked even if nothing finishes.
    fn wake_ns(&self) -> Option<u64> {
        None
    }
}
