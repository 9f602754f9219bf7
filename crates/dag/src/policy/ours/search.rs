//! Chooses the plan: simulates a few constructions, then improves the best one by moving subtasks
//! in the order and between GPUs. Effort is counted in simulated subtasks, so that the result does
//! not depend on a clock. Small graphs get thousands of trials, large ones a handful. The seed is
//! the only source of randomness.

use super::follower::{Follower, Habits, WriteBack};
use super::greedy;
use super::plan::{Plan, Shape, construct};
use super::tuning::Tuning;
use crate::error::Error;
use crate::graph::{Graph, SubtaskId};
use crate::machine::Machine;
use crate::simulator::{Limits, Run, simulate_within};
use crate::state::Op;
use std::sync::Arc;

/// Readers that the greedy construction may inspect per unit of effort. One reader costs tens of
/// nanoseconds, one simulated subtask costs microseconds.
const GREEDY_PER_EFFORT: u64 = 10;

/// Graphs with fewer subtasks get `SMALL_FACTOR` times the effort, because one more transfer is a
/// larger part of their makespan.
const SMALL_SUBTASKS: usize = 100;
const SMALL_FACTOR: u64 = 5;

/// The depths of blocks that the search tries, the most promising first.
const DEPTHS: [u32; 10] = [u32::MAX, 5, 1, 3, 2, 4, 7, 8, 10, 15];

struct Search<'a> {
    graph: &'a Arc<Graph>,
    machine: &'a Machine,
    interrupted: &'a dyn Fn() -> bool,
    effort_left: u64,
    /// The effort of simulating the graph once.
    cost: u64,
    /// The search's current plan. The search also moves between plans of equal makespan.
    current_ns: u64,
    current: Option<(Arc<Plan>, Habits)>,
    /// The best plan so far: the shortest, and among equally short ones the one that moves the
    /// fewest bytes.
    best: Option<((u64, u64), Arc<Plan>, Habits)>,
    random: u64,
}

/// Returns the best plan found, and the habits with which the search found it.
///
/// # Errors
/// The errors of the simulator, and `Interrupted`.
pub fn best_plan(
    graph: &Arc<Graph>,
    machine: &Machine,
    tuning: Tuning,
    interrupted: &dyn Fn() -> bool,
) -> Result<(Arc<Plan>, Habits), Error> {
    let small = graph.subtasks().len() < SMALL_SUBTASKS;
    let effort_left = tuning.effort.saturating_mul(if small { SMALL_FACTOR } else { 1 });
    let mut search = Search {
        graph,
        machine,
        interrupted,
        effort_left,
        cost: cost(graph),
        current_ns: u64::MAX,
        current: None,
        best: None,
        random: tuning.seed | 1,
    };
    search.constructions(tuning)?;
    search.improve(tuning)?;
    let (_, plan, habits) = search.best.expect("the first construction is always tried");
    Ok((plan, habits))
}

