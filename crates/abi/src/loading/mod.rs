//! Loading: finding a driver library and its symbols, and which devices a process may see.

pub(crate) mod library;
pub mod proc_address;
pub mod symbols;
pub mod visible;
pub mod witness;
