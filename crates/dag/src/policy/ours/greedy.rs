//! Constructs a plan that loads the data that enables the most work. The GPU with the least total
//! time runs a subtask that needs no load. Without one, it loads the partition that is the only
//! missing input of the most open subtasks. For outer products this finds two-dimensional tiles,
//! which no walk along the levels finds. Time counts only as a running total per GPU.

use super::plan::Plan;
use crate::graph::{Graph, PartitionId, SubtaskId};
use crate::machine::Machine;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

/// Builds the plan. Returns `None` if the construction would inspect more than `work_max` readers.
pub fn construct(graph: &Graph, machine: &Machine, work_max: u64) -> Option<Plan> {
    let mut filling = Filling::new(graph, machine);
    let mut sequence = Vec::with_capacity(graph.subtasks().len());
    while !filling.open.is_empty() {
        if filling.work > work_max {
            return None;
        }
        let gpu = (0..machine.gpus)
            .min_by_key(|g| (filling.memories[*g].busy_ns, *g))
            .expect("a machine has a GPU");
        let s = filling.choose(gpu);
        sequence.push((s, gpu));
        filling.run(gpu, s, sequence.len() as u64);
    }
    Some(Plan::new(graph, sequence, machine.gpus))
}

/// One GPU's memory in the construction's model.
struct Memory {
    present: Vec<bool>,
    used_at: Vec<u64>,
    /// Uses, the oldest first; stale entries are dropped when they are found.
    uses: VecDeque<(PartitionId, u64)>,
    used_bytes: u64,
    busy_ns: u64,
    /// For each subtask: the number of its missing inputs.
    lacking: Vec<u32>,
    /// For each partition: the number of open subtasks whose only missing input it is.
    gain: Vec<u32>,
    /// Partitions by gain, the lowest id first among equals; stale entries are corrected when
    /// found.
    ranked: BinaryHeap<(u32, Reverse<PartitionId>)>,
    /// Subtasks that had no missing input when they were added.
    runnable: BinaryHeap<Reverse<SubtaskId>>,
}

struct Filling<'a> {
    graph: &'a Graph,
    machine: &'a Machine,
    memories: Vec<Memory>,
    open: BTreeSet<SubtaskId>,
    is_open: Vec<bool>,
    parents_left: Vec<u32>,
    unread: Vec<u32>,
    work: u64,
}

