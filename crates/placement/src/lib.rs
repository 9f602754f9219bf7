//! Places tasks that have a frame rate on GPUs so that no frame is late. The crate has the
//! policies, the model of links that they compute with, their simulation, and bounds that show how
//! good a policy can be. The crate is pure: equal tasks and seeds give equal placements.
//! The pool places its leases by these policies, and `outhaul sim frames` simulates them.

#![forbid(unsafe_code)]

pub mod bounds;
pub mod claims_search;
mod error;
pub mod exact;
pub mod figures;
pub mod fleet;
pub mod frame_deadline;
pub mod paper_claims;
pub mod policy;
pub mod simulator;
pub mod study;
pub mod tasks;
pub mod time_time_curves;

pub use error::Error;
