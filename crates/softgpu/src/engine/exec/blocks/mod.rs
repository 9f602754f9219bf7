//! Blocks of threads: their threads, clusters, barriers, and collective operations.

pub mod attendance;
pub mod block;
pub mod cluster;
pub mod collective;
pub mod fault_handler;
pub mod fiber;
pub mod job;
pub mod limits;
pub mod mbarrier;
pub mod pool;
pub mod warp;