impl<'a> Filling<'a> {
    fn new(graph: &'a Graph, machine: &'a Machine) -> Filling<'a> {
        let subtasks = || (0..graph.subtasks().len() as u32).map(SubtaskId);
        let count = graph.partitions().len();
        let memory = || Memory {
            present: vec![false; count],
            used_at: vec![0; count],
            uses: VecDeque::new(),
            used_bytes: 0,
            busy_ns: 0,
            lacking: graph.subtasks().iter().map(|s| s.inputs.len() as u32).collect(),
            gain: vec![0; count],
            ranked: BinaryHeap::new(),
            runnable: BinaryHeap::new(),
        };
        let mut filling = Filling {
            graph,
            machine,
            memories: (0..machine.gpus).map(|_| memory()).collect(),
            open: BTreeSet::new(),
            is_open: vec![false; graph.subtasks().len()],
            parents_left: subtasks().map(|s| graph.parents(s).count() as u32).collect(),
            unread: (0..count as u32).map(|p| graph.readers(PartitionId(p)).len() as u32).collect(),
            work: 0,
        };
        subtasks()
            .filter(|s| filling.parents_left[s.at()] == 0)
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|s| filling.open(s));
        filling
    }

    fn open(&mut self, s: SubtaskId) {
        self.open.insert(s);
        self.is_open[s.at()] = true;
        for memory in &mut self.memories {
            match memory.lacking[s.at()] {
                0 => memory.runnable.push(Reverse(s)),
                1 => memory.raise(only_missing(self.graph, memory, s, None)),
                _ => {}
            }
        }
    }

    fn close(&mut self, s: SubtaskId) {
        self.open.remove(&s);
        self.is_open[s.at()] = false;
        for memory in &mut self.memories {
            if memory.lacking[s.at()] == 1 {
                let p = only_missing(self.graph, memory, s, None);
                memory.gain[p.at()] -= 1;
            }
        }
    }

    /// Returns a subtask without a missing input, else one whose only missing input has the most
    /// gain, else the first open one.
    fn choose(&mut self, gpu: usize) -> SubtaskId {
        let memory = &mut self.memories[gpu];
        while let Some(Reverse(s)) = memory.runnable.pop() {
            if self.is_open[s.at()] && memory.lacking[s.at()] == 0 {
                return s;
            }
        }
        while let Some((gain, Reverse(p))) = memory.ranked.pop() {
            let now = memory.gain[p.at()];
            if now == gain && gain > 0 {
                let lacks_it_alone =
                    |s: &&SubtaskId| self.is_open[s.at()] && memory.lacking[s.at()] == 1;
                memory.ranked.push((gain, Reverse(p)));
                return *self
                    .graph
                    .readers(p)
                    .iter()
                    .find(lacks_it_alone)
                    .expect("a gain counts such subtasks");
            }
            if now > 0 && now < gain {
                memory.ranked.push((now, Reverse(p)));
            }
        }
        *self.open.first().expect("asked only while something is open")
    }

    fn run(&mut self, gpu: usize, s: SubtaskId, now: u64) {
        self.close(s);
        let graph = self.graph;
        let subtask = graph.subtask(s);
        let all = || subtask.inputs.iter().chain(&subtask.outputs).copied();
        for p in all() {
            self.memories[gpu].used_at[p.at()] = now;
            self.memories[gpu].uses.push_back((p, now));
        }
        let mut load_ns = 0;
        for p in all().filter(|p| !self.memories[gpu].present[p.at()]).collect::<Vec<_>>() {
            while self.memories[gpu].used_bytes + graph.bytes(p) > self.machine.capacity_bytes
                && self.evict(gpu, now)
            {}
            self.put(gpu, p);
            load_ns += if graph.maker(p) == Some(s) { 0 } else { self.machine.load_ns(graph, p) };
        }
        self.memories[gpu].busy_ns += subtask.compute_ns.max(load_ns).max(1);
        for p in &subtask.inputs {
            self.unread[p.at()] -= 1;
            for g in 0..self.machine.gpus {
                if self.unread[p.at()] == 0 && self.memories[g].present[p.at()] {
                    self.remove(g, *p);
                }
            }
        }
        for child in graph.children(s) {
            self.parents_left[child.at()] -= 1;
            if self.parents_left[child.at()] == 0 {
                self.open(child);
            }
        }
    }

    /// Drops the least recently used partition, unless that is in use now.
    fn evict(&mut self, gpu: usize, now: u64) -> bool {
        while let Some((p, at)) = self.memories[gpu].uses.front().copied() {
            if at == now {
                return false;
            }
            self.memories[gpu].uses.pop_front();
            if self.memories[gpu].present[p.at()] && self.memories[gpu].used_at[p.at()] == at {
                self.remove(gpu, p);
                return true;
            }
        }
        false
    }

    fn put(&mut self, gpu: usize, p: PartitionId) {
        let memory = &mut self.memories[gpu];
        memory.present[p.at()] = true;
        memory.used_bytes += self.graph.bytes(p);
        for s in self.graph.readers(p) {
            self.work += 1;
            memory.lacking[s.at()] -= 1;
            match memory.lacking[s.at()] {
                0 if self.is_open[s.at()] => {
                    memory.gain[p.at()] -= 1;
                    memory.runnable.push(Reverse(*s));
                }
                1 if self.is_open[s.at()] => {
                    memory.raise(only_missing(self.graph, memory, *s, None))
                }
                _ => {}
            }
        }
    }

    fn remove(&mut self, gpu: usize, p: PartitionId) {
        let memory = &mut self.memories[gpu];
        memory.present[p.at()] = false;
        memory.used_bytes -= self.graph.bytes(p);
        for s in self.graph.readers(p) {
            self.work += 1;
            memory.lacking[s.at()] += 1;
            match memory.lacking[s.at()] {
                1 if self.is_open[s.at()] => memory.raise(p),
                2 if self.is_open[s.at()] => {
                    let other = only_missing(self.graph, memory, *s, Some(p));
                    memory.gain[other.at()] -= 1;
                }
                _ => {}
            }
        }
    }
}

impl Memory {
    fn raise(&mut self, p: PartitionId) {
        self.gain[p.at()] += 1;
        self.ranked.push((self.gain[p.at()], Reverse(p)));
    }
}

/// Returns the missing input of `s` other than `except`; the caller guarantees that there is one.
fn only_missing(
    graph: &Graph,
    memory: &Memory,
    s: SubtaskId,
    except: Option<PartitionId>,
) -> PartitionId {
    let missing = |p: &&PartitionId| !memory.present[p.at()] && Some(**p) != except;
    *graph.subtask(s).inputs.iter().find(missing).expect("the count of missing inputs is not zero")
}
