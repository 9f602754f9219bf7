//! The wall around memory: no core dumps, and no process of the same user may trace a worker, or
//! read its memory and its files in /proc.

/// Hides this process.
pub fn hide() -> Result<(), String> {
    // SAFETY: takes plain numbers.
    match unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error().to_string()),
    }
}
