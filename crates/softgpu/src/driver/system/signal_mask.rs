//! Keeps the program's signals away from the driver's threads, because its handlers expect the
//! program's own.

/// Signals that a fault of the running thread raises. They must remain deliverable.
const SYNCHRONOUS: [i32; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];

/// Restores the caller's signal mask when dropped. Threads started meanwhile inherit the blocked
/// one.
pub struct Blocked {
    before: libc::sigset_t,
}

/// Blocks all other signals of the calling thread.
pub fn block_all() -> Blocked {
    // SAFETY: sigset_t is plain data; each call gets valid places to read and write.
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
        // SAFETY: before was filled in by pthread_sigmask.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut())
        };
    }
}
