//! The limit on the listener's open files, and a reserve. When only the reserve is left, the
//! listener rejects new clients with that reason, and running sessions continue.

use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// Number of descriptors that are kept for starting workers, for the log, and for answers to
/// rejected clients.
const RESERVE: RawFd = 32;
/// Fewest files that a node must be able to open. Its own session takes some hundred with the
/// reserve.
const FILES_MIN: RawFd = 128;
/// Largest number of open descriptors above the highest connection's.
const OTHERS_MAX: usize = 256;

/// The descriptors of this process.
#[derive(Clone)]
pub struct Descriptors {
    max: RawFd,
    /// Highest descriptor of a connection so far.
    highest: Arc<AtomicI32>,
}

impl Descriptors {
    /// Raises the limit as far as the operating system allows.
    pub fn raise() -> Descriptors {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: both calls take a pointer to a local.
        unsafe {
            libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
            let soft = std::mem::replace(&mut limit.rlim_cur, limit.rlim_max);
            if libc::setrlimit(libc::RLIMIT_NOFILE, &limit) != 0 {
                limit.rlim_cur = soft;
            }
        }
        Descriptors {
            max: RawFd::try_from(limit.rlim_cur).unwrap_or(RawFd::MAX),
            highest: Arc::default(),
        }
    }

    /// Returns why no session could start, if this process may open too few files for one.
    pub fn shortage(&self) -> Option<String> {
        (self.max < FILES_MIN).then(|| {
            format!(
                "this process may open no more than {} files, and a node needs {FILES_MIN}: raise \
                the limit (`LimitNOFILE`, `ulimit -n`)",
                self.max
            )
        })
    }

    /// Returns whether descriptors are running out. The newest descriptor shows this, because Linux
    /// always assigns the lowest free number.
    pub fn are_short(&self, newest: RawFd) -> bool {
        self.highest.fetch_max(newest, Ordering::Relaxed);
        newest >= self.max - RESERVE
    }

    /// Returns whether `more` descriptors can be opened in addition to the open ones.
    pub fn has_room_for(&self, more: usize) -> bool {
        // If few descriptors were ever open, counting is unnecessary.
        let high = self.highest.load(Ordering::Relaxed) as usize + more + OTHERS_MAX;
        if high < usize::try_from(self.max - RESERVE).unwrap_or(0) {
            return true;
        }
        let Ok(open) = std::fs::read_dir("/proc/self/fd").map(Iterator::count) else { return true };
        open + more <= usize::try_from(self.max - RESERVE).unwrap_or(0)
    }

    /// Returns the reason for a client that is rejected.
    pub fn refusal(&self) -> String {
        format!(
            "the node may open no more than {} files; end sessions there, or raise its limit \
            (`LimitNOFILE`, `ulimit -n`)",
            self.max
        )
    }
}
