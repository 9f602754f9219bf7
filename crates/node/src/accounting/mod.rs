//! Memory, GPU time and energy accounts, by session, tenant and lease.

pub mod accounts;
pub mod energy;
pub mod frames;
pub(crate) mod ledger;
pub mod tenants;
