//! The use of the node's GPUs and its energy. Once a second, the meter combines the arbiter's busy
//! times with the boards' energy counters. Another process reads the counters, because the listener
//! calls no driver.

pub mod energy_counters;
pub mod gpu_processes;

use crate::SECOND_NS;
use crate::accounting::energy::{Account, Board, Busy, Sample};
use crate::accounting::frames::FrameCounts;
use crate::accounting::tenants::identity_of_text;
use crate::keeper::client::KeeperClient;
use crate::lease::Leases;
use crate::sharing::arbitration::{Arbitration, TenantView};
use outhaul_lock::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Invented power of a software GPU, for experiments: idle power, and additional power while the
/// GPU computes.
const SYNTHETIC_IDLE_MW: u64 = 20_000;
const SYNTHETIC_BUSY_MW: u64 = 100_000;
/// Largest number of ended leases' accounts that wait until the pool has collected them.
const FINAL_USES_MAX: usize = 4096;

/// The source of a GPU's energy counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// The board has a counter, which NVML reads.
    Board,
    /// The meter invents the counter from busy time, and marks it as invented.
    Synthetic,
    /// The GPU has no counter.
    None,
}

/// A GPU's use since the node started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuUse {
    /// The GPU's UUID.
    pub gpu: String,
    /// Source of the GPU's energy counter.
    pub source: Source,
    /// Busy time in nanoseconds.
    pub busy_ns: u64,
    /// Total energy, in mJ.
    pub total_mj: u64,
    /// Energy that belongs to no lease, in mJ.
    pub unleased_mj: u64,
}

/// A lease's use of one GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseUse {
    /// The lease's name.
    pub lease: String,
    /// The GPU's UUID.
    pub gpu: String,
    /// Source of the energy counter.
    pub source: Source,
    /// The use.
    pub account: Account,
    /// The lease's frames, if it promises a rate.
    pub frames: FrameCounts,
    /// Whether the lease has ended and the account is final.
    pub is_final: bool,
}

/// A node's accounts of GPU use and energy.
#[derive(Default)]
pub struct Meter {
    arbitration: OnceLock<Arc<Arbitration>>,
    leases: OnceLock<Arc<Leases>>,
    /// The connection to the keeper, which lets accounts outlive this process.
    keeping: OnceLock<Arc<KeeperClient>>,
    gpus: Mutex<Vec<MeteredGpu>>,
    final_uses: Mutex<Vec<LeaseUse>>,
    /// Frames at the last sample, by lease.
    frames: Mutex<BTreeMap<String, FrameCounts>>,
}

struct MeteredGpu {
    uuid: String,
    source: Source,
    board: Board,
    busy_ns: u64,
    /// Time of the last sample on the node's clock.
    at_ns: u64,
    synthetic_mj: u64,
    /// The state that the keeper last recorded.
    kept: Kept,
}

/// A GPU's accounts for the next listener.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Kept {
    busy_ns: u64,
    total_mj: u64,
    unleased: Account,
    leases: BTreeMap<String, Account>,
    #[serde(rename = "settled")]
    final_accounts: Vec<(String, Account)>,
}

fn title(uuid: &str) -> String {
    format!("use of {uuid}")
}

impl Meter {
    /// Sets the sources of the accounts. Only the first call has an effect.
    pub fn watch(
        &self,
        arbitration: Arc<Arbitration>,
        leases: Option<Arc<Leases>>,
        keeping: Arc<KeeperClient>,
    ) {
        let _ = self.keeping.set(keeping);
        let _ = self.arbitration.set(arbitration);
        let _ = leases.map(|leases| self.leases.set(leases));
    }

