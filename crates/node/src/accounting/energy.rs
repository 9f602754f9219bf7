//! Energy accounting: this module splits the growth of each board's counter between leases. It is
//! pure arithmetic in whole millijoules: the parts of all leases and the unleased part add up
//! exactly to the counter's growth.
//!
//! Between two samples a GPU is busy for some time and idle for the rest. Idle time counts with the
//! board's idle power, the lowest that was ever measured. The remaining energy is active energy,
//! which is split by measured busy time. Idle energy is split by the shares that leases hold.
//!
//! The node learns of a kernel only when the kernel ends. So this module keeps a quiet board's
//! energy beyond its idle power for a while, in case a kernel turns out to have run.

use crate::SECOND_NS;
use outhaul_share::WHOLE_BASIS_POINTS;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// One lease's use of one GPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Busy time in nanoseconds.
    pub busy_ns: u64,
    /// Energy of the busy time, in mJ.
    pub active_mj: u64,
    /// The lease's part of the idle energy, in mJ.
    pub idle_mj: u64,
}

/// Busy time of a tenant's sessions on a GPU since the node started.
pub struct Busy {
    /// The tenant's name.
    pub name: String,
    /// Whether the tenant is a lease.
    pub is_lease: bool,
    /// Busy time in nanoseconds.
    pub busy_ns: u64,
}

/// A sample of one GPU.
pub struct Sample<'a> {
    /// Time of the sample on the node's clock.
    pub at_ns: u64,
    /// The board's own energy counter, in mJ.
    pub counter_mj: u64,
    /// Busy time of each tenant so far.
    pub busy: &'a [Busy],
    /// The leases that hold a part of the GPU, each with its share in basis points.
    pub held: &'a [(String, u32)],
}

/// One GPU's accounts.
#[derive(Debug, Default)]
pub struct Board {
    before: Option<Before>,
    /// Lowest power of the board while nothing ran, in mW.
    idle_mw: Option<u64>,
    /// Accounts by lease.
    pub leases: BTreeMap<String, Account>,
    /// Energy that belongs to no lease.
    pub unleased: Account,
    /// Growth of the counter since the first sample, without the energy that `quiet` still keeps.
    pub total_mj: u64,
    quiet: Quiet,
}

/// The samples since any tenant was last busy.
#[derive(Debug, Default)]
struct Quiet {
    /// Length of each sample in nanoseconds, and its energy beyond idle power in mJ.
    samples: VecDeque<(u64, u64)>,
    /// The leases that held a part of the GPU at the last sample.
    held: Vec<(String, u32)>,
}

impl Quiet {
    fn ns(&self) -> u64 {
        self.samples.iter().map(|(ns, _)| ns).sum()
    }

    /// Removes the latest `ns` nanoseconds of the quiet time, and returns their energy.
    fn take(&mut self, mut ns: u64) -> u64 {
        let mut taken_mj = 0;
        while let Some((sample_ns, sample_mj)) = self.samples.pop_back() {
            if sample_ns > ns {
                let mj = part(sample_mj, ns, sample_ns);
                self.samples.push_back((sample_ns - ns, sample_mj - mj));
                return taken_mj + mj;
            }
            (ns, taken_mj) = (ns - sample_ns, taken_mj + sample_mj);
        }
        taken_mj
    }

    /// Removes the samples that are too old, and returns their energy.
    fn forget(&mut self) -> u64 {
        let mut late_mj = 0;
        while self.ns() > QUIET_NS_MAX {
            late_mj += self.samples.pop_front().map_or(0, |(_, mj)| mj);
        }
        late_mj
    }
}

#[derive(Debug)]
struct Before {
    at_ns: u64,
    counter_mj: u64,
    busy_ns: BTreeMap<String, u64>,
}

impl Before {
    /// Returns by how much the tenant's busy time has grown since this sample.
    fn grown_ns(&self, busy: &Busy) -> u64 {
        busy.busy_ns.saturating_sub(self.busy_ns.get(&busy.name).copied().unwrap_or(0))
    }
}

/// Length of the shortest sample from which the idle power is measured.
const IDLE_NS_MIN: u64 = 100_000_000;
/// Longest quiet time that is kept. A longer kernel is booked only for this time.
const QUIET_NS_MAX: u64 = 60 * SECOND_NS;

