//! A thread that prepares host memory before device memory is evicted to it. If a GPU cannot hold
//! the memory of all its sessions, they will be asked to make room. Locking pages takes several
//! times as long as copying to them. The thread does not delay moves of memory: its lock excludes
//! only captures and the end of the context. The thread holds the lock for one chunk at a time.

use super::Residency;
use outhaul_abi::types::CUresult;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

/// Interval between two checks of the sessions' memory.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// How long surplus memory remains ready, because programs free memory and allocate it again.
pub const SURPLUS_KEPT: Duration = Duration::from_secs(10);

/// Prepares host memory for a session on one device.
pub struct Preparer {
    residency: Arc<Residency>,
    /// Time since which more memory has been ready than needed.
    surplus_since: Option<Instant>,
}

/// Starts the thread, which runs until the worker ends.
pub fn start(residencies: Vec<Arc<Residency>>) {
    let mut preparers: Vec<Preparer> = residencies.into_iter().map(Preparer::new).collect();
    if !preparers.is_empty() {
        crate::worker::io::threads::start("preparer", move || {
            loop {
                std::thread::sleep(CHECK_INTERVAL);
                preparers.iter_mut().for_each(|preparer| preparer.prepare(Instant::now()));
            }
        });
    }
}

impl Preparer {
    /// Creates a preparer for `residency`.
    pub fn new(residency: Arc<Residency>) -> Preparer {
        Preparer { residency, surplus_since: None }
    }

    /// Prepares or frees chunks, according to the current need.
    pub fn prepare(&mut self, now: Instant) {
        let (residency, chunks) = (&self.residency, &self.residency.host);
        let lacking = || residency.need().and_then(|need| need.lacking_bytes);
        let surplus = || residency.need().and_then(|need| need.surplus_bytes);
        while self.step(|| lacking().is_some_and(|bytes| chunks.make_ready(bytes))) {}
        while self.step(|| chunks.is_crowded() && chunks.give_back_largest()) {}
        if !self.step(|| surplus().is_some()) {
            self.surplus_since = None;
        } else if now.duration_since(*self.surplus_since.get_or_insert(now)) >= SURPLUS_KEPT {
            while self.step(|| surplus().is_some_and(|bytes| chunks.give_back(bytes))) {}
        }
    }

    /// Runs `work` for one chunk while a context is current. Returns false if no context is
    /// available or `work` did nothing.
    fn step(&self, work: impl FnOnce() -> bool) -> bool {
        self.residency.preparer_context.step(&self.residency.driver, work)
    }
}

/// The difference between expected evictions and the ready chunks.
struct Need {
    /// Size of the first chunk for which no memory is ready.
    lacking_bytes: Option<u64>,
    /// A size of which more chunks are ready than needed.
    surplus_bytes: Option<u64>,
}

impl Residency {
    /// Returns the current need. Returns `None` while memory moves, because neither the moving
    /// thread nor this one, which may hold the context, may wait.
    fn need(&self) -> Option<Need> {
        let leaving_bytes = self.leaving_bytes().ok()?;
        let state = self.state.try_lock()?;
        let (mut left, mut lacking_bytes) = (self.host.ready_counts(), None);
        for (_, bytes) in state.leaving(leaving_bytes) {
            match left.get_mut(&bytes) {
                Some(count @ 1..) => *count -= 1,
                _ => lacking_bytes = lacking_bytes.or(Some(bytes)),
            }
        }
        let surplus_bytes = left.into_iter().find(|(_, count)| *count > 0).map(|(bytes, _)| bytes);
        Some(Need { lacking_bytes, surplus_bytes })
    }

    /// Returns how many bytes would have to leave the device so that other sessions' memory fits,
    /// as far as the GPU can hold it.
    fn leaving_bytes(&self) -> Result<u64, CUresult> {
        if self.movable.others_bytes() == 0 || self.pinned.load(SeqCst) {
            return Ok(0);
        }
        let beyond_bytes =
            self.movable.taken_bytes().saturating_sub(self.capacity_bytes(self.free_bytes()?));
        Ok(beyond_bytes.saturating_sub(self.away_bytes.load(SeqCst)))
    }
}
