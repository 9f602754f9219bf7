//! The state of a run: where every partition is, what each GPU's memory holds, and which subtasks
//! have run. Policies read the state and give it commands. The simulator or a runtime reports to it
//! which operations have finished. The state refuses every command that would exceed a GPU's memory
//! or lose data. The state has no notion of time and does not know how long an operation takes.

mod host;
mod host_room;
mod op;

pub use op::{HostCopy, Op, PartitionMemory, Progress};

use crate::error::Error;
use crate::graph::{Graph, Home, Keep, PartitionId, SubtaskId};
use crate::machine::Machine;
use std::collections::VecDeque;
use std::sync::Arc;

#[derive(Debug, Clone, Copy)]
struct GpuSlot {
    place: PartitionMemory,
    pins: u32,
    storing: bool,
    sending: u32,
    used_at: u64,
    listed_at: u32,
}

const EMPTY: GpuSlot = GpuSlot {
    place: PartitionMemory::Absent,
    pins: 0,
    storing: false,
    sending: 0,
    used_at: 0,
    listed_at: 0,
};

#[derive(Debug, Clone, Default)]
struct GpuState {
    used_bytes: u64,
    peak_bytes: u64,
    held: Vec<PartitionId>,
    queue: VecDeque<SubtaskId>,
    running: Option<SubtaskId>,
    loading: u32,
    storing: u32,
}

/// The state of one run.
#[derive(Debug, Clone)]
pub struct State {
    graph: Arc<Graph>,
    capacity_bytes: u64,
    peer: bool,
    gpus: Vec<GpuState>,
    slots: Vec<Vec<GpuSlot>>,
    host: Vec<HostCopy>,
    on_file: Vec<bool>,
    unread: Vec<u32>,
    progress: Vec<Progress>,
    parents_left: Vec<u32>,
    waiters: Vec<Vec<usize>>,
    issued: Vec<Op>,
    ticks: u64,
    subtasks_left: usize,
    keeps_left: usize,
    room: host_room::Room,
}

impl State {
    /// Returns the state before any subtask has run.
    pub fn new(graph: Arc<Graph>, machine: &Machine) -> State {
        let gpus = machine.gpus;
        let partitions = graph.partitions();
        let host = partitions
            .iter()
            .map(|p| if p.home == Home::Host { HostCopy::Valid } else { HostCopy::Absent });
        let satisfied = |p: &crate::graph::Partition| match p.keep {
            Keep::No => true,
            Keep::Host => p.home == Home::Host,
            Keep::File => p.home == Home::File,
        };
        let ids = || (0..partitions.len() as u32).map(PartitionId);
        State {
            capacity_bytes: machine.capacity_bytes,
            peer: machine.peer_bytes_per_s.is_some(),
            gpus: vec![GpuState::default(); gpus],
            slots: vec![vec![EMPTY; partitions.len()]; gpus],
            host: host.collect(),
            on_file: partitions.iter().map(|p| p.home == Home::File).collect(),
            unread: ids().map(|p| graph.readers(p).len() as u32).collect(),
            progress: vec![Progress::Waiting; graph.subtasks().len()],
            parents_left: (0..graph.subtasks().len() as u32)
                .map(|s| graph.parents(SubtaskId(s)).count() as u32)
                .collect(),
            waiters: vec![Vec::new(); partitions.len()],
            issued: Vec::new(),
            ticks: 0,
            subtasks_left: graph.subtasks().len(),
            keeps_left: partitions.iter().filter(|p| !satisfied(p)).count(),
            room: host_room::Room::new(partitions.len(), machine.host_capacity_bytes),
            graph,
        }
    }

    /// Returns the graph that is run.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// Returns the number of GPUs.
    pub fn gpus(&self) -> usize {
        self.gpus.len()
    }

    /// Returns the memory per GPU in bytes.
    pub fn capacity_bytes(&self) -> u64 {
        self.capacity_bytes
    }

    /// Returns whether GPUs can copy from one another.
    pub fn has_peers(&self) -> bool {
        self.peer
    }

    /// Returns the taken memory of `gpu`, in bytes.
    pub fn used_bytes(&self, gpu: usize) -> u64 {
        self.gpus[gpu].used_bytes
    }

    /// Returns the free memory of `gpu`, in bytes.
    pub fn free_bytes(&self, gpu: usize) -> u64 {
        self.capacity_bytes - self.gpus[gpu].used_bytes
    }

    /// Returns the most memory of `gpu` that was ever taken, in bytes.
    pub fn peak_bytes(&self, gpu: usize) -> u64 {
        self.gpus[gpu].peak_bytes
    }

