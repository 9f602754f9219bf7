//! Liveness: when the pool last received a message of each node, lease holder and pool process.

pub mod attendance;
pub(crate) mod peer_sync;
