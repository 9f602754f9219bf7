//! Lanes: connections that carry frames, over the network or through rings in shared memory.

pub mod heartbeat;
pub(crate) mod lane;
pub(crate) mod ring;
