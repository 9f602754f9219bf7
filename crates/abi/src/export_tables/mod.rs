//! Export tables: undocumented tables of functions that NVIDIA's runtime and tools request from a
//! driver.

pub mod export_table;
pub(crate) mod integrity;
pub(crate) mod table_host;
pub(crate) mod table_word;
pub(crate) mod tools_table;
