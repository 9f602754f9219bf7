//! The paper's policies: FIFO, PTask, locality-aware and Victream. Each GPU *claims* a subtask,
//! takes memory for its inputs and outputs at once, loads the inputs, then queues the subtask. The
//! policies differ in which subtask a GPU claims, and when. Livelock is impossible, because a claim
//! takes all its memory or none, and the oldest claim's data is never evicted. The policies use
//! neither costs nor the graph beyond the candidates.

use super::scheduler::Scheduler;
use crate::error::Error;
use crate::graph::{Graph, Keep, PartitionId, SubtaskId};
use crate::machine::Machine;
use crate::state::{HostCopy, Op, PartitionMemory, Progress, State};
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::Arc;

/// The rule by which a GPU claims a subtask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The first subtask of the ready queue, when the GPU is idle.
    Fifo,
    /// Like `Fifo`, but the first subtask waits for the GPU that holds most of its input.
    PTask {
        /// The longest time that the first subtask waits, in nanoseconds.
        wait_ns: u64,
    },
    /// The candidate that moves the fewest bytes, while the GPU computes.
    Locality {
        /// Whether a candidate's parents may be in the GPU's queue instead of done.
        local_list: bool,
    },
}

/// The effect of the swap threshold, which the paper does not define.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Swap {
    /// None: memory is swapped out when a claim needs it.
    AtNeed,
    /// Above the threshold, dirty partitions that no claim needs are copied to the host and stay on
    /// the GPU.
    Clean,
    /// Above the threshold, partitions that no claim needs are swapped out.
    Out,
}

/// The memory that the load threshold counts, which the paper does not define.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Usage {
    /// The memory of claimed, queued and running subtasks.
    Committed,
    /// All memory that is taken.
    Taken,
}

/// The parameters that the paper leaves open in the locality-aware policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Tuning {
    /// The meaning of the swap threshold.
    pub swap: Swap,
    /// The meaning of the load threshold.
    pub usage: Usage,
    /// The most subtasks per GPU that load at once.
    pub loading_max: usize,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning { swap: Swap::Clean, usage: Usage::Committed, loading_max: 2 }
    }
}

struct Claim {
    subtask: SubtaskId,
    admitted: bool,
}

/// The state of one of the paper's policies during a run.
pub struct Claims {
    choice: Choice,
    tuning: Tuning,
    load_limit_bytes: u64,
    swap_limit_bytes: u64,
    /// Subtasks whose parents are all done or, with the local list, done or queued; in the order in
    /// which they became so.
    open: VecDeque<SubtaskId>,
    unqueued_parents: Vec<u32>,
    claims: Vec<VecDeque<Claim>>,
    /// For each GPU and partition: the number of claims, queued and running subtasks that use it.
    users: Vec<Vec<u32>>,
    committed_bytes: Vec<u64>,
    head_since_ns: Option<(SubtaskId, u64)>,
    started: bool,
    /// For enumeration: the ready subtask that FIFO's n-th choice takes, and the number of ready
    /// subtasks.
    picks: Vec<(usize, usize)>,
    picked: usize,
}

impl Claims {
    /// Returns a scheduler for one run.
    pub fn new(choice: Choice, tuning: Tuning, graph: &Arc<Graph>, machine: &Machine) -> Claims {
        let of = |fraction: f64| (machine.capacity_bytes as f64 * fraction) as u64;
        Claims {
            choice,
            tuning,
            load_limit_bytes: of(machine.load_threshold),
            swap_limit_bytes: of(machine.swap_threshold),
            open: VecDeque::new(),
            unqueued_parents: (0..graph.subtasks().len() as u32)
                .map(|s| graph.parents(SubtaskId(s)).count() as u32)
                .collect(),
            claims: (0..machine.gpus).map(|_| VecDeque::new()).collect(),
            users: vec![vec![0; graph.partitions().len()]; machine.gpus],
            committed_bytes: vec![0; machine.gpus],
            head_since_ns: None,
            started: false,
            picks: Vec::new(),
            picked: 0,
        }
    }

    /// Makes FIFO's n-th choice take the `picks[n]`-th ready subtask instead of the first.
    pub fn with_picks(mut self, picks: Vec<usize>) -> Claims {
        self.picks = picks.into_iter().map(|pick| (pick, 0)).collect();
        self
    }

