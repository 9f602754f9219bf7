//! Copies between the network, the host and devices.

pub mod array;
pub mod bulk;
pub mod copy;
pub mod host_to_host;
pub mod peer;
