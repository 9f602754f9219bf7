//! The driver's environment in its process: errors, handles, settings, signals.

pub mod error;
pub mod handle;
pub mod host_function;
pub mod requirements;
pub mod settings;
pub mod signal_mask;
pub mod uuid;
