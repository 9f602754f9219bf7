//! A lease: the right to some GPUs, whole or in parts, until the lease ends. A lease begins as a
//! request, which waits until enough GPUs are free.

use crate::error::Error;
use crate::model::bill::Item;
use crate::model::quota::Quota;
use serde::{Deserialize, Serialize};

/// The most GPUs that one lease may have.
pub const GPUS_MAX: u32 = 64;
/// The valid range of `Ask::ttl_s`, in seconds.
pub const TTL_S: std::ops::RangeInclusive<u32> = 2..=86_400;
const FRAMES_PER_S_MAX: u32 = 1000;
/// The longest valid `Ask::grace_s`: a day.
const GRACE_SECONDS_MAX: u64 = 24 * 3600;
const TEXT_BYTES_MAX: usize = 128;

/// An amount of a GPU's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    /// This many bytes.
    Bytes(u64),
    /// This percentage of the GPU's memory.
    Percent(u32),
}

/// A frame rate that the lease must sustain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameRate {
    /// Frames per second.
    pub per_s: u32,
    /// GPU time per frame on a GPU attached by PCIe.
    pub reference_ms: f64,
}

/// A request. Without memory and share it asks for whole GPUs. With only one of the two, the other
/// gets an equal fraction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The number of GPUs.
    #[serde(default = "one")]
    pub gpus: u32,
    /// Memory of each GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Amount>,
    /// A percentage of each GPU's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_percent: Option<u32>,
    /// A frame rate that the lease must sustain; the share of the GPU follows from the rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<FrameRate>,
    /// A part of the GPU model's name; other models are excluded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Requests with a higher priority go first; equal ones go in the order of arrival.
    #[serde(default)]
    pub priority: i8,
    /// How long the lease lives without its holder's heartbeat, in seconds.
    #[serde(default = "ttl")]
    pub ttl_s: u32,
    /// The lease ends this long after it was granted, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_max: Option<u64>,
    /// The lease ends once it has had no session for this long, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release_after_s: Option<u64>,
    /// The lease and its sessions end once the sessions have been idle for this long, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kill_after_s: Option<u64>,
    /// How long the lease's sessions wait for a new connection after one broke, in seconds. A
    /// shorter limit of the node takes precedence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_s: Option<u64>,
}

fn one() -> u32 {
    1
}

fn ttl() -> u32 {
    20
}

impl Default for Ask {
    fn default() -> Ask {
        Ask {
            gpus: one(),
            memory: None,
            share_percent: None,
            frames: None,
            model: None,
            priority: 0,
            ttl_s: ttl(),
            seconds_max: None,
            release_after_s: None,
            kill_after_s: None,
            grace_s: None,
        }
    }
}

impl Ask {
    /// Returns whether two requests want the same of a GPU, so that the later one fits only where
    /// the earlier one does.
    pub(crate) fn is_alike(&self, other: &Ask) -> bool {
        let wanted = |ask: &Ask| {
            let Ask { gpus, memory, share_percent, frames, .. } = *ask;
            (gpus, memory, share_percent, frames)
        };
        wanted(self) == wanted(other) && self.model == other.model
    }

