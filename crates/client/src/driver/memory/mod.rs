//! Device memory: allocates, frees and looks up memory, and waits for the work that uses it.

pub mod address_lookup;
pub mod allocate;
pub mod context_synchronize;
pub mod free;
pub mod graph_memory;
pub mod ranges;
