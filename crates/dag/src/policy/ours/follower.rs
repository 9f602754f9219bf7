//! Follows a plan: runs each GPU's subtasks in order and loads data in the order of use. The
//! follower evicts the data that is used last, and never data that is used sooner than the data to
//! load. So later subtasks cannot evict the next subtask's data, and the plan always advances. The
//! follower never reorders subtasks, because another order is another plan.

use super::plan::Plan;
use crate::error::Error;
use crate::graph::{Graph, Home, Keep, PartitionId};
use crate::policy::scheduler::Scheduler;
use crate::state::{HostCopy, Op, PartitionMemory, State};
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The next use of data that a GPU will not read again.
const NEVER: u32 = u32::MAX;

/// When newly made data is copied to the host although its memory is not needed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteBack {
    /// Only when its memory is needed.
    AtNeed,
    /// When the next subtasks will not fit in memory together with data that only this GPU has.
    Foreseen,
    /// Whenever the link is idle.
    Eager,
}

/// How a follower decides when the plan leaves a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Habits {
    /// The most subtasks whose inputs are loaded ahead.
    pub lookahead: usize,
    /// When newly made data is copied to the host.
    pub write_back: WriteBack,
    /// Whether the follower waits for the write-back of data that is used last, instead of dropping
    /// clean data that is used sooner.
    pub patient: bool,
}

/// A follower's state in one run.
pub struct Follower {
    plan: Arc<Plan>,
    habits: Habits,
    /// For each GPU: the first subtask of its part that is not queued.
    head: Vec<usize>,
    /// For each GPU: the first subtask of its part whose files may still have to be read.
    read_at: Vec<usize>,
    reading: bool,
    has_files: bool,
    /// The value of `State::losses` when the follower last looked for files to read.
    losses: u64,
    /// For each GPU: data that arrived there or was used there, by next use, the farthest first.
    /// Stale entries are dropped when they are found.
    farthest: Vec<BinaryHeap<(u32, PartitionId)>>,
    /// For each GPU: data that was made there and may still have to be stored.
    made: Vec<Vec<PartitionId>>,
    /// For each partition: the last call of `fits_ahead` that counted it.
    counted: Vec<u32>,
    counts: u32,
    /// For each GPU: whether it waits for memory, which another GPU's last read of a partition may
    /// free.
    short: Vec<bool>,
    order: Vec<usize>,
}

impl Follower {
    /// Returns a follower at the start of its plan.
    pub fn new(plan: Arc<Plan>, habits: Habits) -> Follower {
        let gpus = plan.per_gpu.len();
        Follower {
            plan,
            habits,
            head: vec![0; gpus],
            read_at: vec![0; gpus],
            reading: false,
            has_files: true,
            losses: 0,
            farthest: vec![BinaryHeap::new(); gpus],
            made: vec![Vec::new(); gpus],
            counted: Vec::new(),
            counts: 0,
            short: vec![true; gpus],
            order: (0..gpus).collect(),
        }
    }

    /// Returns the position, in `gpu`'s part of the plan, of the next subtask that reads `p`.
    fn next_use(&self, gpu: usize, p: PartitionId) -> u32 {
        self.plan.next_use(p, gpu, self.head[gpu]).unwrap_or(NEVER)
    }

    /// Notes the use of `p` on `gpu`, so that `p` can be evicted later. Empty partitions are never
    /// evicted, because they free no memory and would be loaded again forever.
    fn note_use(&mut self, graph: &Graph, gpu: usize, p: PartitionId) {
        if graph.bytes(p) == 0 {
            return;
        }
        let next = self.next_use(gpu, p);
        self.farthest[gpu].push((next, p));
    }

    fn note_finished(&mut self, graph: &Graph, finished: &[Op]) {
        for op in finished {
            match *op {
                Op::Load(p, gpu) | Op::Peer(p, _, gpu) => self.note_use(graph, gpu, p),
                Op::Compute(s, gpu) => {
                    let subtask = graph.subtask(s);
                    for p in subtask.inputs.iter().chain(&subtask.outputs) {
                        self.note_use(graph, gpu, *p);
                    }
                    self.made[gpu].extend(&subtask.outputs);
                }
                Op::Read(_) | Op::Write(_) | Op::Store(..) => {}
            }
        }
    }

