//! State of the thread that scans replicas while kernels may run.

use crate::session::stream_progress::Progress;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[derive(Default)]
/// The scanner of one session.
pub struct Scanner {
    pub(in crate::session::replicas) state: Mutex<ScannerState>,
    pub(in crate::session::replicas) wake: Condvar,
    /// Whether new replicas were opened, which the program is likely to use soon.
    pub(in crate::session::replicas) fresh: AtomicBool,
}

/// State that the scanning thread shares with threads that post work.
#[derive(Default)]
pub(in crate::session::replicas) struct ScannerState {
    pub started: bool,
    /// Streams with work that may be incomplete, and the positions of that work.
    pub busy: Vec<(Arc<dyn Progress>, u64)>,
    /// The largest position of any work in `busy`, now or earlier.
    pub last: u64,
}

impl Scanner {
    /// Locks the state of the scanning thread.
    pub(in crate::session::replicas) fn lock(&self) -> MutexGuard<'_, ScannerState> {
        self.state.lock()
    }

    /// Notes that the program opened another replica.
    pub fn note_fresh(&self) {
        self.fresh.store(true, Relaxed);
    }
}
