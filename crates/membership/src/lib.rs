//! A node's membership in a pool. It is a crate above both, because so neither imports the other:
//! the node runs without a pool, and the pool needs none of a GPU's software. A trait in the node
//! would move the pool's messages there. Node and pool keep their own types: the pool's are its
//! HTTP interface, and the node's are what its keeper stores. `translation` is the only place that
//! knows both.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod contact;
mod membership;
pub mod node_metrics;
mod translation;

pub use crate::membership::Membership;
