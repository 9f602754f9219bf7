//! Conditional nodes: graphs inside a graph that run once, repeatedly or not at all. Kernels set
//! the number that decides this while the graph runs.

use outhaul_lock::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Weak};

use outhaul_abi::types::CUgraph;
use outhaul_abi::types::values::{
    GRAPH_COND_TYPE_IF, GRAPH_COND_TYPE_SWITCH, GRAPH_COND_TYPE_WHILE,
};

use super::graph::Graph;
use super::graph_exec::Plan;
use crate::driver::lock;
use crate::driver::streams::task::{Moments, Task};
use crate::driver::system::error::{Error, Result};

/// A number that kernels set and conditional nodes read.
pub struct Condition {
    /// Number by which kernels name it.
    pub number: u64,
    value: AtomicU32,
    /// Value at the start of each launch of the graph.
    default: Option<u32>,
}

/// Conditions by number. A destroyed graph leaves a number without a condition.
static CONDITIONS: Mutex<BTreeMap<u64, Weak<Condition>>> = Mutex::new(BTreeMap::new());

impl Condition {
    /// Creates a condition.
    pub fn new(default: Option<u32>) -> Arc<Condition> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let number = MADE.fetch_add(1, SeqCst) + 1;
        let condition =
            Arc::new(Condition { number, value: AtomicU32::new(default.unwrap_or(0)), default });
        let mut all = lock(&CONDITIONS);
        all.retain(|_, known| known.strong_count() > 0);
        all.insert(number, Arc::downgrade(&condition));
        condition
    }

    /// Returns the condition with this number.
    pub fn find(number: u64) -> Option<Arc<Condition>> {
        lock(&CONDITIONS).get(&number)?.upgrade()
    }

    /// Sets the value.
    pub fn set(&self, value: u32) {
        self.value.store(value, SeqCst);
    }

    /// Sets the default value, if there is one.
    pub fn reset(&self) {
        self.default.into_iter().for_each(|value| self.set(value));
    }

    fn value(&self) -> u32 {
        self.value.load(SeqCst)
    }
}

/// A conditional node.
#[derive(Clone)]
pub struct Conditional {
    /// Condition that decides.
    pub condition: Arc<Condition>,
    kind: i32,
    /// Handles of the graphs inside, which the program fills. The program may read this memory
    /// while the node exists.
    pub handles: Arc<[CUgraph]>,
    bodies: Vec<Arc<Mutex<Graph>>>,
    /// Plans of the graphs inside, made when the graph around them was instantiated.
    plans: Vec<Arc<Plan>>,
}

impl Conditional {
    /// Creates a conditional node.
    pub fn new(
        condition: Arc<Condition>,
        kind: i32,
        bodies: Vec<(u64, Arc<Mutex<Graph>>)>,
    ) -> Conditional {
        let handles = bodies.iter().map(|(handle, _)| CUgraph(*handle as usize)).collect();
        Conditional {
            condition,
            kind,
            handles,
            bodies: bodies.into_iter().map(|(_, body)| body).collect(),
            plans: Vec::new(),
        }
    }

    /// Fails if a node of this kind cannot have so many graphs inside.
    pub fn check(kind: i32, count: usize) -> Result<()> {
        let fits = match kind {
            GRAPH_COND_TYPE_IF => (1..=2).contains(&count),
            GRAPH_COND_TYPE_WHILE => count == 1,
            GRAPH_COND_TYPE_SWITCH => count >= 1,
            _ => false,
        };
        if fits { Ok(()) } else { Err(Error::InvalidValue) }
    }

    /// Returns the node with plans of the present graphs, or `None` if a graph inside cannot run
    /// there.
    pub fn planned(&self) -> Option<Conditional> {
        let plan = |body: &Arc<Mutex<Graph>>| {
            Plan::new(lock(body).clone()).ok().filter(|plan| plan.tasks().all(may_be_inside))
        };
        let plans: Option<Vec<Plan>> = self.bodies.iter().map(plan).collect();
        Some(Conditional { plans: plans?.into_iter().map(Arc::new).collect(), ..self.clone() })
    }

    /// Returns the plans of the graphs inside.
    pub fn plans(&self) -> &[Arc<Plan>] {
        &self.plans
    }

    /// Runs the graphs inside as the condition says.
    pub fn run(&self, moments: &mut Moments) -> Result<()> {
        let mut run = |which: usize| {
            self.plans
                .get(which)
                .map_or(Ok(()), |plan| plan.tasks().try_for_each(|task| task.run(moments)))
        };
        match self.kind {
            GRAPH_COND_TYPE_WHILE => {
                while self.condition.value() != 0 {
                    run(0)?;
                }
                Ok(())
            }
            GRAPH_COND_TYPE_SWITCH => run(self.condition.value() as usize),
            _ => run(usize::from(self.condition.value() == 0)),
        }
    }
}

/// Returns whether CUDA allows a task inside a conditional node: work that the device does by
/// itself.
fn may_be_inside(task: &Task) -> bool {
    match task {
        Task::Kernel(_) | Task::Copy(_) | Task::Fill(_) | Task::Empty | Task::Conditional(_) => {
            true
        }
        Task::Graph(plan) => plan.tasks().all(may_be_inside),
        Task::Host(_)
        | Task::EventRecord(_)
        | Task::EventWait(_)
        | Task::Batch(_)
        | Task::Embedded(_) => false,
    }
}
