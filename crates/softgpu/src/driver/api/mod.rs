//! The driver API as C calls it: one function for each that `spec/cuda` marks `#[soft]`.
//!
//! The functions are unsafe because a C program vouches for every pointer and for nothing else.
//! They check what can be checked and convert C's types, and other modules of the driver layer do
//! the work. Names and parameters are those of cuda.h.

#![allow(
    non_snake_case,
    clippy::too_many_arguments,
    reason = "cuda.h chose the names and the parameters"
)]

use std::ffi::{CStr, c_char};

use super::error::{Error, Result};

mod array;
mod array_copy;
mod batch_copy;
mod capture;
mod context;
mod copy;
mod device;
mod event;
mod function;
mod function_launch;
mod graph;
mod graph_exec;
mod graph_node;
mod graph_params;
mod green;
mod launch;
mod library;
mod link;
mod logs;
mod managed;
mod memory;
mod module;
mod pointer;
mod pool;
mod process;
mod stream;
mod stream_memory;
mod texture;
mod user_object;
mod virtual_memory;

pub use array::*;
pub use array_copy::*;
pub use batch_copy::*;
pub use capture::*;
pub use context::*;
pub use copy::*;
pub use device::*;
pub use event::*;
pub use function::*;
pub use function_launch::*;
pub use graph::*;
pub use graph_exec::*;
pub use graph_node::*;
pub use graph_params::*;
pub use green::*;
pub use launch::*;
pub use library::*;
pub use link::*;
pub use logs::*;
pub use managed::*;
pub use memory::*;
pub use module::*;
pub use pointer::*;
pub use pool::*;
pub use process::*;
pub use stream::*;
pub use stream_memory::*;
pub use texture::*;
pub use user_object::*;
pub use virtual_memory::*;

/// Writes a result to a program's pointer. It is not marked unsafe, although it dereferences a raw
/// pointer, because it is private to this module. All public functions here are unsafe, and pass on
/// their caller's promise that a pointer is null or valid for its type.
fn put<T>(place: *mut T, value: T) -> Result<()> {
    if place.is_null() {
        return Err(Error::InvalidValue);
    }
    put_if(place, value);
    Ok(())
}

/// Like [`put`], for results that the program may omit.
fn put_if<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not null, and see `put`.
        unsafe { place.write_unaligned(value) };
    }
}

/// Reads a structure of the program; see `put` for the promise.
fn take<T: Copy>(place: *const T) -> Result<T> {
    if place.is_null() {
        return Err(Error::InvalidValue);
    }
    // SAFETY: not null, and see `put`.
    Ok(unsafe { place.read_unaligned() })
}

/// Reads an array of the program; see `put` for the promise.
fn take_all<T: Copy>(first: *const T, count: usize) -> Result<Vec<T>> {
    if count > 0 && first.is_null() {
        return Err(Error::InvalidValue);
    }
    // SAFETY: the program promises `count` elements.
    Ok((0..count).map(|index| unsafe { first.add(index).read_unaligned() }).collect())
}

fn text<'a>(pointer: *const c_char) -> Result<&'a CStr> {
    if pointer.is_null() {
        return Err(Error::InvalidValue);
    }
    // SAFETY: the program promises a NUL-terminated string.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

fn name<'a>(pointer: *const c_char) -> Result<&'a str> {
    text(pointer)?.to_str().map_err(|_| Error::NotFound)
}

/// Copies text into a buffer of the program, truncated to fit and always ended by NUL.
fn put_text(buffer: *mut c_char, bytes: i32, value: &str) -> Result<()> {
    let room = usize::try_from(bytes)
        .ok()
        .filter(|room| *room > 0 && !buffer.is_null())
        .ok_or(Error::InvalidValue)?;
    let length = value.len().min(room - 1);
    // SAFETY: the program promises a buffer of that many bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(value.as_ptr(), buffer.cast(), length);
        buffer.add(length).write(0);
    }
    Ok(())
}

/// Reads a file with code. Text is not changed, because images know their own end.
fn read_file(path: &CStr) -> Result<Vec<u8>> {
    use std::os::unix::ffi::OsStrExt;
    std::fs::read(std::ffi::OsStr::from_bytes(path.to_bytes())).map_err(|_| Error::FileNotFound)
}
