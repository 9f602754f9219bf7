//! Helpers for the program's arguments: reject null pointers, read inputs, write results.

pub use crate::driver::memory::ranges::can_flush_remote_writes;
use crate::driver::state::driver;
use crate::objects::context_stack;
use outhaul_abi::types::CUresult;
use std::ffi::{CStr, c_char};

/// Result of a driver function: nothing, or the error code that the program gets.
pub type CudaResult = Result<(), CUresult>;

/// Refuses an argument unless `holds`. A program that has not called cuInit learns that first.
pub fn require(holds: bool) -> CudaResult {
    if holds { Ok(()) } else { driver().and(Err(CUresult::INVALID_VALUE)) }
}

/// Refuses an argument as `require` does, for a function that needs a current context. A program
/// without one learns that first.
pub fn require_in_context(holds: bool) -> CudaResult {
    if holds { Ok(()) } else { context_stack::current().and(Err(CUresult::INVALID_VALUE)) }
}

/// Refuses a size that no memory has, as `require` refuses an argument.
pub fn require_room(holds: bool) -> CudaResult {
    if holds { Ok(()) } else { driver().and(Err(CUresult::OUT_OF_MEMORY)) }
}

/// Refuses what the device does not support, as `require` refuses an argument.
pub fn require_support(holds: bool) -> CudaResult {
    if holds { Ok(()) } else { driver().and(Err(CUresult::NOT_SUPPORTED)) }
}

/// Writes `value` through the program's pointer. Rejects a null pointer.
///
/// # Safety
/// `place` is null or valid for writes of a `T`.
pub unsafe fn put<T>(place: *mut T, value: T) -> CudaResult {
    if place.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: checked for null; the caller guarantees that `place` is valid for writes.
    unsafe { place.write(value) };
    Ok(())
}

/// Returns a C string that the program passes. Rejects a null pointer.
///
/// # Safety
/// `text` is null or a C string that lives for `'a`.
pub unsafe fn name<'a>(text: *const c_char) -> Result<&'a CStr, CUresult> {
    if text.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: checked for null; the caller guarantees a C string.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// Returns a struct that the program passes. Rejects a null pointer.
///
/// # Safety
/// `place` is null or valid for reads of a `T` for `'a`.
pub unsafe fn reference<'a, T>(place: *const T) -> Result<&'a T, CUresult> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { place.as_ref() }.ok_or(CUresult::INVALID_VALUE)
}
