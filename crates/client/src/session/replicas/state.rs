//! The replicas of a session: pinned memory that program and device both access over a network. The
//! worker has pages at the same addresses.

use crate::base::movable_pages::MovablePieces;
use crate::session::replicas::scanner::Scanner;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex, MutexGuard, RwLock};
use outhaul_transport::ReplicaSet;
use outhaul_transport::replicas::replica::{Replica, ReplicaPages};
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Release, Ordering::SeqCst,
};

/// The replicas of one session.
#[derive(Default)]
pub struct Replicas {
    pub(in crate::session::replicas) set: RwLock<Arc<ReplicaSet>>,
    pub(in crate::session::replicas) in_use: AtomicBool,
    /// Whether the replicas are so small that a scan of them all takes no longer than a write to
    /// the network.
    pub(in crate::session::replicas) is_little: AtomicBool,
    /// Number of openings and closings that the worker may not have executed yet.
    pub(in crate::session::replicas) changing: AtomicUsize,
    /// Number of the change that was sent last. Locked from the scan until the last message, so
    /// that changes sent later are newer.
    pub(in crate::session::replicas) last_sent: Mutex<u64>,
    /// Number of the last change for which a command already waits.
    pub(in crate::session::replicas) awaited: AtomicU64,
    pub(in crate::session::replicas) asked: AtomicU64,
    pub(in crate::session::replicas) answers: Mutex<Answers>,
    pub(in crate::session::replicas) answered: Condvar,
    pub(in crate::session::replicas) movable: MovablePieces,
    /// Scans the replicas while the device works.
    pub scanner: Scanner,
}

/// The worker's answers to queries for changes.
#[derive(Default)]
pub(in crate::session::replicas) struct Answers {
    /// Number of the last query that the worker answered.
    pub last: u64,
    /// Whether the session is lost.
    pub lost: bool,
}

/// How long the pages of pinned memory stay.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PinnedPages {
    /// They stay.
    Fixed,
    /// They may be absent for a while. This requires anonymous memory allocated for the replica
    /// alone, and the thread that serves page faults.
    Movable,
    /// The program registered them, and may unmap or protect them at any time.
    Registered,
}

impl PinnedPages {
    fn of_replica(self) -> ReplicaPages {
        match self {
            PinnedPages::Fixed | PinnedPages::Movable => ReplicaPages::Permanent,
            PinnedPages::Registered => ReplicaPages::Programs,
        }
    }
}

impl Replicas {
    /// Returns the present set of replicas.
    pub(in crate::session::replicas) fn set(&self) -> Arc<ReplicaSet> {
        self.set.read().clone()
    }

    /// Replaces the set of replicas by the result of `change`.
    pub(in crate::session::replicas) fn change(
        &self,
        change: impl FnOnce(&ReplicaSet) -> ReplicaSet,
    ) {
        let mut set = self.set.write();
        *set = Arc::new(change(&set));
        self.is_little.store(set.is_reported_unasked(), Release);
        self.in_use.store(!set.is_empty(), Release);
    }

    /// Opens a replica. `open` makes the worker create pages at the address.
    ///
    /// # Safety
    ///
    /// The pages at the address must remain until `close` has returned, unless they are registered.
    pub unsafe fn open(
        &self,
        address: usize,
        bytes: usize,
        pages: PinnedPages,
        open: impl FnOnce() -> Result<(), CUresult>,
    ) -> Result<(), CUresult> {
        // Once the worker has this replica, it may have too much replica memory to send the
        // device's changes unasked.
        self.changing.fetch_add(1, SeqCst);
        let opened = open();
        if opened.is_ok() {
            // SAFETY: the caller upholds this function's contract, and `close` retires the parts.
            let parts = unsafe { Replica::cut(address, bytes, pages.of_replica()) };
            self.change(|set| set.with(&parts));
            if pages == PinnedPages::Movable {
                self.movable.enter(&parts);
            }
            self.scanner.note_fresh();
        }
        self.changing.fetch_sub(1, SeqCst);
        opened
    }

    /// Returns whether the session has any replica.
    pub fn is_in_use(&self) -> bool {
        self.in_use.load(Acquire)
    }

    /// Locks the number of the last change. Only the thread that holds the lock may send changes.
    pub(in crate::session::replicas) fn lock_last_sent(&self) -> MutexGuard<'_, u64> {
        self.last_sent.lock()
    }

    /// Locks the worker's answers.
    pub(in crate::session::replicas) fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock()
    }

    /// Notes that all changes before query `number` have been received. The thread that reads from
    /// the worker calls this.
    pub fn answer(&self, number: u64) {
        let mut answers = self.answers();
        answers.last = answers.last.max(number);
        self.answered.notify_all();
    }

    /// Wakes all waiting threads, because the session is lost.
    pub fn fail_all(&self) {
        self.answers().lost = true;
        self.answered.notify_all();
    }
}
