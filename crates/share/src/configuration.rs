//! The shares of one GPU and the policy that applies them; what is refused, and why.

use super::tenant::{Tenant, TenantId};
use outhaul_wire::limits::GPUS_MAX;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

pub const WHOLE_BASIS_POINTS: u32 = 10_000;
pub const TENANTS_MAX: usize = 1024;
pub const SESSIONS_MAX: usize = 4096;

/// Why a configuration or an event was refused. A refused one changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("policy `{name}` is not known; choose one of none, fifo, credit, band, weighted")]
    UnknownPolicy { name: String },
    #[error("the shares add up to {sum_percent} %; lower some until they are at most 100 %")]
    SharesOver { sum_percent: u64 },
    #[error(
        "tenant {name} cannot have {percent} % of a GPU; give it between 1 and 100 %, or 0 for no \
        share of its own"
    )]
    ShareOutOfRange { name: String, percent: u32 },
    #[error("tenant {name} appears twice; name it once")]
    TenantTwice { name: String },
    #[error("`{name}` is not a tenant's name; use up to 64 letters, digits and . _ - @")]
    TenantName { name: String },
    #[error(
        "tenant {name} has no share of its own, and a priority counts only within one; set its \
        share too"
    )]
    NoShare { name: String },
    #[error("a GPU can have {TENANTS_MAX} tenants and has them already; end some first")]
    TooManyTenants,
    #[error("tenant {} is not configured", tenant.0)]
    UnknownTenant { tenant: TenantId },
    #[error("tenant {} still has sessions", tenant.0)]
    TenantInUse { tenant: TenantId },
    #[error("session {session} is not open; open it before it asks for the GPU")]
    UnknownSession { session: u64 },
    #[error("session {session} is open already")]
    SessionTwice { session: u64 },
    #[error("the GPU has {SESSIONS_MAX} sessions already; end some first")]
    TooManySessions,
    #[error(
        "a node can have {GPUS_MAX} GPUs; show it fewer of this machine's, with \
        CUDA_VISIBLE_DEVICES"
    )]
    TooManyGpus,
    #[error("session {session} reports work on an engine whose turn it does not have")]
    NoTurn { session: u64 },
    #[error(
        "the node promises more memory than its GPUs hold, so sessions take turns one at a time: \
        with a policy, --copies joint and --long-kernels wait"
    )]
    Oversubscribed,
    #[error("session {session} waits for this engine or has its turn already")]
    WantsTwice { session: u64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyName {
    /// All sessions at once: the driver's time slices share out the GPU.
    None,
    Fifo,
    Credit,
    Band,
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
    pub fn new(
        policy: PolicyName,
        tenants: BTreeMap<TenantId, Tenant>,
    ) -> Result<Configuration, Refusal> {
        if tenants.len() > TENANTS_MAX {
            return Err(Refusal::TooManyTenants);
        }
        Ok(Configuration { policy, tenants, joint: false, exclusive: false })
    }

    pub fn tenant(&self, tenant: TenantId) -> Option<Tenant> {
        self.tenants.get(&tenant).copied()
    }

    pub fn joint(mut self, joint: bool) -> Configuration {
        self.joint = joint;
        self
    }

    pub fn exclusive(mut self, exclusive: bool) -> Configuration {
        self.exclusive = exclusive;
        self
    }
}
