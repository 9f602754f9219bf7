//! A plan: an order of all subtasks with a GPU for each, and its construction from the graph's
//! shape. The order walks a graph by blocks of `depth` levels, the deepest ready subtask first. For
//! stencils, that is time-skewed tiling; for matrix products, the inner-product order; at depth 1,
//! a breadth-first walk. Plans ignore memory, which the follower and the search take into account.

use crate::graph::{Graph, PartitionId, SubtaskId};
use crate::machine::Machine;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An order of all subtasks, with parents first, and a GPU for each subtask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The order, with each subtask's GPU.
    pub sequence: Vec<(SubtaskId, usize)>,
    /// Each GPU's part of the order.
    pub per_gpu: Vec<Vec<SubtaskId>>,
    /// For each subtask: its GPU.
    pub gpu_of: Vec<usize>,
    /// For each subtask: its position in its GPU's part.
    pub at: Vec<u32>,
    /// For each subtask: its position in the order.
    pub rank: Vec<u32>,
    /// For each partition: the GPU of each reader and the reader's position in the GPU's part,
    /// sorted.
    uses: Vec<Vec<(u32, u32)>>,
}

impl Plan {
    /// Returns the plan for an order of all subtasks, with its indexes.
    pub fn new(graph: &Graph, sequence: Vec<(SubtaskId, usize)>, gpus: usize) -> Plan {
        let mut plan = Plan {
            per_gpu: vec![Vec::new(); gpus],
            gpu_of: vec![0; sequence.len()],
            at: vec![0; sequence.len()],
            rank: vec![0; sequence.len()],
            uses: vec![Vec::new(); graph.partitions().len()],
            sequence,
        };
        for (rank, (s, gpu)) in plan.sequence.iter().copied().enumerate() {
            plan.gpu_of[s.at()] = gpu;
            plan.rank[s.at()] = rank as u32;
            plan.at[s.at()] = plan.per_gpu[gpu].len() as u32;
            for p in &graph.subtask(s).inputs {
                plan.uses[p.at()].push((gpu as u32, plan.at[s.at()]));
            }
            plan.per_gpu[gpu].push(s);
        }
        plan.uses.iter_mut().for_each(|uses| uses.sort_unstable());
        plan
    }

    /// Returns the position of the first subtask in `gpu`'s part, at or after `from`, that reads
    /// `p`.
    pub fn next_use(&self, p: PartitionId, gpu: usize, from: usize) -> Option<u32> {
        let uses = &self.uses[p.at()];
        let at = uses.partition_point(|u| *u < (gpu as u32, from as u32));
        uses.get(at).filter(|u| u.0 as usize == gpu).map(|u| u.1)
    }

    /// Returns whether a GPU other than `gpu` has a subtask that reads `p`.
    pub fn is_read_elsewhere(&self, p: PartitionId, gpu: usize) -> bool {
        let uses = &self.uses[p.at()];
        [uses.first(), uses.last()].into_iter().flatten().any(|u| u.0 as usize != gpu)
    }
}

/// How a construction walks a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The number of levels per block. A block is finished before the next one, where possible.
    pub depth: u32,
    /// Whether every other block is walked backwards, to reuse data that is still in memory.
    pub serpentine: bool,
    /// Whether each GPU has a band of each block's levels, so that data passes through all GPUs as
    /// in a pipeline. Otherwise each GPU has a range of the data on every level.
    pub bands: bool,
}

/// Walks the graph on all GPUs at once in virtual time, and ignores memory.
pub fn construct(graph: &Graph, machine: &Machine, shape: Shape) -> Plan {
    let place = positions(graph);
    let home = homes(graph, machine.gpus, &place, shape);
    let mut walk = Walk::new(graph, machine, shape, &place, &home);
    walk.run();
    Plan::new(graph, walk.sequence, machine.gpus)
}

/// Returns each subtask's position along the data, from 0 to 1. The position is the mean of its
/// inputs' positions; given partitions are in the order of their ids.
fn positions(graph: &Graph) -> Vec<f64> {
    let given: Vec<usize> = (0..graph.partitions().len())
        .filter(|p| graph.maker(PartitionId(*p as u32)).is_none())
        .collect();
    let mut of_partition = vec![0.5; graph.partitions().len()];
    for (i, p) in given.iter().enumerate() {
        of_partition[*p] = (i as f64 + 0.5) / given.len() as f64;
    }
    let mut of_subtask = vec![0.5; graph.subtasks().len()];
    for s in graph.order() {
        let subtask = graph.subtask(*s);
        let weight: f64 = subtask.inputs.iter().map(|p| graph.bytes(*p) as f64).sum();
        if weight > 0.0 {
            let sum: f64 =
                subtask.inputs.iter().map(|p| of_partition[p.at()] * graph.bytes(*p) as f64).sum();
            of_subtask[s.at()] = sum / weight;
        }
        for p in &subtask.outputs {
            of_partition[p.at()] = of_subtask[s.at()];
        }
    }
    of_subtask
}