impl Board {
    /// Returns by how much all tenants' busy time together grew since the last sample.
    pub fn grown_ns(&self, at_ns: u64, busy: &[Busy]) -> u64 {
        self.before
            .as_ref()
            .map_or(0, |before| self.grown(before, at_ns, busy).0.iter().map(|(_, ns)| ns).sum())
    }

    /// Returns the tenants whose busy time grew since the last sample, and the quiet time that
    /// belongs to them. A tenant whose busy time grew by more than the elapsed time began earlier.
    fn grown<'a>(
        &self,
        before: &Before,
        at_ns: u64,
        busy: &'a [Busy],
    ) -> (Vec<(&'a Busy, u64)>, u64) {
        let elapsed_ns = at_ns.saturating_sub(before.at_ns);
        let mut grown: Vec<(&Busy, u64)> =
            busy.iter().map(|one| (one, before.grown_ns(one))).filter(|(_, ns)| *ns > 0).collect();
        let longest_ns = grown.iter().map(|(_, ns)| *ns).max().unwrap_or(0);
        let earlier_ns = longest_ns.saturating_sub(elapsed_ns).min(self.quiet.ns());
        // Tenants that were busy at the same time share the elapsed time.
        let (sum_ns, clock_ns) = (grown.iter().map(|(_, ns)| ns).sum(), elapsed_ns + earlier_ns);
        if sum_ns > clock_ns {
            grown.iter_mut().for_each(|(_, ns)| *ns = part(*ns, clock_ns, sum_ns));
        }
        (grown, earlier_ns)
    }

    /// Splits the energy since the last sample.
    pub fn record(&mut self, sample: &Sample<'_>) {
        let busy_ns = sample.busy.iter().map(|one| (one.name.clone(), one.busy_ns)).collect();
        let Some(before) = self.before.replace(Before {
            at_ns: sample.at_ns,
            counter_mj: sample.counter_mj,
            busy_ns,
        }) else {
            return;
        };
        let elapsed_ns = sample.at_ns.saturating_sub(before.at_ns);
        // After a reset of the counter, the growth counts as 0, and the next sample starts from the
        // new value.
        let grown_mj = sample.counter_mj.saturating_sub(before.counter_mj);
        let (grown, earlier_ns) = self.grown(&before, sample.at_ns, sample.busy);
        if grown.is_empty() {
            return self.record_quiet(elapsed_ns, grown_mj, sample.held);
        }
        let busy_ns: u64 = grown.iter().map(|(_, ns)| ns).sum();
        let active_mj = grown_mj + self.quiet.take(earlier_ns);
        let idle_ns = (elapsed_ns + earlier_ns).saturating_sub(busy_ns);
        let idle_mj = part(self.idle_mw.unwrap_or(0), idle_ns, SECOND_NS).min(active_mj);
        self.share_active(&grown, busy_ns, active_mj - idle_mj);
        self.share_idle(sample.held, idle_mj);
        self.end_quiet();
    }

    /// Handles a sample in which no tenant was busy.
    fn record_quiet(&mut self, elapsed_ns: u64, grown_mj: u64, held: &[(String, u32)]) {
        if elapsed_ns >= IDLE_NS_MIN {
            let drawn_mw = part(grown_mj, SECOND_NS, elapsed_ns);
            self.idle_mw = Some(self.idle_mw.map_or(drawn_mw, |least| least.min(drawn_mw)));
        }
        let idle_mj = part(self.idle_mw.unwrap_or(0), elapsed_ns, SECOND_NS).min(grown_mj);
        self.share_idle(held, idle_mj);
        self.quiet.samples.push_back((elapsed_ns, grown_mj - idle_mj));
        self.quiet.held = held.to_vec();
        let late_mj = self.quiet.forget();
        self.share_idle(held, late_mj);
    }

    /// Ends the quiet time, and splits its energy as idle energy because no tenant worked.
    fn end_quiet(&mut self) {
        let Quiet { samples, held } = std::mem::take(&mut self.quiet);
        self.share_idle(&held, samples.iter().map(|(_, mj)| mj).sum());
    }

    fn account(&mut self, of: &Busy) -> &mut Account {
        if of.is_lease {
            self.leases.entry(of.name.clone()).or_default()
        } else {
            &mut self.unleased
        }
    }

    fn share_active(&mut self, grown: &[(&Busy, u64)], sum_ns: u64, active_mj: u64) {
        self.total_mj += active_mj;
        let mut left_mj = active_mj;
        for (one, busy_ns) in grown {
            let own_mj = part(active_mj, *busy_ns, sum_ns).min(left_mj);
            left_mj -= own_mj;
            let account = self.account(one);
            account.busy_ns += busy_ns;
            account.active_mj += own_mj;
        }
        // The remainder is less than 1 mJ for each tenant.
        if let Some((one, _)) = grown.last() {
            self.account(one).active_mj += left_mj;
        }
    }

    fn share_idle(&mut self, held: &[(String, u32)], idle_mj: u64) {
        self.total_mj += idle_mj;
        let sum: u64 = held.iter().map(|(_, share)| u64::from(*share)).sum();
        let mut left_mj = idle_mj;
        for (lease, share) in held {
            let own_mj =
                part(idle_mj, u64::from(*share), sum.max(WHOLE_BASIS_POINTS.into())).min(left_mj);
            left_mj -= own_mj;
            self.leases.entry(lease.clone()).or_default().idle_mj += own_mj;
        }
        self.unleased.idle_mj += left_mj;
    }

    /// Removes and returns the accounts of leases that hold nothing any more. These accounts are
    /// final.
    pub fn take_ended(&mut self, holds: impl Fn(&str) -> bool) -> Vec<(String, Account)> {
        if self.leases.keys().any(|lease| !holds(lease)) {
            self.end_quiet();
        }
        let over: Vec<String> = self.leases.keys().filter(|lease| !holds(lease)).cloned().collect();
        over.into_iter().filter_map(|lease| self.leases.remove_entry(&lease)).collect()
    }
}

