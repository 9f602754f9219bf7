//! One point of the exact search: the places of all data, the running operations with their ends,
//! and the operations that were put off. Points consist of bit sets, so that millions of them can
//! be compared.

use crate::error::Error;
use crate::graph::{Graph, Home, Keep, PartitionId};
use crate::machine::{Machine, Sharing};

/// The most partitions that the searches represent, because a bit set is one word.
pub const PARTITIONS_MAX: usize = 64;
/// The most subtasks that the searches represent.
pub const SUBTASKS_MAX: usize = 32;
/// The most GPUs that the searches represent.
pub const GPUS_MAX: usize = 4;

/// The most wires of a machine. Wires have indices: down before up, and some share one index.
pub const WIRES_MAX: usize = 2 * GPUS_MAX;

/// The graph and the machine, as arrays.
pub struct Instance {
    pub gpus: usize,
    pub capacity: u64,
    pub bytes: Vec<u64>,
    pub link: Vec<u64>,
    pub read: Vec<u64>,
    pub write: Vec<u64>,
    pub compute: Vec<u64>,
    pub inputs: Vec<u64>,
    pub outputs: Vec<u64>,
    pub output_bytes: Vec<u64>,
    pub readers: Vec<u32>,
    pub kept: u64,
    pub written: u64,
    pub in_file: u64,
    pub in_host: u64,
    pub order: Vec<usize>,
    /// A lower bound on the time from a subtask's start to the end of all that depends on it.
    pub tail: Vec<u64>,
    pub down: [usize; GPUS_MAX],
    pub up: [usize; GPUS_MAX],
    pub down_wires: u64,
    pub up_wires: u64,
    pub symmetric: bool,
}

/// Returns the indices of the bits that are set, from the lowest.
pub fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let bit = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            bit
        })
    })
}

fn mask(ids: &[PartitionId]) -> u64 {
    ids.iter().map(|p| 1 << p.0).sum()
}

impl Instance {
    /// # Errors
    /// `TooLarge` beyond the limits of this module, with peer links, or with links that differ by
    /// direction; and the errors of `Machine::check`.
    pub fn new(graph: &Graph, machine: &Machine) -> Result<Instance, Error> {
        machine.check(graph)?;
        let (partitions, subtasks) = (graph.partitions().len(), graph.subtasks().len());
        if partitions > PARTITIONS_MAX || subtasks > SUBTASKS_MAX || machine.gpus > GPUS_MAX {
            let limits = format!(
                "{} partitions, {} subtasks, {GPUS_MAX} GPUs",
                PARTITIONS_MAX, SUBTASKS_MAX
            );
            return Err(Error::TooLarge(format!(
                "at most {limits}; this graph has {partitions} and {subtasks}"
            )));
        }
        if machine.peer_bytes_per_s.is_some() {
            return Err(Error::TooLarge("links between GPUs are not modelled".into()));
        }
        if machine.store.is_some() {
            return Err(Error::TooLarge(
                "links that differ one way and the other are not modelled".into(),
            ));
        }
        let ids = || (0..partitions as u32).map(PartitionId);
        let of = |want: &dyn Fn(PartitionId) -> bool| {
            ids().filter(|p| want(*p)).map(|p| 1u64 << p.0).sum()
        };
        let (mut down, mut up) = ([0; GPUS_MAX], [0; GPUS_MAX]);
        for gpu in 0..machine.gpus {
            (down[gpu], up[gpu]) = match machine.sharing {
                Sharing::FullDuplex => (gpu, GPUS_MAX + gpu),
                Sharing::HalfDuplex => (gpu, gpu),
                Sharing::SharedBus => (0, GPUS_MAX),
            };
        }
        let wires = if machine.sharing == Sharing::SharedBus { 1 } else { machine.gpus as u64 };
        let mut instance = Instance {
            gpus: machine.gpus,
            capacity: machine.capacity_bytes,
            bytes: ids().map(|p| graph.bytes(p)).collect(),
            link: ids().map(|p| machine.load_ns(graph, p)).collect(),
            read: ids().map(|p| machine.read_ns(graph, p)).collect(),
            write: ids().map(|p| machine.write_ns(graph, p)).collect(),
            compute: graph.subtasks().iter().map(|s| s.compute_ns).collect(),
            inputs: graph.subtasks().iter().map(|s| mask(&s.inputs)).collect(),
            outputs: graph.subtasks().iter().map(|s| mask(&s.outputs)).collect(),
            output_bytes: graph.subtasks().iter().map(|s| graph.total_bytes(&s.outputs)).collect(),
            readers: ids().map(|p| graph.readers(p).iter().map(|s| 1u32 << s.0).sum()).collect(),
            kept: of(&|p| graph.partition(p).keep != Keep::No && !is_given_and_kept(graph, p)),
            written: of(&|p| {
                graph.partition(p).keep == Keep::File && graph.partition(p).home != Home::File
            }),
            in_file: of(&|p| graph.partition(p).home == Home::File && needs_read(graph, p)),
            in_host: of(&|p| graph.partition(p).home == Home::Host),
            order: graph.order().iter().map(|s| s.at()).collect(),
            tail: vec![0; subtasks],
            down,
            up,
            down_wires: wires,
            up_wires: wires,
            symmetric: machine.sharing != Sharing::SharedBus,
        };
        for s in graph.order().iter().rev() {
            let after = graph
                .subtask(*s)
                .outputs
                .iter()
                .map(|p| instance.after(graph, *p))
                .max()
                .unwrap_or(0);
            instance.tail[s.at()] = instance.compute[s.at()] + after;
        }
        Ok(instance)
    }

