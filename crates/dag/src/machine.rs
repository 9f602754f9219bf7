//! The machine that a graph runs on: GPUs, their memory, and the links and files that data passes
//! over. It turns bytes into nanoseconds and decides which transfers share a wire. Deliberately
//! absent: latency beyond a fixed cost per transfer, and any overlap of two transfers on one wire
//! (they queue).

use crate::error::Error;
use crate::graph::{Graph, PartitionId};
use serde::Serialize;

/// Most GPUs in one machine; a limit of the simulator's bookkeeping, not of the policies.
pub const GPUS_MAX: usize = 64;

/// Which transfers share one wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Sharing {
    /// Each GPU has a wire per direction.
    FullDuplex,
    /// Each GPU has one wire for both directions.
    HalfDuplex,
    /// All GPUs share one wire per direction.
    SharedBus,
}

/// One way over a link.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Way {
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Fixed cost of each transfer, in nanoseconds.
    pub latency_ns: u64,
}

/// A host with its GPUs. Rates are in bytes per second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Machine {
    /// Number of GPUs.
    pub gpus: usize,
    /// Memory per GPU in bytes.
    pub capacity_bytes: u64,
    /// Host to GPU and GPU to host, each.
    pub link_bytes_per_s: f64,
    /// GPU to host, where that is not as host to GPU.
    pub store: Option<Way>,
    /// Host memory for data read from files and for results that are not in their files yet, in
    /// bytes; `None` without a limit.
    pub host_capacity_bytes: Option<u64>,
    /// Which of these transfers share a wire.
    pub sharing: Sharing,
    /// GPU to GPU, where there is such a link; `None` sends data through host memory.
    pub peer_bytes_per_s: Option<f64>,
    /// Reading files, all GPUs together.
    pub file_read_bytes_per_s: f64,
    /// Writing files, all GPUs together.
    pub file_write_bytes_per_s: f64,
    /// Fixed cost of each transfer over a host-GPU or GPU-GPU link, in nanoseconds, unless `store`
    /// has another.
    pub latency_ns: u64,
    /// Victream's load threshold, a fraction of the memory (see docs/decisions/dag-scheduling.md).
    pub load_threshold: f64,
    /// Victream's swap threshold, a fraction of the memory.
    pub swap_threshold: f64,
}

/// A queue that serves one transfer at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Wire {
    /// Host to GPU.
    Down(u8),
    /// GPU to host.
    Up(u8),
    /// Into a GPU from another.
    Peer(u8),
    /// Reading files.
    FileRead,
    /// Writing files.
    FileWrite,
}

impl Wire {
    /// Number of wires a machine can have: see [`Wire::at`].
    pub const COUNT_MAX: usize = 3 * GPUS_MAX + 2;

    /// An index below [`Wire::COUNT_MAX`].
    pub fn at(self) -> usize {
        match self {
            Wire::Down(gpu) => usize::from(gpu),
            Wire::Up(gpu) => GPUS_MAX + usize::from(gpu),
            Wire::Peer(gpu) => 2 * GPUS_MAX + usize::from(gpu),
            Wire::FileRead => 3 * GPUS_MAX,
            Wire::FileWrite => 3 * GPUS_MAX + 1,
        }
    }
}

impl Machine {
    /// The paper's machine: Table 1's rates, 1650 MB per GPU, thresholds of Table 2 (0.66 and
    /// 0.33).
    pub fn victream(gpus: usize) -> Machine {
        Machine {
            gpus,
            capacity_bytes: 1650 * crate::apps::MB,
            link_bytes_per_s: 6377e6,
            store: None,
            host_capacity_bytes: None,
            sharing: Sharing::FullDuplex,
            peer_bytes_per_s: None,
            file_read_bytes_per_s: 2482e6,
            file_write_bytes_per_s: 1680e6,
            latency_ns: 0,
            load_threshold: 0.66,
            swap_threshold: 0.33,
        }
    }

    /// Checks the machine, and that every subtask of `graph` fits one of its GPUs.
    ///
    /// # Errors
    /// `Usage` for a meaningless parameter, `WorkingSet` for a subtask that cannot run.
    pub fn check(&self, graph: &Graph) -> Result<(), Error> {
        if self.gpus == 0 || self.gpus > GPUS_MAX {
            return Err(Error::Usage(format!("{} GPUs: must be 1 to {GPUS_MAX}", self.gpus)));
        }
        let rates =
            [self.link_bytes_per_s, self.file_read_bytes_per_s, self.file_write_bytes_per_s];
        let stores = self.store.map(|way| way.bytes_per_s);
        if rates
            .iter()
            .chain(&stores)
            .chain(&self.peer_bytes_per_s)
            .any(|r| !r.is_finite() || *r <= 0.0)
        {
            return Err(Error::Usage(
                "a rate must be a positive number of bytes per second".into(),
            ));
        }
        let fraction = 0.0..=1.0;
        if !fraction.contains(&self.load_threshold) || !fraction.contains(&self.swap_threshold) {
            return Err(Error::Usage("a threshold must be a fraction between 0 and 1".into()));
        }
        graph.check_fits(self.capacity_bytes)
    }

    /// Time to move a partition from the host to a GPU, in nanoseconds.
    pub fn load_ns(&self, graph: &Graph, p: PartitionId) -> u64 {
        self.latency_ns + duration_ns(graph.bytes(p), self.link_bytes_per_s)
    }

    /// Time to move a partition from a GPU to the host, in nanoseconds.
    pub fn store_ns(&self, graph: &Graph, p: PartitionId) -> u64 {
        let way = self
            .store
            .unwrap_or(Way { bytes_per_s: self.link_bytes_per_s, latency_ns: self.latency_ns });
        way.latency_ns + duration_ns(graph.bytes(p), way.bytes_per_s)
    }

    /// Time to move a partition from GPU to GPU, in nanoseconds; over the host where there is no
    /// peer link.
    pub fn peer_ns(&self, graph: &Graph, p: PartitionId) -> u64 {
        match self.peer_bytes_per_s {
            Some(rate) => self.latency_ns + duration_ns(graph.bytes(p), rate),
            None => self.store_ns(graph, p) + self.load_ns(graph, p),
        }
    }

    /// Time to read a partition from its file, in nanoseconds.
    pub fn read_ns(&self, graph: &Graph, p: PartitionId) -> u64 {
        duration_ns(graph.bytes(p), self.file_read_bytes_per_s)
    }

    /// Time to write a partition to its file, in nanoseconds.
    pub fn write_ns(&self, graph: &Graph, p: PartitionId) -> u64 {
        duration_ns(graph.bytes(p), self.file_write_bytes_per_s)
    }

    /// The wire on which `gpu` receives from the host.
    pub fn down(&self, gpu: usize) -> Wire {
        Wire::Down(if self.sharing == Sharing::SharedBus { 0 } else { gpu as u8 })
    }

    /// The wire on which `gpu` sends to the host.
    pub fn up(&self, gpu: usize) -> Wire {
        match self.sharing {
            Sharing::FullDuplex => Wire::Up(gpu as u8),
            Sharing::HalfDuplex => Wire::Down(gpu as u8),
            Sharing::SharedBus => Wire::Up(0),
        }
    }
}

/// Rounds up, so that no transfer is faster than its rate.
fn duration_ns(bytes: u64, rate: f64) -> u64 {
    (bytes as f64 * 1e9 / rate).ceil() as u64
}
