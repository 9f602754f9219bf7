//! The shares of one GPU, the policy that applies them, and the reasons for refusals.

use super::tenant::{Tenant, TenantId};
use outhaul_wire::limits::GPUS_MAX;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A whole GPU, in basis points.
pub const WHOLE_BASIS_POINTS: u32 = 10_000;
/// Maximum number of tenants per GPU.
pub const TENANTS_MAX: usize = 1024;
/// Maximum number of sessions per GPU.
pub const SESSIONS_MAX: usize = 4096;

/// The reason why a configuration or an event was refused. A refused configuration or event changes
/// nothing.
#[allow(missing_docs, reason = "the messages explain the fields")]
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// No policy has this name.
    #[error("policy `{name}` is not known; choose one of none, fifo, credit, band, weighted")]
    UnknownPolicy { name: String },
    /// The shares add up to more than the whole GPU.
    #[error("the shares add up to {sum_percent} %; lower some until they are at most 100 %")]
    SharesOver { sum_percent: u64 },
    /// A tenant's share is more than the whole GPU.
    #[error(
        "tenant {name} cannot have {percent} % of a GPU; give it between 1 and 100 %, or 0 for no \
        share of its own"
    )]
    ShareOutOfRange { name: String, percent: u32 },
    /// One order sets a tenant's share twice.
    #[error("tenant {name} appears twice; name it once")]
    TenantTwice { name: String },
    /// A tenant cannot have this name.
    #[error(transparent)]
    TenantName(#[from] outhaul_wire::name::NameError),
    /// A tenant has a priority but no share.
    #[error(
        "tenant {name} has no share of its own, and a priority counts only within one; set its \
        share too"
    )]
    NoShare { name: String },
    /// The GPU already has `TENANTS_MAX` tenants.
    #[error("a GPU can have {TENANTS_MAX} tenants and has them already; end some first")]
    TooManyTenants,
    /// No tenant has this ID.
    #[error("tenant {} is not configured", tenant.0)]
    UnknownTenant { tenant: TenantId },
    /// The tenant cannot be removed because it still has sessions.
    #[error("tenant {} still has sessions", tenant.0)]
    TenantInUse { tenant: TenantId },
    /// No open session has this ID.
    #[error("session {session} is not open; open it before it asks for the GPU")]
    UnknownSession { session: u64 },
    /// An open session already has this ID.
    #[error("session {session} is open already")]
    SessionTwice { session: u64 },
    /// The GPU already has `SESSIONS_MAX` sessions.
    #[error("the GPU has {SESSIONS_MAX} sessions already; end some first")]
    TooManySessions,
    /// The node has more than `GPUS_MAX` GPUs.
    #[error(
        "a node can have {GPUS_MAX} GPUs; show it fewer of this machine's, with \
        CUDA_VISIBLE_DEVICES"
    )]
    TooManyGpus,
    /// A session without the turn reports work.
    #[error("session {session} reports work on an engine whose turn it does not have")]
    NoTurn { session: u64 },
    /// The node promises more memory than its GPUs hold, and the settings do not make sessions take
    /// turns.
    #[error(
        "the node promises more memory than its GPUs hold, so sessions take turns one at a time: \
        with a policy, --copies joint and --long-kernels wait"
    )]
    Oversubscribed,
    /// A session requests an engine that it already has or waits for.
    #[error("session {session} waits for this engine or has its turn already")]
    WantsTwice { session: u64 },
}

/// The rule by which an arbiter chooses the next tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyName {
    /// Sessions run concurrently; the driver's time slices divide the GPU.
    None,
    /// Round robin over the tenants, with runs of work, as in Gdev.
    Fifo,
    /// Round robin over the tenants that have budget left.
    Credit,
    /// Like `Credit`, but the engine stays free briefly for shorter work.
    Band,
    /// The tenant that has used least of its share goes first.
    Weighted,
}

impl fmt::Display for PolicyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            PolicyName::None => "none",
            PolicyName::Fifo => "fifo",
            PolicyName::Credit => "credit",
            PolicyName::Band => "band",
            PolicyName::Weighted => "weighted",
        })
    }
}

impl FromStr for PolicyName {
    type Err = Refusal;

    fn from_str(name: &str) -> Result<Self, Refusal> {
        Ok(match name {
            "none" => PolicyName::None,
            "fifo" => PolicyName::Fifo,
            "credit" => PolicyName::Credit,
            "band" => PolicyName::Band,
            "weighted" => PolicyName::Weighted,
            _ => return Err(Refusal::UnknownPolicy { name: name.to_owned() }),
        })
    }
}

/// The policy and the tenants of one GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    pub(super) policy: PolicyName,
    pub(super) tenants: BTreeMap<TenantId, Tenant>,
    /// Whether compute and copies share one queue instead of having one each.
    pub(super) joint: bool,
    /// Whether time slices are never used: all sessions wait for a kernel that is longer than its
    /// turn.
    pub(super) exclusive: bool,
}

impl Configuration {
    /// Makes a configuration with one queue per engine that allows time slices. Fails if there are
    /// more than `TENANTS_MAX` tenants.
    pub fn new(
        policy: PolicyName,
        tenants: BTreeMap<TenantId, Tenant>,
    ) -> Result<Configuration, Refusal> {
        if tenants.len() > TENANTS_MAX {
            return Err(Refusal::TooManyTenants);
        }
        Ok(Configuration { policy, tenants, joint: false, exclusive: false })
    }

    /// Returns the tenant's share and priority, or None if the tenant is not configured.
    pub fn tenant(&self, tenant: TenantId) -> Option<Tenant> {
        self.tenants.get(&tenant).copied()
    }

    /// Sets whether compute and copies share one queue.
    pub fn joint(mut self, joint: bool) -> Configuration {
        self.joint = joint;
        self
    }

    /// Sets whether the arbiter never uses the driver's time slices.
    pub fn exclusive(mut self, exclusive: bool) -> Configuration {
        self.exclusive = exclusive;
        self
    }
}
