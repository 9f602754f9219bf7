//! A simulated GPU: a compute engine that the driver slices between contexts, and a copy engine in
//! each direction that processes one piece at a time.

use crate::{Engine, TenantId};
use std::collections::{BTreeMap, VecDeque};

/// The latencies that characterise a node and its GPU.
#[derive(Debug, Clone, Copy)]
pub struct Machine {
    /// One-way latency between a worker and the arbiter.
    pub message_ns: u64,
    /// Duration of a context switch.
    pub switch_ns: u64,
    /// Length of the driver's time slice.
    pub slice_ns: u64,
}

/// The figures of an H200, with messages between threads that spin. Slices and context switches are
/// derived from what two programs get and lose without turns.
impl Default for Machine {
    fn default() -> Machine {
        Machine { message_ns: 25_000, switch_ns: 180_000, slice_ns: 2_000_000 }
    }
}

/// A submitted piece of work.
#[derive(Debug, Clone, Copy)]
pub struct SubmittedWork {
    /// Number of the client in whose context the piece runs.
    pub worker: usize,
    pub tenant: TenantId,
    /// Remaining time on the engine.
    pub remaining_ns: u64,
    /// Time when the piece first ran.
    pub started_ns: Option<u64>,
}

/// The time of an engine's next check, the engine, and the generation of its state to which the
/// check applies.
pub type Tick = (u64, usize, u64);

#[derive(Default)]
struct Unit {
    contexts: BTreeMap<usize, VecDeque<SubmittedWork>>,
    /// The running context, and the time since when it runs.
    running: Option<(usize, u64)>,
    slice_since_ns: u64,
    last: Option<usize>,
    generation: u64,
}

/// The engines and their work.
pub struct SimulatedGpu {
    machine: Machine,
    units: [Unit; 3],
    busy: Vec<(TenantId, u64, u64)>,
}

impl SimulatedGpu {
    /// Makes an idle GPU.
    pub fn new(machine: Machine) -> SimulatedGpu {
        SimulatedGpu { machine, units: Default::default(), busy: Vec::new() }
    }

    /// Returns whether nothing runs on the engine.
    pub fn is_idle(&self, engine: Engine) -> bool {
        self.units[engine as usize].running.is_none()
    }

    /// Returns the record of which tenant used the compute engine, from when to when, and clears
    /// it.
    pub fn take_busy(&mut self) -> Vec<(TenantId, u64, u64)> {
        std::mem::take(&mut self.busy)
    }

    /// Appends a piece to its context's queue. Returns the engine's next check.
    pub fn submit(&mut self, now_ns: u64, engine: Engine, piece: SubmittedWork) -> Option<Tick> {
        self.units[engine as usize].contexts.entry(piece.worker).or_default().push_back(piece);
        self.stop(now_ns, engine as usize);
        self.start(now_ns, engine as usize)
    }

    /// Ends the piece that is due now. Returns that piece, if any, and the next check of the
    /// engine.
    pub fn tick(
        &mut self,
        now_ns: u64,
        engine: usize,
        generation: u64,
    ) -> (Option<SubmittedWork>, Option<Tick>) {
        if self.units[engine].generation != generation {
            return (None, None);
        }
        let worker = self.units[engine].running.map(|running| running.0);
        self.stop(now_ns, engine);
        let mut over = None;
        if let Some(pieces) = worker.and_then(|worker| self.units[engine].contexts.get_mut(&worker))
        {
            over = pieces.pop_front_if(|piece| piece.remaining_ns == 0);
        }
        self.units[engine].contexts.retain(|_, pieces| !pieces.is_empty());
        (over, self.start(now_ns, engine))
    }

    /// Drops all work of a dead worker. Returns the next checks of the engines.
    pub fn forget(&mut self, now_ns: u64, worker: usize) -> Vec<Tick> {
        let mut ticks = Vec::new();
        for engine in 0..self.units.len() {
            self.stop(now_ns, engine);
            self.units[engine].contexts.remove(&worker);
            ticks.extend(self.start(now_ns, engine));
        }
        ticks
    }

    fn stop(&mut self, now_ns: u64, engine: usize) {
        let unit = &mut self.units[engine];
        let Some((worker, since_ns)) = unit.running else { return };
        if now_ns < since_ns {
            return;
        }
        unit.running = None;
        let Some(piece) = unit.contexts.get_mut(&worker).and_then(VecDeque::front_mut) else {
            return;
        };
        piece.started_ns.get_or_insert(since_ns);
        piece.remaining_ns = piece.remaining_ns.saturating_sub(now_ns - since_ns);
        if engine == Engine::Compute as usize && now_ns > since_ns {
            self.busy.push((piece.tenant, since_ns, now_ns));
        }
    }

    /// Runs the context that is due: the last one, until its slice is over and another context has
    /// work.
    fn start(&mut self, now_ns: u64, engine: usize) -> Option<Tick> {
        let unit = &mut self.units[engine];
        unit.generation += 1;
        let generation = unit.generation;
        let slice_ns =
            if engine == Engine::Compute as usize { self.machine.slice_ns } else { u64::MAX };
        if let Some((worker, since_ns)) =
            unit.running.filter(|running| unit.contexts.contains_key(&running.0))
        {
            // The context switch is not over yet.
            let slice_end_ns = since_ns.saturating_add(slice_ns);
            return Some((
                (since_ns + unit.contexts[&worker].front()?.remaining_ns).min(slice_end_ns),
                engine,
                generation,
            ));
        }
        unit.running = None;
        let slice_over = now_ns.saturating_sub(unit.slice_since_ns) >= slice_ns;
        let stays = unit.last.filter(|last| unit.contexts.contains_key(last));
        let next_in_line = unit
            .contexts
            .keys()
            .find(|worker| Some(**worker) > unit.last)
            .or(unit.contexts.keys().next())
            .copied();
        let worker = match stays {
            Some(last)
                if !slice_over
                    || unit.contexts.len() == 1
                    || unit.contexts[&last][0].remaining_ns == 0 =>
            {
                last
            }
            _ => next_in_line?,
        };
        let switches = unit.last.is_some_and(|last| last != worker);
        let since_ns = now_ns + if switches { self.machine.switch_ns } else { 0 };
        if unit.last != Some(worker) || unit.contexts.len() == 1 && slice_over {
            unit.slice_since_ns = since_ns;
        }
        (unit.running, unit.last) = (Some((worker, since_ns)), Some(worker));
        let remaining_ns = unit.contexts[&worker].front()?.remaining_ns;
        let alone = unit.contexts.len() == 1;
        let slice_end_ns =
            if alone { u64::MAX } else { unit.slice_since_ns.saturating_add(slice_ns) };
        Some(((since_ns + remaining_ns).min(slice_end_ns.max(since_ns + 1)), engine, generation))
    }
}
