//! The library's threads, which receive no signals: signals belong to the program's own threads.

use crate::base::log;
use outhaul_transport::os::spin::wake_promptly;

/// Starts a thread. Returns whether it runs.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> bool {
    let _held = SignalsHeld::begin();
    let result = std::thread::Builder::new().name(name.into()).spawn(|| {
        wake_promptly();
        body();
    });
    result.inspect_err(|error| log::warn(&format!("cannot start a thread: {error}"))).is_ok()
}

/// Blocks the program's signal handlers on this thread until dropped.
pub struct SignalsHeld {
    before: libc::sigset_t,
}

impl SignalsHeld {
    /// Blocks all signals on the calling thread.
    pub fn begin() -> SignalsHeld {
        // SAFETY: both sets are locals, filled before they are read.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            SignalsHeld { before }
        }
    }
}

impl Drop for SignalsHeld {
    fn drop(&mut self) {
        // SAFETY: the set is this thread's earlier one: no value moves to another thread.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}
