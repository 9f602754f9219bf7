//! The pool's state as one log: commands become entries by the rules, and a store keeps the
//! entries.

pub mod backup;
pub mod entry;
pub mod journal;
pub mod keeper;
pub(crate) mod keeper_thread;
pub mod rules;
pub mod state;
pub mod store;
