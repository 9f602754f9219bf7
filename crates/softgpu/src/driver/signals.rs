//! Keeps the program's signals away from our threads: its handlers expect its own threads.

/// The signals that a fault of the running thread itself raises must stay deliverable.
const SYNCHRONOUS: [i32; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];

/// Restores the caller's mask when dropped; threads started meanwhile inherit the blocked one.
pub struct Blocked {
    before: libc::sigset_t,
}

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
