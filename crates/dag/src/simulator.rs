//! Discrete-event simulation: gives each operation its duration and its turn on a wire, and
//! notifies the policy when the operation has finished. All policies run on one memory model and
//! one model of contention. The simulation has no randomness and prefers no policy: wires serve
//! operations in the order of issue.

use crate::error::Error;
use crate::graph::Graph;
use crate::machine::{Machine, Wire};
use crate::policy::scheduler::Scheduler;
use crate::state::{Op, State};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

/// An operation, with its start and end on its wire or GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The operation.
    pub op: Op,
    /// When the operation started, in nanoseconds.
    pub start_ns: u64,
    /// When the operation ended, in nanoseconds.
    pub end_ns: u64,
}

/// The result of a simulation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Run {
    /// Time until all subtasks had run and all data was where it must be, in nanoseconds.
    pub makespan_ns: u64,
    /// Every operation, in the order of ends.
    pub spans: Vec<Span>,
    /// The most memory ever taken on each GPU, in bytes.
    pub peak_bytes: Vec<u64>,
    /// The most host memory that reads and unwritten results ever took, in bytes.
    pub host_peak_bytes: u64,
    /// The number of times that the policy was asked.
    pub steps: u64,
}

/// When a simulation stops early.
pub struct Limits<'a> {
    /// The simulation stops as soon as the simulated clock passes this time, in nanoseconds.
    pub makespan_ns: u64,
    /// The simulation stops as soon as this returns true; it is called every
    /// `STEPS_BETWEEN_QUESTIONS` steps.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// The number of times that a policy is asked between two calls of `interrupted`.
const STEPS_BETWEEN_QUESTIONS: u64 = 256;
/// Upper bound on how often a policy is asked at one instant, for each operation that could happen
/// then. A policy that asks for more is in an endless loop.
const STEPS_AT_AN_INSTANT_MAX: u64 = 4;

/// Runs `graph` on `machine` under `policy`.
///
/// # Errors
/// The errors of `Machine::check`, and `Refused` or `Stalled` if the policy has a defect.
pub fn simulate(
    graph: &Arc<Graph>,
    machine: &Machine,
    policy: &mut dyn Scheduler,
) -> Result<Run, Error> {
    let limits = Limits { makespan_ns: u64::MAX, interrupted: &|| false };
    simulate_within(graph, machine, policy, &limits).map(|run| run.expect("no limit, no cut"))
}

/// Like [`simulate`], but returns `None` as soon as the clock passes the limit.
///
/// # Errors
/// Those of [`simulate`], and `Interrupted`.
pub fn simulate_within(
    graph: &Arc<Graph>,
    machine: &Machine,
    policy: &mut dyn Scheduler,
    limits: &Limits,
) -> Result<Option<Run>, Error> {
    machine.check(graph)?;
    let mut state = State::new(graph.clone(), machine);
    let mut clock = Clock::new(machine, graph);
    let mut finished = Vec::new();
    let mut steps = 0;
    let mut steps_at_this_instant = 0;
    let things = graph.subtasks().len() + (machine.gpus + 1) * graph.partitions().len();
    let stalled = |state: &State| {
        let subtask =
            state.first_undone().map(|s| graph.subtask(s).name.clone()).unwrap_or_default();
        Error::Stalled { subtask }
    };
    loop {
        steps += 1;
        steps_at_this_instant += 1;
        if steps % STEPS_BETWEEN_QUESTIONS == 0 && (limits.interrupted)() {
            return Err(Error::Interrupted);
        }
        if steps_at_this_instant > STEPS_AT_AN_INSTANT_MAX * (things as u64 + 1) {
            return Err(stalled(&state));
        }
        policy.step(clock.now_ns, &mut state, &finished)?;
        clock.start(state.take_issued());
        if state.is_finished() {
            break;
        }
        let Some(next_ns) = clock.next_ns(policy.wake_ns()) else { return Err(stalled(&state)) };
        if next_ns > limits.makespan_ns {
            return Ok(None);
        }
        if next_ns > clock.now_ns {
            steps_at_this_instant = 0;
        }
        clock.advance(next_ns, &mut state, &mut finished);
    }
    let peak_bytes = (0..machine.gpus).map(|gpu| state.peak_bytes(gpu)).collect();
    Ok(Some(Run {
        makespan_ns: clock.now_ns,
        spans: clock.spans,
        peak_bytes,
        host_peak_bytes: state.host_peak_bytes(),
        steps,
    }))
}

