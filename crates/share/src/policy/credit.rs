//! Gdev's policies Credit and BAND. Each tenant has a budget that grows every period by the
//! tenant's share of the period. As in Gdev, a budget beyond one period in either direction is
//! reset to zero: debt is forgiven, and one long run costs at most a period. We keep that rule,
//! unlike `weighted`, because we compare with Gdev.
//! Two parts of Gdev are left out: clocks that run backwards, and the choice that Gdev keeps after
//! it has lost the wait.

use super::fifo::{Line, RUN};
use super::interface::{Choice, Contender, Moment, Policy, Turn};
use crate::configuration::WHOLE_BASIS_POINTS;
use crate::tenant::Tenant;
use crate::tenant::TenantId;
use std::collections::BTreeMap;

const WHOLE: u64 = WHOLE_BASIS_POINTS as u64;
const PERIOD_NS: u64 = 30_000_000;
const WAIT_NS: u64 = 500_000;
/// The window over which utilisation is measured.
const WINDOW_NS: u64 = 1_000_000_000;

#[derive(Debug, Default)]
struct Budget {
    share_basis_points: u64,
    credit_ns: i64,
    used_ns: u64,
    used_basis_points: u64,
}

/// The policies `credit` and `band`: each tenant has a time budget that grows by its share.
#[derive(Debug)]
pub struct Credit {
    line: Line,
    budgets: BTreeMap<TenantId, Budget>,
    /// Whether the policy is BAND: before a tenant that exceeds its share runs, the engine stays
    /// free briefly for shorter work.
    waits_for_short: bool,
    topped_up_at_ns: u64,
    window_since_ns: u64,
}

impl Credit {
    /// Makes the policy `band` if `waits_for_short` is set, otherwise `credit`.
    pub fn new(waits_for_short: bool) -> Credit {
        let (line, budgets) = (Line::default(), BTreeMap::new());
        Credit { line, budgets, waits_for_short, topped_up_at_ns: 0, window_since_ns: 0 }
    }

    fn top_up(&mut self, now_ns: u64) {
        if now_ns - self.topped_up_at_ns > 2 * WINDOW_NS {
            self.topped_up_at_ns = now_ns - WINDOW_NS;
        }
        while self.topped_up_at_ns + PERIOD_NS <= now_ns {
            self.topped_up_at_ns += PERIOD_NS;
            let at_ns = self.topped_up_at_ns;
            let elapsed_ns = (at_ns - self.window_since_ns).max(1);
            for budget in self.budgets.values_mut() {
                budget.credit_ns += (PERIOD_NS * budget.share_basis_points / WHOLE) as i64;
                if budget.credit_ns.unsigned_abs() > PERIOD_NS {
                    budget.credit_ns = 0;
                }
                budget.used_basis_points = (WHOLE * budget.used_ns / elapsed_ns).min(WHOLE);
            }
            if elapsed_ns >= WINDOW_NS {
                self.window_since_ns = at_ns;
                self.budgets.values_mut().for_each(|budget| budget.used_ns = 0);
            }
        }
    }

    fn goes_to_tail(&self, tenant: TenantId) -> bool {
        let Some(budget) = self.budgets.get(&tenant) else { return false };
        if self.waits_for_short {
            budget.credit_ns < 0 && self.is_over(tenant)
        } else {
            budget.credit_ns <= 0
        }
    }

    fn is_over(&self, tenant: TenantId) -> bool {
        self.budgets
            .get(&tenant)
            .is_some_and(|budget| budget.used_basis_points > budget.share_basis_points)
    }
}

impl Policy for Credit {
    fn configure(&mut self, tenants: &BTreeMap<TenantId, Tenant>) {
        self.line.configure(tenants);
        self.budgets.retain(|tenant, _| tenants.contains_key(tenant));
        for (tenant, terms) in tenants {
            self.budgets.entry(*tenant).or_default().share_basis_points =
                u64::from(terms.share_basis_points);
        }
    }

    fn arrived(&mut self, _: u64, _: TenantId) {}

    fn left(&mut self, _: u64, _: TenantId) {}

    fn charge(&mut self, now_ns: u64, tenant: TenantId, spent_ns: u64) {
        self.top_up(now_ns);
        let Some(budget) = self.budgets.get_mut(&tenant) else { return };
        budget.credit_ns -= spent_ns.min(1 << 53) as i64;
        budget.used_ns += spent_ns;
    }

    fn pick(&mut self, now_ns: u64, moment: Moment, contenders: &[Contender]) -> Choice {
        self.top_up(now_ns);
        match moment {
            Moment::Arrived(tenant) if contenders.iter().any(|c| c.tenant == tenant) => {
                Choice::Tenant(tenant)
            }
            Moment::Yielded(tenant) => {
                if self.goes_to_tail(tenant) {
                    self.line.send_to_tail(tenant);
                }
                let next = self.line.first(contenders);
                let waits = self.waits_for_short && next != tenant && self.is_over(next);
                if waits {
                    Choice::Open { until_ns: now_ns + WAIT_NS }
                } else {
                    Choice::Tenant(next)
                }
            }
            _ => Choice::Tenant(self.line.first(contenders)),
        }
    }

    fn turn(&self, _: TenantId, _: &[Contender]) -> Turn {
        RUN
    }
}
