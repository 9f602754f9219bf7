//! A node of the pool: a machine whose GPUs the pool leases.

use crate::error::Error;
use outhaul_placement::time_time_curves::Attachment;
use outhaul_placement::time_time_curves::measured::CurvePoint;
use outhaul_wire::name::check_name;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most GPUs that one node may have.
pub const NODE_GPUS_MAX: usize = 64;
/// The most bytes of the texts by which nodes and GPUs are described.
const TEXT_BYTES_MAX: usize = 128;

/// The most memory that a GPU may have: 16 TiB. Sums over all GPUs of a pool fit into 64 bits then.
const GPU_BYTES_MAX: u64 = 1 << 44;
/// The most switches on the way to a node.
pub const HOPS_MAX: u32 = 64;
/// The most points of a measured curve.
pub const CURVE_POINTS_MAX: usize = 64;
/// The longest time of a frame on a measured curve: 10 s.
const FRAME_US_MAX: u32 = 10_000_000;

/// A GPU, as its node describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// The GPU's name on its node, for people and programs.
    pub uuid: String,
    /// The name of the GPU's model.
    pub model: String,
    /// The GPU's memory in bytes.
    pub memory_bytes: u64,
}

/// The times of a frame on a node's GPU, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FramePoint {
    /// GPU time on a GPU in the program's own machine.
    pub reference_us: u32,
    /// GPU time behind the node's link.
    pub gpu_us: u32,
    /// Whole time behind the node's link.
    pub whole_us: u32,
}

impl From<FramePoint> for CurvePoint {
    fn from(FramePoint { reference_us, gpu_us, whole_us }: FramePoint) -> CurvePoint {
        let [reference_ms, gpu_ms, whole_ms] =
            [reference_us, gpu_us, whole_us].map(|us| f64::from(us) / 1e3);
        CurvePoint { reference_ms, gpu_ms, whole_ms }
    }
}

/// A time-time curve that a node has measured behind its link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameCurve {
    /// The model of the node's GPUs that the curve is of.
    pub model: String,
    /// The points, by rising reference time.
    pub points: Vec<FramePoint>,
}

/// A node's description of itself when it joins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeFacts {
    /// The node's unique name.
    pub name: String,
    /// The address at which programs reach the node: HOST:PORT.
    pub address: String,
    /// The node's GPUs, in the order of their ordinals.
    pub gpus: Vec<Gpu>,
    /// Bandwidth of the node's link to its clients in Gb/s; 0 if unknown.
    #[serde(default)]
    pub link_gbps: u32,
    /// The number of switches between the node and its clients.
    #[serde(default)]
    pub link_hops: u32,
    /// The curves that the node has measured; the pool's model applies to its other GPUs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frame_curves: Vec<FrameCurve>,
}

impl NodeFacts {
    /// Checks that names and numbers are valid.
    ///
    /// # Errors
    /// `Node`, with the reason.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |reason: String| Err(Error::Node(reason));
        if let Err(error) = check_name("node", &self.name) {
            return wrong(format!("{error}; choose a name with --name"));
        }
        if !is_address(&self.name, &self.address) {
            return wrong(format!(
                "'{}' is not the address of a node; write HOST:PORT with --advertise",
                shown(&self.address)
            ));
        }
        for text in self.gpus.iter().flat_map(|gpu| [&gpu.uuid, &gpu.model]) {
            if !(1..=TEXT_BYTES_MAX).contains(&text.len()) || !text.bytes().all(is_printable) {
                return wrong(format!(
                    "'{}' does not describe a GPU; use 1 to {TEXT_BYTES_MAX} letters, digits, \
                    spaces and punctuation of ASCII",
                    shown(text)
                ));
            }
        }
        if self.gpus.len() > NODE_GPUS_MAX {
            return wrong(format!("{} GPUs; a node may have {NODE_GPUS_MAX}", self.gpus.len()));
        }
        if self.gpus.iter().map(|gpu| &gpu.uuid).collect::<BTreeSet<_>>().len() < self.gpus.len() {
            return wrong("two of its GPUs have the same name".into());
        }
        if self.gpus.iter().any(|gpu| gpu.memory_bytes == 0) {
            return wrong("a GPU has no memory".into());
        }
        if self.gpus.iter().any(|gpu| gpu.memory_bytes > GPU_BYTES_MAX) {
            return wrong("a GPU has more than 16 TiB of memory".into());
        }
        if self.link_hops > HOPS_MAX {
            return wrong(format!("{} switches on its link; at most {HOPS_MAX}", self.link_hops));
        }
        self.check_curves()
    }

    fn check_curves(&self) -> Result<(), Error> {
        let wrong = |reason: String| Err(Error::Node(reason));
        let curves = &self.frame_curves;
        let models: BTreeSet<&str> = curves.iter().map(|curve| curve.model.as_str()).collect();
        if models.len() < curves.len()
            || models.iter().any(|model| self.gpus.iter().all(|gpu| gpu.model != *model))
        {
            return wrong(
                "it must have one measured curve for a model of its GPUs, or none".into(),
            );
        }
        for FrameCurve { model, points } in curves {
            if !(1..=CURVE_POINTS_MAX).contains(&points.len()) {
                let count = points.len();
                return wrong(format!(
                    "the curve of {model} has {count} points; use 1 to {CURVE_POINTS_MAX}"
                ));
            }
            if !points.is_sorted_by(|one, next| one.reference_us < next.reference_us) {
                return wrong(format!("the curve of {model} is not sorted by reference time"));
            }
            let times = |point: &FramePoint| [point.reference_us, point.gpu_us, point.whole_us];
            if points.iter().flat_map(times).any(|us| !(1..=FRAME_US_MAX).contains(&us)) {
                return wrong(format!(
                    "the curve of {model} has a time that is not from 1 us to {FRAME_US_MAX} us"
                ));
            }
        }
        Ok(())
    }

    /// Returns the points of the curve that the node has measured for a GPU.
    pub fn curve_of(&self, gpu: &Gpu) -> &[FramePoint] {
        let curve = self.frame_curves.iter().find(|curve| curve.model == gpu.model);
        curve.map_or(&[], |curve| &curve.points)
    }

    /// Returns the link between the node and its clients.
    pub fn link(&self) -> Attachment {
        Attachment::Network { gbps: self.link_gbps, hops: self.link_hops }
    }
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Returns the beginning of a text, without characters that a terminal would obey.
fn shown(text: &str) -> String {
    text.chars().take(TEXT_BYTES_MAX).collect::<String>().escape_default().to_string()
}

