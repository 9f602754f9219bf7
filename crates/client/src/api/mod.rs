//! The hand-written implementations of driver functions, by subject. Generated exports call them
//! through `entry`. A local or custom function has its exported name, takes the C arguments, and
//! has the same contract as the function of the driver API. The other functions take and return
//! values. The spec says in `#[is(...)]` which driver functions call them.

#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]

pub mod code;
pub mod copies;
pub mod devices;
pub mod graphs;
pub mod streams;

pub mod arguments;
pub mod memory;

pub use crate::api::code::functions::*;
pub use crate::api::code::jit_link::*;
pub use crate::api::code::legacy_launch::*;
pub use crate::api::code::module::*;
pub use crate::api::code::occupancy::*;
pub use crate::api::code::references::*;
pub use crate::api::code::tensor_map::*;
pub use crate::api::code::texture::*;
pub use crate::api::copies::batch::*;
pub use crate::api::devices::contexts::*;
pub use crate::api::devices::device::*;
pub use crate::api::devices::driver::*;
pub use crate::api::devices::green::*;
pub use crate::api::devices::logs::*;
pub use crate::api::graphs::capture::*;
pub use crate::api::graphs::graph::*;
pub use crate::api::graphs::memory::*;
pub use crate::api::graphs::node::*;
pub use crate::api::graphs::params::*;
pub use crate::api::memory::array::*;
pub use crate::api::memory::discard::*;
pub use crate::api::memory::host::*;
pub use crate::api::memory::managed::*;
pub use crate::api::memory::pointer::*;
pub use crate::api::memory::pools::*;
pub use crate::api::memory::shared_pools::*;
pub use crate::api::memory::sharing::*;
pub use crate::api::memory::virtual_memory::*;
pub use crate::api::streams::shared_event::*;
pub use crate::api::streams::stream::*;
pub use memory::*;
