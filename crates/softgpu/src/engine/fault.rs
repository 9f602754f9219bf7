//! The reason why a grid ended early.

use super::compile_error::CompileError;
use std::fmt;

/// The reason why a grid ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A thread executed `trap`.
    Trap,
    /// An assertion of a kernel failed.
    Assert,
    /// A thread accessed an address where no memory is mapped.
    IllegalAddress {
        /// Address of the access.
        address: u64,
        /// Index of the thread's block in the grid.
        block: [u32; 3],
        /// Index of the thread in its block.
        thread: [u32; 3],
    },
    /// A thread accessed an address that is not a multiple of the access's size.
    Misaligned {
        /// Address of the access.
        address: u64,
        /// Index of the thread's block in the grid.
        block: [u32; 3],
        /// Index of the thread in its block.
        thread: [u32; 3],
    },
    /// A thread exhausted its stack.
    StackOverflow {
        /// Index of the thread's block in the grid.
        block: [u32; 3],
        /// Index of the thread in its block.
        thread: [u32; 3],
    },
    /// The grid exceeded the user's time limit.
    TimeLimit,
    /// The threads of a block wait for each other forever.
    Deadlock {
        /// Index of the block in the grid.
        block: [u32; 3],
    },
    /// The launch's arguments exceed a limit of the kernel or the engine, or contradict each other.
    /// The value says why.
    InvalidLaunch(String),
    /// The host has no memory for the threads' stacks.
    OutOfMemory,
    /// The kernel could not be compiled.
    Compile(CompileError),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trap => write!(f, "trap instruction"),
            Self::Assert => write!(f, "device-side assertion failed"),
            Self::IllegalAddress { address, block, thread } => {
                write!(f, "illegal address {address:#x} in block {block:?}, thread {thread:?}")
            }
            Self::Misaligned { address, block, thread } => {
                write!(f, "misaligned address {address:#x} in block {block:?}, thread {thread:?}")
            }
            Self::StackOverflow { block, thread } => {
                write!(f, "stack overflow in block {block:?}, thread {thread:?}")
            }
            Self::TimeLimit => write!(f, "time limit passed"),
            Self::Deadlock { block } => {
                write!(f, "the threads of block {block:?} wait for each other")
            }
            Self::InvalidLaunch(why) => write!(f, "invalid launch: {why}"),
            Self::OutOfMemory => write!(f, "out of memory"),
            Self::Compile(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Fault {}