/// Returns whether a text is HOST:PORT, or NODE@HOST:PORT with the name of the node itself.
/// Programs dial it, so that it must be one address and nothing else.
fn is_address(node: &str, text: &str) -> bool {
    let place = match text.split_once('@') {
        Some((name, place)) if name == node => place,
        Some(_) => return false,
        None => text,
    };
    let Some((host, port)) = place.rsplit_once(':') else { return false };
    let is_in_brackets = host.starts_with('[') && host.ends_with(']');
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-_%".contains(&byte);
    let is_literal = |inner: &str| inner.bytes().all(|byte| is_host(byte) || byte == b':');
    text.len() <= TEXT_BYTES_MAX
        && port.parse::<u16>().is_ok_and(|port| port > 0)
        && match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(inner) if is_in_brackets => !inner.is_empty() && is_literal(inner),
            _ => !host.is_empty() && !host.starts_with('-') && host.bytes().all(is_host),
        }
}

/// A node and its current condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The node's description of itself when it joined.
    pub facts: NodeFacts,
    /// Whether the pool places nothing new on the node.
    pub draining: bool,
    /// A number that is larger than that of every earlier joining.
    pub joined: u64,
    /// When the node joined, in milliseconds since 1970.
    pub since_ms: u64,
    /// Set while the node is unavailable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down: Option<Down>,
}

/// When a node became unavailable, and why. The programs on the node may continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Down {
    /// When the node became unavailable, in milliseconds since 1970.
    pub since_ms: u64,
    /// Why the node is unavailable.
    pub why: Absence,
}

/// Why a node is unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Absence {
    /// The node sends no heartbeats.
    Silent,
    /// A holder could not reach the node, and the node has sent no heartbeat since.
    Unreachable,
    /// The node announced that it leaves.
    Left,
    /// The node reports that its driver does not start. The programs on the node may continue.
    Unfit,
}

impl std::fmt::Display for Absence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Absence::Silent => "the pool does not hear from it",
            Absence::Unreachable => "a program could not reach it",
            Absence::Left => "it was ended",
            Absence::Unfit => "its driver does not start",
        })
    }
}

impl Node {
    /// Returns whether the pool places nothing new on the node.
    pub fn is_closed(&self) -> bool {
        self.draining || self.down.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(address: &str, gpu: &Gpu) -> NodeFacts {
        let (name, address, gpus) = ("gpu7".into(), address.into(), vec![gpu.clone()]);
        NodeFacts { name, address, gpus, link_gbps: 0, link_hops: 0, frame_curves: Vec::new() }
    }

    #[test]
    fn a_node_has_one_address_and_its_texts_and_numbers_are_harmless() {
        let gpu = Gpu { uuid: "GPU-1".into(), model: "NVIDIA H200".into(), memory_bytes: 1 << 37 };
        for address in ["gpu7:7654", "10.0.0.7:1", "[::1]:7654", "[fe80::1%eth0]:7", "gpu7@a.b:1"] {
            facts(address, &gpu).check().unwrap();
        }
        let long = format!("{}:1", "a".repeat(TEXT_BYTES_MAX));
        for address in [
            "",
            "gpu7",
            "gpu7:0",
            "gpu7:99999",
            ":1",
            "http://a/",
            "a b:1",
            "@a:1",
            "gpu8@a:1",
            "a:1,b:2",
            "a:1\u{2028}",
            "\u{202e}a:1",
            "-o:1",
            "::1:1",
            "[]:1",
            "a\n:1",
            &long,
        ] {
            let words = facts(address, &gpu).check().unwrap_err().to_string();
            assert!(words.contains("HOST:PORT") && words.is_ascii(), "{address:?}: {words}");
        }
        for model in ["", "\u{202e}H200", "a\nb", "\u{1b}[31m", "Grafikprozessor\u{a0}1"] {
            let gpu = Gpu { model: model.into(), ..gpu.clone() };
            let words = facts("a:1", &gpu).check().unwrap_err().to_string();
            assert!(words.contains("does not describe a GPU") && words.is_ascii(), "{words}");
        }
        for memory_bytes in [0, GPU_BYTES_MAX + 1, u64::MAX] {
            assert!(facts("a:1", &Gpu { memory_bytes, ..gpu.clone() }).check().is_err());
        }
    }
}
