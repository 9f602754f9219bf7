//! The listener's side of sharing one GPU among many sessions. The listener decides whose turn it
//! is, whose memory is evicted, and which segments sessions share. The workers' side is in
//! `worker`.

pub mod admin_socket;
pub(crate) mod arbitration;
pub(crate) mod residency;
pub(crate) mod scheduler_channel;
pub(crate) mod shared_segments;
