//! Memory, GPU time and energy accounts, by session, tenant and lease.

pub mod accounts;
pub mod energy;
pub mod frames;
pub(crate) mod ledger;
pub(crate) mod overhead;
pub mod tenants;

pub use ledger::MemoryUse;
