//! The C ABI's edge: the entry of every exported function, the functions' older versions, the
//! export tables, and a function of our own.

pub mod entry;
pub mod host;
pub mod legacy_abi;
pub mod own_exports;