    /// Frees `bytes` by dropping data that is used last, and later than `limit`. Returns false if a
    /// write-back must come first.
    fn make_room(
        &mut self,
        state: &mut State,
        gpu: usize,
        bytes: u64,
        limit: u32,
    ) -> Result<bool, Error> {
        if state.free_bytes(gpu) >= bytes {
            return Ok(true);
        }
        let mut busy = Vec::new();
        let mut dirty = None;
        while let Some((next, p)) = self.farthest[gpu].peek().copied() {
            if next <= limit
                || state.free_bytes(gpu) >= bytes
                || (self.habits.patient && dirty.is_some_and(|(n, _)| n > next))
            {
                break;
            }
            self.farthest[gpu].pop();
            let stale = state.place(gpu, p) != PartitionMemory::Resident
                || next != self.next_use(gpu, p)
                || busy.last() == Some(&(next, p));
            if stale {
                continue;
            }
            if state.is_droppable(gpu, p) {
                state.drop(p, gpu)?;
                continue;
            }
            busy.push((next, p));
            if dirty.is_none() && state.is_idle(gpu, p) {
                dirty = Some((next, p));
            }
        }
        self.farthest[gpu].extend(busy);
        let freed = state.free_bytes(gpu) >= bytes;
        if let Some((_, p)) = dirty.filter(|(_, p)| {
            !freed && state.is_storable(gpu, *p) && state.stores_in_flight(gpu) == 0
        }) {
            state.store(p, gpu)?;
        }
        Ok(freed)
    }

    /// Starts the next subtask if the GPU is free and the GPU has its data.
    fn compute(&mut self, state: &mut State, gpu: usize) -> Result<(), Error> {
        if state.running(gpu).is_some() {
            return Ok(());
        }
        let Some(s) = self.plan.per_gpu[gpu].get(self.head[gpu]).copied() else { return Ok(()) };
        let graph = state.graph().clone();
        let subtask = graph.subtask(s);
        if !subtask.inputs.iter().all(|p| state.place(gpu, *p) == PartitionMemory::Resident) {
            return Ok(());
        }
        if self.make_room(state, gpu, graph.total_bytes(&subtask.outputs), self.head[gpu] as u32)? {
            state.queue(s, gpu)?;
            self.head[gpu] += 1;
        } else {
            self.short[gpu] = true;
        }
        Ok(())
    }

    /// Starts the next load, if the link is free and all nearer subtasks keep enough memory.
    fn load(&mut self, state: &mut State, gpu: usize) -> Result<(), Error> {
        if state.loads_in_flight(gpu) > 0 {
            return Ok(());
        }
        let plan = self.plan.clone();
        let graph = state.graph().clone();
        let head = self.head[gpu];
        let end = (head + self.habits.lookahead).min(plan.per_gpu[gpu].len());
        for j in head..end {
            for p in &graph.subtask(plan.per_gpu[gpu][j]).inputs {
                let peer = state.has_peers() && state.holder(*p).is_some();
                if state.place(gpu, *p) != PartitionMemory::Absent
                    || (state.host(*p) != HostCopy::Valid && !peer)
                {
                    continue;
                }
                if !self.fits_ahead(state, &graph, gpu, j, *p) {
                    return Ok(());
                }
                if !self.make_room(state, gpu, graph.bytes(*p), j as u32)? {
                    self.short[gpu] = true;
                    return Ok(());
                }
                return state.load(*p, gpu);
            }
        }
        Ok(())
    }

    /// Returns whether every subtask before the `j`-th can still run if `p` is loaded. The inputs
    /// of the subtasks up to the `j`-th that are in memory already must remain there.
    fn fits_ahead(
        &mut self,
        state: &State,
        graph: &Graph,
        gpu: usize,
        j: usize,
        p: PartitionId,
    ) -> bool {
        let plan = self.plan.clone();
        let part = &plan.per_gpu[gpu];
        self.counted.resize(graph.partitions().len(), 0);
        self.counts += 1;
        self.counted[p.at()] = self.counts;
        let mut bytes = graph.bytes(p);
        for i in (self.head[gpu]..=j).rev() {
            for input in &graph.subtask(part[i]).inputs {
                if self.counted[input.at()] != self.counts
                    && state.place(gpu, *input) != PartitionMemory::Absent
                {
                    self.counted[input.at()] = self.counts;
                    bytes += graph.bytes(*input);
                }
            }
            if i < j
                && bytes + graph.total_bytes(&graph.subtask(part[i]).outputs)
                    > state.capacity_bytes()
            {
                return false;
            }
        }
        true
    }

