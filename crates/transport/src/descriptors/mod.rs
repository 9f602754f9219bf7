//! Sockets that pass descriptors between processes of one machine.

pub(crate) mod fd_channel;
pub(crate) mod fd_server;
pub(crate) mod memory_socket;
pub(crate) mod request_socket;
pub(crate) mod unix_socket;
