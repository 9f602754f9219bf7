//! Sockets that pass descriptors between processes of one machine.

pub(crate) mod fd_message;

pub(crate) mod unix_socket;

pub(crate) mod key_socket;
pub(crate) mod memory_socket;
pub(crate) mod request_socket;