    /// Starts the most urgent write-back: data for another GPU, then data that must be kept, then
    /// data that will be evicted.
    fn store(&mut self, state: &mut State, gpu: usize) -> Result<(), Error> {
        if state.stores_in_flight(gpu) > 0 {
            return Ok(());
        }
        let far = match self.habits.write_back {
            WriteBack::Foreseen => self.head[gpu] as u32 + 1,
            _ => (self.head[gpu] + self.habits.lookahead) as u32,
        };
        self.made[gpu].retain(|p| state.is_storable(gpu, *p));
        let ahead = match self.habits.write_back {
            WriteBack::AtNeed => false,
            WriteBack::Foreseen => self.will_be_short(state, gpu),
            WriteBack::Eager => true,
        };
        let graph = state.graph();
        let mut best: Option<(u32, u32, PartitionId)> = None;
        for p in self.made[gpu].iter().copied() {
            let key = match self.next_abroad(state, gpu, p) {
                Some(rank) if !state.has_peers() => (0, rank, p),
                _ if graph.partition(p).keep != Keep::No => {
                    (1, graph.maker(p).map_or(0, |m| self.plan.rank[m.at()]), p)
                }
                _ if ahead => {
                    let next = self.next_use(gpu, p);
                    // Only a running subtask or another GPU still reads `p`, so this GPU needs no
                    // copy of `p`.
                    if next < far || next == NEVER {
                        continue;
                    }
                    (2, NEVER - next, p)
                }
                _ => continue,
            };
            best = Some(best.map_or(key, |b| b.min(key)));
        }
        match best {
            Some((_, _, p)) => state.store(p, gpu),
            None => Ok(()),
        }
    }

    /// Returns the rank of the first subtask that will read `p` on another GPU.
    fn next_abroad(&self, state: &State, gpu: usize, p: PartitionId) -> Option<u32> {
        if !self.plan.is_read_elsewhere(p, gpu) {
            return None;
        }
        let others = (0..state.gpus()).filter(|g| *g != gpu);
        let uses = others.filter_map(|g| {
            self.plan.next_use(p, g, self.head[g]).map(|at| self.plan.per_gpu[g][at as usize])
        });
        uses.map(|s| self.plan.rank[s.at()]).min()
    }

    /// Returns whether a later subtask will not fit in memory together with the data that only this
    /// GPU has or will make until then.
    fn will_be_short(&self, state: &State, gpu: usize) -> bool {
        let graph = state.graph();
        let part = &self.plan.per_gpu[gpu];
        let dirty = self.made[gpu].iter().copied();
        let lasting =
            |(p, next): &(PartitionId, u32)| *next != NEVER || graph.partition(*p).keep != Keep::No;
        let mut kept: Vec<(PartitionId, u32)> =
            dirty.map(|p| (p, self.next_use(gpu, p))).filter(lasting).collect();
        let end = (self.head[gpu] + self.habits.lookahead).min(part.len());
        for (j, s) in part.iter().enumerate().take(end).skip(self.head[gpu]) {
            let beside = kept
                .iter()
                .filter(|(p, next)| *next > j as u32 && !graph.subtask(*s).inputs.contains(p));
            let beside_bytes: u64 = beside.map(|(p, _)| graph.bytes(*p)).sum();
            if beside_bytes + graph.footprint_bytes(*s) > state.capacity_bytes() {
                return true;
            }
            kept.extend(graph.subtask(*s).outputs.iter().map(|p| (*p, self.next_use(gpu, *p))));
        }
        false
    }

