//! Lower bounds on the makespan of graphs that are too large for the exact search. The bounds come
//! from chains, GPUs, links, files, and cuts through the graph. A cut separates the subtasks that
//! must precede a subtask from those that must follow it. Reports compare makespans with these
//! bounds. Nothing is measured, and each bound holds for every schedule that the simulator allows.

use crate::graph::{Graph, Home, Keep, PartitionId, SubtaskId};
use crate::machine::{Machine, Sharing};
use serde::Serialize;

/// Larger graphs get no cut bound, because the sets of ancestors grow quadratically.
const CUT_SUBTASKS_MAX: usize = 20_000;

/// Lower bounds in nanoseconds. Each bound is valid by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bounds {
    /// The sum of compute times divided by the number of GPUs, without data movement. Other
    /// schedulers are compared by this bound.
    pub compute_ns: u64,
    /// The longest chain, with cold loads at its start and write-backs at its end.
    pub chain_ns: u64,
    /// All compute time, after the first data has arrived and before the last data has left.
    pub busy_ns: u64,
    /// Loads: every given partition that is read crosses a link once.
    pub load_ns: u64,
    /// Stores: every kept partition that a subtask makes crosses a link once.
    pub store_ns: u64,
    /// Reads of all files that are read, and the work that must follow the last read.
    pub file_read_ns: u64,
    /// The work that must precede the first write, and writes of all files that are written.
    pub file_write_ns: u64,
    /// The best bound over all subtasks: all ancestors of one, then all its descendants.
    pub cut_ns: u64,
}

impl Bounds {
    /// Returns the largest bound.
    pub fn best_ns(&self) -> u64 {
        let list = [
            self.chain_ns,
            self.busy_ns,
            self.load_ns,
            self.store_ns,
            self.file_read_ns,
            self.file_write_ns,
            self.cut_ns,
        ];
        list.into_iter().max().unwrap_or(0).max(self.compute_ns)
    }
}

/// Computes all bounds for `graph` on `machine`.
pub fn bounds(graph: &Graph, machine: &Machine) -> Bounds {
    let ends = Ends::new(graph, machine);
    let total: u64 = graph.subtasks().iter().map(|s| s.compute_ns).sum();
    let all = || (0..graph.subtasks().len() as u32).map(SubtaskId);
    let first = all().map(|s| ends.start_ns[s.at()]).min().unwrap_or(0);
    let last = all().map(|s| ends.after_ns[s.at()]).min().unwrap_or(0);
    let gpus = machine.gpus as u64;
    Bounds {
        compute_ns: total.div_ceil(gpus),
        chain_ns: all()
            .map(|s| ends.start_ns[s.at()] + ends.cost_ns[s.at()] + ends.after_ns[s.at()])
            .max()
            .unwrap_or(0),
        busy_ns: first + total.div_ceil(gpus) + last,
        load_ns: load_bound(graph, machine, &ends),
        store_ns: store_bound(graph, machine, &ends),
        file_read_ns: read_bound(graph, machine, &ends),
        file_write_ns: write_bound(graph, machine, &ends),
        cut_ns: if graph.subtasks().len() <= CUT_SUBTASKS_MAX {
            cut_bound(graph, machine, &ends)
        } else {
            0
        },
    }
}

/// Returns a lower bound on the bytes that `gpus` GPUs load together for a product of `side`^3
/// tiles. Each GPU loads at least 2mnk/sqrt(S) - 2S tiles, where S is the memory in tiles (Hong and
/// Kung). The source is J. ACM 1981; the constant is from Kwasniewski et al., SC'19.
pub fn gemm_io_bytes(side: usize, tile_bytes: u64, capacity_bytes: u64, gpus: usize) -> u64 {
    let tiles = capacity_bytes as f64 / tile_bytes as f64;
    let products = (side as f64).powi(3) / gpus as f64;
    let per_gpu = (2.0 * products / tiles.sqrt() - 2.0 * tiles).max(0.0);
    (per_gpu * gpus as f64 * tile_bytes as f64) as u64
}

/// Returns the number of links that can carry loads at the same time.
fn links(machine: &Machine) -> u64 {
    if machine.sharing == Sharing::SharedBus { 1 } else { machine.gpus as u64 }
}

/// For each subtask: its earliest start, and the least time from its end to the end of the run.
struct Ends {
    start_ns: Vec<u64>,
    after_ns: Vec<u64>,
    cost_ns: Vec<u64>,
}

