//! Copies: between the network, the host, devices, and other nodes.

pub mod array;
pub mod bulk;
pub mod copy;
pub mod host_to_host;
pub mod node_links;
pub mod peer;
