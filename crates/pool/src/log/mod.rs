//! A pool's log: the rules turn commands into entries, a store keeps the entries, and the entries
//! determine the pool's state.

pub mod audit;
pub mod backup;
pub mod entry;
pub mod journal;
pub mod keeper;
pub(crate) mod keeper_thread;
pub mod rules;
pub mod state;
pub mod store;
pub mod store_health;
