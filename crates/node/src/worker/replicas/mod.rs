//! The node's side of replicas: pinned memory that both program and device reach, over a network.
//! The node has pages at the program's addresses. It applies the program's changes to these pages,
//! and reports the device's changes to the program. No function here waits for the device.

pub mod watch;

use outhaul_lock::{Condvar, Mutex, MutexGuard, RwLock};
use outhaul_transport::ReplicaSet;
use outhaul_transport::replicas::replica::{Replica, Run};
use outhaul_wire::frame;
use outhaul_wire::limits::REPLICAS_MAX;
use outhaul_wire::messages::ReplicaUpdate;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};
use watch::Watch;

/// A session's replicas.
#[derive(Default)]
pub struct Replicas {
    set: RwLock<Arc<ReplicaSet>>,
    in_use: AtomicBool,
    /// Whether there are replicas, but so few that changes are reported before each message.
    unasked: AtomicBool,
    /// Held by the reporting thread from the comparison to the last frame, so that a later report
    /// is newer. A thread locks this before the lane.
    reporting: Mutex<()>,
    received: Mutex<ReceivedReports>,
    came: Condvar,
    /// Watches for changes while kernels run.
    pub watch: Watch,
}

/// Reports received from the client.
#[derive(Default)]
struct ReceivedReports {
    /// Number of the last report received.
    last: u64,
    /// Numbers of reports whose bytes have not reached the device's own memory yet.
    under_way: VecDeque<u64>,
}

/// The right to report changes, which one thread has at a time.
pub struct ReportGuard<'t> {
    /// The replicas to report on.
    pub set: Arc<ReplicaSet>,
    _one: MutexGuard<'t, ()>,
}

impl Replicas {
    /// Adds a replica. An error names the limit that would be exceeded.
    pub fn open(&self, parts: &[Arc<Replica>]) -> Result<(), String> {
        let mut set = self.set.write();
        if set.pieces() >= REPLICAS_MAX {
            return Err(format!(
                "more than {REPLICAS_MAX} pieces of pinned memory that the device reaches"
            ));
        }
        *set = Arc::new(set.with(parts));
        self.in_use.store(true, Release);
        self.watch.note_fresh();
        self.unasked.store(set.is_reported_unasked(), Release);
        Ok(())
    }

    /// Removes a replica. When this function returns, no thread uses the memory any more.
    pub fn close(&self, address: u64) {
        let mut set = self.set.write();
        let Some((left, gone)) = set.without(address as usize) else { return };
        *set = Arc::new(left);
        self.in_use.store(!set.is_empty(), Release);
        self.unasked.store(set.is_reported_unasked() && !set.is_empty(), Release);
        drop(set);
        gone.iter().for_each(|part| part.retire());
    }

    /// Sets whether the parts inside `range` are present, and returns these parts. Ignores memory
    /// that was closed meanwhile.
    pub fn set_present(&self, range: Range<usize>, is_present: bool) -> Vec<Arc<Replica>> {
        let mut set = self.set.write();
        let is_inside =
            |part: &&Arc<Replica>| range.start <= part.start() && part.range().end <= range.end;
        let parts: Vec<_> = set.within(range.clone()).filter(is_inside).cloned().collect();
        parts.iter().for_each(|part| part.set_absent(!is_present));
        *set = Arc::new(set.again());
        self.unasked.store(set.is_reported_unasked() && !set.is_empty(), Release);
        parts
    }

    /// Returns whether there are replicas.
    pub fn is_in_use(&self) -> bool {
        self.in_use.load(Acquire)
    }

    /// Returns the current set of replicas.
    pub fn set(&self) -> Arc<ReplicaSet> {
        self.set.read().clone()
    }

    /// Blocks until no other thread reports, and returns the right to report.
    pub fn begin(&self) -> ReportGuard<'_> {
        let one = self.reporting.lock();
        ReportGuard { set: self.set(), _one: one }
    }

    /// Does the same as `begin` if changes are reported before each message. Otherwise returns
    /// `None`.
    pub fn begin_unasked(&self) -> Option<ReportGuard<'_>> {
        if !self.unasked.load(Acquire) {
            return None;
        }
        Some(self.begin()).filter(|telling| telling.set.is_reported_unasked())
    }

    /// Applies a change by the program. Ignores memory that was closed meanwhile. Returns false if
    /// the change extends beyond the replica.
    pub fn apply(&self, number: u64, address: u64, bytes: &[u8]) -> bool {
        let inside = self.set().apply(address as usize, bytes);
        self.lock_received().last = number;
        self.came.notify_all();
        inside
    }

    /// Notes that report `number` is incomplete until `complete` is called. A wait for later
    /// reports also waits for this one.
    pub fn defer(&self, number: u64) {
        let mut received = self.lock_received();
        received.last = number;
        received.under_way.push_back(number);
    }

    /// Notes that report `number` has arrived completely.
    pub fn complete(&self, number: u64) {
        self.lock_received().under_way.retain(|other| *other != number);
        self.came.notify_all();
    }

    /// Returns the number of the last report received.
    pub fn last_received(&self) -> u64 {
        self.lock_received().last
    }

    /// Blocks until all reports up to `number` have arrived, some of which come on another lane.
    pub fn wait(&self, number: u64) {
        let mut received = self.lock_received();
        while received.last < number
            || received.under_way.front().is_some_and(|oldest| *oldest <= number)
        {
            received = self.came.wait(received);
        }
    }

    fn lock_received(&self) -> MutexGuard<'_, ReceivedReports> {
        self.received.lock()
    }
}

/// Appends one frame per run to `out`.
pub fn append(runs: &[Run], out: &mut Vec<u8>) {
    for run in runs {
        frame::append(out, &ReplicaUpdate { address: run.address }, 0, 0, run.bytes.len());
        out.extend_from_slice(&run.bytes);
    }
}