/// Assigns GPUs: cuts each level, or each block of levels for bands, into one contiguous part of
/// equal cost per GPU.
fn homes(graph: &Graph, gpus: usize, place: &[f64], shape: Shape) -> Vec<usize> {
    let mut by_level: Vec<SubtaskId> = graph.order().to_vec();
    by_level.sort_by(|a, b| {
        let key = |s: &SubtaskId| (graph.level(*s), place[s.at()]);
        key(a).partial_cmp(&key(b)).expect("positions are finite").then(a.cmp(b))
    });
    let cost = |s: SubtaskId| graph.subtask(s).compute_ns.max(1);
    let mut home = vec![0; graph.subtasks().len()];
    let group =
        |s: &SubtaskId| if shape.bands { graph.level(*s) / shape.depth } else { graph.level(*s) };
    for level in by_level.chunk_by(|a, b| group(a) == group(b)) {
        let total: u64 = level.iter().map(|s| cost(*s)).sum();
        let mut before = 0;
        for s in level {
            let middle = before + cost(*s) / 2;
            home[s.at()] =
                ((u128::from(middle) * gpus as u128 / u128::from(total)) as usize).min(gpus - 1);
            before += cost(*s);
        }
    }
    home
}

type Key = (u32, Reverse<u32>, bool, u32);

struct Walk<'a> {
    graph: &'a Graph,
    machine: &'a Machine,
    home: &'a [usize],
    key: Vec<Key>,
    ready: Vec<BinaryHeap<Reverse<(Key, SubtaskId)>>>,
    future: Vec<BinaryHeap<Reverse<(u64, SubtaskId)>>>,
    parents_left: Vec<u32>,
    available_ns: Vec<u64>,
    free_ns: Vec<u64>,
    sequence: Vec<(SubtaskId, usize)>,
}

impl<'a> Walk<'a> {
    fn new(
        graph: &'a Graph,
        machine: &'a Machine,
        shape: Shape,
        place: &[f64],
        home: &'a [usize],
    ) -> Walk<'a> {
        let count = graph.subtasks().len();
        let mut along: Vec<SubtaskId> = graph.order().to_vec();
        along.sort_by(|a, b| {
            place[a.at()].partial_cmp(&place[b.at()]).expect("finite").then(a.cmp(b))
        });
        let mut place_rank = vec![0; count];
        for (i, s) in along.iter().enumerate() {
            place_rank[s.at()] = i as u32;
        }
        let key = (0..count as u32).map(SubtaskId).map(|s| {
            let block = graph.level(s) / shape.depth;
            let feeds_others = graph.children(s).any(|c| home[c.at()] != home[s.at()]);
            let forward = !shape.serpentine || block.is_multiple_of(2);
            let rank = if forward { place_rank[s.at()] } else { count as u32 - place_rank[s.at()] };
            (block, Reverse(graph.level(s)), !feeds_others, rank)
        });
        Walk {
            machine,
            home,
            key: key.collect(),
            ready: vec![BinaryHeap::new(); machine.gpus],
            future: vec![BinaryHeap::new(); machine.gpus],
            parents_left: (0..count as u32)
                .map(|s| graph.parents(SubtaskId(s)).count() as u32)
                .collect(),
            available_ns: vec![0; count],
            free_ns: vec![0; machine.gpus],
            sequence: Vec::with_capacity(count),
            graph,
        }
    }

    fn run(&mut self) {
        for s in self.graph.order() {
            if self.parents_left[s.at()] == 0 {
                self.future[self.home[s.at()]].push(Reverse((0, *s)));
            }
        }
        while self.sequence.len() < self.graph.subtasks().len() {
            let start = |g: usize| match (self.ready[g].is_empty(), self.future[g].peek()) {
                (false, _) => Some(self.free_ns[g]),
                (true, Some(Reverse((at_ns, _)))) => Some(self.free_ns[g].max(*at_ns)),
                (true, None) => None,
            };
            let gpu = (0..self.machine.gpus).filter_map(|g| Some((start(g)?, g))).min();
            let (now_ns, gpu) = gpu.expect("an acyclic graph always has a ready subtask");
            self.dispatch(now_ns, gpu);
        }
    }

    fn dispatch(&mut self, now_ns: u64, gpu: usize) {
        while let Some(Reverse((at_ns, s))) = self.future[gpu].peek().copied() {
            if at_ns > now_ns {
                break;
            }
            self.future[gpu].pop();
            self.ready[gpu].push(Reverse((self.key[s.at()], s)));
        }
        let Some(Reverse((_, s))) = self.ready[gpu].pop() else { return };
        self.sequence.push((s, gpu));
        let end_ns = now_ns + self.graph.subtask(s).compute_ns.max(1);
        self.free_ns[gpu] = end_ns;
        for p in &self.graph.subtask(s).outputs {
            for child in self.graph.readers(*p) {
                let far = self.home[child.at()] != gpu;
                let there_ns = end_ns + if far { self.machine.peer_ns(self.graph, *p) } else { 0 };
                self.available_ns[child.at()] = self.available_ns[child.at()].max(there_ns);
                self.parents_left[child.at()] -= 1;
                if self.parents_left[child.at()] == 0 {
                    self.future[self.home[child.at()]]
                        .push(Reverse((self.available_ns[child.at()], *child)));
                }
            }
        }
    }
}