    /// Returns the choices for the next run in an enumeration of all choices; empty after the last
    /// run.
    pub fn next_picks(mut self) -> Vec<usize> {
        while let Some((pick, of)) = self.picks.pop() {
            if pick + 1 < of {
                self.picks.push((pick + 1, of));
                break;
            }
        }
        self.picks.into_iter().map(|(pick, _)| pick).collect()
    }

    fn pick(&mut self) -> Option<SubtaskId> {
        let of = self.open.len();
        if of == 0 {
            return None;
        }
        if self.picked == self.picks.len() {
            self.picks.push((0, of));
        }
        let choice = &mut self.picks[self.picked];
        choice.1 = of;
        self.picked += 1;
        self.open.remove(choice.0)
    }

    fn prefetches(&self) -> bool {
        matches!(self.choice, Choice::Locality { .. })
    }

    fn open_children(&mut self, graph: &Graph, s: SubtaskId) {
        for child in graph.children(s) {
            self.unqueued_parents[child.at()] -= 1;
            if self.unqueued_parents[child.at()] == 0 {
                self.open.push_back(child);
            }
        }
    }

    fn note_finished(&mut self, state: &mut State, finished: &[Op]) -> Result<(), Error> {
        let graph = state.graph().clone();
        if !self.started {
            self.started = true;
            let first = graph.order().iter().filter(|s| self.unqueued_parents[s.at()] == 0);
            self.open.extend(first);
        }
        for op in finished {
            let Op::Compute(s, gpu) = *op else { continue };
            self.use_all(&graph, gpu, s, false);
            if !self.prefetches() {
                self.open_children(&graph, s);
            }
            for p in &graph.subtask(s).outputs {
                if graph.partition(*p).keep != Keep::No && state.is_storable(gpu, *p) {
                    state.store(*p, gpu)?;
                }
            }
        }
        Ok(())
    }

    /// Counts a subtask as a user of its partitions on a GPU, or removes it from the count.
    fn use_all(&mut self, graph: &Graph, gpu: usize, s: SubtaskId, begin: bool) {
        let subtask = graph.subtask(s);
        for p in subtask.inputs.iter().chain(&subtask.outputs) {
            let users = &mut self.users[gpu][p.at()];
            if begin {
                self.committed_bytes[gpu] += if *users == 0 { graph.bytes(*p) } else { 0 };
                *users += 1;
            } else {
                *users -= 1;
                self.committed_bytes[gpu] -= if *users == 0 { graph.bytes(*p) } else { 0 };
            }
        }
    }

    fn is_idle(&self, state: &State, gpu: usize) -> bool {
        state.running(gpu).is_none() && state.queued(gpu).is_empty() && self.claims[gpu].is_empty()
    }

    /// Removes and returns the subtask that `gpu` should claim, if any.
    fn choose(&mut self, now_ns: u64, state: &State, gpu: usize) -> Option<SubtaskId> {
        match self.choice {
            Choice::Fifo => self.is_idle(state, gpu).then(|| self.pick()).flatten(),
            Choice::PTask { wait_ns } => {
                let head = *self.open.front()?;
                if !self.is_idle(state, gpu) || self.should_wait(now_ns, state, gpu, head, wait_ns)
                {
                    return None;
                }
                self.head_since_ns = None;
                self.open.pop_front()
            }
            Choice::Locality { local_list } => {
                let costs = self
                    .open
                    .iter()
                    .enumerate()
                    .filter(|(_, s)| is_candidate(state, gpu, **s, local_list));
                let (at, _) = costs
                    .map(|(at, s)| (at, moved_bytes(state, gpu, *s)))
                    .min_by_key(|(at, cost)| (*cost, *at))?;
                self.open.remove(at)
            }
        }
    }

