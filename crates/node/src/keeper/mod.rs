//! The keeper: the node's second process, which holds the descriptors and records with which the
//! next listener continues the sessions.

pub mod client;
pub mod process;
