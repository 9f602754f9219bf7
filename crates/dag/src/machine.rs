//! The machine that runs a graph: GPUs, their memory, and the links and files that data crosses. A
//! `Machine` converts bytes to nanoseconds and decides which transfers share a wire. The only
//! latency is a fixed cost per transfer, and two transfers on one wire never overlap but queue.

use crate::error::Error;
use crate::graph::{Graph, PartitionId};
use serde::Serialize;

/// The most GPUs in one machine, a limit of the simulator's bookkeeping and not of the policies.
pub const GPUS_MAX: usize = 64;

/// How transfers share wires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Sharing {
    /// Each GPU has one wire per direction.
    FullDuplex,
    /// Each GPU has one wire for both directions.
    HalfDuplex,
    /// All GPUs share one wire per direction.
    SharedBus,
}

/// One direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Way {
    /// Rate in bytes per second.
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
    /// Rate from host to GPU and, unless `store` is set, from GPU to host.
    pub link_bytes_per_s: f64,
    /// The direction from GPU to host, if it differs from the other direction.
    pub store: Option<Way>,
    /// The host memory for data read from files and for results not yet in their files, in bytes;
    /// `None` means unlimited.
    pub host_capacity_bytes: Option<u64>,
    /// How the transfers between host and GPUs share wires.
    pub sharing: Sharing,
    /// Rate from GPU to GPU over a peer link; `None` sends the data through host memory.
    pub peer_bytes_per_s: Option<f64>,
    /// Rate of file reads by all GPUs together.
    pub file_read_bytes_per_s: f64,
    /// Rate of file writes by all GPUs together.
    pub file_write_bytes_per_s: f64,
    /// Fixed cost of each transfer between host and GPU or between GPUs, in nanoseconds. `store`
    /// may set another cost.
    pub latency_ns: u64,
    /// Victream's load threshold, as a fraction of the memory (see
    /// docs/decisions/dag-scheduling.md).
    pub load_threshold: f64,
    /// Victream's swap threshold, as a fraction of the memory.
    pub swap_threshold: f64,
}

/// A wire: a queue that serves one transfer at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Wire {
    /// From the host to a GPU.
    Down(u8),
    /// From a GPU to the host.
    Up(u8),
    /// From another GPU into this GPU.
    Peer(u8),
    /// From files.
    FileRead,
    /// To files.
    FileWrite,
}

impl Wire {
    /// The most wires that a machine can have; see [`Wire::at`].
    pub const COUNT_MAX: usize = 3 * GPUS_MAX + 2;

    /// Returns an index below [`Wire::COUNT_MAX`].
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
    /// Returns the paper's machine: the rates of Table 1, 1650 MB per GPU, and the thresholds of
    /// Table 2 (0.66 and 0.33).
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

    /// Checks the machine's parameters, and that every subtask of `graph` fits on one of its GPUs.
    ///
    /// # Errors
    /// `Usage` for an invalid parameter, `WorkingSet` for a subtask that does not fit.
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

    /// Returns the time to move a partition from the host to a GPU, in nanoseconds.
    pub fn load_ns(&self, graph: &Graph, p: PartitionId) -> u64 {
        self.latency_ns + duration_ns(graph.bytes(p), self.link_bytes_per_s)
    }

    /// Returns the time to move a partition from a GPU to the host, in nanoseconds.
    pub fn store_ns(&self, graph: &Graph, p: PartitionId) -> u64 {
        let way = self
            .store
            .unwrap_or(Way { bytes_per_s: self.link_bytes_per_s, latency_ns: self.latency_ns });
        way.latency_ns + duration_ns(graph.bytes(p), way.bytes_per_s)
    }

    /// Returns the time to move a partition between GPUs, in nanoseconds. Without a peer link the
    /// data moves through the host.
    pub fn peer_ns(&self, graph: &Graph, p: PartitionId) -> u64 {
        match self.peer_bytes_per_s {
            Some(rate) => self.latency_ns + duration_ns(graph.bytes(p), rate),
            None => self.store_ns(graph, p) + self.load_ns(graph, p),
        }
    }

    /// Returns the time to read a partition from its file, in nanoseconds.
    pub fn read_ns(&self, graph: &Graph, p: PartitionId) -> u64 {
        duration_ns(graph.bytes(p), self.file_read_bytes_per_s)
    }

    /// Returns the time to write a partition to its file, in nanoseconds.
    pub fn write_ns(&self, graph: &Graph, p: PartitionId) -> u64 {
        duration_ns(graph.bytes(p), self.file_write_bytes_per_s)
    }

    /// Returns the wire on which `gpu` receives data from the host.
    pub fn down(&self, gpu: usize) -> Wire {
        Wire::Down(if self.sharing == Sharing::SharedBus { 0 } else { gpu as u8 })
    }

    /// Returns the wire on which `gpu` sends data to the host.
    pub fn up(&self, gpu: usize) -> Wire {
        match self.sharing {
            Sharing::FullDuplex => Wire::Up(gpu as u8),
            Sharing::HalfDuplex => Wire::Down(gpu as u8),
            Sharing::SharedBus => Wire::Up(0),
        }
    }
}

/// Returns a duration, rounded up so that no transfer is faster than its rate.
fn duration_ns(bytes: u64, rate: f64) -> u64 {
    (bytes as f64 * 1e9 / rate).ceil() as u64
}
