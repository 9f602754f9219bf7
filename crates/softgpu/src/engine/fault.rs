//! The reason why a grid ended early.

use super::compile_error::CompileError;
use std::fmt;

/// The reason why a grid ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    Trap,
    Assert,
    IllegalAddress {
        address: u64,
        block: [u32; 3],
        thread: [u32; 3],
    },
    Misaligned {
        address: u64,
        block: [u32; 3],
        thread: [u32; 3],
    },
    StackOverflow {
        block: [u32; 3],
        thread: [u32; 3],
    },
    /// The grid ran longer than the user allows.
    TimeLimit,
    /// Threads of a block wait for each other forever.
    Deadlock {
        block: [u32; 3],
    },
    /// The launch does not fit the kernel or the engine's limits.
    InvalidLaunch(String),
    OutOfMemory,
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
