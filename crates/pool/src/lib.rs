//! Nodes, leases, users and placement: the control plane that leases GPUs. `rules` makes the
//! decisions as a pure function. `keeper` writes the decisions to a log in a `store`, the only
//! module with I/O. Callers pass in clocks and random numbers.

#![forbid(unsafe_code)]

pub mod http;
pub mod liveness;
pub mod log;
pub mod model;

pub mod error;
pub mod identity;

pub use error::Error;
