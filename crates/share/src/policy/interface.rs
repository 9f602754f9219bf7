//! Which tenant is next on one engine: the interface that all policies implement. A policy orders
//! tenants; the sessions of one tenant take turns in the order of their requests. A policy sees no
//! sessions and sends nothing.

use crate::event::Term;
use crate::tenant::Tenant;
use crate::tenant::TenantId;
use std::collections::BTreeMap;

/// A tenant that wants the engine or is on it.
#[derive(Debug, Clone, Copy)]
pub struct Contender {
    pub tenant: TenantId,
    /// Time on the engine that the tenant has not been charged for yet.
    pub unbilled_ns: u64,
    /// Predicted length of the shortest piece that the tenant waits with.
    pub piece_ns: u64,
}

/// Why a choice is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The tenant asked, and the engine is free.
    Arrived(TenantId),
    /// The tenant gave the turn up.
    Yielded(TenantId),
    /// A turn is up, or the engine was left open long enough.
    Waited,
}

/// The choice of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    Tenant(TenantId),
    /// Leave the engine free until then, for a tenant that is about to return.
    Open {
        until_ns: u64,
    },
}

/// A turn that a policy gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    pub term: Term,
    /// If others wait, the turn is up after this long.
    pub length_ns: u64,
}

/// Orders the tenants of one engine.
pub trait Policy: Send {
    /// Replaces the tenants and their shares.
    fn configure(&mut self, tenants: &BTreeMap<TenantId, Tenant>);
    /// The tenant wanted nothing and now wants the engine.
    fn arrived(&mut self, now_ns: u64, tenant: TenantId);
    /// The tenant no longer wants the engine.
    fn left(&mut self, now_ns: u64, tenant: TenantId);
    /// Charges a tenant for time on the engine.
    fn charge(&mut self, now_ns: u64, tenant: TenantId, spent_ns: u64);
    /// `contenders` is never empty.
    fn pick(&mut self, now_ns: u64, moment: Moment, contenders: &[Contender]) -> Choice;
    /// Returns the turn that a tenant gets now.
    fn turn(&self, tenant: TenantId, contenders: &[Contender]) -> Turn;
    /// Whether the turn of `holder` must end early for `waiting`, without patience for its work.
    fn urgent(&self, _waiting: TenantId, _holder: TenantId) -> bool {
        false
    }
    /// How long the turn of `holder` may still last when `arrived` begins to wait for it.
    fn remains_ns(&self, _arrived: TenantId, _holder: &Contender) -> u64 {
        u64::MAX
    }
}
