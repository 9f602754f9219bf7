//! The keeper: the second process of a node, which holds what the next listener needs to continue
//! the sessions.

pub mod client;
pub mod process;
