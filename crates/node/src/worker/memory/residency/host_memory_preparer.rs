//! A thread that prepares host memory before device memory is evicted to it. If a GPU does not
//! hold all memory of its sessions, they will be asked to make room. Locking pages takes several
//! times as long as copying to them. The thread does not delay moves of memory. Its lock only
//! excludes the end of the context and captures, and is held for one chunk at a time.

use super::Residency;
use outhaul_abi::types::CUresult;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

/// Time between two checks of the sessions' memory.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// How long more memory than needed remains ready, because programs free memory and allocate it
/// again.
pub const SURPLUS_KEPT: Duration = Duration::from_secs(10);

/// Prepares host memory for a session on one device.
pub struct Preparer {
    residency: Arc<Residency>,
    /// Time since which more has been ready than needed.
    surplus_since: Option<Instant>,
}

/// Starts the thread, which runs as long as the worker.
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
    /// Prepares for this residency.
    pub fn new(residency: Arc<Residency>) -> Preparer {
        Preparer { residency, surplus_since: None }
    }

    /// Prepares or frees chunks, as needed now.
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

    /// Runs `work` for one chunk, with a context current.
    fn step(&self, work: impl FnOnce() -> bool) -> bool {
        self.residency.preparer_context.step(&self.residency.driver, work)
    }
}

/// Expected evictions, compared with the ready chunks.
struct Need {
    /// Size of the first chunk without ready memory.
    lacking_bytes: Option<u64>,
    /// Size of which more is ready than needed.
    surplus_bytes: Option<u64>,
}

impl Residency {
    /// Returns the present need. Returns None while memory moves: the moving thread must not wait,
    /// and this thread must not wait while it holds the context.
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

    /// Returns how much would have to leave the device for other sessions' memory to be there, as
    /// far as the GPU can hold it.
    fn leaving_bytes(&self) -> Result<u64, CUresult> {
        if self.movable.others_bytes() == 0 || self.pinned.load(SeqCst) {
            return Ok(0);
        }
        let beyond_bytes =
            self.movable.taken_bytes().saturating_sub(self.capacity_bytes(self.free_bytes()?));
        Ok(beyond_bytes.saturating_sub(self.away_bytes.load(SeqCst)))
    }
}
