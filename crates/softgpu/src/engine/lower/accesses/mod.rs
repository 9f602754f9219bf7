//! Lowering of instructions that access memory.

pub mod asynchronous;
pub mod atomic;
pub mod memory;
pub mod texture;
