//! Arguments that the program passes: pointers checked for NULL, results written.

use outhaul_abi::types::CUresult;
use std::ffi::{CStr, c_char};

/// Result of a driver function: nothing, or the error code that the program gets.
pub type CudaResult = Result<(), CUresult>;

/// Writes a result. A null pointer is an error.
///
/// # Safety
/// `place` is null or valid for writes of a `T`.
pub unsafe fn put<T>(place: *mut T, value: T) -> CudaResult {
    if place.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, and the caller guarantees that it is valid for writes.
    unsafe { place.write(value) };
    Ok(())
}

/// Returns a text of the program. A null pointer is an error.
///
/// # Safety
/// `text` is null or a C string that lives for `'a`.
pub unsafe fn name<'a>(text: *const c_char) -> Result<&'a CStr, CUresult> {
    if text.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, and the caller promises a C string.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// Returns a struct of the program. A null pointer is an error.
///
/// # Safety
/// `place` is null or leads to a readable T that lives for `'a`.
pub unsafe fn reference<'a, T>(place: *const T) -> Result<&'a T, CUresult> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { place.as_ref() }.ok_or(CUresult::INVALID_VALUE)
}
