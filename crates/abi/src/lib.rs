//! The C ABI of the CUDA driver: its types, its error codes and its symbol table. The crate also
//! implements the parts of a program's start-up that every libcuda.so.1 of Outhaul handles in the
//! same way: export tables, cuGetProcAddress and fat binaries. Deliberately absent: the behaviour
//! of a GPU or of a connection.

pub mod code;
pub mod export_tables;
pub mod loading;
pub mod memory;

pub mod dot;
pub mod error;
pub mod error_log;
pub mod fd;
mod generated {
    pub mod driver;
    pub mod nvml;
    pub mod symbols;
}
pub mod legacy_32bit;
pub mod notifications;
pub mod nvml;
mod shared_library;
pub mod types;

pub use generated::driver::Driver;
pub use shared_library::{Library, OpenError};

/// Name of the software GPU's devices.
pub const SOFTWARE_GPU: &str = "Outhaul Software GPU";
