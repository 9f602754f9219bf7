//! The wall around memory: Linux writes no core dumps of a worker. No process of the same user may
//! trace the worker, or read its memory and its files in /proc.

/// Hides this process's memory from other processes.
pub fn hide() -> Result<(), String> {
    // SAFETY: takes only numbers.
    match unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error().to_string()),
    }
}
