//! Liveness: when the pool last heard from each node, lease holder and other pool process.

pub mod attendance;
pub(crate) mod peer_sync;
