//! Processes that Outhaul starts for itself, and code that they share. Their subcommands are
//! hidden.

pub mod energy_counters;
pub mod keeper;
pub mod notify;
pub mod reexec;
pub mod witness;
pub mod worker;
