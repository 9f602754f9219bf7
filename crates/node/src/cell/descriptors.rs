//! The wall around descriptors: a worker must not inherit files that the node, or the process that
//! started the node, had open.

use std::io;
use std::os::fd::RawFd;

/// Closes all descriptors after `last`, the session's last descriptor.
pub fn close_after(last: RawFd) -> Result<(), String> {
    let first = last as libc::c_uint + 1;
    // SAFETY: no code in this process owns a descriptor after the session's own yet.
    match unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error().to_string()),
    }
}