struct Clock<'m> {
    machine: &'m Machine,
    graph: &'m Graph,
    now_ns: u64,
    ends: BinaryHeap<Reverse<(u64, u64, usize)>>,
    running: Vec<Span>,
    vacant: Vec<usize>,
    wires: Vec<Queue>,
    issued: u64,
    spans: Vec<Span>,
}

#[derive(Default)]
struct Queue {
    busy: bool,
    waiting: VecDeque<Op>,
}

impl<'m> Clock<'m> {
    fn new(machine: &'m Machine, graph: &'m Graph) -> Clock<'m> {
        Clock {
            machine,
            graph,
            now_ns: 0,
            ends: BinaryHeap::new(),
            running: Vec::new(),
            vacant: Vec::new(),
            wires: (0..Wire::COUNT_MAX).map(|_| Queue::default()).collect(),
            issued: 0,
            spans: Vec::new(),
        }
    }

    fn wire(&self, op: Op) -> Option<Wire> {
        match op {
            Op::Read(_) => Some(Wire::FileRead),
            Op::Write(_) => Some(Wire::FileWrite),
            Op::Load(_, gpu) => Some(self.machine.down(gpu)),
            Op::Store(_, gpu) => Some(self.machine.up(gpu)),
            Op::Peer(_, _, gpu) => Some(Wire::Peer(gpu as u8)),
            Op::Compute(..) => None,
        }
    }

    fn duration_ns(&self, op: Op) -> u64 {
        match op {
            Op::Read(p) => self.machine.read_ns(self.graph, p),
            Op::Write(p) => self.machine.write_ns(self.graph, p),
            Op::Load(p, _) => self.machine.load_ns(self.graph, p),
            Op::Store(p, _) => self.machine.store_ns(self.graph, p),
            Op::Peer(p, _, _) => self.machine.peer_ns(self.graph, p),
            Op::Compute(s, _) => self.graph.subtask(s).compute_ns,
        }
    }

    fn start(&mut self, issued: Vec<Op>) {
        for op in issued {
            if let Some(wire) = self.wire(op) {
                let queue = &mut self.wires[wire.at()];
                if queue.busy {
                    queue.waiting.push_back(op);
                    continue;
                }
                queue.busy = true;
            }
            self.run(op);
        }
    }

    fn run(&mut self, op: Op) {
        let span = Span { op, start_ns: self.now_ns, end_ns: self.now_ns + self.duration_ns(op) };
        let at = match self.vacant.pop() {
            Some(at) => at,
            None => {
                self.running.push(span);
                self.running.len() - 1
            }
        };
        self.running[at] = span;
        self.issued += 1;
        self.ends.push(Reverse((span.end_ns, self.issued, at)));
    }

    fn next_ns(&self, wake_ns: Option<u64>) -> Option<u64> {
        let end_ns = self.ends.peek().map(|Reverse((end_ns, _, _))| *end_ns);
        let wake_ns = wake_ns.filter(|w| *w > self.now_ns);
        end_ns.into_iter().chain(wake_ns).min()
    }

    /// Advances the clock. Reports all operations that end at one instant together, so that a
    /// policy never decides on a part of them.
    fn advance(&mut self, to_ns: u64, state: &mut State, finished: &mut Vec<Op>) {
        self.now_ns = to_ns;
        finished.clear();
        while let Some(Reverse((end_ns, _, at))) = self.ends.peek().copied() {
            if end_ns > to_ns {
                break;
            }
            self.ends.pop();
            let span = self.running[at];
            self.vacant.push(at);
            self.spans.push(span);
            finished.push(span.op);
            state.finish(span.op);
            if let Some(wire) = self.wire(span.op) {
                let queue = &mut self.wires[wire.at()];
                match queue.waiting.pop_front() {
                    Some(next) => self.run(next),
                    None => queue.busy = false,
                }
            }
        }
        self.start(state.take_issued());
    }
}
