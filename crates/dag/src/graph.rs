//! The graph to schedule: partitions of data, and the subtasks that read and write them. A `Graph`
//! has been checked: it has no cycle, one source for each partition, and no dangling name. User
//! functions are missing, because a subtask is its cost and its data. All sizes are known when the
//! graph is built.

use crate::error::Error;
use serde::Serialize;

/// The index of a partition in its graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct PartitionId(pub u32);

/// The index of a subtask in its graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct SubtaskId(pub u32);

impl PartitionId {
    /// Returns the index as a `usize`.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

impl SubtaskId {
    /// Returns the index as a `usize`.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// Where a partition is before anything has run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Home {
    /// In host memory.
    Host,
    /// In a file, from which it must be read into host memory before a GPU can load it.
    File,
    /// Nowhere; a subtask makes it on a GPU.
    Made,
}

/// Where a partition must be when the graph is finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Keep {
    /// Nowhere; the partition may be dropped after its last reader has run.
    No,
    /// In host memory.
    Host,
    /// In a file, which it reaches through host memory.
    File,
}

/// A piece of a data object, and the unit of data movement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Partition {
    /// A name for messages and pictures.
    pub name: String,
    /// Size in bytes, in host memory and on a GPU.
    pub bytes: u64,
    /// Where the partition is at the start.
    pub home: Home,
    /// Where the partition must be at the end.
    pub keep: Keep,
}

/// The part of a task that applies to one partition or a few, and the unit of execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subtask {
    /// A name for messages and pictures.
    pub name: String,
    /// The partitions that must be on the GPU while the subtask runs.
    pub inputs: Vec<PartitionId>,
    /// The partitions that the subtask makes. Their memory is reserved when the subtask starts, or
    /// earlier.
    pub outputs: Vec<PartitionId>,
    /// Time on a GPU in nanoseconds, if all data is present.
    pub compute_ns: u64,
}

/// An immutable, checked graph.
#[derive(Debug, Clone)]
pub struct Graph {
    partitions: Vec<Partition>,
    subtasks: Vec<Subtask>,
    maker: Vec<Option<SubtaskId>>,
    readers: Vec<Vec<SubtaskId>>,
    order: Vec<SubtaskId>,
    level: Vec<u32>,
}

impl Graph {
    /// Checks and indexes a graph.
    ///
    /// # Errors
    /// `UnknownPartition`, `DuplicateUse`, `SecondWriter`, `NoSource` or `Cycle`, with the name of
    /// the subtask or partition at fault.
    pub fn new(partitions: Vec<Partition>, subtasks: Vec<Subtask>) -> Result<Graph, Error> {
        let mut maker = vec![None; partitions.len()];
        let mut readers = vec![Vec::new(); partitions.len()];
        for (index, subtask) in subtasks.iter().enumerate() {
            let id = SubtaskId(index as u32);
            check_names(subtask, &partitions)?;
            for p in &subtask.inputs {
                readers[p.at()].push(id);
            }
            for p in &subtask.outputs {
                let partition = &partitions[p.at()];
                if maker[p.at()].is_some() || partition.home != Home::Made {
                    return Err(Error::SecondWriter {
                        partition: partition.name.clone(),
                        subtask: subtask.name.clone(),
                    });
                }
                maker[p.at()] = Some(id);
            }
        }
        for (partition, maker) in partitions.iter().zip(&maker) {
            if partition.home == Home::Made && maker.is_none() {
                return Err(Error::NoSource { partition: partition.name.clone() });
            }
        }
        let (order, level) = topological(&subtasks, &maker, &readers)?;
        Ok(Graph { partitions, subtasks, maker, readers, order, level })
    }

    /// Returns all partitions, in the order of their ids.
    pub fn partitions(&self) -> &[Partition] {
        &self.partitions
    }

    /// Returns all subtasks, in the order of their ids.
    pub fn subtasks(&self) -> &[Subtask] {
        &self.subtasks
    }

    /// Returns one partition.
    pub fn partition(&self, p: PartitionId) -> &Partition {
        &self.partitions[p.at()]
    }

    /// Returns one subtask.
    pub fn subtask(&self, s: SubtaskId) -> &Subtask {
        &self.subtasks[s.at()]
    }

    /// Returns the size of a partition in bytes.
    pub fn bytes(&self, p: PartitionId) -> u64 {
        self.partitions[p.at()].bytes
    }

    /// Returns the total bytes of several partitions.
    pub fn total_bytes(&self, list: &[PartitionId]) -> u64 {
        list.iter().map(|p| self.bytes(*p)).sum()
    }

    /// Returns the subtask that makes a partition; `None` for a given partition.
    pub fn maker(&self, p: PartitionId) -> Option<SubtaskId> {
        self.maker[p.at()]
    }

    /// Returns the subtasks that read a partition, in the order of their ids.
    pub fn readers(&self, p: PartitionId) -> &[SubtaskId] {
        &self.readers[p.at()]
    }

