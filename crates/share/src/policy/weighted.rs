//! Weighted shares over tenants. Each tenant has a virtual clock that advances by the charged time
//! divided by the tenant's share; the tenant furthest behind is next. Debt is never forgiven, and
//! the time that an idle tenant saves up is bounded. A lone tenant runs at once for as long as it
//! has work.
//!
//! The reference clock shows what every clock would show if the engine were divided without turns.
//! A tenant whose clock lags behind the reference clock is owed that time.
//!
//! On an oversubscribed node, moving memory costs more than waiting. So a tenant whose memory has
//! left the GPU is due later, by some times the time of its return. Those whose memory is there
//! compute meanwhile. It loses nothing of its share: its clock stays behind.

use super::interface::{Choice, Contender, Moment, Policy, Turn};
use crate::configuration::WHOLE_BASIS_POINTS;
use crate::event::Term;
use crate::tenant::Tenant;
use crate::tenant::TenantId;
use std::collections::BTreeMap;

/// Mean length of a turn. An H200 needs 0.18 ms to switch contexts, so turns of this length lose
/// 1.5 percent.
pub const TURN_NS: u64 = 12_000_000;
/// Minimum length of a turn; a shorter turn is not worth its hand-over.
pub const TURN_NS_MIN: u64 = 2_000_000;
/// Maximum time that an idle tenant saves up, at its full share.
pub const PERIOD_NS: i64 = 20_000_000;
/// Maximum predicted time in flight: enough to keep the GPU busy, and short enough for a quick
/// hand-over.
pub const WINDOW_NS: u64 = 2_000_000;
/// A newly arrived tenant that is owed this much time ends another tenant's turn. A hand-over there
/// and back costs a tenth of this time.
pub const OWED_NS: u64 = 2_000_000;
/// How long the engine stays free for a tenant that is owed time and usually returns within this
/// time. The hand-overs to another tenant and back would cost at least as much.
pub const LINGER_NS: u64 = 100_000;
/// How many times the return of its memory a tenant whose memory has left the GPU waits longer.
const AWAY_TIMES: u64 = 4;
/// Divisor for the time for which the engine stays free when longer times are at stake. The
/// dividend is the smaller of the time owed and the next tenant's predicted work.
const LINGER_PART: u64 = 100;

#[derive(Debug)]
struct Account {
    terms: Tenant,
    clock_ns: i64,
    active: bool,
    left_at_ns: u64,
    reference_when_left_ns: i64,
    /// The length of the tenant's last absence.
    absence_ns: u64,
}

/// The policy `weighted`: the tenant that has used least of its share goes first.
#[derive(Debug, Default)]
pub struct Weighted {
    accounts: BTreeMap<TenantId, Account>,
    reference_ns: i64,
    /// The tenant for which the engine stays free, and the time since when.
    lingering: Option<(TenantId, u64)>,
}

/// Upper bound of one charge. A clock that advances by this much at the smallest share does not
/// overflow.
const SPENT_NS_MAX: u64 = 1 << 46;

fn over_share(spent_ns: u64, share_basis_points: u32) -> i64 {
    (spent_ns.min(SPENT_NS_MAX) * u64::from(WHOLE_BASIS_POINTS)
        / u64::from(share_basis_points.max(1))) as i64
}

impl Weighted {
    fn clock(&self, contender: &Contender) -> i64 {
        let account = &self.accounts[&contender.tenant];
        account.clock_ns + over_share(contender.unbilled_ns, account.terms.share_basis_points)
    }

    fn shares_active(&self) -> u32 {
        self.accounts.values().filter(|a| a.active).map(|a| a.terms.share_basis_points).sum()
    }

    /// Returns the clock of a contender that waits, later if its memory has left the GPU.
    fn due(&self, contender: &Contender) -> i64 {
        self.clock(contender) + self.delay_ns(contender)
    }

    fn delay_ns(&self, contender: &Contender) -> i64 {
        let share = self.accounts[&contender.tenant].terms.share_basis_points;
        over_share(contender.away_ns.saturating_mul(AWAY_TIMES), share)
    }

    /// Returns the tenant's priority, or 0 if the tenant exceeds its share. A priority therefore
    /// buys latency, not time, and starves no tenant.
    fn rank(&self, tenant: TenantId) -> u8 {
        let account = &self.accounts[&tenant];
        if account.clock_ns <= self.reference_ns + PERIOD_NS { account.terms.priority } else { 0 }
    }