    fn after(&self, graph: &Graph, p: PartitionId) -> u64 {
        let kept = if self.kept >> p.0 & 1 == 1 { self.sink_ns(p.at()) } else { 0 };
        graph.readers(p).iter().map(|s| self.tail[s.at()]).max().unwrap_or(0).max(kept)
    }

    /// Returns the time to move a kept partition from a GPU to its required place.
    pub fn sink_ns(&self, p: usize) -> u64 {
        self.link[p] + if self.written >> p & 1 == 1 { self.write[p] } else { 0 }
    }
}

fn is_given_and_kept(graph: &Graph, p: PartitionId) -> bool {
    let partition = graph.partition(p);
    matches!((partition.home, partition.keep), (Home::Host, Keep::Host) | (Home::File, Keep::File))
}

/// Returns whether a file must be read. Without readers, a file must be read only if its data must
/// end in host memory.
fn needs_read(graph: &Graph, p: PartitionId) -> bool {
    !graph.readers(p).is_empty() || graph.partition(p).keep == Keep::Host
}

/// A transfer on a wire.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    pub p: u8,
    pub gpu: u8,
    pub is_load: bool,
    pub end: u64,
}

/// One point of the search: a state of all data, GPUs and wires at one instant.
#[derive(Clone)]
pub struct Node {
    pub now: u64,
    pub started: u32,
    pub done: u32,
    /// Partitions that are valid in host memory.
    pub host: u64,
    /// Partitions that are valid in host memory, or are being read or stored.
    pub host_soon: u64,
    pub resident: [u64; GPUS_MAX],
    pub loading: [u64; GPUS_MAX],
    /// Partitions that were loaded and not used yet; dropping one would waste its load.
    pub fresh: [u64; GPUS_MAX],
    pub used: [u64; GPUS_MAX],
    pub running: [Option<(u8, u64)>; GPUS_MAX],
    pub wires: [Option<Transfer>; WIRES_MAX],
    pub reading: Option<(u8, u64)>,
    pub write_end: u64,
    /// Operations that could have started and did not. They may not start until another operation
    /// takes their memory or wire.
    pub put_off_compute: [u32; GPUS_MAX],
    pub put_off_load: [u64; GPUS_MAX],
    pub put_off_store: [u64; GPUS_MAX],
}