    /// Returns all subtasks in topological order, with lower ids first where the graph leaves a
    /// choice.
    pub fn order(&self) -> &[SubtaskId] {
        &self.order
    }

    /// Returns the number of subtasks on the longest chain that ends before `s`.
    pub fn level(&self, s: SubtaskId) -> u32 {
        self.level[s.at()]
    }

    /// Returns the subtasks whose outputs `s` reads, once for each output.
    pub fn parents(&self, s: SubtaskId) -> impl Iterator<Item = SubtaskId> + '_ {
        self.subtask(s).inputs.iter().filter_map(|p| self.maker(*p))
    }

    /// Returns the subtasks that read outputs of `s`, once for each output.
    pub fn children(&self, s: SubtaskId) -> impl Iterator<Item = SubtaskId> + '_ {
        self.subtask(s).outputs.iter().flat_map(|p| self.readers(*p).iter().copied())
    }

    /// Returns the bytes that a subtask needs on its GPU: its inputs and outputs together.
    pub fn footprint_bytes(&self, s: SubtaskId) -> u64 {
        let subtask = self.subtask(s);
        self.total_bytes(&subtask.inputs) + self.total_bytes(&subtask.outputs)
    }

    /// Checks that a schedule can run the graph in `capacity_bytes` of memory per GPU.
    ///
    /// # Errors
    /// `WorkingSet`, with the subtask and its largest partition.
    pub fn check_fits(&self, capacity_bytes: u64) -> Result<(), Error> {
        for s in self.order.iter().copied() {
            let need_bytes = self.footprint_bytes(s);
            if need_bytes > capacity_bytes {
                let subtask = self.subtask(s);
                let all = subtask.inputs.iter().chain(&subtask.outputs);
                let largest = all
                    .rev()
                    .max_by_key(|p| self.bytes(**p))
                    .map(|p| self.partition(*p).name.clone());
                return Err(Error::WorkingSet {
                    subtask: subtask.name.clone(),
                    partition: largest.unwrap_or_default(),
                    need_bytes,
                    capacity_bytes,
                });
            }
        }
        Ok(())
    }
}

fn check_names(subtask: &Subtask, partitions: &[Partition]) -> Result<(), Error> {
    let mut seen = std::collections::HashSet::new();
    for p in subtask.inputs.iter().chain(&subtask.outputs) {
        let Some(partition) = partitions.get(p.at()) else {
            return Err(Error::UnknownPartition { subtask: subtask.name.clone(), partition: p.0 });
        };
        if !seen.insert(*p) {
            return Err(Error::DuplicateUse {
                subtask: subtask.name.clone(),
                partition: partition.name.clone(),
            });
        }
    }
    Ok(())
}

/// Sorts with Kahn's algorithm and a heap, so that the order does not depend on how the graph was
/// built.
fn topological(
    subtasks: &[Subtask],
    maker: &[Option<SubtaskId>],
    readers: &[Vec<SubtaskId>],
) -> Result<(Vec<SubtaskId>, Vec<u32>), Error> {
    use std::cmp::Reverse;
    let mut waiting: Vec<usize> = subtasks
        .iter()
        .map(|s| s.inputs.iter().filter(|p| maker[p.at()].is_some()).count())
        .collect();
    let mut ready: std::collections::BinaryHeap<_> = (0..subtasks.len())
        .filter(|s| waiting[*s] == 0)
        .map(|s| Reverse(SubtaskId(s as u32)))
        .collect();
    let mut level = vec![0; subtasks.len()];
    let mut order = Vec::with_capacity(subtasks.len());
    while let Some(Reverse(s)) = ready.pop() {
        order.push(s);
        for child in subtasks[s.at()].outputs.iter().flat_map(|p| &readers[p.at()]) {
            level[child.at()] = level[child.at()].max(level[s.at()] + 1);
            waiting[child.at()] -= 1;
            if waiting[child.at()] == 0 {
                ready.push(Reverse(*child));
            }
        }
    }
    match waiting.iter().position(|w| *w > 0) {
        None => Ok((order, level)),
        Some(first) => Err(Error::Cycle { subtask: on_cycle(first, subtasks, maker, &waiting) }),
    }
}

/// Returns a subtask on a cycle. Follows parents from a subtask that cannot start until one
/// repeats, because the first subtask need not be on the cycle.
fn on_cycle(
    first: usize,
    subtasks: &[Subtask],
    maker: &[Option<SubtaskId>],
    waiting: &[usize],
) -> String {
    let mut seen = vec![false; subtasks.len()];
    let mut at = first;
    while !seen[at] {
        seen[at] = true;
        let stuck =
            subtasks[at].inputs.iter().filter_map(|p| maker[p.at()]).find(|m| waiting[m.at()] > 0);
        match stuck {
            Some(parent) => at = parent.at(),
            None => break,
        }
    }
    subtasks[at].name.clone()
}

#[cfg(test)]
mod tests;
