//! Addresses of nodes and pools, from options, the environment or a named context, and the
//! passports with which this machine opens them.

pub mod chosen;
pub mod context;
pub mod folders;
pub mod listen;
pub mod machine;
pub mod node;
pub mod passports;
pub mod pool;