impl Search<'_> {
    /// Simulates a plan, and moves to it unless its makespan is longer.
    fn attempt(&mut self, plan: Arc<Plan>, habits: Habits) -> Result<(), Error> {
        if self.effort_left == 0 && self.best.is_some() {
            return Ok(());
        }
        self.effort_left = self.effort_left.saturating_sub(self.cost);
        let mut follower = Follower::new(plan.clone(), habits);
        if (self.interrupted)() {
            return Err(Error::Interrupted);
        }
        let limits = Limits { makespan_ns: self.current_ns, interrupted: self.interrupted };
        let Some(run) = simulate_within(self.graph, self.machine, &mut follower, &limits)? else {
            return Ok(());
        };
        let cost = (run.makespan_ns, moved_bytes(self.graph, &run));
        if self.best.as_ref().is_none_or(|(best, _, _)| cost < *best) {
            self.best = Some((cost, plan.clone(), habits));
        }
        self.current_ns = run.makespan_ns;
        self.current = Some((plan, habits));
        Ok(())
    }

    fn constructions(&mut self, tuning: Tuning) -> Result<(), Error> {
        let levels = self.graph.order().iter().map(|s| self.graph.level(*s) + 1).max().unwrap_or(1);
        let habits = Habits {
            lookahead: tuning.lookahead_max,
            write_back: WriteBack::Eager,
            patient: false,
        };
        for shape in shapes(levels, self.machine.gpus) {
            let plan = construct(self.graph, self.machine, shape);
            self.attempt(Arc::new(plan), habits)?;
            if shape.depth == u32::MAX && !shape.bands {
                let work_max = self.effort_left * GREEDY_PER_EFFORT;
                if let Some(plan) = greedy::construct(self.graph, self.machine, work_max) {
                    self.attempt(Arc::new(plan), habits)?;
                }
            }
        }
        let Some((plan, _)) = self.current.clone() else { return Ok(()) };
        for habits in all_habits(tuning) {
            self.attempt(plan.clone(), habits)?;
        }
        Ok(())
    }

    /// Moves one subtask, or one range of subtasks, at a time, and keeps changes that are not
    /// worse.
    fn improve(&mut self, tuning: Tuning) -> Result<(), Error> {
        let count = self.graph.subtasks().len();
        if count < 2 {
            return Ok(());
        }
        let every: Vec<Habits> = all_habits(tuning).collect();
        while self.effort_left > 0 {
            let (plan, mut habits) = self.current.clone().expect("constructions come first");
            let mut sequence = plan.sequence.clone();
            for _ in 0..1 + self.draw(3) {
                match self.draw(4) {
                    0 => self.reassign(&mut sequence),
                    1 | 2 => self.shift(&mut sequence),
                    _ => habits = every[self.draw(every.len())],
                }
            }
            let sequence = parents_first(self.graph, sequence);
            self.attempt(Arc::new(Plan::new(self.graph, sequence, self.machine.gpus)), habits)?;
        }
        Ok(())
    }

    /// Moves one subtask, sometimes with the subtasks that follow it in the order, to another GPU.
    fn reassign(&mut self, sequence: &mut [(SubtaskId, usize)]) {
        let at = self.draw(sequence.len());
        let gpu = self.draw(self.machine.gpus);
        if self.draw(3) == 0 {
            let other = self.draw(sequence.len());
            let (a, b) = (sequence[at].1, sequence[other].1);
            (sequence[at].1, sequence[other].1) = (b, a);
        } else {
            sequence[at].1 = gpu;
        }
    }

    /// Moves one subtask to another position in the order.
    fn shift(&mut self, sequence: &mut Vec<(SubtaskId, usize)>) {
        let from = self.draw(sequence.len());
        let to = self.draw(sequence.len());
        let moved = sequence.remove(from);
        sequence.insert(to, moved);
    }

    /// Draws a number with xorshift64*, which suffices for choosing moves and gives equal results
    /// on all machines.
    fn draw(&mut self, below: usize) -> usize {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        ((self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize) % below
    }
}

/// Returns the effort of simulating a graph. A subtask counts one, plus one for every four
/// partitions beyond the first four, because these take time, too.
fn cost(graph: &Graph) -> u64 {
    let touched = |s: &crate::graph::Subtask| (s.inputs.len() + s.outputs.len()) as u64;
    graph.subtasks().iter().map(|s| 1 + touched(s).saturating_sub(4) / 4).sum::<u64>().max(1)
}

fn moved_bytes(graph: &Graph, run: &Run) -> u64 {
    let moved = run.spans.iter().filter_map(|span| match span.op {
        Op::Load(p, _) | Op::Store(p, _) | Op::Peer(p, _, _) => Some(graph.bytes(p)),
        Op::Read(_) | Op::Write(_) | Op::Compute(..) => None,
    });
    moved.sum()
}

/// Returns the walks to try, the most promising first.
fn shapes(levels: u32, gpus: usize) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for depth in DEPTHS.into_iter().filter(|d| *d <= levels || *d == u32::MAX) {
        for serpentine in [true, false] {
            if !serpentine || depth < levels {
                shapes.push(Shape { depth, serpentine, bands: false });
            }
        }
        if depth > 1 && gpus > 1 {
            shapes.push(Shape { depth, serpentine: false, bands: true });
        }
    }
    shapes
}

fn all_habits(tuning: Tuning) -> impl Iterator<Item = Habits> {
    let lookaheads = [1, 2, 4, 8, 16].into_iter().filter(move |l| *l <= tuning.lookahead_max);
    lookaheads.flat_map(|lookahead| {
        [WriteBack::Eager, WriteBack::AtNeed, WriteBack::Foreseen].into_iter().flat_map(
            move |write_back| {
                [false, true].map(|patient| Habits { lookahead, write_back, patient })
            },
        )
    })
}

/// Puts every subtask after its parents, with as few changes to the order as possible.
fn parents_first(graph: &Graph, sequence: Vec<(SubtaskId, usize)>) -> Vec<(SubtaskId, usize)> {
    let mut gpu_of = vec![0; sequence.len()];
    for (s, gpu) in &sequence {
        gpu_of[s.at()] = *gpu;
    }
    let mut placed = vec![false; sequence.len()];
    let mut out = Vec::with_capacity(sequence.len());
    for (s, _) in sequence {
        let mut stack = vec![s];
        while let Some(top) = stack.last().copied() {
            if placed[top.at()] {
                stack.pop();
                continue;
            }
            match graph.parents(top).find(|m| !placed[m.at()]) {
                Some(parent) => stack.push(parent),
                None => {
                    placed[top.at()] = true;
                    out.push((top, gpu_of[top.at()]));
                    stack.pop();
                }
            }
        }
    }
    out
}
