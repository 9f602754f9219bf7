//! The driver's relation to its process: entry, errors, handles, settings, signals.

pub(crate) mod entry;
pub mod error;
pub mod handle;
pub mod host;
pub(crate) mod legacy_abi;
pub mod need;
pub mod settings;
pub mod signals;
