//! The engine: PTX text in, kernels that run on the CPU out. The driver API around it lives in
//! `driver`; nothing here knows CUDA handles.
//!
//! Device addresses are host addresses of this process. Absent on purpose: instructions of one
//! architecture only, which compile to [`CompileError::Unsupported`].

mod exec;
pub mod instruction;
mod launch;
mod link;
mod lower;
mod program;
mod syntax;

use std::fmt;
use std::time::Duration;

pub use exec::cluster::BLOCKS_MAX as CLUSTER_BLOCKS_MAX;
pub use exec::image::{Channel, Image};
pub use exec::signal::{copy_if_there, install as catch_faults};
pub use exec::surface::Surface;
pub use exec::texture::{Address, Sampler, Texture};
pub use launch::run;
pub use lower::keep_compiled;
pub use program::{Instance, Kernel, Place, Program};
pub use syntax::types::{Kind, Ty};

/// A `.global` or `.const` variable of a program.
#[derive(Debug, Clone)]
pub struct Global {
    pub name: String,
    pub size_bytes: u64,
    pub align_bytes: u64,
    pub is_constant: bool,
    /// `.visible`, `.weak` or `.common`: can be asked for by name.
    pub visible: bool,
    /// Declared with `.attribute(.managed)`.
    pub managed: bool,
}

/// Where one kernel parameter lies in the parameter buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    pub offset_bytes: u32,
    pub size_bytes: u32,
    pub align_bytes: u32,
}

/// Which kernels get code that runs neighbouring threads in step, in vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    #[default]
    WhereItPays,
    WherePossible,
}

/// Why PTX text was refused.
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
    /// Written for a newer PTX ISA or target than this engine knows.
    TooNew(String),
    /// A named limit of the parser was passed.
    TooLarge(String),
    /// The driver had no memory for this global.
    NoMemory(String),
    /// The code generator refused: a defect of the engine.
    Internal(String),
}

/// Why a grid ended early.
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
    /// It ran longer than the program's user allows.
    TimeLimit,
    /// Threads of a block wait for each other for ever.
    Deadlock {
        block: [u32; 3],
    },
    /// The launch does not fit the kernel or the engine's limits.
    InvalidLaunch(String),
    OutOfMemory,
    Compile(CompileError),
}

/// Where goes what kernels tell the host.
pub trait Output: Sync {
    fn stdout(&self, bytes: &[u8]);
    fn stderr(&self, bytes: &[u8]);
    /// A condition of the graph that the kernel runs in.
    fn set_condition(&self, _number: u64, _value: u32) {}
}

/// Who knows the memory that checked code accesses.
pub trait Checker: Sync {
    /// Whether the bytes lie in one allocation.
    fn holds(&self, address: u64, bytes: u32) -> bool;
    /// The allocation closest to an address, in words.
    fn nearest(&self, address: u64) -> String;
    fn initialised(&self, address: u64, bytes: u32) -> bool;
    fn written(&self, address: u64, bytes: u32);
    /// `place`: what is reported where, so that a loop does not say the same over and over.
    fn report(&self, place: &str, text: &str);
}

/// One grid to run.
pub struct Launch<'a> {
    pub instance: &'a Instance,
    pub kernel: &'a Kernel,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Blocks of a cluster, as the launch says; where it says nothing, the kernel does.
    pub cluster: Option<[u32; 3]>,
    pub dynamic_shared_bytes: u32,
    pub params: &'a [u8],
    pub cooperative: bool,
    pub output: &'a dyn Output,
    /// Needs a program that was parsed to be checked.
    pub checker: Option<&'a dyn Checker>,
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
