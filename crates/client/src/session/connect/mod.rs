//! Connections of a session: opened, watched, and replaced when they break.

pub mod node_offer;

pub mod connection;
pub mod failure;
pub mod heartbeat;
pub mod heartbeat_timeout;
pub mod reconnect;
