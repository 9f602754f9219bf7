//! A thread that makes host memory ready before device memory leaves for it. Sessions on a card that does not hold all of their memory will be asked
//! to make room, and locking pages takes several times as long as copying to them. It disturbs nobody who moves memory: what it works with is locked
//! only against the context's end and against captures, for one chunk at a time.

use super::Residency;
use outhaul_abi::types::{CUcontext, CUresult};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};
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
        self.0.write().unwrap_or_else(PoisonError::into_inner)
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
        std::thread::spawn(move || {
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
        let chunks = &self.residency.host;
        while self.step(|wanted| chunks.ready_count() < wanted && chunks.make_ready()) {}
        while self.step(|_| chunks.is_crowded() && chunks.give_back()) {}
        if !self.step(|wanted| chunks.ready_count() > wanted) {
            self.surplus_since = None;
        } else if now.duration_since(*self.surplus_since.get_or_insert(now)) >= SURPLUS_KEPT {
            while self.step(|wanted| chunks.ready_count() > wanted && chunks.give_back()) {}
        }
    }

    /// Does something to one chunk, with a context current. It is told how many are to be ready.
    fn step(&self, work: impl FnOnce(usize) -> bool) -> bool {
        let tools = self.residency.workshop.0.read().unwrap_or_else(PoisonError::into_inner);
        let Some(context) = tools.context.filter(|_| !tools.held) else { return false };
        // SAFETY: the context is the session's own, which is not destroyed while the tools are locked.
        let entered = unsafe { self.residency.driver.cuCtxSetCurrent(context) }.ok();
        entered.and_then(|()| self.residency.leaving_count()).is_ok_and(work)
    }
}

impl Residency {
    /// How many whole chunks would have to leave the device for all others' memory to be there as far as the card holds it.
    fn leaving_count(&self) -> Result<usize, CUresult> {
        if self.movable.others_bytes() == 0 || self.pinned.load(SeqCst) {
            return Ok(0);
        }
        let beyond_bytes = self.movable.taken_bytes().saturating_sub(self.capacity_bytes(self.free_bytes()?));
        let leaving_bytes = beyond_bytes.saturating_sub(self.away_bytes.load(SeqCst));
        Ok((leaving_bytes.div_ceil(self.chunk_bytes) as usize).min(self.whole_on_device.load(SeqCst)))
    }
}
