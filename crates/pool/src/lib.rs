//! Nodes, leases, users and placement: the control plane that leases GPUs. `rules` decides and is
//! pure; `keeper` writes the decisions to a log in a `store`, the only module with I/O. Clocks and
//! random numbers are passed in.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod api;
pub mod attendance;
pub mod backup;
pub mod bill;
pub mod client;
pub mod entry;
pub mod error;
pub mod identity;
mod inventory;
pub mod journal;
pub mod keeper;
pub mod lease;
pub mod listen;
mod listening;
pub mod metrics;
pub mod node;
pub mod prometheus;
pub mod quota;
pub mod rules;
pub mod server;
pub mod service;
pub mod state;
pub mod store;
pub mod telemetry;

pub use error::Error;