    /// Returns every partition that takes memory on `gpu`, in an arbitrary order.
    pub fn held(&self, gpu: usize) -> &[PartitionId] {
        &self.gpus[gpu].held
    }

    /// Returns the content of `gpu`'s memory for `p`.
    pub fn place(&self, gpu: usize, p: PartitionId) -> PartitionMemory {
        self.slots[gpu][p.at()].place
    }

    /// Returns the content of host memory for `p`.
    pub fn host(&self, p: PartitionId) -> HostCopy {
        self.host[p.at()]
    }

    /// Returns the number of subtasks that still have to read `p`.
    pub fn unread(&self, p: PartitionId) -> u32 {
        self.unread[p.at()]
    }

    /// Returns a counter's value when `p` was last used on `gpu`; larger values are later.
    pub fn used_at(&self, gpu: usize, p: PartitionId) -> u64 {
        self.slots[gpu][p.at()].used_at
    }

    /// Returns whether `p` can be dropped from `gpu` now: resident, not in use and not the only
    /// copy.
    pub fn is_droppable(&self, gpu: usize, p: PartitionId) -> bool {
        self.is_idle(gpu, p)
            && (self.host[p.at()] == HostCopy::Valid
                || self.is_dead(p)
                || self.is_readable_again(p))
    }

    /// Returns whether `p` is resident on `gpu`, not pinned and not being sent.
    pub fn is_idle(&self, gpu: usize, p: PartitionId) -> bool {
        let slot = &self.slots[gpu][p.at()];
        slot.place == PartitionMemory::Resident
            && slot.pins == 0
            && !slot.storing
            && slot.sending == 0
    }

    /// Returns whether a store of `p` from `gpu` would be accepted.
    pub fn is_storable(&self, gpu: usize, p: PartitionId) -> bool {
        self.slots[gpu][p.at()].place == PartitionMemory::Resident
            && self.host[p.at()] == HostCopy::Absent
            && !self.is_readable_again(p)
    }

    /// Returns the lowest GPU on which `p` is resident.
    pub fn holder(&self, p: PartitionId) -> Option<usize> {
        (0..self.gpus()).find(|g| self.place(*g, p) == PartitionMemory::Resident)
    }

    /// Returns how far `s` has progressed.
    pub fn progress(&self, s: SubtaskId) -> Progress {
        self.progress[s.at()]
    }

    /// Returns whether every parent of `s` is done.
    pub fn is_ready(&self, s: SubtaskId) -> bool {
        self.parents_left[s.at()] == 0
    }

    /// Returns the subtask that runs on `gpu`.
    pub fn running(&self, gpu: usize) -> Option<SubtaskId> {
        self.gpus[gpu].running
    }

    /// Returns the subtasks that are queued on `gpu` after the running one.
    pub fn queued(&self, gpu: usize) -> &VecDeque<SubtaskId> {
        &self.gpus[gpu].queue
    }

    /// Returns the number of unfinished loads and peer copies into `gpu`, including those that
    /// wait.
    pub fn loads_in_flight(&self, gpu: usize) -> u32 {
        self.gpus[gpu].loading
    }

    /// Returns the number of unfinished stores from `gpu`.
    pub fn stores_in_flight(&self, gpu: usize) -> u32 {
        self.gpus[gpu].storing
    }

    /// Returns whether all subtasks have run and all kept partitions are where they must be.
    pub fn is_finished(&self) -> bool {
        self.subtasks_left == 0 && self.keeps_left == 0
    }

    /// Returns the first subtask that is not done, for messages.
    pub fn first_undone(&self) -> Option<SubtaskId> {
        (0..self.progress.len())
            .find(|s| self.progress[*s] != Progress::Done)
            .map(|s| SubtaskId(s as u32))
    }

    /// Returns the operations issued since the last call. The runtime must start each of them, in
    /// this order on each wire.
    pub fn take_issued(&mut self) -> Vec<Op> {
        std::mem::take(&mut self.issued)
    }

    /// Reads `p` from its file into host memory.
    ///
    /// # Errors
    /// `Refused` if `p` is not in a file or has been read already.
    pub fn read(&mut self, p: PartitionId) -> Result<(), Error> {
        if !self.on_file[p.at()] || self.host[p.at()] != HostCopy::Absent {
            return Err(self.refuse("read", p));
        }
        self.host[p.at()] = HostCopy::Coming;
        self.issue_with_room(Op::Read(p));
        Ok(())
    }