impl Node {
    /// Returns the point at which no operation has started.
    pub fn start(instance: &Instance) -> Node {
        // A partition that is in host memory and must go to a file is written from the host at
        // once.
        let from_host = bits(instance.in_host & instance.written).map(|p| instance.write[p]).sum();
        Node {
            now: 0,
            started: 0,
            done: 0,
            host: instance.in_host,
            host_soon: instance.in_host,
            resident: [0; GPUS_MAX],
            loading: [0; GPUS_MAX],
            fresh: [0; GPUS_MAX],
            used: [0; GPUS_MAX],
            running: [None; GPUS_MAX],
            wires: [None; WIRES_MAX],
            reading: None,
            write_end: from_host,
            put_off_compute: [0; GPUS_MAX],
            put_off_load: [0; GPUS_MAX],
            put_off_store: [0; GPUS_MAX],
        }
    }

    /// Returns whether all subtasks have run and all kept partitions are in host memory.
    pub fn is_finished(&self, instance: &Instance) -> bool {
        self.done.count_ones() as usize == instance.compute.len() && instance.kept & !self.host == 0
    }

    /// Returns the data that `gpu` must not drop: inputs of its running subtask, and the data that
    /// it stores.
    pub fn pinned(&self, instance: &Instance, gpu: usize) -> u64 {
        let inputs = self.running[gpu].map_or(0, |(s, _)| instance.inputs[s as usize]);
        let stored = self.wires[instance.up[gpu]].filter(|t| !t.is_load && t.gpu as usize == gpu);
        inputs | stored.map_or(0, |t| 1 << t.p)
    }

    /// Returns whether no subtask will read `p` any more, and `p` need not be kept or is already
    /// kept.
    fn is_dead(&self, instance: &Instance, p: usize) -> bool {
        instance.readers[p] & !self.done == 0
            && (instance.kept >> p & 1 == 0 || self.host >> p & 1 == 1)
    }

    /// Removes a partition from a GPU's memory.
    pub fn release(&mut self, instance: &Instance, p: usize, gpu: usize) {
        self.resident[gpu] &= !(1 << p);
        self.fresh[gpu] &= !(1 << p);
        self.used[gpu] -= instance.bytes[p];
    }

    fn release_dead(&mut self, instance: &Instance) {
        for gpu in 0..instance.gpus {
            for p in bits(self.resident[gpu] & !self.pinned(instance, gpu)) {
                if self.is_dead(instance, p) {
                    self.release(instance, p, gpu);
                }
            }
        }
    }

    /// Returns the end of the running operation that ends first, if one is running.
    pub fn next_end(&self) -> Option<u64> {
        let running = self.running.iter().flatten().map(|r| r.1);
        let wires = self.wires.iter().flatten().map(|t| t.end);
        running.chain(wires).chain(self.reading.map(|r| r.1)).min()
    }

    /// Advances the clock to `to` and completes the operations that end at that instant.
    pub fn advance(&mut self, instance: &Instance, to: u64) {
        self.now = to;
        for gpu in 0..instance.gpus {
            if let Some((s, _)) = self.running[gpu].filter(|r| r.1 == to) {
                self.running[gpu] = None;
                self.done |= 1 << s;
                self.resident[gpu] |= instance.outputs[s as usize];
            }
        }
        for wire in 0..WIRES_MAX {
            let Some(transfer) = self.wires[wire].filter(|t| t.end == to) else { continue };
            self.wires[wire] = None;
            let (p, gpu) = (transfer.p as usize, transfer.gpu as usize);
            if transfer.is_load {
                self.loading[gpu] &= !(1 << p);
                self.resident[gpu] |= 1 << p;
                self.fresh[gpu] |= 1 << p;
            } else {
                self.arrive(instance, p);
            }
        }
        if let Some((p, _)) = self.reading.filter(|r| r.1 == to) {
            self.reading = None;
            self.arrive(instance, p as usize);
        }
        self.release_dead(instance);
    }

    fn arrive(&mut self, instance: &Instance, p: usize) {
        self.host |= 1 << p;
        if instance.written >> p & 1 == 1 {
            self.write_end = self.write_end.max(self.now) + instance.write[p];
        }
    }
}
