//! GPU shares: the options, and the commands for a running node on this machine.

mod flags;
pub mod node;

pub use flags::{SharingFlags, tenant_name};
