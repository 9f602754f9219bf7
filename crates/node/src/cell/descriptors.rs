//! What the node or whoever started it had open is not the worker's.

use std::io;
use std::os::fd::RawFd;

/// The session's own descriptors end with this one.
pub fn close_behind(last: RawFd) -> Result<(), String> {
    let first = last as libc::c_uint + 1;
    // SAFETY: nothing in this process has a descriptor behind the session's own yet.
    match unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error().to_string()),
    }
}
