//! Processes that Outhaul starts for itself, and what they share. Their subcommands are hidden.

pub mod keeper;
pub mod metering;
pub mod notify;
pub mod probe;
pub mod renewal;
pub mod tenure;
pub mod witness;
pub mod worker;
