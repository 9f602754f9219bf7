//! The library's threads. They block all signals, because signals belong to the program's own
//! threads.

use crate::base::log;
use outhaul_transport::os::spin::wake_promptly;

/// Starts a thread with the name `name`. Returns whether the thread started.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> bool {
    let _held = SignalsHeld::begin();
    let result = std::thread::Builder::new().name(name.into()).spawn(|| {
        wake_promptly();
        body();
    });
    let failed = |error: &std::io::Error| {
        log::warn(&format!(
            "cannot start a thread: {error}; this user or container may have no more of them: \
            raise the limit (`ulimit -u`, `pids.max`)"
        ));
    };
    result.inspect_err(failed).is_ok()
}

/// Guard that blocks all signals on a thread, so that none of the program's handlers runs there.
/// Restores the signal mask when dropped.
pub struct SignalsHeld {
    before: libc::sigset_t,
}

impl SignalsHeld {
    /// Blocks all signals on the calling thread.
    pub fn begin() -> SignalsHeld {
        // SAFETY: both sets are locals, and are initialised before they are read.
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
        // SAFETY: the set is a valid mask, saved by `begin`.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}
