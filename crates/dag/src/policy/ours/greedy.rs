//! Constructs a plan by filling memory with what frees the most work: the GPU that is least far ahead runs what needs no
//! load, and else loads the partition that the most open subtasks lack alone. It finds two-dimensional tiles where no
//! walk along the levels does (outer products). Deliberately absent: time beyond a running total per GPU.

use super::plan::Plan;
use crate::graph::{Graph, PartitionId, SubtaskId};
use crate::machine::Machine;

struct Memory {
    used_at: Vec<u64>,
    present: Vec<bool>,
    held: Vec<PartitionId>,
    used_bytes: u64,
    busy_ns: u64,
}

/// Builds the plan; `work_max` bounds the subtasks looked at, beyond it the answer is `None`.
pub fn construct(graph: &Graph, machine: &Machine, work_max: u64) -> Option<Plan> {
    let mut memories: Vec<Memory> = (0..machine.gpus).map(|_| Memory::new(graph)).collect();
    let mut parents_left: Vec<u32> = (0..graph.subtasks().len() as u32).map(|s| graph.parents(SubtaskId(s)).count() as u32).collect();
    let mut unread: Vec<u32> = (0..graph.partitions().len() as u32).map(|p| graph.readers(PartitionId(p)).len() as u32).collect();
    let mut open: Vec<SubtaskId> = graph.order().iter().copied().filter(|s| parents_left[s.at()] == 0).collect();
    let mut sequence = Vec::with_capacity(graph.subtasks().len());
    let mut gain = vec![0u32; graph.partitions().len()];
    let mut work = 0;
    while !open.is_empty() {
        work += open.len() as u64;
        if work > work_max {
            return None;
        }
        let gpu = (0..machine.gpus).min_by_key(|g| (memories[*g].busy_ns, *g)).expect("a machine has a GPU");
        let s = open.swap_remove(choose(graph, &memories[gpu], &open, &mut gain));
        sequence.push((s, gpu));
        memories[gpu].run(graph, machine, s, &unread, sequence.len() as u64);
        for p in &graph.subtask(s).inputs {
            unread[p.at()] -= 1;
        }
        for child in graph.children(s) {
            parents_left[child.at()] -= 1;
            if parents_left[child.at()] == 0 {
                open.push(child);
            }
        }
    }
    Some(Plan::new(graph, sequence, machine.gpus))
}

/// Index in `open`: nothing to load; else the missing partition with the most gain; else the fewest missing. Low ids first.
fn choose(graph: &Graph, memory: &Memory, open: &[SubtaskId], gain: &mut [u32]) -> usize {
    let mut touched = Vec::new();
    let mut fewest = (u64::MAX, SubtaskId(u32::MAX), 0);
    let mut single = Vec::new();
    for (i, s) in open.iter().enumerate() {
        let mut missing = graph.subtask(*s).inputs.iter().filter(|p| !memory.present[p.at()]);
        let Some(first) = missing.next() else { return i };
        let mut bytes = graph.bytes(*first);
        match missing.next() {
            None => {
                gain[first.at()] += 1;
                touched.push(*first);
                single.push((*first, *s, i));
            }
            Some(second) => bytes += graph.bytes(*second) + missing.map(|p| graph.bytes(*p)).sum::<u64>(),
        }
        fewest = fewest.min((bytes, *s, i));
    }
    let best = single.iter().min_by_key(|(p, s, _)| (std::cmp::Reverse(gain[p.at()]), *p, *s)).map(|(_, _, i)| *i);
    for p in touched {
        gain[p.at()] = 0;
    }
    best.unwrap_or(fewest.2)
}

impl Memory {
    fn new(graph: &Graph) -> Memory {
        let count = graph.partitions().len();
        Memory { used_at: vec![0; count], present: vec![false; count], held: Vec::new(), used_bytes: 0, busy_ns: 0 }
    }

    fn run(&mut self, graph: &Graph, machine: &Machine, s: SubtaskId, unread: &[u32], now: u64) {
        let subtask = graph.subtask(s);
        let mut load_ns = 0;
        for p in subtask.inputs.iter().chain(&subtask.outputs) {
            self.used_at[p.at()] = now;
        }
        for p in subtask.inputs.iter().chain(&subtask.outputs) {
            if self.present[p.at()] {
                continue;
            }
            while self.used_bytes + graph.bytes(*p) > machine.capacity_bytes && self.evict(graph, unread, now) {}
            self.present[p.at()] = true;
            self.held.push(*p);
            self.used_bytes += graph.bytes(*p);
            load_ns += if subtask.inputs.contains(p) { machine.link_ns(graph, *p) } else { 0 };
        }
        self.busy_ns += subtask.compute_ns.max(load_ns).max(1);
    }

    /// Drops a partition that nobody will read, else the least recently used, never one in use now.
    fn evict(&mut self, graph: &Graph, unread: &[u32], now: u64) -> bool {
        let idle = self.held.iter().enumerate().filter(|(_, p)| self.used_at[p.at()] < now);
        let Some((i, p)) = idle.min_by_key(|(_, p)| (unread[p.at()] > 0, self.used_at[p.at()], **p)) else { return false };
        let p = *p;
        self.held.swap_remove(i);
        self.present[p.at()] = false;
        self.used_bytes -= graph.bytes(p);
        true
    }
}
