//! The listener. It accepts connections, assembles them into sessions, and starts a worker process
//! for each session. It calls no driver.

pub(crate) mod acceptor;
pub mod descriptor_limit;
pub mod drain;
pub(crate) mod handovers;
pub mod node;
pub mod serve;
pub(crate) mod session;
pub(crate) mod session_assembly;
pub(crate) mod session_queue;
pub(crate) mod session_record;
pub(crate) mod session_watch;
pub(crate) mod takeover;
pub(crate) mod thread_spawning;
pub(crate) mod worker_services;