    /// Sets the node's GPUs, by UUID.
    pub fn begin(&self, gpus: impl IntoIterator<Item = (String, Source)>) {
        let gpu = |(uuid, source)| {
            let mut gpu = MeteredGpu {
                uuid,
                source,
                board: Board::default(),
                busy_ns: 0,
                at_ns: 0,
                synthetic_mj: 0,
                kept: Kept::default(),
            };
            if let Some(kept) =
                self.keeping.get().and_then(|keeping| keeping.noted::<Kept>(&title(&gpu.uuid)))
            {
                self.final_uses.lock().extend(gpu.final_uses(kept.final_accounts.clone()));
                gpu.restore(kept);
            }
            gpu
        };
        *self.gpus() = gpus.into_iter().map(gpu).collect();
    }

    /// Returns whether any GPU's counter must be read from its board.
    pub fn has_boards(&self) -> bool {
        self.gpus().iter().any(|gpu| gpu.source == Source::Board)
    }

    fn gpus(&self) -> MutexGuard<'_, Vec<MeteredGpu>> {
        self.gpus.lock()
    }

    /// Books all use since the last sample. `counters_mj` has the boards' counters by UUID. The use
    /// of a board without a counter value is booked later.
    pub fn sample(&self, counters_mj: &BTreeMap<String, u64>) {
        let Some(arbitration) = self.arbitration.get() else { return };
        let view = arbitration.view();
        let held = self.leases.get().map(|leases| leases.held()).unwrap_or_default();
        let mut frames = self.frames.lock();
        let drawing = view.tenants.iter().filter(|one| one.is_lease && one.frames.seen > 0);
        frames.extend(drawing.map(|tenant| (tenant.name.clone(), tenant.frames)));
        drop(frames);
        let mut gpus = self.gpus();
        let mut all_answered = true;
        for gpu in gpus.iter_mut() {
            let place = identity_of_text(&gpu.uuid)
                .and_then(|identity| view.gpus.iter().position(|known| *known == identity));
            let used = |tenant: &TenantView| {
                place.and_then(|place| tenant.used.get(place)).map_or(0, |used| used.iter().sum())
            };
            let busy = |tenant: &TenantView| Busy {
                name: tenant.name.clone(),
                is_lease: tenant.is_lease,
                busy_ns: used(tenant),
            };
            let busy: Vec<Busy> = view.tenants.iter().map(busy).collect();
            let own: Vec<(String, u32)> = held
                .iter()
                .filter(|(_, on, _)| *on == gpu.uuid)
                .map(|(lease, _, share)| (lease.clone(), *share))
                .collect();
            all_answered &=
                gpu.sample(view.at_ns, counters_mj.get(&gpu.uuid).copied(), &busy, &own);
        }
        if !all_answered {
            return;
        }
        let running = |lease: &str| {
            view.tenants.iter().any(|tenant| tenant.name == lease && tenant.sessions > 0)
        };
        for gpu in gpus.iter_mut() {
            let over = gpu.board.take_ended(|lease| {
                held.iter().any(|(held, on, _)| held == lease && *on == gpu.uuid) || running(lease)
            });
            self.add_final(gpu, over);
        }
        self.keep(&mut gpus);
        let is_in_use =
            |lease: &String| gpus.iter().any(|gpu| gpu.board.leases.contains_key(lease));
        self.frames.lock().retain(|lease, _| is_in_use(lease));
        drop(gpus);
        // The boards' accounts now include the use of these leases.
        arbitration.forget_leases(|lease| held.iter().any(|(held, _, _)| held == lease));
    }

    /// Records changed accounts with the keeper.
    fn keep(&self, gpus: &mut [MeteredGpu]) {
        let Some(keeping) = self.keeping.get() else { return };
        let final_uses = self.final_uses.lock();
        for gpu in gpus {
            let of_gpu = final_uses
                .iter()
                .filter(|one| one.gpu == gpu.uuid)
                .map(|one| (one.lease.clone(), one.account))
                .collect();
            let kept = Kept {
                busy_ns: gpu.busy_ns,
                total_mj: gpu.board.total_mj,
                unleased: gpu.board.unleased,
                leases: gpu.board.leases.clone(),
                final_accounts: of_gpu,
            };
            if gpu.kept != kept {
                keeping.note(&title(&gpu.uuid), &kept);
                gpu.kept = kept;
            }
        }
    }

    fn add_final(&self, gpu: &MeteredGpu, over: Vec<(String, Account)>) {
        let mut all = self.final_uses.lock();
        let frames = self.frames.lock().clone();
        let of = |one: LeaseUse| LeaseUse {
            frames: frames.get(&one.lease).copied().unwrap_or_default(),
            ..one
        };
        all.extend(gpu.final_uses(over).into_iter().map(of));
        let excess = all.len().saturating_sub(FINAL_USES_MAX);
        all.drain(..excess);
    }

    /// Returns all accounts so far.
    pub fn report(&self) -> (Vec<GpuUse>, Vec<LeaseUse>) {
        let gpus = self.gpus();
        let gpu = |gpu: &MeteredGpu| {
            let unleased_mj = gpu.board.unleased.active_mj + gpu.board.unleased.idle_mj;
            GpuUse {
                gpu: gpu.uuid.clone(),
                source: gpu.source,
                busy_ns: gpu.busy_ns,
                total_mj: gpu.board.total_mj,
                unleased_mj,
            }
        };
        let frames = &self.frames.lock().clone();
        let lease = |gpu: &MeteredGpu| {
            let (uuid, source) = (gpu.uuid.clone(), gpu.source);
            let one = move |(lease, account): (&String, &Account)| LeaseUse {
                lease: lease.clone(),
                gpu: uuid.clone(),
                source,
                account: *account,
                frames: frames.get(lease).copied().unwrap_or_default(),
                is_final: false,
            };
            gpu.board.leases.iter().map(one).collect::<Vec<_>>()
        };
        let mut leases: Vec<LeaseUse> = gpus.iter().flat_map(lease).collect();
        leases.extend(self.final_uses.lock().iter().cloned());
        (gpus.iter().map(gpu).collect(), leases)
    }

    /// Removes the final accounts in `noted`, which the pool has collected.
    pub fn forget(&self, noted: &[LeaseUse]) {
        self.final_uses.lock().retain(|one| !noted.contains(one));
    }
}