    /// Returns how long the engine stays free for a tenant that has just given it up, or None if
    /// another tenant is next at once.
    fn linger_ns(&self, tenant: TenantId, next: &Contender) -> Option<u64> {
        let account = self.accounts.get(&tenant).filter(|account| !account.active)?;
        let lead_ns = (self.clock(next) - account.clock_ns).max(0) as u64;
        let owed_ns =
            lead_ns / u64::from(WHOLE_BASIS_POINTS) * u64::from(account.terms.share_basis_points);
        let linger_ns = LINGER_NS.max(owed_ns.min(next.piece_ns) / LINGER_PART);
        let worth = owed_ns > linger_ns
            && account.absence_ns <= linger_ns
            && self.rank(tenant) >= self.rank(next.tenant);
        worth.then_some(linger_ns)
    }

    /// Charges the time for which the engine stayed free to the tenant that it stayed free for.
    fn end_lingering(&mut self, now_ns: u64) {
        if let Some((tenant, since_ns)) = self.lingering.take() {
            self.charge(now_ns, tenant, now_ns - since_ns);
        }
    }
}

impl Policy for Weighted {
    fn configure(&mut self, tenants: &BTreeMap<TenantId, Tenant>) {
        self.accounts.retain(|tenant, _| tenants.contains_key(tenant));
        self.lingering = self.lingering.filter(|(tenant, _)| tenants.contains_key(tenant));
        for (tenant, terms) in tenants {
            let reference_ns = self.reference_ns;
            let fresh = Account {
                terms: *terms,
                clock_ns: reference_ns,
                active: false,
                left_at_ns: 0,
                reference_when_left_ns: reference_ns,
                absence_ns: u64::MAX,
            };
            let account = self.accounts.entry(*tenant).or_insert(fresh);
            // A tenant owes or is owed time: rescaling its lag preserves that time.
            let lag_ns = i128::from(account.clock_ns - reference_ns)
                * i128::from(account.terms.share_basis_points);
            account.clock_ns =
                reference_ns + (lag_ns / i128::from(terms.share_basis_points)) as i64;
            account.terms = *terms;
        }
    }

    fn arrived(&mut self, now_ns: u64, tenant: TenantId) {
        let reference_ns = self.reference_ns;
        let Some(account) = self.accounts.get_mut(&tenant) else { return };
        let owed_when_left_ns = account.reference_when_left_ns - account.clock_ns;
        account.clock_ns = account.clock_ns.max(reference_ns - owed_when_left_ns.max(PERIOD_NS));
        account.absence_ns = now_ns - account.left_at_ns;
        account.active = true;
    }

    fn left(&mut self, now_ns: u64, tenant: TenantId) {
        let reference_ns = self.reference_ns;
        let Some(account) = self.accounts.get_mut(&tenant) else { return };
        account.active = false;
        account.left_at_ns = now_ns;
        account.reference_when_left_ns = reference_ns;
    }

    fn charge(&mut self, _: u64, tenant: TenantId, spent_ns: u64) {
        let shares_active = self.shares_active();
        let Some(account) = self.accounts.get_mut(&tenant) else { return };
        account.clock_ns += over_share(spent_ns, account.terms.share_basis_points);
        let shares = if account.active {
            shares_active
        } else {
            shares_active + account.terms.share_basis_points
        };
        self.reference_ns += over_share(spent_ns, shares);
    }

    fn pick(&mut self, now_ns: u64, moment: Moment, contenders: &[Contender]) -> Choice {
        self.end_lingering(now_ns);
        let order =
            |c: &&Contender| (std::cmp::Reverse(self.rank(c.tenant)), self.due(c), c.tenant);
        let next = contenders.iter().min_by_key(order).expect("there is a contender");
        let Moment::Yielded(tenant) = moment else { return Choice::Tenant(next.tenant) };
        match self.linger_ns(tenant, next) {
            Some(linger_ns) => {
                self.lingering = Some((tenant, now_ns));
                Choice::Open { until_ns: now_ns + linger_ns }
            }
            None => Choice::Tenant(next.tenant),
        }
    }

