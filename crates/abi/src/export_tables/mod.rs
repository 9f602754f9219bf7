//! Export tables: undocumented tables of functions that NVIDIA's runtime and tools ask a driver
//! for.

pub mod export_table;
pub(crate) mod host;
pub(crate) mod integrity;
pub(crate) mod tools_table;
pub(crate) mod word;
