//! The engine: compiles PTX text to kernels that run on the CPU. The module `driver` implements the
//! driver API, and the engine knows no CUDA handles.
//!
//! Device addresses are host addresses of this process. Architecture-specific instructions are
//! deliberately absent and lead to [`CompileError::Unsupported`].

mod compile_error;
mod exec;
mod fault;
mod host;
mod launch;
mod link;
mod lower;
mod program;
mod runtime_use;
mod syntax;

pub use compile_error::CompileError;
pub use exec::blocks::cluster::BLOCKS_MAX as CLUSTER_BLOCKS_MAX;
pub use exec::blocks::fault_handler::{copy_if_there, install as catch_faults};
pub use exec::memory::image::{Channel, Image};
pub use exec::memory::surface::Surface;
pub use exec::memory::texture::{Address, Sampler, Texture};
pub use fault::Fault;
pub use host::{Checker, Output};
pub use launch::{Launch, run};
pub use link::{Global, Grouping};
pub use lower::keep_compiled;
pub use program::{Instance, Kernel, Param, Program, VariableLocation};
pub use runtime_use::RuntimeUse;
pub use syntax::instruction;
pub use syntax::types::{Ty, TypeKind};