    /// Returns a turn that lasts until the tenant is far enough ahead of the tenant furthest
    /// behind. The lead is chosen so that the mean length of turns is `TURN_NS`, whatever the
    /// shares. If one turn was too long or too short, the next one compensates.
    fn turn(&self, tenant: TenantId, contenders: &[Contender]) -> Turn {
        let shares: u32 =
            contenders.iter().map(|c| self.accounts[&c.tenant].terms.share_basis_points).sum();
        let others = contenders.iter().filter(|c| c.tenant != tenant);
        let account = &self.accounts[&tenant];
        let own_ns = contenders
            .iter()
            .find(|c| c.tenant == tenant)
            .map_or(account.clock_ns, |c| self.clock(c));
        // Programs of one tenant take turns even if no other tenant contends.
        let lead_ns =
            over_share(TURN_NS * (contenders.len() as u64).saturating_sub(1).max(1), shares);
        let behind_ns = others.map(|c| self.due(c)).min().unwrap_or(own_ns);
        let share = u64::from(account.terms.share_basis_points);
        let length_ns =
            (behind_ns + lead_ns - own_ns).max(0) as u64 / u64::from(WHOLE_BASIS_POINTS) * share;
        Turn { term: Term::Window { window_ns: WINDOW_NS }, length_ns: length_ns.max(TURN_NS_MIN) }
    }

    fn urgent(&self, waiting: TenantId, holder: TenantId) -> bool {
        self.rank(waiting) > self.rank(holder)
    }