    /// Checks that the numbers are valid.
    ///
    /// # Errors
    /// `Asked`, with the reason.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |reason: String| Err(Error::Asked(reason));
        let percent = |what: &str, percent: u32| {
            if (1..=100).contains(&percent) {
                Ok(())
            } else {
                wrong(format!("{percent} % of a GPU's {what}; ask for 1 to 100 %"))
            }
        };
        if !(1..=GPUS_MAX).contains(&self.gpus) {
            return wrong(format!("{} GPUs in one lease; ask for 1 to {GPUS_MAX}", self.gpus));
        }
        match self.memory {
            Some(Amount::Percent(memory)) => percent("memory", memory)?,
            Some(Amount::Bytes(0)) => {
                return wrong("no memory; leave it out to get all of the GPU's".into());
            }
            _ => {}
        }
        self.share_percent.map_or(Ok(()), |share| percent("time", share))?;
        if !TTL_S.contains(&self.ttl_s) {
            return wrong(format!(
                "a time to live of {} s; choose from {} to {}",
                self.ttl_s,
                TTL_S.start(),
                TTL_S.end()
            ));
        }
        if self.model.as_ref().is_some_and(|model| model.len() > TEXT_BYTES_MAX) {
            return wrong(format!("a model's name may have {TEXT_BYTES_MAX} bytes"));
        }
        if let Some(grace) = self.grace_s.filter(|grace| *grace > GRACE_SECONDS_MAX) {
            return wrong(format!(
                "{grace} s for a connection to come back; the most is {GRACE_SECONDS_MAX} s"
            ));
        }
        let Some(frames) = self.frames else { return Ok(()) };
        if self.share_percent.is_some() || self.gpus > 1 {
            return wrong(
                "a frame rate applies to one GPU and determines its share; leave out share and \
                number of GPUs"
                    .into(),
            );
        }
        let sensible = frames.reference_ms > 0.0 && frames.reference_ms < 1e3;
        if !(1..=FRAMES_PER_S_MAX).contains(&frames.per_s) || !sensible {
            return wrong(format!(
                "{} frames of {} ms in a second; ask for 1 to {FRAMES_PER_S_MAX}, each of more \
                than 0 and less than 1000 ms",
                frames.per_s, frames.reference_ms
            ));
        }
        Ok(())
    }
}

/// The user who holds a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The user's name.
    pub user: String,
    /// The user's group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// A part of one GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The node's name.
    pub node: String,
    /// The GPU's name on that node.
    pub gpu: String,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Nanoseconds of GPU time in each second.
    pub time_ns: u64,
    /// The larger of the part's fractions of the GPU's memory and time.
    pub fraction: f64,
}

/// Whether a lease waits or is held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "phase")]
pub enum Phase {
    /// The request waits in the queue.
    Waiting,
    /// The lease has its GPUs.
    Held {
        /// A fencing token, larger than that of every earlier grant.
        fence: u64,
        /// When the lease was granted, in milliseconds since 1970.
        since_ms: u64,
        /// The lease's parts of GPUs.
        parts: Vec<Part>,
    },
}

/// A request, or the lease that it became.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    /// The holder who asked for the lease.
    pub holder: Holder,
    /// The requested resources.
    pub ask: Ask,
    /// The limits in the holder's token at the time of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Box<Quota>>,
    /// Hash of the key by which sessions prove that they belong to the lease.
    pub key_hash: String,
    /// The request's position in the order of arrival.
    pub arrival: u64,
    /// When the holder asked, in milliseconds since 1970.
    pub asked_ms: u64,
    /// The number of later requests that were granted before this one.
    pub passed: u32,
    /// The lease's use of GPUs whose node was lost, as the pool heard it last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_reported: Vec<Item>,
    /// Whether the lease waits or is held.
    #[serde(flatten)]
    pub phase: Phase,
}

impl Lease {
    /// Returns the lease's parts; none while the lease waits.
    pub fn parts(&self) -> &[Part] {
        if let Phase::Held { parts, .. } = &self.phase { parts } else { &[] }
    }

    /// Returns the lease's fencing token; `None` while the lease waits.
    pub fn fence(&self) -> Option<u64> {
        if let Phase::Held { fence, .. } = self.phase { Some(fence) } else { None }
    }
}

/// Why a lease ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The holder released the lease or left the queue.
    Released,
    /// The holder sent no heartbeat within the lease's time to live.
    Expired,
    /// Another caller than the holder ended the lease.
    Killed,
    /// The lease had no session for too long.
    Unused,
    /// The lease's sessions were idle for too long.
    Idle,
    /// The lease's time was over.
    TimeUp,
    /// The GPU-hours of the lease's user or group are used up.
    QuotaUsedUp,
    /// The pool lost one of the lease's nodes.
    NodeLost,
}

impl End {
    /// Returns whether the lease ended because the pool received no sign of its use or its holder.
    pub fn is_by_silence(self) -> bool {
        matches!(self, End::Expired | End::Unused | End::Idle)
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            End::Released => "it was released",
            End::Expired => "its holder sent no heartbeat",
            End::Killed => "it was killed",
            End::Unused => "it had no session for too long",
            End::Idle => "its sessions did nothing for too long",
            End::TimeUp => "its time is over",
            End::QuotaUsedUp => "its user's GPU-hours are used up",
            End::NodeLost => "one of its nodes was lost",
        })
    }
}