impl Ends {
    fn new(graph: &Graph, machine: &Machine) -> Ends {
        let count = graph.subtasks().len();
        let cost_ns: Vec<u64> = graph.subtasks().iter().map(|s| s.compute_ns).collect();
        let (mut start_ns, mut after_ns) = (vec![0; count], vec![0; count]);
        for s in graph.order() {
            let ready = |p: &PartitionId| match (graph.partition(*p).home, graph.maker(*p)) {
                (_, Some(m)) => start_ns[m.at()] + cost_ns[m.at()],
                (Home::File, _) => machine.read_ns(graph, *p) + machine.load_ns(graph, *p),
                _ => machine.load_ns(graph, *p),
            };
            start_ns[s.at()] = graph.subtask(*s).inputs.iter().map(ready).max().unwrap_or(0);
        }
        for s in graph.order().iter().rev() {
            let after = |p: &PartitionId| {
                let readers = graph
                    .readers(*p)
                    .iter()
                    .map(|r| cost_ns[r.at()] + after_ns[r.at()])
                    .max()
                    .unwrap_or(0);
                readers.max(sink_ns(graph, machine, *p))
            };
            after_ns[s.at()] = graph.subtask(*s).outputs.iter().map(after).max().unwrap_or(0);
        }
        Ends { start_ns, after_ns, cost_ns }
    }

    /// Returns the least time from a given partition's arrival on a GPU through its readers to the
    /// end.
    fn readers_ns(&self, graph: &Graph, p: PartitionId) -> u64 {
        graph
            .readers(p)
            .iter()
            .map(|s| self.cost_ns[s.at()] + self.after_ns[s.at()])
            .max()
            .unwrap_or(0)
    }

    fn made_ns(&self, graph: &Graph, p: PartitionId) -> u64 {
        graph.maker(p).map_or(0, |m| self.start_ns[m.at()] + self.cost_ns[m.at()])
    }
}

/// Returns the time to move a kept partition from a GPU to its required place.
fn sink_ns(graph: &Graph, machine: &Machine, p: PartitionId) -> u64 {
    match graph.partition(p).keep {
        Keep::No => 0,
        Keep::Host => machine.store_ns(graph, p),
        Keep::File => machine.store_ns(graph, p) + machine.write_ns(graph, p),
    }
}

fn given_and_read(graph: &Graph) -> impl Iterator<Item = PartitionId> + '_ {
    (0..graph.partitions().len() as u32)
        .map(PartitionId)
        .filter(|p| graph.maker(*p).is_none() && !graph.readers(*p).is_empty())
}

fn made_and_kept(graph: &Graph) -> impl Iterator<Item = PartitionId> + '_ {
    (0..graph.partitions().len() as u32)
        .map(PartitionId)
        .filter(|p| graph.maker(*p).is_some() && graph.partition(*p).keep != Keep::No)
}

/// Returns a lower bound for one queue of jobs that each have a tail. The longest tail goes first,
/// which is optimal (Jackson 1955). For several `wires` the bound uses their mean load.
fn with_tails(mut jobs: Vec<(u64, u64)>, wires: u64) -> u64 {
    jobs.sort_unstable_by(|a, b| b.cmp(a));
    let mut sum = 0;
    let mut bound = 0;
    for (tail_ns, length_ns) in jobs {
        sum += length_ns;
        bound = bound.max(sum.div_ceil(wires) + tail_ns);
    }
    bound
}

fn load_bound(graph: &Graph, machine: &Machine, ends: &Ends) -> u64 {
    // Even with peer links, some GPU loads the partition from the host once.
    let jobs =
        given_and_read(graph).map(|p| (ends.readers_ns(graph, p), machine.load_ns(graph, p)));
    with_tails(jobs.collect(), links(machine))
}

fn read_bound(graph: &Graph, machine: &Machine, ends: &Ends) -> u64 {
    let files = given_and_read(graph).filter(|p| graph.partition(*p).home == Home::File);
    let jobs = files.map(|p| {
        (machine.load_ns(graph, p) + ends.readers_ns(graph, p), machine.read_ns(graph, p))
    });
    with_tails(jobs.collect(), 1)
}

fn store_bound(graph: &Graph, machine: &Machine, ends: &Ends) -> u64 {
    let after = |p: PartitionId| sink_ns(graph, machine, p) - machine.store_ns(graph, p);
    let last = made_and_kept(graph).map(after).min().unwrap_or(0);
    let jobs = made_and_kept(graph).map(|p| (ends.made_ns(graph, p), machine.store_ns(graph, p)));
    // With time reversed, release times become tails.
    with_tails(jobs.collect(), links(machine)) + last
}

fn write_bound(graph: &Graph, machine: &Machine, ends: &Ends) -> u64 {
    let files = made_and_kept(graph).filter(|p| graph.partition(*p).keep == Keep::File);
    let jobs = files
        .map(|p| (ends.made_ns(graph, p) + machine.store_ns(graph, p), machine.write_ns(graph, p)));
    with_tails(jobs.collect(), 1)
}

/// A set of small integers, as bits.
#[derive(Clone)]
struct Set(Vec<u64>);

impl Set {
    fn new(size: usize) -> Set {
        Set(vec![0; size.div_ceil(64)])
    }

    fn insert(&mut self, item: usize) {
        self.0[item / 64] |= 1 << (item % 64);
    }

