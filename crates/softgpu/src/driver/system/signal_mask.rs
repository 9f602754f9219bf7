//! Keeps the program's signals away from the driver's threads, because the program's handlers
//! expect to run on its own threads.

/// Signals that a fault of the running thread raises. These signals must remain deliverable.
const SYNCHRONOUS: [i32; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];

/// Restores the caller's signal mask when dropped. Threads started in the meantime inherit the
/// blocked mask.
pub struct Blocked {
    before: libc::sigset_t,
}

/// Blocks all signals of the calling thread except those in `SYNCHRONOUS`.
pub fn block_all() -> Blocked {
    // SAFETY: sigset_t is plain data, and each call gets locals that are valid for reads and
    // writes.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut set);
        for signal in SYNCHRONOUS {
            libc::sigdelset(&raw mut set, signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const set, &raw mut before);
        Blocked { before }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        // SAFETY: pthread_sigmask has initialised `before`.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut())
        };
    }
}
