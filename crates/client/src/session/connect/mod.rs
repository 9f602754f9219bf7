//! Connections of a session: opened, watched, and replaced when they break.

pub mod offer;

pub mod connection;
pub mod heartbeat;
pub mod reconnect;
pub mod silence;
