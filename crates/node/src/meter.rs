//! What the node's GPUs did and what that cost: the arbiter's accounts of busy time beside the boards' counters of energy, looked at together once a second.
//! Who reads the counters is somebody else: the listener calls no driver.

use crate::arbitration::Arbitration;
use crate::energy::{Account, Board, Busy, Look};
use crate::lease::Leases;
use crate::tenants::identity_of_text;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What a software GPU draws, for somebody who tries things out: so much idle, and so much more while it computes.
const SYNTHETIC_IDLE_MW: u64 = 20_000;
const SYNTHETIC_BUSY_MW: u64 = 100_000;
/// Accounts of leases that have ended, kept until somebody has taken note.
const SETTLED_MAX: usize = 4096;
const SECOND_NS: u128 = 1_000_000_000;

/// Where a GPU's counter of energy comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The board has one, which NVML reads.
    Board,
    /// It is made up from busy time, and says so.
    Synthetic,
    /// There is none.
    None,
}

/// A GPU since the node began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuUse {
    pub gpu: String,
    pub source: Source,
    pub busy_ns: u64,
    pub total_mj: u64,
    pub unleased_mj: u64,
}

/// A lease on one GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseUse {
    pub lease: String,
    pub gpu: String,
    pub source: Source,
    pub account: Account,
    /// The lease has ended, and nothing will be added.
    pub settled: bool,
}

/// Of a node.
#[derive(Default)]
pub struct Meter {
    arbitration: OnceLock<Arc<Arbitration>>,
    leases: OnceLock<Arc<Leases>>,
    gpus: Mutex<Vec<Gpu>>,
    settled: Mutex<Vec<LeaseUse>>,
}

struct Gpu {
    uuid: String,
    source: Source,
    board: Board,
    busy_ns: u64,
    /// When the last look was, and what a synthetic counter said.
    at_ns: u64,
    synthetic_mj: u64,
}

impl Meter {
    /// What it looks at; said once.
    pub fn watch(&self, arbitration: Arc<Arbitration>, leases: Option<Arc<Leases>>) {
        let _ = self.arbitration.set(arbitration);
        let _ = leases.map(|leases| self.leases.set(leases));
    }

    /// The node's GPUs, by UUID.
    pub fn begin(&self, gpus: impl IntoIterator<Item = (String, Source)>) {
        let gpu = |(uuid, source)| Gpu { uuid, source, board: Board::default(), busy_ns: 0, at_ns: 0, synthetic_mj: 0 };
        *self.gpus() = gpus.into_iter().map(gpu).collect();
    }

    fn gpus(&self) -> MutexGuard<'_, Vec<Gpu>> {
        self.gpus.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at everything. `counters_mj` are the boards', by UUID.
    pub fn look(&self, counters_mj: &BTreeMap<String, u64>) {
        let Some(arbitration) = self.arbitration.get() else { return };
        let view = arbitration.view();
        let held = self.leases.get().map(|leases| leases.held()).unwrap_or_default();
        let running = |lease: &str| view.tenants.iter().any(|tenant| tenant.name == lease && tenant.sessions > 0);
        for gpu in self.gpus().iter_mut() {
            let place = identity_of_text(&gpu.uuid).and_then(|identity| view.gpus.iter().position(|known| *known == identity));
            let used = |tenant: &crate::arbitration::TenantView| {
                place.and_then(|place| tenant.used.get(place)).map_or(0, |used| used.iter().sum())
            };
            let busy = |tenant: &crate::arbitration::TenantView| Busy {
                name: tenant.name.clone(),
                is_lease: tenant.is_lease,
                busy_ns: used(tenant),
            };
            let busy: Vec<Busy> = view.tenants.iter().map(busy).collect();
            let own: Vec<(String, u32)> =
                held.iter().filter(|(_, on, _)| *on == gpu.uuid).map(|(lease, _, share)| (lease.clone(), *share)).collect();
            gpu.look(view.at_ns, counters_mj.get(&gpu.uuid).copied(), &busy, &own);
            let over = gpu.board.settle(|lease| own.iter().any(|(held, _)| held == lease) || running(lease));
            let (uuid, source) = (gpu.uuid.clone(), gpu.source);
            let settled = over.into_iter().map(|(lease, account)| LeaseUse { lease, gpu: uuid.clone(), source, account, settled: true });
            let mut all = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
            all.extend(settled);
            let excess = all.len().saturating_sub(SETTLED_MAX);
            all.drain(..excess);
        }
        // What they used is on the boards now.
        arbitration.forget_leases(|lease| held.iter().any(|(held, _, _)| held == lease));
    }

    /// Everything so far.
    pub fn report(&self) -> (Vec<GpuUse>, Vec<LeaseUse>) {
        let gpus = self.gpus();
        let gpu = |gpu: &Gpu| {
            let unleased_mj = gpu.board.unleased.active_mj + gpu.board.unleased.idle_mj;
            GpuUse { gpu: gpu.uuid.clone(), source: gpu.source, busy_ns: gpu.busy_ns, total_mj: gpu.board.total_mj, unleased_mj }
        };
        let lease = |gpu: &Gpu| {
            let (uuid, source) = (gpu.uuid.clone(), gpu.source);
            let one = move |(lease, account): (&String, &Account)| LeaseUse {
                lease: lease.clone(),
                gpu: uuid.clone(),
                source,
                account: *account,
                settled: false,
            };
            gpu.board.leases.iter().map(one).collect::<Vec<_>>()
        };
        let mut leases: Vec<LeaseUse> = gpus.iter().flat_map(lease).collect();
        leases.extend(self.settled.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        (gpus.iter().map(gpu).collect(), leases)
    }

    /// Somebody has taken note of these.
    pub fn forget(&self, noted: &[LeaseUse]) {
        self.settled.lock().unwrap_or_else(PoisonError::into_inner).retain(|one| !noted.contains(one));
    }
}

impl Gpu {
    fn look(&mut self, at_ns: u64, counter_mj: Option<u64>, busy: &[Busy], held: &[(String, u32)]) {
        let elapsed_ns = at_ns.saturating_sub(std::mem::replace(&mut self.at_ns, at_ns));
        let grown_ns = self.board.grown_ns(busy).min(elapsed_ns);
        self.busy_ns += grown_ns;
        let counter_mj = match self.source {
            Source::Board => counter_mj,
            Source::Synthetic => {
                let drawn = u128::from(SYNTHETIC_IDLE_MW) * u128::from(elapsed_ns) + u128::from(SYNTHETIC_BUSY_MW) * u128::from(grown_ns);
                self.synthetic_mj += (drawn / SECOND_NS) as u64;
                Some(self.synthetic_mj)
            }
            // Busy time counts all the same.
            Source::None => Some(0),
        };
        // A board that does not answer this time is asked again.
        if let Some(counter_mj) = counter_mj {
            self.board.look(&Look { at_ns, counter_mj, busy, held });
        }
    }
}
