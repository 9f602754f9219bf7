//! How a GPU is attached to a task's machine, and the times of a frame behind that.

/// Time that a switch adds to a frame.
pub(crate) const HOP_MS: f64 = 0.05;

/// How a GPU is attached to the task's machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attachment {
    /// Over a network.
    Network {
        /// Bandwidth of the slowest part of the path, in Gb/s.
        gbps: u32,
        /// Number of switches on the path.
        hops: u32,
    },
    /// In the task's own machine, by PCIe.
    Pcie,
}

impl Attachment {
    /// Makes a network attachment without a switch.
    pub const fn network(gbps: u32) -> Attachment {
        Attachment::Network { gbps, hops: 0 }
    }

    /// Returns a number that grows with the bandwidth.
    pub fn bandwidth(self) -> u32 {
        match self {
            Attachment::Network { gbps, .. } => gbps,
            Attachment::Pcie => u32::MAX,
        }
    }

    /// Returns the number of switches on the path.
    pub fn hops(self) -> u32 {
        if let Attachment::Network { hops, .. } = self { hops } else { 0 }
    }
}

impl std::fmt::Display for Attachment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Attachment::Pcie => write!(f, "PCIe"),
            Attachment::Network { gbps, hops: 0 } => write!(f, "{gbps} Gb/s"),
            Attachment::Network { gbps, hops } => write!(f, "{gbps} Gb/s, hops {hops}"),
        }
    }
}

/// The times of a frame, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameTimes {
    /// The GPU's time.
    pub gpu_ms: f64,
    /// The time of GPU, CPU and transfers, without the wait for the tick.
    pub whole_ms: f64,
}