    /// Returns whether, under PTask, another GPU holds more than half of the first subtask's input
    /// and the wait is not over.
    fn should_wait(
        &mut self,
        now_ns: u64,
        state: &State,
        gpu: usize,
        head: SubtaskId,
        wait_ns: u64,
    ) -> bool {
        let graph = state.graph();
        let inputs = &graph.subtask(head).inputs;
        let held = |g: usize| -> u64 {
            inputs
                .iter()
                .filter(|p| state.place(g, **p) == PartitionMemory::Resident)
                .map(|p| graph.bytes(*p))
                .sum()
        };
        let majority = (0..state.gpus()).find(|g| 2 * held(*g) > graph.total_bytes(inputs));
        if majority.is_none() || majority == Some(gpu) || 2 * held(gpu) > graph.total_bytes(inputs)
        {
            return false;
        }
        let since_ns = match self.head_since_ns {
            Some((s, since_ns)) if s == head => since_ns,
            _ => now_ns,
        };
        self.head_since_ns = Some((head, since_ns));
        now_ns < since_ns + wait_ns
    }

    /// Takes a claim's memory, evicting data that no claim uses, and starts its loads. Returns
    /// false if the claim has to wait.
    fn admit(&mut self, state: &mut State, gpu: usize, s: SubtaskId) -> Result<bool, Error> {
        let graph = state.graph().clone();
        let busy = state.running(gpu).is_some() || !state.queued(gpu).is_empty();
        let subtask = graph.subtask(s);
        let needed: Vec<PartitionId> =
            subtask.inputs.iter().chain(&subtask.outputs).copied().collect();
        let missing: Vec<PartitionId> = needed
            .iter()
            .copied()
            .filter(|p| state.place(gpu, *p) == PartitionMemory::Absent)
            .collect();
        let missing_bytes = graph.total_bytes(&missing);
        let usage_bytes = match self.tuning.usage {
            Usage::Committed => {
                let fresh: Vec<_> =
                    needed.iter().copied().filter(|p| self.users[gpu][p.at()] == 0).collect();
                self.committed_bytes[gpu] + graph.total_bytes(&fresh)
            }
            Usage::Taken => state.used_bytes(gpu) + missing_bytes,
        };
        if self.prefetches() && busy && usage_bytes > self.load_limit_bytes {
            return Ok(false);
        }
        if !self.make_room(state, gpu, missing_bytes, &needed)? {
            return Ok(false);
        }
        self.use_all(&graph, gpu, s, true);
        state.reserve(s, gpu)?;
        for p in missing.iter().filter(|p| subtask.inputs.contains(p)) {
            state.load(*p, gpu)?;
        }
        Ok(true)
    }

    /// Evicts least recently used partitions until `bytes` are free. Returns false while it swaps
    /// dirty ones out.
    fn make_room(
        &self,
        state: &mut State,
        gpu: usize,
        bytes: u64,
        spare: &[PartitionId],
    ) -> Result<bool, Error> {
        let mut coming_bytes = 0;
        while state.free_bytes(gpu) + coming_bytes < bytes {
            let graph = state.graph();
            let free = |p: &PartitionId| self.users[gpu][p.at()] == 0 && !spare.contains(p);
            let leaving = |p: &PartitionId| state.host(*p) == HostCopy::Coming;
            coming_bytes = state
                .held(gpu)
                .iter()
                .filter(|p| free(p) && leaving(p))
                .map(|p| graph.bytes(*p))
                .sum();
            if state.free_bytes(gpu) + coming_bytes >= bytes {
                return Ok(false);
            }
            let evictable = |p: &PartitionId| {
                state.is_droppable(gpu, *p)
                    || (state.is_idle(gpu, *p) && state.is_storable(gpu, *p))
            };
            let candidates = state.held(gpu).iter().copied().filter(|p| free(p) && evictable(p));
            let Some(victim) = candidates.min_by_key(|p| (state.used_at(gpu, *p), *p)) else {
                return Ok(false);
            };
            if state.is_droppable(gpu, victim) {
                state.drop(victim, gpu)?;
            } else {
                state.store(victim, gpu)?;
            }
        }
        Ok(state.free_bytes(gpu) >= bytes)
    }

