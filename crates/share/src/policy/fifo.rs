//! Gdev's FIFO: a tenant moves to the tail of the line after each run of work. The policy ignores
//! shares, so tenants with longer runs get more.

use super::interface::{Choice, Contender, Moment, Policy, Turn};
use crate::event::Term;
use crate::tenant::Tenant;
use crate::tenant::TenantId;
use std::collections::BTreeMap;

/// The tenants in the order in which the policy considers them.
#[derive(Debug, Default)]
pub struct Line(Vec<TenantId>);

impl Line {
    /// Adds new tenants at the tail, and removes those that are no longer configured.
    pub fn configure(&mut self, tenants: &BTreeMap<TenantId, Tenant>) {
        self.0.retain(|tenant| tenants.contains_key(tenant));
        self.0.extend(
            tenants.keys().filter(|tenant| !self.0.contains(tenant)).copied().collect::<Vec<_>>(),
        );
    }

    /// Moves a tenant to the tail.
    pub fn send_to_tail(&mut self, tenant: TenantId) {
        if let Some(at) = self.0.iter().position(|t| *t == tenant) {
            self.0[at..].rotate_left(1);
        }
    }

    /// Returns the first tenant in line that wants the engine.
    pub fn first(&self, contenders: &[Contender]) -> TenantId {
        let first = self.0.iter().find(|tenant| contenders.iter().any(|c| c.tenant == **tenant));
        first.copied().unwrap_or(contenders[0].tenant)
    }
}

/// Maximum number of a run's pieces in flight, as in Gdev.
const RUN_PIECES_MAX: usize = 32;
/// Maximum length of a run. Gdev never ends a run that always has work in flight, so all other
/// sessions wait forever.
const RUN_NS_MAX: u64 = 1_000_000_000;
/// The turn that Gdev's policies give: one run of overlapping work.
pub const RUN: Turn =
    Turn { term: Term::Run { pieces_max: RUN_PIECES_MAX }, length_ns: RUN_NS_MAX };

/// The policy `fifo`: round robin over the tenants, with runs of work.
#[derive(Debug, Default)]
pub struct Fifo {
    line: Line,
}

impl Policy for Fifo {
    fn configure(&mut self, tenants: &BTreeMap<TenantId, Tenant>) {
        self.line.configure(tenants);
    }

    fn arrived(&mut self, _: u64, _: TenantId) {}

    fn left(&mut self, _: u64, _: TenantId) {}

    fn charge(&mut self, _: u64, _: TenantId, _: u64) {}

    fn pick(&mut self, _: u64, moment: Moment, contenders: &[Contender]) -> Choice {
        if let Moment::Yielded(tenant) = moment {
            self.line.send_to_tail(tenant);
        }
        Choice::Tenant(self.line.first(contenders))
    }

    fn turn(&self, _: TenantId, _: &[Contender]) -> Turn {
        RUN
    }
}