    /// Takes memory for `p` on `gpu` and copies its bytes from the host, else over a peer link,
    /// else through the host.
    ///
    /// # Errors
    /// `Refused` if memory is short, `p` is on `gpu` already, or its bytes do not exist yet.
    pub fn load(&mut self, p: PartitionId, gpu: usize) -> Result<(), Error> {
        if self.place(gpu, p) != PartitionMemory::Absent
            || self.graph.bytes(p) > self.free_bytes(gpu)
        {
            return Err(self.refuse("load", p));
        }
        let holder = self.holder(p);
        match (self.host[p.at()], holder) {
            (HostCopy::Valid, _) => self.issue_load(p, gpu),
            (_, Some(from)) if self.peer => {
                self.slots[from][p.at()].sending += 1;
                self.issued.push(Op::Peer(p, from, gpu));
            }
            (HostCopy::Coming, _) => self.waiters[p.at()].push(gpu),
            (HostCopy::Absent, Some(from)) if !self.is_readable_again(p) => {
                self.store(p, from)?;
                self.waiters[p.at()].push(gpu);
            }
            (HostCopy::Absent, _) => {
                self.waiters[p.at()].push(gpu);
                self.read(p)?;
            }
        }
        self.gpus[gpu].loading += 1;
        self.take(p, gpu, PartitionMemory::Loading);
        Ok(())
    }

    /// Copies `p` from `gpu` to host memory; `p` remains on the GPU.
    ///
    /// # Errors
    /// `Refused` if `p` is not resident, or if the host has it or will have it.
    pub fn store(&mut self, p: PartitionId, gpu: usize) -> Result<(), Error> {
        if !self.is_storable(gpu, p) {
            return Err(self.refuse("store", p));
        }
        self.host[p.at()] = HostCopy::Coming;
        self.slots[gpu][p.at()].storing = true;
        self.gpus[gpu].storing += 1;
        self.issue_with_room(Op::Store(p, gpu));
        Ok(())
    }

    /// Frees the memory of `p` on `gpu`.
    ///
    /// # Errors
    /// `Refused` if `p` is in use, or is the only copy of data that is still needed.
    pub fn drop(&mut self, p: PartitionId, gpu: usize) -> Result<(), Error> {
        if !self.is_droppable(gpu, p) {
            return Err(self.refuse("drop", p));
        }
        self.release(p, gpu);
        self.note_loss(p);
        Ok(())
    }

    /// Takes memory on `gpu` for the outputs of `s` before `s` starts.
    ///
    /// # Errors
    /// `Refused` if memory is short or `s` is not waiting.
    pub fn reserve(&mut self, s: SubtaskId, gpu: usize) -> Result<(), Error> {
        let graph = self.graph.clone();
        let outputs = &graph.subtask(s).outputs;
        let missing: Vec<_> = outputs
            .iter()
            .copied()
            .filter(|p| self.place(gpu, *p) == PartitionMemory::Absent)
            .collect();
        if self.progress(s) != Progress::Waiting
            || graph.total_bytes(&missing) > self.free_bytes(gpu)
        {
            return Err(Error::Refused(format!("reserve outputs of `{}`", graph.subtask(s).name)));
        }
        for p in missing {
            self.take(p, gpu, PartitionMemory::Reserved);
        }
        Ok(())
    }

    /// Appends `s` to the queue of `gpu`, which is first come, first served. The GPU must have the
    /// inputs, or subtasks ahead in that queue must make them. Outputs without reserved memory get
    /// it now.
    ///
    /// # Errors
    /// `Refused` if an input will be missing, memory is short, or `s` is not waiting.
    pub fn queue(&mut self, s: SubtaskId, gpu: usize) -> Result<(), Error> {
        let graph = self.graph.clone();
        for p in &graph.subtask(s).inputs {
            let made_ahead = || {
                let maker = graph.maker(*p).map(|m| self.progress(m));
                self.place(gpu, *p) == PartitionMemory::Reserved
                    && maker == Some(Progress::Queued(gpu))
            };
            if self.place(gpu, *p) != PartitionMemory::Resident && !made_ahead() {
                return Err(self.refuse("queue a reader of", *p));
            }
        }
        self.reserve(s, gpu)?;
        for p in &graph.subtask(s).inputs {
            self.slots[gpu][p.at()].pins += 1;
        }
        self.progress[s.at()] = Progress::Queued(gpu);
        self.gpus[gpu].queue.push_back(s);
        self.start_next(gpu);
        Ok(())
    }