fn part(of: u64, share: u64, sum: u64) -> u64 {
    (u128::from(of) * u128::from(share) / u128::from(sum.max(1))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(
        board: &mut Board,
        at_s: u64,
        counter_mj: u64,
        busy_ms: &[(&str, u64)],
        held: &[(&str, u32)],
    ) {
        let busy = |(name, ms): &(&str, u64)| Busy {
            name: (*name).to_owned(),
            is_lease: !name.starts_with("worker"),
            busy_ns: ms * 1_000_000,
        };
        let busy: Vec<_> = busy_ms.iter().map(busy).collect();
        let held: Vec<_> = held.iter().map(|(name, share)| ((*name).to_owned(), *share)).collect();
        board.record(&Sample { at_ns: at_s * SECOND_NS, counter_mj, busy: &busy, held: &held });
    }

    fn sum(board: &Board) -> u64 {
        board
            .leases
            .values()
            .chain([&board.unleased])
            .map(|account| account.active_mj + account.idle_mj)
            .sum()
    }

    #[test]
    fn busy_time_splits_active_energy_and_shares_split_idle_energy() {
        let mut board = Board::default();
        let held = [("a", 5000), ("b", 2500)];
        record(&mut board, 0, 1_000_000, &[], &held);
        // Nothing runs: 50 W. Lease a holds half and b a quarter.
        record(&mut board, 10, 1_500_000, &[], &held);
        assert_eq!(
            (board.leases["a"].idle_mj, board.leases["b"].idle_mj, board.unleased.idle_mj),
            (250_000, 125_000, 125_000)
        );
        // Lease a computes for 6 s and b for 2 s of 10 s, at 300 W; the remaining 2 s cost 100 J.
        record(&mut board, 20, 4_000_000, &[("a", 6000), ("b", 2000)], &held);
        assert_eq!(
            (board.leases["a"].active_mj, board.leases["b"].active_mj),
            (1_800_000, 600_000)
        );
        assert_eq!(board.leases["a"].idle_mj, 250_000 + 50_000);
        assert_eq!((sum(&board), board.total_mj), (3_000_000, 3_000_000));
    }

    #[test]
    fn a_kernel_is_booked_over_all_samples_that_it_ran_in() {
        let mut board = Board::default();
        let held = [("a", 5000), ("b", 5000)];
        record(&mut board, 0, 0, &[], &held);
        record(&mut board, 10, 500_000, &[], &held);
        // A kernel runs at 300 W for 5 s, and the node learns of it at the end.
        for second in 1..5 {
            record(&mut board, 10 + second, 500_000 + second * 300_000, &[("a", 0)], &held);
        }
        assert_eq!(
            (board.leases["a"].active_mj, board.leases["b"].idle_mj),
            (0, 350_000),
            "no lease is known yet"
        );
        let busy = [Busy { name: "a".into(), is_lease: true, busy_ns: 5 * SECOND_NS }];
        assert_eq!(board.grown_ns(15 * SECOND_NS, &busy), 5 * SECOND_NS);
        record(&mut board, 15, 2_000_000, &[("a", 5000)], &held);
        assert_eq!(
            board.leases["a"],
            Account { busy_ns: 5 * SECOND_NS, active_mj: 1_300_000, idle_mj: 350_000 }
        );
        assert_eq!((sum(&board), board.total_mj), (2_000_000, 2_000_000));
        // Busy time never exceeds the elapsed time.
        record(&mut board, 16, 2_300_000, &[("a", 9000)], &held);
        assert_eq!(board.leases["a"].busy_ns, 6 * SECOND_NS);
    }

    #[test]
    fn energy_without_a_kernel_becomes_idle_energy() {
        let mut board = Board::default();
        record(&mut board, 0, 0, &[], &[]);
        record(&mut board, 1, 50_000, &[], &[]);
        record(&mut board, 11, 1_050_000, &[], &[("a", 10_000)]);
        assert_eq!((board.leases["a"].idle_mj, board.total_mj), (500_000, 550_000));
        board.take_ended(|_| true);
        record(&mut board, 41, 4_050_000, &[], &[("a", 10_000)]);
        assert_eq!(board.total_mj, 2_050_000, "it may have been a kernel yet");
        record(&mut board, 71, 5_550_000, &[], &[("a", 10_000)]);
        assert_eq!(
            (sum(&board), board.total_mj),
            (board.total_mj, 4_050_000),
            "energy of more than a minute ago"
        );
        assert_eq!(board.take_ended(|_| false)[0].1.idle_mj, 5_500_000);
        assert_eq!(board.total_mj, 5_550_000);
    }

    #[test]
    fn use_without_a_lease_is_unleased() {
        let mut board = Board::default();
        record(&mut board, 0, 0, &[("worker-7", 0)], &[]);
        record(&mut board, 1, 100_000, &[("worker-7", 1000)], &[]);
        assert_eq!(board.unleased, Account { busy_ns: SECOND_NS, active_mj: 100_000, idle_mj: 0 });
        assert!(board.leases.is_empty());
    }

    #[test]
    fn an_ended_lease_is_returned_once_with_its_last_use() {
        let mut board = Board::default();
        record(&mut board, 0, 0, &[], &[("a", 10_000)]);
        record(&mut board, 1, 100_000, &[("a", 500)], &[("a", 10_000)]);
        record(&mut board, 2, 200_000, &[("a", 700)], &[]);
        let ended = board.take_ended(|_| false);
        assert_eq!((ended.len(), ended[0].1.busy_ns), (1, 700_000_000));
        assert!(board.take_ended(|_| false).is_empty());
    }

    #[test]
    fn the_accounts_add_up_to_the_counter() {
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let names = ["a", "b", "c", "worker-1"];
        for _ in 0..200 {
            let (mut board, mut at_s, mut counter_mj, mut busy) =
                (Board::default(), 0, random(1 << 40), [0u64; 4]);
            let mut ended_mj = 0;
            for _ in 0..50 {
                at_s += random(4);
                // Sometimes the counter is reset.
                counter_mj = if random(20) == 0 { 0 } else { counter_mj + random(2_000_000) };
                busy.iter_mut().for_each(|busy| *busy += random(3) * random(4000));
                let busy: Vec<_> = names.iter().zip(busy).map(|(name, ms)| (*name, ms)).collect();
                let held = names[..3]
                    .iter()
                    .map(|name| (*name, random(2) as u32 * (1 + random(6000) as u32)));
                let held: Vec<_> = held.filter(|(_, share)| *share > 0).collect();
                record(&mut board, at_s, counter_mj, &busy, &held);
                let still: Vec<&str> = held.iter().map(|(name, _)| *name).collect();
                ended_mj += board
                    .take_ended(|lease| still.contains(&lease))
                    .iter()
                    .map(|(_, a)| a.active_mj + a.idle_mj)
                    .sum::<u64>();
            }
            assert_eq!(sum(&board) + ended_mj, board.total_mj);
        }
    }
}
