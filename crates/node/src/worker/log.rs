//! A worker's lines in the node's log. The log is the descriptor 2 with which the process began;
//! later that descriptor receives the output of kernels, so the log has a duplicate.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{FromRawFd, RawFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

static LOG: OnceLock<File> = OnceLock::new();
/// Descriptor of the log, for a signal handler.
static LOG_DESCRIPTOR: AtomicI32 = AtomicI32::new(-1);

/// Opens the log. Must be called before descriptor 2 is replaced.
pub fn open() -> io::Result<()> {
    // SAFETY: duplicates a descriptor and owns the duplicate.
    let log = unsafe { libc::fcntl(2, libc::F_DUPFD_CLOEXEC, 100) };
    if log < 0 {
        return Err(io::Error::last_os_error());
    }
    LOG_DESCRIPTOR.store(log, Relaxed);
    // SAFETY: just made, and owned by no other code.
    let _ = LOG.set(unsafe { File::from_raw_fd(log) });
    Ok(())
}

/// Returns the descriptor of the log, which is negative before the log is open. A signal handler
/// may call this.
pub fn descriptor() -> RawFd {
    LOG_DESCRIPTOR.load(Relaxed)
}

/// Writes one line to the node's log.
pub fn log(message: &str) {
    if let Some(mut log) = LOG.get() {
        // Lines are written at once, so that those of several workers do not mix.
        let _ =
            log.write_all(format!("outhaul worker {}: {message}\n", std::process::id()).as_bytes());
    }
}
