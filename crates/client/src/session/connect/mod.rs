//! Connections of a session: how the client opens them, watches them, and replaces broken ones.

pub mod node_offer;

pub mod connection;
pub mod failure;
pub mod heartbeat;
pub mod heartbeat_timeout;
pub mod reconnect;
