//! The hand-written driver functions, under their exported names, by subject. Generated exports
//! call them through `entry`. Each takes the C arguments and makes the same promises as the driver
//! API's function.

#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]

pub mod array;
mod array_copy;
mod batch_copy;
mod box_copy;
mod callback;
mod capture;
mod cluster;
mod contexts;
pub mod copy;
mod device;
mod direct;
mod discard;
pub mod driver;
mod event;
mod function_launch;
mod functions;
mod graph;
mod graph_dot;
mod graph_memory;
mod graph_node;
mod graph_params;
mod green;
mod host;
mod launch;
pub mod link;
mod logs;
mod managed;
mod memory;
pub mod module;
mod occupancy;
mod peer;
mod pointer;
mod pools;
pub mod references;
pub mod segments;
pub mod shared_event;
mod shared_pools;
pub mod sharing;
mod stream;
mod tensor_map;
pub mod texture;
pub mod virtual_memory;

pub use array::*;
pub use array_copy::*;
pub use batch_copy::*;
pub use box_copy::*;
pub use callback::*;
pub use capture::*;
pub use contexts::*;
pub use copy::*;
pub use device::*;
pub use discard::*;
pub use driver::*;
pub use event::*;
pub use function_launch::*;
pub use functions::*;
pub use graph::*;
pub use graph_dot::*;
pub use graph_memory::*;
pub use graph_node::*;
pub use graph_params::*;
pub use green::*;
pub use host::*;
pub use launch::*;
pub use link::*;
pub use logs::*;
pub use managed::*;
pub use memory::*;
pub use module::*;
pub use occupancy::*;
pub use peer::*;
pub use pointer::*;
pub use pools::*;
pub use references::*;
pub use shared_event::*;
pub use shared_pools::*;
pub use sharing::*;
pub use stream::*;
pub use tensor_map::*;
pub use texture::*;
pub use virtual_memory::*;

use outhaul_abi::types::CUresult;
use std::ffi::{CStr, c_char};

type Done = Result<(), CUresult>;

/// Writes a result. A null pointer is an error.
///
/// # Safety
/// `place` is null or has room for a T.
unsafe fn put<T>(place: *mut T, value: T) -> Done {
    if place.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, and the caller promises room.
    unsafe { place.write(value) };
    Ok(())
}

/// Returns a text of the program. A null pointer is an error.
///
/// # Safety
/// `text` is null or a C string that lives for `'a`.
unsafe fn name<'a>(text: *const c_char) -> Result<&'a CStr, CUresult> {
    if text.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, and the caller promises a C string.
    Ok(unsafe { CStr::from_ptr(text) })
}
