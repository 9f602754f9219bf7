//! Reads and writes the pointers that a program passes to the driver API, with checks for NULL.

use std::ffi::{CStr, c_char};

use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

/// Maximum size in bytes of a list that a program passes. A longer one is a wrong count.
const LIST_BYTES_MAX: usize = 1 << 30;

/// Refuses an argument unless `holds`. A program that has not called cuInit learns that first.
pub fn require(holds: bool) -> Result<()> {
    if holds { Ok(()) } else { driver().and(Err(Error::InvalidValue)) }
}

/// Refuses an argument as `require` does, for a function that needs a current context. A program
/// without one learns that first.
pub fn require_in_context(holds: bool) -> Result<()> {
    if holds { Ok(()) } else { driver()?.current().and(Err(Error::InvalidValue)) }
}

/// Refuses a size that no memory has, as `require` refuses an argument.
pub fn require_room(holds: bool) -> Result<()> {
    if holds { Ok(()) } else { driver().and(Err(Error::OutOfMemory)) }
}

/// Refuses what the device does not support, as `require` refuses an argument.
pub fn require_support(holds: bool) -> Result<()> {
    if holds { Ok(()) } else { driver().and(Err(Error::NotSupported)) }
}

/// Returns whether streams can flush what other devices have written.
pub fn can_flush_remote_writes() -> bool {
    false
}

/// Writes a result to the program's out-pointer. The function dereferences a raw pointer, but is
/// not unsafe, because it is private to `api`. All public functions of `api` are unsafe; their
/// callers guarantee that a pointer is null or valid for its type.
pub(in crate::driver::api) fn put<T>(place: *mut T, value: T) -> Result<()> {
    if place.is_null() {
        return Err(Error::InvalidValue);
    }
    put_if(place, value);
    Ok(())
}

/// Writes a result like [`put`], unless the program omits the out-pointer.
pub(in crate::driver::api) fn put_if<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: checked for null; the program guarantees that it is valid for writes, see `put`.
        unsafe { place.write_unaligned(value) };
    }
}

/// Reads a structure of the program. The guarantee that `put` describes applies.
pub(in crate::driver::api) fn take<T: Copy>(place: *const T) -> Result<T> {
    if place.is_null() {
        return Err(Error::InvalidValue);
    }
    // SAFETY: checked for null; the program guarantees that it is valid for reads, see `put`.
    Ok(unsafe { place.read_unaligned() })
}

/// Reads an array of the program. The guarantee that `put` describes applies.
pub(in crate::driver::api) fn take_all<T: Copy>(first: *const T, count: usize) -> Result<Vec<T>> {
    let bytes = count.checked_mul(size_of::<T>());
    if count > 0 && first.is_null() || bytes.is_none_or(|bytes| bytes > LIST_BYTES_MAX) {
        return Err(Error::InvalidValue);
    }
    // SAFETY: checked for null; the program guarantees that it is valid for reads of `count`
    // elements.
    Ok((0..count).map(|index| unsafe { first.add(index).read_unaligned() }).collect())
}

/// Reads a string of the program. Fails with INVALID_VALUE for NULL.
pub(in crate::driver::api) fn text<'a>(pointer: *const c_char) -> Result<&'a CStr> {
    if pointer.is_null() {
        return Err(Error::InvalidValue);
    }
    // SAFETY: checked for null; the program guarantees a NUL-terminated string.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// Reads a name from the program. Fails with NOT_FOUND for text that is not UTF-8, because no
/// object has such a name.
pub(in crate::driver::api) fn name<'a>(pointer: *const c_char) -> Result<&'a str> {
    text(pointer)?.to_str().map_err(|_| Error::NotFound)
}

/// Copies text into the program's buffer, truncated to fit and always NUL-terminated.
pub(in crate::driver::api) fn put_text(buffer: *mut c_char, bytes: i32, value: &str) -> Result<()> {
    let room = usize::try_from(bytes)
        .ok()
        .filter(|room| *room > 0 && !buffer.is_null())
        .ok_or(Error::InvalidValue)?;
    let length = value.len().min(room - 1);
    // SAFETY: checked for null; the program guarantees that the buffer is valid for writes of
    // `bytes` bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(value.as_ptr(), buffer.cast(), length);
        buffer.add(length).write(0);
    }
    Ok(())
}

/// Reads a code file. The bytes need no terminator, because images contain their own length.
pub(in crate::driver::api) fn read_file(path: &CStr) -> Result<Vec<u8>> {
    use std::os::unix::ffi::OsStrExt;
    std::fs::read(std::ffi::OsStr::from_bytes(path.to_bytes())).map_err(|_| Error::FileNotFound)
}
