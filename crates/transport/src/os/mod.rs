//! Operating system services: deadlines, spinning, sending without a signal, shared memory.

pub(crate) mod contention;
pub(crate) mod deadline;
pub mod send;
pub(crate) mod shared_memory;
pub mod spin;
pub(crate) mod tcp_info;
pub(crate) mod tcp_options;
pub mod tune_settings;
