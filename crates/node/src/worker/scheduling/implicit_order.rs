//! The work that other streams wait for, although CUDA's stream order does not require it.

use outhaul_abi::types::CUevent;
use std::collections::HashSet;

/// A stream, by the number of its context and its handle, because all legacy streams have the same
/// handle.
pub type Key = (u16, u64);

/// The end of the work that other streams wait for.
pub struct ImplicitOrder {
    /// Event after the work.
    pub event: CUevent,
    /// Index of the event's context.
    pub context: u16,
    /// Whether the device may not have passed it yet.
    pub is_under_way: bool,
    /// The stream of that work, and the streams that already wait for it.
    pub ordered: HashSet<Key>,
}
