//! A worker's lines in the node's log. The process inherits the log as descriptor 2. Later that
//! descriptor captures the kernels' output, so this module keeps a duplicate of the original.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{FromRawFd, RawFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

static LOG: OnceLock<File> = OnceLock::new();
/// The log's descriptor, for a signal handler.
static LOG_DESCRIPTOR: AtomicI32 = AtomicI32::new(-1);

/// Opens the log. The caller must do so before it replaces descriptor 2.
pub fn open() -> io::Result<()> {
    // SAFETY: takes no pointers; only this function knows the duplicate.
    let log = unsafe { libc::fcntl(2, libc::F_DUPFD_CLOEXEC, 100) };
    if log < 0 {
        return Err(io::Error::last_os_error());
    }
    LOG_DESCRIPTOR.store(log, Relaxed);
    // SAFETY: `log` is a new descriptor that no other code owns.
    let _ = LOG.set(unsafe { File::from_raw_fd(log) });
    Ok(())
}

/// Returns the log's descriptor, which is negative before the log is open. A signal handler may
/// call this function.
pub fn descriptor() -> RawFd {
    LOG_DESCRIPTOR.load(Relaxed)
}

/// Writes `message` as one line to the node's log.
pub fn log(message: &str) {
    if let Some(mut log) = LOG.get() {
        // One call writes the whole line, so that the lines of several workers do not mix.
        let _ =
            log.write_all(format!("outhaul worker {}: {message}\n", std::process::id()).as_bytes());
    }
}