    /// Returns whether `gpu` may be able to do more now. That is so after an operation that
    /// concerns it, when it waits for memory, or when nothing is in flight on it.
    fn has_news(&self, state: &State, gpu: usize, finished: &[Op]) -> bool {
        let concerns = |op: &Op| match *op {
            Op::Read(_) | Op::Store(..) | Op::Peer(..) => true,
            Op::Load(_, g) => g == gpu,
            Op::Compute(_, g) => g == gpu || state.has_peers(),
            Op::Write(_) => false,
        };
        let in_flight = state.loads_in_flight(gpu) + state.stores_in_flight(gpu) > 0
            || state.running(gpu).is_some();
        self.short[gpu] || !in_flight || finished.iter().any(concerns)
    }

    /// Keeps one file read in flight, in the order of the plan, as far ahead as host memory allows.
    fn read(&mut self, state: &mut State, finished: &[Op]) -> Result<(), Error> {
        self.reading &= !finished.iter().any(|op| matches!(op, Op::Read(_)));
        if self.losses != state.losses() {
            self.losses = state.losses();
            self.read_at.clone_from(&self.head);
            self.has_files = true;
        }
        if self.reading || !self.has_files {
            return Ok(());
        }
        match self.next_read(state) {
            Some((rank, p)) => {
                if self.make_host_room(state, rank, p) {
                    self.reading = true;
                    state.read(p)?;
                }
            }
            None => self.has_files = false,
        }
        Ok(())
    }

    /// Returns the first partition in the plan's order that must be read from a file, with its
    /// rank.
    fn next_read(&mut self, state: &State) -> Option<(u32, PartitionId)> {
        let graph = state.graph().clone();
        let mut first: Option<(u32, PartitionId)> = None;
        for gpu in 0..state.gpus() {
            let is_unread = |p: &&PartitionId| {
                let on_file_only =
                    graph.partition(**p).home == Home::File && state.host(**p) == HostCopy::Absent;
                on_file_only && state.place(gpu, **p) == PartitionMemory::Absent
            };
            // A queued subtask has had its inputs, even if these have been evicted since.
            self.read_at[gpu] = self.read_at[gpu].max(self.head[gpu]);
            while let Some(s) = self.plan.per_gpu[gpu].get(self.read_at[gpu]) {
                if let Some(p) = graph.subtask(*s).inputs.iter().find(is_unread) {
                    let key = (self.plan.rank[s.at()], *p);
                    first = Some(first.map_or(key, |f| f.min(key)));
                    break;
                }
                self.read_at[gpu] += 1;
            }
        }
        first
    }

    /// Drops copies of files that the host needs later than `rank`, the last needed first. Returns
    /// false if the follower must wait.
    fn make_host_room(&self, state: &mut State, rank: u32, p: PartitionId) -> bool {
        while !state.has_host_room(p) {
            let next = |p: PartitionId| {
                let lacking =
                    (0..state.gpus()).filter(|gpu| state.place(*gpu, p) == PartitionMemory::Absent);
                let uses = lacking.filter_map(|gpu| {
                    Some(
                        self.plan.per_gpu[gpu]
                            [self.plan.next_use(p, gpu, self.head[gpu])? as usize],
                    )
                });
                uses.map(|s| self.plan.rank[s.at()]).min().unwrap_or(NEVER)
            };
            match state.forgettable().map(|p| (next(p), p)).max() {
                Some((last, victim)) if last > rank => state.forget(victim),
                _ => return false,
            }
        }
        true
    }
}

impl Scheduler for Follower {
    fn step(&mut self, _now_ns: u64, state: &mut State, finished: &[Op]) -> Result<(), Error> {
        self.note_finished(&state.graph().clone(), finished);
        self.read(state, finished)?;
        // GPUs may share a wire, so the GPU whose next subtask comes first in the plan is served
        // first.
        let mut order = std::mem::take(&mut self.order);
        order.sort_unstable_by_key(|g| {
            self.plan.per_gpu[*g].get(self.head[*g]).map_or(NEVER, |s| self.plan.rank[s.at()])
        });
        for gpu in order.iter().copied() {
            if self.has_news(state, gpu, finished) {
                self.short[gpu] = false;
                self.compute(state, gpu)?;
                self.load(state, gpu)?;
                self.store(state, gpu)?;
            }
        }
        self.order = order;
        // The data that was just dropped may be the next to read, and no other event may follow.
        if self.losses != state.losses() {
            self.read(state, &[])?;
        }
        Ok(())
    }
}
