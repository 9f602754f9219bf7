//! Nodes, leases, users and placement: the control plane that leases GPUs. `rules` decides and is
//! pure; `keeper` writes the decisions to a log in a `store`, the only module with I/O. Clocks and
//! random numbers are passed in.

#![forbid(unsafe_code)]

pub mod http;
pub mod liveness;
pub mod log;
pub mod model;

pub mod error;
pub mod identity;

pub use error::Error;