    /// Swaps out in the background, as the swap threshold demands.
    fn swap_out(&self, state: &mut State, gpu: usize) -> Result<(), Error> {
        let drops = self.tuning.swap == Swap::Out;
        if !self.prefetches() || self.tuning.swap == Swap::AtNeed || state.stores_in_flight(gpu) > 0
        {
            return Ok(());
        }
        while state.used_bytes(gpu) > self.swap_limit_bytes {
            let idle = |p: &PartitionId| self.users[gpu][p.at()] == 0 && state.is_idle(gpu, *p);
            let fits = |p: &PartitionId| {
                state.is_storable(gpu, *p) || (drops && state.is_droppable(gpu, *p))
            };
            let candidates = state.held(gpu).iter().copied().filter(|p| idle(p) && fits(p));
            let Some(victim) = candidates.min_by_key(|p| (state.used_at(gpu, *p), *p)) else {
                return Ok(());
            };
            if !state.is_droppable(gpu, victim) {
                return state.store(victim, gpu);
            }
            state.drop(victim, gpu)?;
        }
        Ok(())
    }

    /// Advances one GPU's claims as far as possible. Returns whether it queued or claimed a
    /// subtask.
    fn serve(&mut self, now_ns: u64, state: &mut State, gpu: usize) -> Result<bool, Error> {
        let graph = state.graph().clone();
        let mut progressed = false;
        let claims_max = if self.prefetches() { self.tuning.loading_max } else { 1 };
        let chosen = if self.claims[gpu].len() < claims_max {
            self.choose(now_ns, state, gpu)
        } else {
            None
        };
        if let Some(subtask) = chosen {
            self.claims[gpu].push_back(Claim { subtask, admitted: false });
            progressed = true;
        }
        for at in 0..self.claims[gpu].len() {
            let subtask = self.claims[gpu][at].subtask;
            if !self.claims[gpu][at].admitted {
                if !self.admit(state, gpu, subtask)? {
                    break;
                }
                self.claims[gpu][at].admitted = true;
            }
        }
        while let Some(first) = self.claims[gpu].front() {
            let loaded = |p: &PartitionId| match state.place(gpu, *p) {
                PartitionMemory::Resident | PartitionMemory::Reserved => true,
                PartitionMemory::Absent | PartitionMemory::Loading => false,
            };
            if !first.admitted || !graph.subtask(first.subtask).inputs.iter().all(loaded) {
                break;
            }
            let s = first.subtask;
            self.claims[gpu].pop_front();
            state.queue(s, gpu)?;
            if self.prefetches() {
                self.open_children(&graph, s);
            }
            progressed = true;
        }
        Ok(progressed)
    }
}

impl Scheduler for Claims {
    fn step(&mut self, now_ns: u64, state: &mut State, finished: &[Op]) -> Result<(), Error> {
        self.note_finished(state, finished)?;
        let mut progressed = true;
        while progressed {
            progressed = false;
            for gpu in 0..state.gpus() {
                progressed |= self.serve(now_ns, state, gpu)?;
            }
        }
        for gpu in 0..state.gpus() {
            self.swap_out(state, gpu)?;
        }
        Ok(())
    }

    fn wake_ns(&self) -> Option<u64> {
        let Choice::PTask { wait_ns } = self.choice else { return None };
        self.head_since_ns.map(|(_, since_ns)| since_ns + wait_ns)
    }
}

/// Returns whether every parent of `s` is done or, with the local list, queued on `gpu`.
fn is_candidate(state: &State, gpu: usize, s: SubtaskId, local_list: bool) -> bool {
    if state.is_ready(s) {
        return true;
    }
    let here = |m: SubtaskId| {
        matches!(state.progress(m), Progress::Done) || state.progress(m) == Progress::Queued(gpu)
    };
    local_list && state.graph().parents(s).all(here)
}

/// Returns the bytes that running `s` on `gpu` moves: missing inputs, and data that must leave to
/// make enough memory free.
fn moved_bytes(state: &State, gpu: usize, s: SubtaskId) -> u64 {
    let graph = state.graph();
    let absent = |p: &&PartitionId| state.place(gpu, **p) == PartitionMemory::Absent;
    let subtask = graph.subtask(s);
    let load_bytes: u64 = subtask.inputs.iter().filter(absent).map(|p| graph.bytes(*p)).sum();
    let output_bytes: u64 = subtask.outputs.iter().filter(absent).map(|p| graph.bytes(*p)).sum();
    load_bytes + (load_bytes + output_bytes).saturating_sub(state.free_bytes(gpu))
}
