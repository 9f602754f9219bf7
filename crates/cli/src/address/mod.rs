//! Addresses of nodes and pools, from options, the environment or a named context, and the
//! credentials with which this machine opens them.

pub mod context;
pub mod credentials;
pub mod destination;
pub mod folders;
pub mod hostname;
pub mod listen;
pub mod names;
pub mod node;
pub mod pool;
