//! A lease: the right to some GPUs, whole or in parts, until it ends. It begins as a request, which
//! waits until there is room.

use crate::error::Error;
use crate::quota::Quota;
use serde::{Deserialize, Serialize};

/// GPUs of one lease.
pub const GPUS_MAX: u32 = 64;
/// Seconds that a lease lives without a sign of its holder.
pub const TTL_S: std::ops::RangeInclusive<u32> = 2..=86_400;
const FRAMES_PER_S_MAX: u32 = 1000;
/// A day.
const GRACE_SECONDS_MAX: u64 = 24 * 3600;
const TEXT_BYTES_MAX: usize = 128;

/// An amount of a GPU's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    /// So many bytes.
    Bytes(u64),
    /// Of the GPU's own.
    Percent(u32),
}

/// A frame rate that is to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameRate {
    /// Frames per second.
    pub per_s: u32,
    /// GPU time per frame on a GPU attached by PCIe.
    pub reference_ms: f64,
}

/// What is asked for. Without memory and share it is whole GPUs; with one of them the other is the
/// same part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// How many GPUs.
    #[serde(default = "one")]
    pub gpus: u32,
    /// Memory of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Amount>,
    /// Time of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_percent: Option<u32>,
    /// A promise of frames; the share follows from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<FrameRate>,
    /// Part of the model's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Who goes first; in the order of arrival among equals.
    #[serde(default)]
    pub priority: i8,
    /// How long it lives without a sign of its holder.
    #[serde(default = "ttl")]
    pub ttl_s: u32,
    /// Ends so long after it was granted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_max: Option<u64>,
    /// Ends when it had no session for so long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release_after_s: Option<u64>,
    /// Ends, and its sessions with it, when these did nothing for so long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kill_after_s: Option<u64>,
    /// How long its sessions wait for another connection where one broke, if the node waits as
    /// long.
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
    /// That the numbers mean something.
    ///
    /// # Errors
    /// `Asked`, with what is wrong.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |reason: String| Err(Error::Asked(reason));
        let percent = |what: &str, percent: u32| {
            if (1..=100).contains(&percent) {
                Ok(())
            } else {
                wrong(format!("{percent} % of a GPU's {what}: from 1 to 100"))
            }
        };
        if !(1..=GPUS_MAX).contains(&self.gpus) {
            return wrong(format!("{} GPUs: from 1 to {GPUS_MAX} in one lease", self.gpus));
        }
        match self.memory {
            Some(Amount::Percent(memory)) => percent("memory", memory)?,
            Some(Amount::Bytes(0)) => {
                return wrong("no memory: leave it out for all of the GPU's".into());
            }
            _ => {}
        }
        self.share_percent.map_or(Ok(()), |share| percent("time", share))?;
        if !TTL_S.contains(&self.ttl_s) {
            return wrong(format!(
                "a life of {} s without a sign: from {} to {}",
                self.ttl_s,
                TTL_S.start(),
                TTL_S.end()
            ));
        }
        if self.model.as_ref().is_some_and(|model| model.len() > TEXT_BYTES_MAX) {
            return wrong(format!("a model's name is no longer than {TEXT_BYTES_MAX} bytes"));
        }
        if let Some(grace) = self.grace_s.filter(|grace| *grace > GRACE_SECONDS_MAX) {
            return wrong(format!(
                "{grace} s for a connection to come back: up to {GRACE_SECONDS_MAX}"
            ));
        }
        let Some(frames) = self.frames else { return Ok(()) };
        if self.share_percent.is_some() || self.gpus > 1 {
            return wrong(
                "a frame rate is of one GPU, and its share follows from it: leave share \
            and number out"
                    .into(),
            );
        }
        let sensible = frames.reference_ms > 0.0 && frames.reference_ms < 1e3;
        if !(1..=FRAMES_PER_S_MAX).contains(&frames.per_s) || !sensible {
            return wrong(format!(
                "{} frames of {} ms in a second: from 1 to {FRAMES_PER_S_MAX}",
                frames.per_s, frames.reference_ms
            ));
        }
        Ok(())
    }
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The user.
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
    /// The GPU's, on that node.
    pub gpu: String,
    /// Of its memory.
    pub memory_bytes: u64,
    /// Of each second.
    pub time_ns: u64,
    /// Of the GPU: the larger of what it is of memory and of time.
    pub fraction: f64,
}

/// Where a lease stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "phase")]
pub enum Phase {
    /// In the queue.
    Waiting,
    /// It has its GPUs.
    Held {
        /// Larger than that of every earlier grant.
        fence: u64,
        /// Since when.
        since_ms: u64,
        /// Where.
        parts: Vec<Part>,
    },
}

/// A request or what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    /// Who.
    pub holder: Holder,
    /// What.
    pub ask: Ask,
    /// What the holder's token allows them at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Box<Quota>>,
    /// Hash of the key by which sessions prove that they belong to it.
    pub key_hash: String,
    /// Its place in the order of arrival.
    pub arrival: u64,
    /// When it was asked for.
    pub asked_ms: u64,
    /// How many that came later went first.
    pub passed: u32,
    /// Where it stands.
    #[serde(flatten)]
    pub phase: Phase,
}

impl Lease {
    /// Its parts; none while it waits.
    pub fn parts(&self) -> &[Part] {
        if let Phase::Held { parts, .. } = &self.phase { parts } else { &[] }
    }

    /// Its fencing token; none while it waits.
    pub fn fence(&self) -> Option<u64> {
        if let Phase::Held { fence, .. } = self.phase { Some(fence) } else { None }
    }
}

/// Why a lease ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Its holder gave it back, or left the queue.
    Released,
    /// Its holder gave no sign for its time to live.
    Expired,
    /// Somebody else ended it.
    Killed,
    /// It had no session for too long.
    Unused,
    /// Its sessions did nothing for too long.
    Idle,
    /// Its time was over.
    TimeUp,
    /// Its user's GPU-hours are used up.
    QuotaUsedUp,
    /// A node that it had a GPU of is lost.
    NodeLost,
}

impl End {
    /// Whether it follows from nobody having been heard.
    pub fn is_by_silence(self) -> bool {
        matches!(self, End::Expired | End::Unused | End::Idle)
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            End::Released => "it was released",
            End::Expired => "its holder gave no sign of life",
            End::Killed => "it was killed",
            End::Unused => "it had no session for too long",
            End::Idle => "its sessions did nothing for too long",
            End::TimeUp => "its time was over",
            End::QuotaUsedUp => "its user's GPU-hours are used up",
            End::NodeLost => "one of its nodes was lost",
        })
    }
}
