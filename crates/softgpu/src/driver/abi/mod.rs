//! The edge of the C ABI: the entry of every exported function, the older versions of functions,
//! and the answers for export tables.

pub mod entry;
pub mod host;
pub mod legacy_abi;
