//! Opening connections: to a node, on the same machine, between two nodes, and again after a break.

pub(crate) mod connection;
pub(crate) mod handover_socket;
pub(crate) mod hello_error;
pub(crate) mod node_link;
pub(crate) mod redial;
pub(crate) mod rejoin;
pub(crate) mod retry;
pub(crate) mod session_key;
pub(crate) mod settings;
