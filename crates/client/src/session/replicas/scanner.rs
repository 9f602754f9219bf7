//! State of the thread that watches shared memory while kernels may run.

use crate::session::stream_progress::Progress;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[derive(Default)]
/// The scanner of one session.
pub struct Scanner {
    pub(in crate::session::replicas) state: Mutex<ScannerState>,
    pub(in crate::session::replicas) wake: Condvar,
    /// Whether more memory is shared than before: it is likely to be used soon.
    pub(in crate::session::replicas) fresh: AtomicBool,
}

/// The knowledge of the watching thread.
#[derive(Default)]
pub(in crate::session::replicas) struct ScannerState {
    pub started: bool,
    /// Streams with work that is not known to be done, and the positions of that work.
    pub busy: Vec<(Arc<dyn Progress>, u64)>,
    /// The largest position of all.
    pub last: u64,
}

impl Scanner {
    /// Locks the knowledge of the watching thread.
    pub(in crate::session::replicas) fn lock(&self) -> MutexGuard<'_, ScannerState> {
        self.state.lock()
    }

    /// Notes that more memory is shared now.
    pub fn note_fresh(&self) {
        self.fresh.store(true, Relaxed);
    }
}
