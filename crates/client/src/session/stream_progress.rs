//! A stream's progress, as far as a session needs to know it.

use outhaul_abi::types::CUresult;

/// Work in a fixed order, such as that of a stream.
pub trait Progress: Send + Sync {
    /// Returns the position after the work so far.
    fn position(&self) -> u64;

    /// Returns whether the work up to a position is known to be complete.
    fn is_completed(&self, position: u64) -> bool;

    /// Blocks until the work so far is complete.
    fn wait_out(&self) -> Result<(), CUresult>;
}