    /// Ends the holder's turn once the arrived tenant is owed `OWED_NS`. Otherwise, programs that
    /// pause between short pieces of work would get only one piece per turn of the others.
    fn remains_ns(&self, arrived: &Contender, holder: &Contender) -> u64 {
        let account = &self.accounts[&arrived.tenant];
        if self.rank(arrived.tenant) < self.rank(holder.tenant) {
            return u64::MAX;
        }
        if account.absence_ns <= LINGER_NS && arrived.away_ns == 0 {
            // The tenant was hardly absent. If the policy chooses the holder again, the holder
            // continues with the turn length that it gets in competition with this tenant.
            return 0;
        }
        let owed_at_ns = account.clock_ns
            + over_share(OWED_NS, account.terms.share_basis_points)
            + self.delay_ns(arrived);
        let share = u64::from(self.accounts[&holder.tenant].terms.share_basis_points);
        (owed_at_ns - self.clock(holder)).max(0) as u64 / u64::from(WHOLE_BASIS_POINTS) * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn weighted(shares: &[u32]) -> Weighted {
        let tenant = |(i, share): (usize, &u32)| {
            (TenantId(i as u32), Tenant { share_basis_points: *share * 100, priority: 0 })
        };
        let mut policy = Weighted::default();
        policy.configure(&shares.iter().enumerate().map(tenant).collect());
        policy
    }

    fn lag_ns(policy: &Weighted, tenant: u32) -> i64 {
        let account = &policy.accounts[&TenantId(tenant)];
        (policy.reference_ns - account.clock_ns) * i64::from(account.terms.share_basis_points)
            / i64::from(WHOLE_BASIS_POINTS)
    }

    #[test]
    fn the_debt_of_one_tenant_is_the_credit_of_the_others() {
        let mut policy = weighted(&[50, 30, 20]);
        (0..3).for_each(|t| policy.arrived(0, TenantId(t)));
        for turn in 0..1000 {
            policy.charge(0, TenantId(turn % 3), u64::from(turn * 7919 % 113) * MS);
            let sum_ns: i64 = (0..3).map(|t| lag_ns(&policy, t)).sum();
            assert!(sum_ns.abs() < 10_000, "{sum_ns}");
        }
    }

    #[test]
    fn turns_are_of_one_length_in_the_mean_whatever_the_number_of_tenants_and_the_shares() {
        for shares in [&[50][..], &[50, 50], &[70, 30], &[25; 4], &[60, 20, 10, 10]] {
            let mut policy = weighted(shares);
            let tenants = 0..shares.len() as u32;
            tenants.clone().for_each(|t| policy.arrived(0, TenantId(t)));
            let contenders: Vec<_> = tenants
                .map(|t| Contender { tenant: TenantId(t), unbilled_ns: 0, piece_ns: 0, away_ns: 0 })
                .collect();
            let turns = 1000;
            let sum_ns: u64 = (0..turns)
                .map(|_| {
                    let Choice::Tenant(tenant) = policy.pick(0, Moment::Waited, &contenders) else {
                        panic!("no request is due")
                    };
                    let length_ns = policy.turn(tenant, &contenders).length_ns;
                    policy.charge(0, tenant, length_ns);
                    length_ns
                })
                .sum();
            assert!(
                (sum_ns / turns).abs_diff(TURN_NS) <= TURN_NS / 4,
                "{shares:?}: {} ns",
                sum_ns / turns
            );
        }
    }

    #[test]
    fn debt_outlives_a_pause_and_saving_is_bounded() {
        let mut policy = weighted(&[50, 50]);
        (0..2).for_each(|t| policy.arrived(0, TenantId(t)));
        policy.charge(0, TenantId(0), 112 * MS);
        let debt_ns = lag_ns(&policy, 0);
        policy.left(0, TenantId(0));
        policy.arrived(500 * MS, TenantId(0));
        assert_eq!(lag_ns(&policy, 0), debt_ns);
        assert_eq!(lag_ns(&policy, 1), 56 * MS as i64);

        policy.left(500 * MS, TenantId(1));
        for _ in 0..100 {
            policy.charge(0, TenantId(0), 100 * MS);
        }
        policy.arrived(20_000 * MS, TenantId(1));
        assert_eq!(
            lag_ns(&policy, 1),
            56 * MS as i64,
            "debts stay, and idling adds nothing to them"
        );

        policy.charge(0, TenantId(1), 100 * MS);
        policy.left(0, TenantId(1));
        policy.charge(0, TenantId(0), 10_000 * MS);
        policy.arrived(0, TenantId(1));
        assert_eq!(lag_ns(&policy, 1), PERIOD_NS / 2, "one period at half of the GPU");
    }

    /// Simulates tenants of `size` each on a GPU, of which the policy hears what is away if
    /// `aware`. Each uses all of its memory in each turn, and what was used last leaves first. A
    /// turn lasts four times as long as the moves before it. Returns the moved amount, the work of
    /// each tenant, and the longest time without a turn.
    fn turns_on_a_gpu(tenants: u32, size: u64, gpu: u64, aware: bool) -> (u64, Vec<u64>, u64) {
        const NS_PER_UNIT: u64 = MS;
        let count = tenants as usize;
        let mut policy = weighted(&vec![100 / tenants; count]);
        (0..tenants).for_each(|t| policy.arrived(0, TenantId(t)));
        let (mut here, mut last_ns) = (vec![0; count], vec![0; count]);
        let (mut now_ns, mut moved, mut worked_ns, mut waited_ns) = (0, 0, vec![0; count], 0);
        while now_ns < 100_000 * MS {
            let contender = |t: u32| {
                let away_ns = if aware { (size - here[t as usize]) * NS_PER_UNIT } else { 0 };
                Contender { tenant: TenantId(t), unbilled_ns: 0, piece_ns: 0, away_ns }
            };
            let contenders: Vec<_> = (0..tenants).map(contender).collect();
            let Choice::Tenant(next) = policy.pick(now_ns, Moment::Waited, &contenders) else {
                panic!("no request is due")
            };
            let at = next.0 as usize;
            waited_ns = waited_ns.max(now_ns - last_ns[at]);
            let missing = size - here[at];
            here[at] = size;
            let mut others: Vec<_> = (0..count).filter(|other| *other != at).collect();
            others.sort_by_key(|other| std::cmp::Reverse(last_ns[*other]));
            for other in others {
                let excess = here.iter().sum::<u64>().saturating_sub(gpu);
                here[other] -= excess.min(here[other]);
            }
            let length_ns = policy.turn(next, &contenders).length_ns.max(4 * missing * NS_PER_UNIT);
            policy.charge(now_ns, next, length_ns);
            now_ns += missing * NS_PER_UNIT + length_ns;
            (moved, worked_ns[at], last_ns[at]) =
                (moved + missing, worked_ns[at] + length_ns, now_ns);
        }
        (moved, worked_ns, waited_ns)
    }

    #[test]
    fn tenants_whose_memory_is_there_go_first_and_all_keep_their_shares() {
        for (tenants, size) in [(3, 240), (4, 180), (8, 90)] {
            let gpu = 600;
            let (before, _, waited_before_ns) = turns_on_a_gpu(tenants, size, gpu, false);
            let (after, worked_ns, waited_ns) = turns_on_a_gpu(tenants, size, gpu, true);
            assert!(before >= 2 * after, "{tenants}: {before} and {after} moved");
            assert!(waited_ns * 10 < waited_before_ns * 11, "{tenants}: {waited_ns} ns");
            let mean_ns = worked_ns.iter().sum::<u64>() as f64 / worked_ns.len() as f64;
            let off = worked_ns.iter().map(|ns| (*ns as f64 / mean_ns - 1.0).abs());
            assert!(off.fold(0.0, f64::max) < 0.04, "{tenants}: {worked_ns:?}");
        }
        let (moved, ..) = turns_on_a_gpu(3, 200, 600, true);
        assert_eq!(moved, 600, "what fits comes once");
    }
}
