//! The interface that all policies implement. A policy chooses which tenant is next on one engine.
//! A tenant's sessions take turns in the order of their requests. A policy does not know about
//! sessions and sends nothing.

use crate::event::Term;
use crate::tenant::Tenant;
use crate::tenant::TenantId;
use std::collections::BTreeMap;

/// A tenant that wants or uses the engine.
#[derive(Debug, Clone, Copy)]
pub struct Contender {
    pub tenant: TenantId,
    /// Time on the engine that the tenant has not been charged for yet.
    pub unbilled_ns: u64,
    /// Predicted length of the tenant's shortest waiting piece.
    pub piece_ns: u64,
    /// Time that the memory of the tenant's next session takes to return to the GPU.
    pub away_ns: u64,
}

/// The reason why a choice is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The tenant requested the engine, and the engine is free.
    Arrived(TenantId),
    /// The tenant gave up the turn.
    Yielded(TenantId),
    /// A turn is up, or the engine has stayed free long enough.
    Waited,
}

/// A policy's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    Tenant(TenantId),
    /// Leave the engine free until `until_ns`, for a tenant that is about to return.
    Open {
        until_ns: u64,
    },
}

/// A turn that a policy gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    pub term: Term,
    /// Length after which the turn is up if others wait.
    pub length_ns: u64,
}

/// A policy, which decides the order of one engine's tenants.
pub trait Policy: Send {
    /// Replaces the tenants and their shares.
    fn configure(&mut self, tenants: &BTreeMap<TenantId, Tenant>);
    /// Notes that the tenant, which wanted nothing before, now wants the engine.
    fn arrived(&mut self, now_ns: u64, tenant: TenantId);
    /// Notes that the tenant no longer wants the engine.
    fn left(&mut self, now_ns: u64, tenant: TenantId);
    /// Charges a tenant for engine time.
    fn charge(&mut self, now_ns: u64, tenant: TenantId, spent_ns: u64);
    /// Chooses the next tenant. `contenders` is never empty.
    fn pick(&mut self, now_ns: u64, moment: Moment, contenders: &[Contender]) -> Choice;
    /// Returns the turn that the tenant gets now.
    fn turn(&self, tenant: TenantId, contenders: &[Contender]) -> Turn;
    /// Returns whether `waiting` ends the turn of `holder` early, without waiting for the work in
    /// flight.
    fn urgent(&self, _waiting: TenantId, _holder: TenantId) -> bool {
        false
    }
    /// Returns how much longer the turn of `holder` may last once `arrived` waits for the engine.
    fn remains_ns(&self, _arrived: &Contender, _holder: &Contender) -> u64 {
        u64::MAX
    }
}
