//! A thread that makes host memory ready before device memory leaves for it. Sessions on a card
//! that does not hold all of their memory will be asked to make room, and locking pages takes
//! several times as long as copying to them. It disturbs nobody who moves memory: what it works
//! with is locked only against the context's end and against captures, for one chunk at a time.

use super::Residency;
use outhaul_abi::types::{CUcontext, CUresult};
use outhaul_lock::{RwLock, RwLockWriteGuard};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

/// How often what all sessions have is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long more stays ready than seems to be needed: programs free memory and take it again.
pub const SURPLUS_KEPT: Duration = Duration::from_secs(10);

/// Where host memory is made and given back.
#[derive(Default)]
pub struct Workshop(RwLock<Tools>);

#[derive(Default)]
struct Tools {
    context: Option<CUcontext>,
    /// A stream captures, which calls of other threads may spoil.
    held: bool,
}

impl Workshop {
    /// Waits for the chunk that is just being made.
    fn tools(&self) -> RwLockWriteGuard<'_, Tools> {
        self.0.write()
    }

    /// The context stays until there is another one here, or none.
    pub fn set_context(&self, context: Option<CUcontext>) {
        self.tools().context = context;
    }

    pub fn hold(&self, held: bool) {
        self.tools().held = held;
    }
}

/// What a session needs on one device.
pub struct Preparer {
    residency: Arc<Residency>,
    /// Since when more is ready than seems to be needed.
    surplus_since: Option<Instant>,
}

/// For as long as the worker lives.
pub fn start(residencies: Vec<Arc<Residency>>) {
    let mut preparers: Vec<Preparer> = residencies.into_iter().map(Preparer::new).collect();
    if !preparers.is_empty() {
        crate::worker::threads::start("preparer", move || {
            loop {
                std::thread::sleep(LOOK_EVERY);
                preparers.iter_mut().for_each(|preparer| preparer.look(Instant::now()));
            }
        });
    }
}

impl Preparer {
    pub fn new(residency: Arc<Residency>) -> Preparer {
        Preparer { residency, surplus_since: None }
    }

    pub fn look(&mut self, now: Instant) {
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

    /// Does something to one chunk, with a context current.
    fn step(&self, work: impl FnOnce() -> bool) -> bool {
        let tools = self.residency.workshop.0.read();
        let Some(context) = tools.context.filter(|_| !tools.held) else { return false };
        // SAFETY: the context is the session's own, which is not destroyed while the tools are
        // locked.
        unsafe { self.residency.driver.cuCtxSetCurrent(context) }.ok().is_ok_and(|()| work())
    }
}

/// What is to leave the device, beside what is ready for it.
struct Need {
    /// The size of the first that finds nothing.
    lacking_bytes: Option<u64>,
    /// A size of which more is ready than leaves.
    surplus_bytes: Option<u64>,
}

impl Residency {
    /// None while memory moves: who moves it never waits for long, and the thread that has the
    /// tools waits for nobody.
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

    /// How much would have to leave the device for all others' memory to be there as far as the
    /// card holds it.
    fn leaving_bytes(&self) -> Result<u64, CUresult> {
        if self.movable.others_bytes() == 0 || self.pinned.load(SeqCst) {
            return Ok(0);
        }
        let beyond_bytes =
            self.movable.taken_bytes().saturating_sub(self.capacity_bytes(self.free_bytes()?));
        Ok(beyond_bytes.saturating_sub(self.away_bytes.load(SeqCst)))
    }
}
