//! What runs on a GPU machine: a listener that takes sessions in, and one worker process per
//! session that executes them on whichever libcuda.so.1 the node was given. The listener touches no
//! GPU; a worker serves nobody else.

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

/// The release that handshakes and errors name.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");
