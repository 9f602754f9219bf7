//! The engine: it compiles PTX text to kernels that run on the CPU. The driver API is in `driver`;
//! the engine knows no CUDA handles.
//!
//! Device addresses are host addresses of this process. Instructions of only one architecture are
//! deliberately absent: they end in [`CompileError::Unsupported`].

mod exec;
pub mod instruction;
mod launch;
mod link;
mod lower;
mod program;
mod syntax;

use std::fmt;
use std::time::Duration;

pub use crate::engine::exec::blocks::cluster::BLOCKS_MAX as CLUSTER_BLOCKS_MAX;
pub use crate::engine::exec::blocks::signal::{copy_if_there, install as catch_faults};
pub use crate::engine::exec::memory::image::{Channel, Image};
pub use crate::engine::exec::memory::surface::Surface;
pub use crate::engine::exec::memory::texture::{Address, Sampler, Texture};
pub use launch::run;
pub use lower::keep_compiled;
pub use program::{Instance, Kernel, Place, Program};
pub use syntax::types::{Kind, Ty};

/// A `.global` or `.const` variable of a program.
#[derive(Debug, Clone)]
pub struct Global {
    /// Name.
    pub name: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Alignment in bytes.
    pub align_bytes: u64,
    /// Whether it is a `.const` variable.
    pub is_constant: bool,
    /// Whether it is `.visible`, `.weak` or `.common`, so that a program can ask for it by name.
    pub visible: bool,
    /// Whether it is declared with `.attribute(.managed)`.
    pub managed: bool,
}

/// Place of a kernel parameter in the parameter buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Offset in bytes.
    pub offset_bytes: u32,
    /// Size in bytes.
    pub size_bytes: u32,
    /// Alignment in bytes.
    pub align_bytes: u32,
}

/// The kernels whose code runs neighbouring threads in step, in vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    #[default]
    WhereItPays,
    WherePossible,
}

/// The reason why PTX text was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompileError {
    Syntax {
        line: u32,
        message: String,
    },
    Unsupported {
        what: String,
        line: u32,
    },
    UnresolvedSymbol(String),
    DuplicateSymbol(String),
    /// Text for a newer PTX ISA or target than this engine knows.
    TooNew(String),
    /// The text exceeds a named limit of the parser.
    TooLarge(String),
    /// The driver had no memory for this global.
    NoMemory(String),
    /// The code generator refused: a defect of the engine.
    Internal(String),
}

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

/// Receiver of what kernels send to the host.
pub trait Output: Sync {
    fn stdout(&self, bytes: &[u8]);
    fn stderr(&self, bytes: &[u8]);
    /// Sets a condition of the graph that the kernel runs in.
    fn set_condition(&self, _number: u64, _value: u32) {}
}

/// The allocator of the memory that checked code accesses.
pub trait Checker: Sync {
    /// Returns whether the bytes are in one allocation.
    fn holds(&self, address: u64, bytes: u32) -> bool;
    /// Describes the allocation closest to an address.
    fn nearest(&self, address: u64) -> String;
    fn initialised(&self, address: u64, bytes: u32) -> bool;
    fn written(&self, address: u64, bytes: u32);
    /// Reports an error. `place` is its kind and position, so that a loop does not repeat a report.
    fn report(&self, place: &str, text: &str);
}

/// The arguments of a grid to run.
pub struct Launch<'a> {
    /// Program with its globals.
    pub instance: &'a Instance,
    /// Kernel to run.
    pub kernel: &'a Kernel,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster according to the launch. If `None`, the kernel decides.
    pub cluster: Option<[u32; 3]>,
    /// Size of dynamic shared memory.
    pub dynamic_shared_bytes: u32,
    /// Kernel parameters.
    pub params: &'a [u8],
    /// Whether all blocks must be resident at once.
    pub cooperative: bool,
    /// Receiver of the kernel's output.
    pub output: &'a dyn Output,
    /// Checker of memory accesses. The program must be parsed for it.
    pub checker: Option<&'a dyn Checker>,
    /// Maximum run time.
    pub time_limit: Option<Duration>,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, message } => write!(f, "line {line}: {message}"),
            Self::Unsupported { what, line } => write!(f, "line {line}: {what} is not supported"),
            Self::UnresolvedSymbol(name) => write!(f, "unresolved symbol {name}"),
            Self::DuplicateSymbol(name) => write!(f, "symbol {name} is defined twice"),
            Self::TooNew(what) => write!(f, "{what} is newer than this engine"),
            Self::TooLarge(what) => write!(f, "too large: {what}"),
            Self::NoMemory(name) => write!(f, "no memory for global {name}"),
            Self::Internal(message) => write!(f, "code generator: {message}"),
        }
    }
}

impl std::error::Error for CompileError {}

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
