//! Work that other streams wait for, although CUDA's stream order does not require them to.

use outhaul_abi::types::CUevent;
use std::collections::HashSet;

/// A stream, identified by its context's number and its handle, because all legacy streams have the
/// same handle.
pub type Key = (u16, u64);

/// The end of work that other streams wait for.
pub struct ImplicitOrder {
    /// Event recorded after the work.
    pub event: CUevent,
    /// Index of the event's context.
    pub context: u16,
    /// Whether the device may not have reached the event yet.
    pub is_under_way: bool,
    /// The stream with the work, and the streams that already wait for the event.
    pub ordered: HashSet<Key>,
}
