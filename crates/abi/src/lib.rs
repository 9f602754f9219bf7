//! The CUDA driver's C ABI: its types, its error codes, the table of its symbols, and the parts of
//! the start-up conversation that every libcuda.so.1 of ours holds alike (export tables,
//! cuGetProcAddress, fat binaries). No behaviour of a GPU or of a link lives here.

pub mod compile_cache;
pub mod dot;
pub mod error;
pub mod error_log;
pub mod export_table;
pub mod fatbin;
mod generated {
    pub mod driver;
    pub mod nvml;
    pub mod symbols;
}
mod integrity;
pub mod jit;
pub mod launch_state;
mod library;
pub mod managed;
pub mod notifications;
pub mod nvml;
pub mod older;
pub mod proc_address;
pub mod refusals;
pub mod symbols;
mod tools_table;
pub mod types;
pub mod visible;
pub mod witness;

pub use generated::driver::Driver;
pub use library::{Library, OpenError};

/// What the software GPU says that it is.
pub const SOFTWARE_GPU: &str = "Outhaul Software GPU";
