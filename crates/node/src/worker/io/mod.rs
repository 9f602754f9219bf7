//! The worker's lanes, threads and options: everything between the network and the commands.

pub mod connection_reports;
pub mod farewell;
pub mod frame;
pub mod handshake_progress;
pub mod heartbeat;
pub mod incoming_connections;
pub mod listener;
pub mod marshal;
pub mod options;
pub mod outbound;
pub mod output;
pub mod spin_policy;
pub mod threads;
pub mod worker_fds;
