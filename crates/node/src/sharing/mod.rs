//! Shares of one GPU among many sessions: whose turn it is, whose memory is evicted, and which
//! memory they have in common. This is the listener's side; the workers' side is in `worker`.

pub mod admin_socket;
pub(crate) mod arbitration;
pub(crate) mod residency;
pub(crate) mod scheduler_channel;
pub(crate) mod shared_segments;
