//! The driver's relation to its process: entry, errors, handles, settings, signals.

pub(crate) mod entry;
pub mod error;
pub(crate) mod forms;
pub mod handle;
pub mod host;
pub mod need;
pub mod settings;
pub mod signals;
