//! The data types of a pool: nodes, leases, quotas, and reports of use.

pub mod actor;
pub mod bill;
pub mod heartbeat;
pub(crate) mod inventory;
pub mod lease;
pub mod node;
pub mod quota;
pub mod telemetry;
