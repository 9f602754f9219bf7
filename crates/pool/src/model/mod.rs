//! The nouns of a pool: nodes, leases, quotas, and what they used.

pub mod bill;
pub(crate) mod inventory;
pub mod lease;
pub mod node;
pub mod quota;
pub mod telemetry;