impl MeteredGpu {
    /// Continues the accounts of an earlier listener. Use between that listener's last sample and
    /// this listener's first is not booked.
    fn restore(&mut self, kept: Kept) {
        self.busy_ns = kept.busy_ns;
        (self.board.total_mj, self.board.unleased, self.board.leases) =
            (kept.total_mj, kept.unleased, kept.leases);
    }

    fn final_uses(&self, over: Vec<(String, Account)>) -> Vec<LeaseUse> {
        let (gpu, source) = (&self.uuid, self.source);
        over.into_iter()
            .map(|(lease, account)| LeaseUse {
                lease,
                gpu: gpu.clone(),
                source,
                account,
                frames: FrameCounts::default(),
                is_final: true,
            })
            .collect()
    }

    /// Books the time since the last sample. Returns false, without a change, if the board did not
    /// report its counter.
    fn sample(
        &mut self,
        at_ns: u64,
        counter_mj: Option<u64>,
        busy: &[Busy],
        held: &[(String, u32)],
    ) -> bool {
        let elapsed_ns = at_ns.saturating_sub(self.at_ns);
        let grown_ns = self.board.grown_ns(at_ns, busy);
        let counter_mj = match (self.source, counter_mj) {
            (Source::Board, Some(counter_mj)) => counter_mj,
            (Source::Board, None) => return false,
            (Source::Synthetic, _) => {
                let drawn = u128::from(SYNTHETIC_IDLE_MW) * u128::from(elapsed_ns)
                    + u128::from(SYNTHETIC_BUSY_MW) * u128::from(grown_ns);
                self.synthetic_mj += (drawn / u128::from(SECOND_NS)) as u64;
                self.synthetic_mj
            }
            // Without a counter, the busy time still counts.
            (Source::None, _) => 0,
        };
        self.at_ns = at_ns;
        self.busy_ns += grown_ns;
        self.board.record(&Sample { at_ns, counter_mj, busy, held });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outhaul_share::Shares;

    #[test]
    fn a_board_that_did_not_answer_is_sampled_when_it_does() {
        let (uuid, board) = ("GPU-1".to_owned(), Board::default());
        let mut gpu = MeteredGpu {
            uuid,
            source: Source::Board,
            board,
            busy_ns: 0,
            at_ns: 0,
            synthetic_mj: 0,
            kept: Kept::default(),
        };
        let busy = |seconds: u64| {
            [Busy { name: "a".into(), is_lease: true, busy_ns: seconds * SECOND_NS }]
        };
        assert!(gpu.sample(SECOND_NS, Some(1_000), &busy(0), &[]));
        assert!(
            !gpu.sample(2 * SECOND_NS, None, &busy(1), &[])
                && !gpu.sample(3 * SECOND_NS, None, &busy(2), &[])
        );
        assert_eq!((gpu.busy_ns, gpu.board.total_mj), (0, 0));
        assert!(gpu.sample(4 * SECOND_NS, Some(301_000), &busy(3), &[]));
        assert_eq!((gpu.busy_ns, gpu.board.total_mj), (3 * SECOND_NS, 300_000));
        assert_eq!(
            gpu.board.leases["a"],
            Account { busy_ns: 3 * SECOND_NS, active_mj: 300_000, idle_mj: 0 }
        );
    }

    #[test]
    fn accounts_are_final_when_all_boards_have_answered() {
        let meter = Meter::default();
        meter.watch(Arbitration::start(Shares::default()).unwrap(), None, Arc::default());
        meter.begin([("GPU-1".into(), Source::Board), ("GPU-2".into(), Source::Synthetic)]);
        assert!(meter.has_boards());
        meter.gpus()[1]
            .board
            .leases
            .insert("a".into(), Account { busy_ns: 1, ..Account::default() });
        meter.sample(&BTreeMap::new());
        assert!(meter.report().1.iter().all(|lease| !lease.is_final));
        meter.sample(&[("GPU-1".to_owned(), 5)].into());
        assert_eq!(
            meter
                .report()
                .1
                .iter()
                .map(|lease| (lease.lease.as_str(), lease.is_final))
                .collect::<Vec<_>>(),
            [("a", true)]
        );
    }

    #[test]
    fn the_next_listener_continues_the_accounts() {
        let sample = |counter_mj, seconds: u64, gpu: &mut MeteredGpu| {
            let busy = [Busy { name: "a".into(), is_lease: true, busy_ns: seconds * SECOND_NS }];
            assert!(gpu.sample(seconds * SECOND_NS, Some(counter_mj), &busy, &[]));
        };
        let new = || {
            let (uuid, board) = ("GPU-1".to_owned(), Board::default());
            MeteredGpu {
                uuid,
                source: Source::Board,
                board,
                busy_ns: 0,
                at_ns: 0,
                synthetic_mj: 0,
                kept: Kept::default(),
            }
        };
        let (meter, mut before) = (Meter::default(), new());
        let _ = meter.keeping.set(Arc::default());
        sample(1_000, 1, &mut before);
        sample(101_000, 2, &mut before);
        meter.keep(std::slice::from_mut(&mut before));
        let text = serde_json::to_string(&before.kept).unwrap();
        let mut after = new();
        after.restore(serde_json::from_str(&text).unwrap());
        sample(200_000, 10, &mut after);
        assert_eq!(
            (after.busy_ns, after.board.leases["a"].busy_ns),
            (SECOND_NS, SECOND_NS),
            "it was not seen meanwhile"
        );
        sample(300_000, 11, &mut after);
        assert_eq!(
            after.board.leases["a"],
            Account { busy_ns: 2 * SECOND_NS, active_mj: 200_000, idle_mj: 0 }
        );
    }
}
