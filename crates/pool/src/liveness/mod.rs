//! Liveness: when the pool last received a message from each node, lease holder and pool process.

pub mod attendance;
pub(crate) mod peer_sync;
