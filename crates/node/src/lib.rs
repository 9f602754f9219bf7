//! The software of a GPU machine: a listener that accepts sessions, and one worker process for each
//! session. The worker executes the session on the node's libcuda.so.1. The listener uses no GPU.

pub mod accounting;
pub mod keeper;
pub mod listener;
pub mod sharing;

mod generated {
    pub mod dispatch;
    pub mod nvml_ask;
}
pub mod cell;
pub mod driver_health;
pub mod driver_library;
mod inherited_fds;
pub mod lease;
pub mod log;
pub mod meter;
pub(crate) mod pidfd;
pub mod worker;

/// A second in nanoseconds.
const SECOND_NS: u64 = 1_000_000_000;

/// Version of this release, for handshakes and errors.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");
