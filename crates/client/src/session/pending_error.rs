//! Errors that no call could return when they occurred: failed posts, faults of kernels, and a lost
//! session. The next call returns them.

use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::time::Duration;

/// The error of every call after the session is lost.
pub const LOST: CUresult = CUresult::DEVICE_UNAVAILABLE;

#[derive(Default)]
/// The deferred errors of one session.
pub struct PendingErrors {
    lost: AtomicBool,
    /// Sticky error, which every later call returns.
    sticky: AtomicI32,
    /// Error that only one call returns.
    once: AtomicI32,
    /// Whether work failed because its capture had been invalidated. Only work in captures and
    /// their ends report that.
    invalidated: AtomicBool,
    losing: Mutex<()>,
    is_over: Condvar,
}

impl PendingErrors {
    /// Notes an error. Of several errors that are not sticky, only the first is kept until a call
    /// returns it.
    pub fn note(&self, code: CUresult) {
        if code.is_sticky() {
            self.sticky.store(code.0, SeqCst);
        } else if code == CUresult::STREAM_CAPTURE_INVALIDATED {
            self.invalidated.store(true, SeqCst);
        } else if code != CUresult::SUCCESS {
            let _ = self.once.compare_exchange(0, code.0, SeqCst, SeqCst);
        }
    }

    /// Makes every later call fail with `NOT_INITIALIZED`, because another process owns the
    /// session. Only stores a number, because a handler of `fork` calls this.
    pub fn forbid(&self) {
        self.sticky.store(CUresult::NOT_INITIALIZED.0, SeqCst);
    }

    /// Notes that the session is lost.
    pub fn lose(&self) {
        let _losing = self.losing.lock();
        self.lost.store(true, SeqCst);
        self.is_over.notify_all();
    }

    /// Blocks until the session is lost, for at most `max`.
    pub fn wait_lost(&self, max: Duration) {
        let losing = self.losing.lock();
        let _ = self.is_over.wait_timeout_while(losing, max, |()| !self.is_lost());
    }

    /// Returns whether the session is lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(SeqCst)
    }

    /// Returns whether work in a capture failed because the capture had been invalidated, and
    /// forgets it.
    pub fn take_invalidated(&self) -> bool {
        self.invalidated.swap(false, SeqCst)
    }

    /// Returns the error that the present call must report, if any.
    pub fn check(&self) -> Result<(), CUresult> {
        if self.is_lost() {
            return Err(LOST);
        }
        match self.sticky.load(SeqCst) {
            0 => {}
            code => return Err(CUresult(code)),
        }
        if self.once.load(SeqCst) == 0 {
            return Ok(());
        }
        CUresult(self.once.swap(0, SeqCst)).ok()
    }
}
