//! The results of lowering, and the threads that a function is lowered for.

use crate::engine::CompileError;
use std::collections::HashSet;

/// The result of a lowering function.
pub type Lowered<T> = Result<T, CompileError>;

/// A kernel that is ready to run.
#[derive(Debug, Clone, Copy)]
pub struct Compiled {
    /// Address of the code.
    pub address: usize,
    /// Stack bytes that it needs.
    pub stack_bytes: usize,
    /// Whether it is entered once for all threads of a block.
    pub by_block: bool,
    /// Frame bytes of each thread, if it is entered by block.
    pub frame_bytes: usize,
}

/// The threads for which a function is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entered {
    Thread,
    /// All threads of a block.
    Block,
    /// All threads of a block whose rows are whole groups of threads, which run in step where they
    /// can.
    Groups,
}

/// Results of lowering one function.
pub struct Lowering {
    /// Functions that it refers to.
    pub referenced: HashSet<u32>,
    /// Whether it calls functions.
    pub calls: bool,
    /// Frame bytes of each thread.
    pub frame_bytes: usize,
    /// Whether the code contains addresses of this process.
    pub bound: bool,
}
