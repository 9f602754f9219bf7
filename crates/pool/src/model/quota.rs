//! The limits of a user or a group: on what they hold at once, and on GPU-hours.

use serde::{Deserialize, Serialize};

const GIB: f64 = (1u64 << 30) as f64;

/// Limits; `None` means unlimited.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quota {
    /// The number of GPUs at once; a part of a GPU counts as its fraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus: Option<f64>,
    /// GPU memory at once, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Leases held at once. Further requests wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leases: Option<u32>,
    /// GPU-hours since the quota was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_hours: Option<f64>,
}

/// The use of a user or a group.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// The number of GPUs; a part of a GPU counts as its fraction.
    pub gpus: f64,
    /// GPU memory, in bytes.
    pub memory_bytes: u64,
    /// Leases that are held.
    pub leases: u32,
    /// GPU-hours of leases that have ended.
    pub gpu_hours: f64,
}

impl Quota {
    /// Returns a text about the limit that `more`, in addition to `has`, would exceed, if any.
    pub fn objection(&self, has: &Usage, more: &Usage) -> Option<String> {
        let over = |what: &str, limit: String, would: String| {
            Some(format!("{would} {what} with this lease; the quota is {limit}"))
        };
        // Sums of fractions are inexact, so a small excess is tolerated.
        let gpus = has.gpus + more.gpus;
        match self {
            Quota { gpus: Some(limit), .. } if gpus > limit + 1e-6 => {
                over("GPUs", limit.to_string(), format!("{gpus:.2}"))
            }
            Quota { memory_bytes: Some(limit), .. }
                if has.memory_bytes + more.memory_bytes > *limit =>
            {
                let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / GIB);
                over("of GPU memory", gib(*limit), gib(has.memory_bytes + more.memory_bytes))
            }
            Quota { leases: Some(limit), .. } if has.leases + more.leases > *limit => {
                over("leases", limit.to_string(), (has.leases + more.leases).to_string())
            }
            Quota { gpu_hours: Some(limit), .. } if has.gpu_hours >= *limit => {
                Some(format!("the quota of {limit} GPU-hours is used up"))
            }
            _ => None,
        }
    }
}