    fn union(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    fn without(&self, other: &Set) -> Set {
        Set(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    fn len(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(i, word)| {
            let mut word = *word;
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = word.trailing_zeros() as usize;
                    word &= word - 1;
                    64 * i + bit
                })
            })
        })
    }
}

/// Returns the largest cut bound: all ancestors of a subtask, then the subtask, then all its
/// descendants. A barrier is a subtask whose ancestors and descendants are all the other subtasks.
/// The work between successive barriers adds up, as in an iterative job.
fn cut_bound(graph: &Graph, machine: &Machine, ends: &Ends) -> u64 {
    let count = graph.subtasks().len();
    let before = ancestors(graph);
    let mut barriers: Vec<(u32, SubtaskId, u64)> = Vec::new();
    let mut bound = 0;
    let mut after: Vec<Set> = vec![Set::new(0); count];
    for s in graph.order().iter().rev() {
        let mut set = Set::new(count);
        for child in graph.children(*s) {
            set.union(&after[child.at()]);
            set.insert(child.at());
        }
        let head_ns = head(graph, machine, ends, *s, &before[s.at()]);
        bound = bound.max(head_ns + tail(graph, machine, ends, *s, &set));
        if before[s.at()].len() + set.len() + 1 == count {
            barriers.push((graph.level(*s), *s, head_ns));
        }
        after[s.at()] = set;
    }
    barriers.sort_unstable();
    let mut reached: Option<(SubtaskId, u64)> = None;
    for (_, s, head_ns) in barriers {
        let mut at_ns = head_ns;
        if let Some((previous, reached_ns)) = reached {
            let mut between = before[s.at()].without(&before[previous.at()]);
            between.0[previous.at() / 64] &= !(1 << (previous.at() % 64));
            at_ns = at_ns.max(
                reached_ns + span_ns(graph, machine, ends, &between, true) + ends.cost_ns[s.at()],
            );
        }
        reached = Some((s, at_ns));
        bound = bound.max(at_ns + tail(graph, machine, ends, s, &after[s.at()]));
    }
    bound
}

/// Returns the ancestors of each subtask.
fn ancestors(graph: &Graph) -> Vec<Set> {
    let count = graph.subtasks().len();
    let mut sets = vec![Set::new(count); count];
    for s in graph.order().iter().copied() {
        let mut set = Set::new(count);
        for parent in graph.parents(s) {
            set.union(&sets[parent.at()]);
            set.insert(parent.at());
        }
        sets[s.at()] = set;
    }
    sets
}

/// Returns the least time for a set of subtasks, from their compute time and their loads. With
/// `warm`, GPUs' memories are full of useful data at the start.
fn span_ns(graph: &Graph, machine: &Machine, ends: &Ends, set: &Set, warm: bool) -> u64 {
    let compute_ns: u64 = set.iter().map(|s| ends.cost_ns[s]).sum();
    let mut given = Set::new(graph.partitions().len());
    for s in set.iter() {
        let inputs = &graph.subtasks()[s].inputs;
        inputs.iter().filter(|p| graph.maker(**p).is_none()).for_each(|p| given.insert(p.at()));
    }
    let ids = || given.iter().map(|p| PartitionId(p as u32));
    let bytes: u64 = ids().map(|p| graph.bytes(p)).sum();
    let there = if warm { machine.gpus as u64 * machine.capacity_bytes } else { 0 };
    let load_s =
        bytes.saturating_sub(there) as f64 / (machine.link_bytes_per_s * links(machine) as f64);
    let read_ns: u64 = if warm {
        0
    } else {
        ids()
            .filter(|p| graph.partition(*p).home == Home::File)
            .map(|p| machine.read_ns(graph, p))
            .sum()
    };
    (compute_ns / machine.gpus as u64).max((load_s * 1e9) as u64).max(read_ns)
}

/// Returns the least time until `s` has run.
fn head(graph: &Graph, machine: &Machine, ends: &Ends, s: SubtaskId, ancestors: &Set) -> u64 {
    let first = ancestors.iter().map(|a| ends.start_ns[a]).min().unwrap_or(0);
    let compute_ns: u64 = ancestors.iter().map(|a| ends.cost_ns[a]).sum();
    let work = (first + compute_ns / machine.gpus as u64)
        .max(span_ns(graph, machine, ends, ancestors, false));
    work.max(ends.start_ns[s.at()]) + ends.cost_ns[s.at()]
}

/// Returns the least time after `s` has run.
fn tail(graph: &Graph, machine: &Machine, ends: &Ends, s: SubtaskId, descendants: &Set) -> u64 {
    let last = descendants.iter().map(|d| ends.after_ns[d]).min().unwrap_or(0);
    let compute_ns: u64 = descendants.iter().map(|d| ends.cost_ns[d]).sum();
    let work = compute_ns / machine.gpus as u64 + last;
    work.max(span_ns(graph, machine, ends, descendants, true)).max(ends.after_ns[s.at()])
}
