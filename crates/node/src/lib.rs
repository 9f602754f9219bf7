//! The software of a GPU machine: a listener that accepts sessions, and one worker process for each
//! session. The worker executes the session on the libcuda.so.1 that the node was given. The
//! listener uses no GPU; a worker serves only its session.

mod generated {
    pub mod dispatch;
    pub mod nvml_ask;
}
pub mod accounts;
pub mod administration;
mod adoption;
mod arbitration;
pub mod cell;
mod compiled;
mod control;
pub mod descriptors;
pub mod drain;
pub mod energy;
mod environment;
mod errands;
pub mod fitness;
mod gathering;
pub mod gpu;
mod handovers;
pub mod keeper;
pub mod keeping;
pub mod lease;
mod ledger;
pub mod log;
pub mod meter;
mod places;
mod porch;
mod process;
mod record;
mod residency;
mod scratch;
mod segments;
pub mod serve;
mod session;
mod starting;
pub mod tenants;
pub mod worker;

/// A second in nanoseconds.
const SECOND_NS: u64 = 1_000_000_000;

/// Version of this release, for handshakes and errors.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");
