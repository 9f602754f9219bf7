//! Loading: how a program finds a driver library's symbols, and which devices it may see.

pub mod proc_address;
pub mod symbols;
pub mod visible_devices;
pub mod witness;
