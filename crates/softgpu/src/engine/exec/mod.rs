//! Execution of compiled kernels: stacks, the scheduler for a block's threads, warp collectives,
//! the worker pool, and functions that device code calls.

pub mod arithmetic;
pub mod blocks;
pub mod memory;

pub mod builtin;
pub mod code;
