//! Device memory: allocates, frees and finds it, and waits for the work that uses it.

pub mod addresses;
pub mod allocate;
pub mod free;
pub mod graph_memory;
pub mod ranges;
pub mod synchronize;
