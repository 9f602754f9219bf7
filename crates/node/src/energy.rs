//! Whose energy it was: each board's counter, split between leases. Pure arithmetic in whole millijoules: what a board's counter grew by is what its leases
//! and nobody got of it together, to the last one.
//!
//! Between two looks a GPU was busy for some time and idle for the rest. The idle rest costs what the board draws when nothing runs at all, which is the least
//! that was ever seen of it; what is left is active, and is split by measured busy time. What is idle goes to leases by the share that they hold.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What somebody used of one GPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub busy_ns: u64,
    pub active_mj: u64,
    pub idle_mj: u64,
}

/// What the sessions of a tenant have been busy for on a GPU, ever.
pub struct Busy {
    pub name: String,
    pub is_lease: bool,
    pub busy_ns: u64,
}

/// A look at one GPU.
pub struct Look<'a> {
    pub at_ns: u64,
    /// The board's own counter.
    pub counter_mj: u64,
    pub busy: &'a [Busy],
    /// The leases that hold a part, and how much in basis points.
    pub held: &'a [(String, u32)],
}

/// One GPU's.
#[derive(Debug, Default)]
pub struct Board {
    before: Option<Before>,
    /// The least that the board ever drew while nothing ran.
    idle_mw: Option<u64>,
    /// By lease.
    pub leases: BTreeMap<String, Account>,
    /// What no lease used or held.
    pub unleased: Account,
    /// What the counter grew by since the first look.
    pub total_mj: u64,
}

#[derive(Debug)]
struct Before {
    at_ns: u64,
    counter_mj: u64,
    busy_ns: BTreeMap<String, u64>,
}

impl Before {
    /// What came since then.
    fn grown_ns(&self, busy: &Busy) -> u64 {
        busy.busy_ns.saturating_sub(self.busy_ns.get(&busy.name).copied().unwrap_or(0))
    }
}

const SECOND_NS: u64 = 1_000_000_000;
const WHOLE_BASIS_POINTS: u64 = 10_000;
/// Shorter than this says nothing of what a board draws.
const IDLE_NS_MIN: u64 = 100_000_000;

impl Board {
    /// By how much busy time grew since the last look, of all tenants together.
    pub fn grown_ns(&self, busy: &[Busy]) -> u64 {
        self.before.as_ref().map_or(0, |before| busy.iter().map(|one| before.grown_ns(one)).sum())
    }

    /// Splits what came since the last look.
    pub fn look(&mut self, look: &Look<'_>) {
        let busy_ns = look.busy.iter().map(|one| (one.name.clone(), one.busy_ns)).collect();
        let Some(before) = self.before.replace(Before { at_ns: look.at_ns, counter_mj: look.counter_mj, busy_ns }) else { return };
        let elapsed_ns = look.at_ns.saturating_sub(before.at_ns);
        // A counter that was reset begins anew.
        let grown_mj = look.counter_mj.saturating_sub(before.counter_mj);
        let mut grown: Vec<(&Busy, u64)> = look.busy.iter().map(|one| (one, before.grown_ns(one))).filter(|(_, ns)| *ns > 0).collect();
        // Two at once are busy for as long as the clock ran, and each for its part of that.
        let sum_ns: u64 = grown.iter().map(|(_, ns)| ns).sum();
        if sum_ns > elapsed_ns {
            grown.iter_mut().for_each(|(_, ns)| *ns = part(*ns, elapsed_ns, sum_ns));
        }
        let busy_ns: u64 = grown.iter().map(|(_, ns)| ns).sum();
        if grown.is_empty() && elapsed_ns >= IDLE_NS_MIN {
            let drawn_mw = part(grown_mj, SECOND_NS, elapsed_ns);
            self.idle_mw = Some(self.idle_mw.map_or(drawn_mw, |least| least.min(drawn_mw)));
        }
        let idle_mj = match busy_ns {
            0 => grown_mj,
            _ => part(self.idle_mw.unwrap_or(0), elapsed_ns - busy_ns, SECOND_NS).min(grown_mj),
        };
        self.total_mj += grown_mj;
        self.share_active(&grown, busy_ns, grown_mj - idle_mj);
        self.share_idle(look.held, idle_mj);
    }

    fn account(&mut self, of: &Busy) -> &mut Account {
        if of.is_lease { self.leases.entry(of.name.clone()).or_default() } else { &mut self.unleased }
    }

    fn share_active(&mut self, grown: &[(&Busy, u64)], sum_ns: u64, active_mj: u64) {
        let mut left_mj = active_mj;
        for (one, busy_ns) in grown {
            let own_mj = part(active_mj, *busy_ns, sum_ns).min(left_mj);
            left_mj -= own_mj;
            let account = self.account(one);
            account.busy_ns += busy_ns;
            account.active_mj += own_mj;
        }
        // Less than one for each.
        match grown.last() {
            Some((one, _)) => self.account(one).active_mj += left_mj,
            None => self.unleased.active_mj += left_mj,
        }
    }

