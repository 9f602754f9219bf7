//! Loading: finding the symbols of a driver library, and which devices a process may see.

pub mod proc_address;
pub mod symbols;
pub mod visible_devices;
pub mod witness;
