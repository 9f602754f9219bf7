//! Nodes, leases, users and placement: the control plane that hands GPUs out. So far it holds placement under a frame-rate promise and its
//! simulation. Deliberately absent: I/O, clocks, and randomness that is not passed in.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod bounds;
pub mod claims;
pub mod curves;
pub mod error;
pub mod exact;
pub mod figures;
pub mod fleet;
pub mod frame;
pub mod placement;
pub mod simulator;
pub mod study;
pub mod tasks;

pub use error::Error;
