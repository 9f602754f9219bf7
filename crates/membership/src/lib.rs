//! A node's membership in a pool. The crate is above both, so neither imports the other: a node
//! runs without a pool, and a pool needs no GPU software. A trait in the node would move the pool's
//! messages there. Node and pool keep their own types: the pool's are its HTTP interface, and the
//! node's are what its keeper stores. `translation` is the only module that knows both.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod membership;
pub mod node_metrics;
mod pool_contact;
mod translation;

pub use crate::membership::Membership;
