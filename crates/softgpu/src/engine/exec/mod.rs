//! Execution of compiled kernels: stacks, the scheduler of a block's threads, warp collectives, the
//! worker pool, and functions that device code calls.

pub mod block;
pub mod builtin;
pub mod check;
pub mod cluster;
pub mod code;
pub mod collective;
pub mod fiber;
pub mod format;
pub mod half;
pub mod heap;
pub mod image;
pub mod local;
pub mod math;
pub mod matrix;
pub mod mbarrier;
pub mod pool;
pub mod signal;
pub mod surface;
pub mod texture;
pub mod video;
