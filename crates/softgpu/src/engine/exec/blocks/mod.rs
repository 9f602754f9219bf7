//! Blocks of threads: their threads, clusters, barriers and collective operations.

pub mod block;
pub mod cluster;
pub mod collective;
pub mod fiber;
pub mod mbarrier;
pub mod pool;
pub mod signal;
