//! Pointers that a program passes to the driver API: read, written and checked for NULL.

use std::ffi::{CStr, c_char};

use crate::driver::system::error::{Error, Result};

/// Writes a result to a program's pointer. It is not marked unsafe, although it dereferences a raw
/// pointer, because it is private to this module. All public functions here are unsafe, and pass on
/// their caller's promise that a pointer is null or valid for its type.
pub(in crate::driver::api) fn put<T>(place: *mut T, value: T) -> Result<()> {
    if place.is_null() {
        return Err(Error::InvalidValue);
    }
    put_if(place, value);
    Ok(())
}

/// Like [`put`], for results that the program may omit.
pub(in crate::driver::api) fn put_if<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not null, and see `put`.
        unsafe { place.write_unaligned(value) };
    }
}

/// Reads a structure of the program; see `put` for the promise.
pub(in crate::driver::api) fn take<T: Copy>(place: *const T) -> Result<T> {
    if place.is_null() {
        return Err(Error::InvalidValue);
    }
    // SAFETY: not null, and see `put`.
    Ok(unsafe { place.read_unaligned() })
}

/// Reads an array of the program; see `put` for the promise.
pub(in crate::driver::api) fn take_all<T: Copy>(first: *const T, count: usize) -> Result<Vec<T>> {
    if count > 0 && first.is_null() {
        return Err(Error::InvalidValue);
    }
    // SAFETY: the program promises `count` elements.
    Ok((0..count).map(|index| unsafe { first.add(index).read_unaligned() }).collect())
}

/// Reads a string of the program. Fails with INVALID_VALUE for NULL.
pub(in crate::driver::api) fn text<'a>(pointer: *const c_char) -> Result<&'a CStr> {
    if pointer.is_null() {
        return Err(Error::InvalidValue);
    }
    // SAFETY: the program promises a NUL-terminated string.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// Reads a name of the program. Fails with NOT_FOUND if it is not UTF-8, because nothing has such a
/// name.
pub(in crate::driver::api) fn name<'a>(pointer: *const c_char) -> Result<&'a str> {
    text(pointer)?.to_str().map_err(|_| Error::NotFound)
}

/// Copies text into a buffer of the program, truncated to fit and always ended by NUL.
pub(in crate::driver::api) fn put_text(buffer: *mut c_char, bytes: i32, value: &str) -> Result<()> {
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
pub(in crate::driver::api) fn read_file(path: &CStr) -> Result<Vec<u8>> {
    use std::os::unix::ffi::OsStrExt;
    std::fs::read(std::ffi::OsStr::from_bytes(path.to_bytes())).map_err(|_| Error::FileNotFound)
}
