//! The shares of one GPU and the policy that applies them; what is refused, and why.

use super::tenant::{Tenant, TenantId};
use outhaul_wire::limits::GPUS_MAX;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A whole GPU in basis points.
pub const WHOLE_BASIS_POINTS: u32 = 10_000;
/// Largest number of tenants of a GPU.
pub const TENANTS_MAX: usize = 1024;
/// Largest number of sessions of a GPU.
pub const SESSIONS_MAX: usize = 4096;

/// Why a configuration or an event was refused. A refused one changes nothing.
#[allow(missing_docs, reason = "the messages explain the fields")]
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// No policy has this name.
    #[error("policy `{name}` is not known; choose one of none, fifo, credit, band, weighted")]
    UnknownPolicy { name: String },
    /// The shares are more than the whole GPU.
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
    /// The name has a character that tables and logs do not take, or is too long.
    #[error("`{name}` is not a tenant's name; use up to 64 letters, digits and . _ - @")]
    TenantName { name: String },
    /// A priority needs a share.
    #[error(
        "tenant {name} has no share of its own, and a priority counts only within one; set its \
        share too"
    )]
    NoShare { name: String },
    /// The GPU has `TENANTS_MAX` tenants.
    #[error("a GPU can have {TENANTS_MAX} tenants and has them already; end some first")]
    TooManyTenants,
    /// No tenant has this number.
    #[error("tenant {} is not configured", tenant.0)]
    UnknownTenant { tenant: TenantId },
    /// A tenant cannot be removed while it has sessions.
    #[error("tenant {} still has sessions", tenant.0)]
    TenantInUse { tenant: TenantId },
    /// No open session has this number.
    #[error("session {session} is not open; open it before it asks for the GPU")]
    UnknownSession { session: u64 },
    /// A session of this number is open.
    #[error("session {session} is open already")]
    SessionTwice { session: u64 },
    /// The GPU has `SESSIONS_MAX` sessions.
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
    /// Memory is promised to more sessions than it fits, and the settings do not make them take
    /// turns.
    #[error(
        "the node promises more memory than its GPUs hold, so sessions take turns one at a time: \
        with a policy, --copies joint and --long-kernels wait"
    )]
    Oversubscribed,
    /// A session asks for an engine again.
    #[error("session {session} waits for this engine or has its turn already")]
    WantsTwice { session: u64 },
}

/// The rule by which an arbiter chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyName {
    /// All sessions at once: the driver's time slices share out the GPU.
    None,
    /// The tenants in turn, with runs of work, as in Gdev.
    Fifo,
    /// The tenants in turn, as long as they have budget.
    Credit,
    /// As `Credit`, and the engine stays free a little for shorter work.
    Band,
    /// The tenant that has used least of its share.
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

/// The policy of a GPU and its tenants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    pub(super) policy: PolicyName,
    pub(super) tenants: BTreeMap<TenantId, Tenant>,
    /// One queue for compute and copies together, instead of one each.
    pub(super) joint: bool,
    /// Only turns, never time slices: everyone waits for a kernel that is longer than its turn.
    pub(super) exclusive: bool,
}

impl Configuration {
    /// Makes a configuration with a queue for each engine and with time slices. Fails with more
    /// than `TENANTS_MAX` tenants.
    pub fn new(
        policy: PolicyName,
        tenants: BTreeMap<TenantId, Tenant>,
    ) -> Result<Configuration, Refusal> {
        if tenants.len() > TENANTS_MAX {
            return Err(Refusal::TooManyTenants);
        }
        Ok(Configuration { policy, tenants, joint: false, exclusive: false })
    }

    /// Returns a tenant's share and priority, if the tenant is known.
    pub fn tenant(&self, tenant: TenantId) -> Option<Tenant> {
        self.tenants.get(&tenant).copied()
    }

    /// Sets whether compute and copies have one queue.
    pub fn joint(mut self, joint: bool) -> Configuration {
        self.joint = joint;
        self
    }

    /// Sets whether the driver's time slices are never used.
    pub fn exclusive(mut self, exclusive: bool) -> Configuration {
        self.exclusive = exclusive;
        self
    }
}
