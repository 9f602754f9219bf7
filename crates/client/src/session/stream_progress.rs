//! How far a stream has come, as far as a session must know it.

use outhaul_abi::types::CUresult;

/// Work that has an order.
pub trait Progress: Send + Sync {
    /// The position after the work so far.
    fn position(&self) -> u64;

    /// Whether the work up to a position is known to be done.
    fn is_completed(&self, position: u64) -> bool;

    /// Blocks until the work so far is done.
    fn wait_out(&self) -> Result<(), CUresult>;
}
