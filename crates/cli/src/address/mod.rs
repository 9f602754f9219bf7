//! Addresses: of nodes and pools, from options, the environment or a named context, and the
//! passports with which this machine opens them.

pub mod context;
pub mod node;
pub mod passports;
pub mod pool;
