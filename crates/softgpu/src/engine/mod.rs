//! The engine: PTX text in, kernels that run on the CPU out. The driver API around it lives in `driver`; nothing here knows CUDA handles.
//!
//! Device addresses are host addresses of this process. Absent on purpose: textures, tensor-core and cluster instructions, which
//! compile to [`CompileError::Unsupported`].

use std::fmt;
use std::sync::Arc;

/// One or more PTX texts linked together. Kernels compile when first prepared or launched.
pub struct Program {}

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

/// An entry function and what a driver is asked about it.
pub struct Kernel {
    pub name: String,
    pub params: Vec<Param>,
    pub param_bytes: u32,
    pub static_shared_bytes: u32,
    pub local_bytes: u32,
    pub const_bytes: u32,
    /// From `.maxntid` or `.reqntid`; 1024 where the text says nothing.
    pub max_threads_per_block: u32,
    /// `.reqntid`, where given: a launch with another block shape is invalid.
    pub required_block: Option<[u32; 3]>,
    /// An estimate: a CPU has no register file to report.
    pub registers: u32,
    /// Major * 10 + minor of the PTX ISA version.
    pub ptx_version: u32,
    /// The `.target` of the text it came from.
    pub sm: u32,
}

/// A program with the addresses of its globals.
pub struct Instance {}

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
    StackOverflow {
        block: [u32; 3],
        thread: [u32; 3],
    },
    /// Threads of a block wait for each other for ever.
    Deadlock {
        block: [u32; 3],
    },
    /// The launch does not fit the kernel or the engine's limits.
    InvalidLaunch(String),
    OutOfMemory,
    Compile(CompileError),
}

/// Where device-side output goes.
pub trait Output: Sync {
    fn stdout(&self, bytes: &[u8]);
    fn stderr(&self, bytes: &[u8]);
}

/// One grid to run.
pub struct Launch<'a> {
    pub instance: &'a Instance,
    pub kernel: &'a Kernel,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    pub params: &'a [u8],
    pub cooperative: bool,
    pub output: &'a dyn Output,
}

impl Program {
    /// Parses the texts and links `.extern` declarations against definitions across them.
    pub fn parse(texts: &[&str]) -> Result<Program, CompileError> {
        let _ = texts;
        Err(CompileError::Internal("not built yet".into()))
    }

    pub fn kernels(&self) -> impl Iterator<Item = &Arc<Kernel>> {
        std::iter::empty()
    }

    pub fn kernel(&self, name: &str) -> Option<Arc<Kernel>> {
        let _ = name;
        None
    }

    pub fn globals(&self) -> impl Iterator<Item = &Global> {
        std::iter::empty()
    }

    /// The highest `.target` of the texts, and whether it is architecture-specific (`sm_90a`).
    pub fn target(&self) -> (u32, bool) {
        (0, false)
    }

    /// Places every global at the address that `memory_for_globals` gives and writes its initial value there.
    pub fn instantiate(
        self: &Arc<Self>,
        memory_for_globals: impl FnMut(&Global) -> Option<*mut u8>,
    ) -> Result<Instance, CompileError> {
        let _ = memory_for_globals;
        Err(CompileError::Internal("not built yet".into()))
    }
}

impl Kernel {
    /// Compiles now, so that an unsupported instruction is reported before the launch.
    pub fn prepare(&self) -> Result<(), CompileError> {
        Ok(())
    }
}

impl Instance {
    /// The address and size of a global of this instance.
    pub fn global(&self, name: &str) -> Option<(*mut u8, u64)> {
        let _ = name;
        None
    }
}

/// Runs a grid and returns when every block is done.
pub fn run(launch: &Launch<'_>) -> Result<(), Fault> {
    let _ = launch;
    Ok(())
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
            Self::IllegalAddress {
                address,
                block,
                thread,
            } => {
                write!(
                    f,
                    "illegal address {address:#x} in block {block:?}, thread {thread:?}"
                )
            }
            Self::StackOverflow { block, thread } => {
                write!(f, "stack overflow in block {block:?}, thread {thread:?}")
            }
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
