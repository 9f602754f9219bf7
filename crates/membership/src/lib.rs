//! Maintains a node's membership in a pool. This crate depends on the crates of node and pool, so
//! neither of those depends on the other. A node runs without a pool, and a pool needs no GPU
//! software. A trait in the node's crate would force the pool's messages into that crate. Node and
//! pool keep their own types: the pool's are its HTTP interface, and the node's are in its keeper's
//! files. Only `translation` knows both.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod membership;
pub mod node_metrics;
mod pool_contact;
mod translation;

pub use crate::membership::Membership;
