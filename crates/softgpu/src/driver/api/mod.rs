//! The driver API as C calls it: one function for each `#[soft]` entry of `spec/cuda`.
//!
//! The functions are unsafe because a C program guarantees that its pointers are valid, and nothing
//! else. The functions check arguments and convert C's types; other modules of the driver layer do
//! the work. Names and parameters are those of cuda.h.

#![allow(
    non_snake_case,
    clippy::too_many_arguments,
    reason = "cuda.h chose the names and the parameters"
)]

pub mod arguments;
mod code;
mod context;
mod device;
mod driver;
mod event;
mod graphs;
mod green;
mod logs;
mod memory;
mod stream;
mod stream_memory;

pub use crate::driver::api::code::function::*;
pub use crate::driver::api::code::launch::*;
pub use crate::driver::api::code::legacy_launch::*;
pub use crate::driver::api::code::library::*;
pub use crate::driver::api::code::link::*;
pub use crate::driver::api::code::module::*;
pub use crate::driver::api::graphs::batch_node::*;
pub use crate::driver::api::graphs::capture::*;
pub use crate::driver::api::graphs::graph::*;
pub use crate::driver::api::graphs::graph_exec::*;
pub use crate::driver::api::graphs::graph_node::*;
pub use crate::driver::api::graphs::graph_params::*;
pub use crate::driver::api::graphs::memory_node::*;
pub use crate::driver::api::graphs::user_object::*;
pub use crate::driver::api::memory::array::*;
pub use crate::driver::api::memory::array_copy::*;
pub use crate::driver::api::memory::batch_copy::*;
pub use crate::driver::api::memory::copy::*;
pub use crate::driver::api::memory::managed::*;
pub use crate::driver::api::memory::pointer::*;
pub use crate::driver::api::memory::pool::*;
pub use crate::driver::api::memory::texture::*;
pub use crate::driver::api::memory::virtual_memory::*;
pub use context::*;
pub use device::*;
pub use driver::*;
pub use event::*;
pub use green::*;
pub use logs::*;
pub use memory::*;
pub use stream::*;
pub use stream_memory::*;