    /// Records that an issued operation has finished. May issue further operations: a load that
    /// waited, the next queued subtask, a file write.
    pub fn finish(&mut self, op: Op) {
        self.ticks += 1;
        match op {
            Op::Read(p) => self.host_has(p),
            Op::Write(p) => {
                self.keeps_left -= 1;
                self.is_written(p);
            }
            Op::Load(p, gpu) => {
                self.has_left_host(p);
                self.arrived(p, gpu);
            }
            Op::Peer(p, from, gpu) => {
                self.slots[from][p.at()].sending -= 1;
                self.arrived(p, gpu);
                self.drop_if_dead(p);
            }
            Op::Store(p, gpu) => {
                self.slots[gpu][p.at()].storing = false;
                self.gpus[gpu].storing -= 1;
                self.host_has(p);
            }
            Op::Compute(s, gpu) => self.computed(s, gpu),
        }
        self.serve_waiting();
    }

    fn computed(&mut self, s: SubtaskId, gpu: usize) {
        let graph = self.graph.clone();
        let subtask = graph.subtask(s);
        self.progress[s.at()] = Progress::Done;
        self.subtasks_left -= 1;
        self.gpus[gpu].running = None;
        for p in &subtask.outputs {
            let slot = &mut self.slots[gpu][p.at()];
            slot.place = PartitionMemory::Resident;
            slot.used_at = self.ticks;
            for child in graph.readers(*p) {
                self.parents_left[child.at()] -= 1;
            }
            self.drop_if_dead(*p);
        }
        for p in &subtask.inputs {
            let slot = &mut self.slots[gpu][p.at()];
            slot.pins -= 1;
            slot.used_at = self.ticks;
            self.unread[p.at()] -= 1;
            self.drop_if_dead(*p);
            self.forget_if_unread(*p);
        }
        self.start_next(gpu);
    }

    fn start_next(&mut self, gpu: usize) {
        if self.gpus[gpu].running.is_some() {
            return;
        }
        if let Some(s) = self.gpus[gpu].queue.pop_front() {
            self.gpus[gpu].running = Some(s);
            self.issued.push(Op::Compute(s, gpu));
        }
    }

    fn issue_load(&mut self, p: PartitionId, gpu: usize) {
        self.leaves_host(p);
        self.issued.push(Op::Load(p, gpu));
    }

    fn arrived(&mut self, p: PartitionId, gpu: usize) {
        self.gpus[gpu].loading -= 1;
        let slot = &mut self.slots[gpu][p.at()];
        slot.place = PartitionMemory::Resident;
        slot.used_at = self.ticks;
        self.drop_if_dead(p);
        self.forget_if_unread(p);
    }

    fn host_has(&mut self, p: PartitionId) {
        self.host[p.at()] = HostCopy::Valid;
        match self.graph.partition(p).keep {
            Keep::No => {}
            Keep::Host => self.keeps_left -= 1,
            Keep::File if self.on_file[p.at()] => {}
            Keep::File => {
                self.on_file[p.at()] = true;
                self.issued.push(Op::Write(p));
            }
        }
        for gpu in std::mem::take(&mut self.waiters[p.at()]) {
            self.issue_load(p, gpu);
        }
        self.drop_if_dead(p);
        self.forget_if_unread(p);
    }

    /// Returns whether `p` has no reader left, and need not be kept or its kept copy is on the
    /// host.
    fn is_dead(&self, p: PartitionId) -> bool {
        self.unread[p.at()] == 0
            && (self.graph.partition(p).keep == Keep::No || self.host[p.at()] == HostCopy::Valid)
    }

    fn drop_if_dead(&mut self, p: PartitionId) {
        if self.is_dead(p) {
            for gpu in 0..self.gpus.len() {
                if self.is_idle(gpu, p) {
                    self.release(p, gpu);
                }
            }
        }
    }

    fn take(&mut self, p: PartitionId, gpu: usize, place: PartitionMemory) {
        let holder = &mut self.gpus[gpu];
        holder.used_bytes += self.graph.bytes(p);
        holder.peak_bytes = holder.peak_bytes.max(holder.used_bytes);
        let slot = &mut self.slots[gpu][p.at()];
        slot.place = place;
        slot.used_at = self.ticks;
        slot.listed_at = holder.held.len() as u32;
        holder.held.push(p);
    }

    fn release(&mut self, p: PartitionId, gpu: usize) {
        let at = self.slots[gpu][p.at()].listed_at;
        let holder = &mut self.gpus[gpu];
        holder.used_bytes -= self.graph.bytes(p);
        holder.held.swap_remove(at as usize);
        if let Some(moved) = holder.held.get(at as usize).copied() {
            self.slots[gpu][moved.at()].listed_at = at;
        }
        self.slots[gpu][p.at()] = EMPTY;
    }

    fn refuse(&self, what: &str, p: PartitionId) -> Error {
        Error::Refused(format!("{what} `{}`", self.graph.partition(p).name))
    }
}