    fn share_idle(&mut self, held: &[(String, u32)], idle_mj: u64) {
        let sum: u64 = held.iter().map(|(_, share)| u64::from(*share)).sum();
        let mut left_mj = idle_mj;
        for (lease, share) in held {
            let own_mj = part(idle_mj, u64::from(*share), sum.max(WHOLE_BASIS_POINTS)).min(left_mj);
            left_mj -= own_mj;
            self.leases.entry(lease.clone()).or_default().idle_mj += own_mj;
        }
        self.unleased.idle_mj += left_mj;
    }

    /// The accounts of leases that hold nothing any more; they are settled.
    pub fn settle(&mut self, holds: impl Fn(&str) -> bool) -> Vec<(String, Account)> {
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

    fn look(board: &mut Board, at_s: u64, counter_mj: u64, busy_ms: &[(&str, u64)], held: &[(&str, u32)]) {
        let busy =
            |(name, ms): &(&str, u64)| Busy { name: (*name).to_owned(), is_lease: !name.starts_with("worker"), busy_ns: ms * 1_000_000 };
        let busy: Vec<_> = busy_ms.iter().map(busy).collect();
        let held: Vec<_> = held.iter().map(|(name, share)| ((*name).to_owned(), *share)).collect();
        board.look(&Look { at_ns: at_s * SECOND_NS, counter_mj, busy: &busy, held: &held });
    }

    fn sum(board: &Board) -> u64 {
        board.leases.values().chain([&board.unleased]).map(|account| account.active_mj + account.idle_mj).sum()
    }

    #[test]
    fn busy_time_pays_for_what_is_active_and_shares_for_what_is_idle() {
        let mut board = Board::default();
        let held = [("a", 5000), ("b", 2500)];
        look(&mut board, 0, 1_000_000, &[], &held);
        // Nothing runs: 50 W, of which a holds half and b a quarter.
        look(&mut board, 10, 1_500_000, &[], &held);
        assert_eq!((board.leases["a"].idle_mj, board.leases["b"].idle_mj, board.unleased.idle_mj), (250_000, 125_000, 125_000));
        // a computes for 6 s and b for 2 s of 10 s, at 300 W; the 2 s that are left cost 100 J.
        look(&mut board, 20, 4_000_000, &[("a", 6000), ("b", 2000)], &held);
        assert_eq!((board.leases["a"].active_mj, board.leases["b"].active_mj), (1_800_000, 600_000));
        assert_eq!(board.leases["a"].idle_mj, 250_000 + 50_000);
        assert_eq!((sum(&board), board.total_mj), (3_000_000, 3_000_000));
    }

    #[test]
    fn what_has_no_lease_is_nobodys() {
        let mut board = Board::default();
        look(&mut board, 0, 0, &[("worker-7", 0)], &[]);
        look(&mut board, 1, 100_000, &[("worker-7", 1000)], &[]);
        assert_eq!(board.unleased, Account { busy_ns: SECOND_NS, active_mj: 100_000, idle_mj: 0 });
        assert!(board.leases.is_empty());
    }

    #[test]
    fn a_lease_that_ended_is_settled_once_and_what_it_still_did_was_its_own() {
        let mut board = Board::default();
        look(&mut board, 0, 0, &[], &[("a", 10_000)]);
        look(&mut board, 1, 100_000, &[("a", 500)], &[("a", 10_000)]);
        look(&mut board, 2, 200_000, &[("a", 700)], &[]);
        let settled = board.settle(|_| false);
        assert_eq!((settled.len(), settled[0].1.busy_ns), (1, 700_000_000));
        assert!(board.settle(|_| false).is_empty());
    }

    #[test]
    fn whatever_happens_everything_is_somebodys() {
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let names = ["a", "b", "c", "worker-1"];
        for _ in 0..200 {
            let (mut board, mut at_s, mut counter_mj, mut busy) = (Board::default(), 0, random(1 << 40), [0u64; 4]);
            let mut settled_mj = 0;
            for _ in 0..50 {
                at_s += random(4);
                // Now and then the counter is reset.
                counter_mj = if random(20) == 0 { 0 } else { counter_mj + random(2_000_000) };
                busy.iter_mut().for_each(|busy| *busy += random(3) * random(4000));
                let busy: Vec<_> = names.iter().zip(busy).map(|(name, ms)| (*name, ms)).collect();
                let held = names[..3].iter().map(|name| (*name, random(2) as u32 * (1 + random(6000) as u32)));
                let held: Vec<_> = held.filter(|(_, share)| *share > 0).collect();
                look(&mut board, at_s, counter_mj, &busy, &held);
                let still: Vec<&str> = held.iter().map(|(name, _)| *name).collect();
                settled_mj += board.settle(|lease| still.contains(&lease)).iter().map(|(_, a)| a.active_mj + a.idle_mj).sum::<u64>();
            }
            assert_eq!(sum(&board) + settled_mj, board.total_mj);
        }
    }
}
