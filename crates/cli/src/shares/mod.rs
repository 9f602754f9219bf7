//! Shares of a GPU: the options, and a running node of this machine that applies them.

mod flags;
pub mod node;

pub use flags::{SharingFlags, tenant_name};
