//! The C ABI's edge: the entry of every exported function, the functions' older versions, and the
//! export tables.

pub mod entry;
pub mod host;
pub mod legacy_abi;
