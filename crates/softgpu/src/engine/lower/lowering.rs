//! The results of lowering, and the threads that a function's code runs.

use crate::engine::CompileError;
use std::collections::HashSet;

/// The result type of lowering functions.
pub type Lowered<T> = Result<T, CompileError>;

/// A kernel that is ready to run.
#[derive(Debug, Clone, Copy)]
pub struct Compiled {
    /// Address of the code.
    pub address: usize,
    /// Number of stack bytes that the kernel needs.
    pub stack_bytes: usize,
    /// Whether the code is entered once for all threads of a block.
    pub by_block: bool,
    /// Number of frame bytes for each thread, if the code is entered by block.
    pub frame_bytes: usize,
}

/// The threads that one entry of the code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entered {
    Thread,
    /// All threads of a block.
    Block,
    /// All threads of a block whose rows consist of whole groups. Threads run in step where
    /// possible.
    Groups,
}

/// The results of lowering one function.
pub struct Lowering {
    /// Functions that the code refers to.
    pub referenced: HashSet<u32>,
    /// Whether the code calls functions.
    pub calls: bool,
    /// Number of frame bytes for each thread.
    pub frame_bytes: usize,
    /// Whether the code contains addresses of this process.
    pub bound: bool,
}
