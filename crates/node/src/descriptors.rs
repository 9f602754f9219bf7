//! How many files the listener may have open, and what it keeps free of them: who comes when they
//! are used up is told so, and the sessions that there are go on.

use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// Kept for starting workers, for the log, and for telling people that there are no more.
const RESERVE: RawFd = 32;
/// Those that were opened behind the highest connection, at most.
const OTHERS_MAX: usize = 256;

#[derive(Clone)]
pub struct Descriptors {
    max: RawFd,
    /// The highest that a connection had.
    highest: Arc<AtomicI32>,
}

impl Descriptors {
    /// All that the system lets this process have.
    pub fn raise() -> Descriptors {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: reads into a local, and from it.
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

    /// By the newest one: the system gives the lowest that is free.
    pub fn are_short(&self, newest: RawFd) -> bool {
        self.highest.fetch_max(newest, Ordering::Relaxed);
        newest >= self.max - RESERVE
    }

    /// Whether so many can be opened beside those that are.
    pub fn has_room_for(&self, more: usize) -> bool {
        // Where few were ever open there is no need to count.
        let high = self.highest.load(Ordering::Relaxed) as usize + more + OTHERS_MAX;
        if high < usize::try_from(self.max - RESERVE).unwrap_or(0) {
            return true;
        }
        let Ok(open) = std::fs::read_dir("/proc/self/fd").map(Iterator::count) else { return true };
        open + more <= usize::try_from(self.max - RESERVE).unwrap_or(0)
    }

    pub fn words(&self) -> String {
        format!(
            "the node may open no more than {} files; end sessions there, or raise its limit \
            (`LimitNOFILE`, `ulimit -n`)",
            self.max
        )
    }
}
