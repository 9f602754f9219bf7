//! Conditional nodes: graphs inside a graph that run once, again and again, or not at all, as a
//! number says that kernels set while the graph runs.

use outhaul_lock::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Weak};

use outhaul_abi::types::CUgraph;
use outhaul_abi::types::values::{
    GRAPH_COND_TYPE_IF, GRAPH_COND_TYPE_SWITCH, GRAPH_COND_TYPE_WHILE,
};

use super::error::{Error, Result};
use super::graph::Graph;
use super::graph_exec::Plan;
use super::lock;
use super::task::{Moments, Task};

/// What kernels set and nodes look at.
pub struct Condition {
    /// By which kernels know it.
    pub number: u64,
    value: AtomicU32,
    /// What it becomes at each launch of the graph.
    default: Option<u32>,
}

/// Conditions by number. A graph that is gone leaves a number that leads nowhere.
static CONDITIONS: Mutex<BTreeMap<u64, Weak<Condition>>> = Mutex::new(BTreeMap::new());

impl Condition {
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

    pub fn find(number: u64) -> Option<Arc<Condition>> {
        lock(&CONDITIONS).get(&number)?.upgrade()
    }

    pub fn set(&self, value: u32) {
        self.value.store(value, SeqCst);
    }

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
    pub condition: Arc<Condition>,
    kind: i32,
    /// The graphs inside as the program knows and fills them, in memory that it may look at while
    /// the node lives.
    pub handles: Arc<[CUgraph]>,
    bodies: Vec<Arc<Mutex<Graph>>>,
    /// What they were when the graph around them was instantiated.
    plans: Vec<Arc<Plan>>,
}

impl Conditional {
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

    /// How many graphs a node of a kind may have inside.
    pub fn check(kind: i32, count: usize) -> Result<()> {
        let fits = match kind {
            GRAPH_COND_TYPE_IF => (1..=2).contains(&count),
            GRAPH_COND_TYPE_WHILE => count == 1,
            GRAPH_COND_TYPE_SWITCH => count >= 1,
            _ => false,
        };
        if fits { Ok(()) } else { Err(Error::InvalidValue) }
    }

    /// The node as it is to run from now on. None if a graph inside cannot run there.
    pub fn planned(&self) -> Option<Conditional> {
        let plan = |body: &Arc<Mutex<Graph>>| {
            Plan::new(lock(body).clone()).ok().filter(|plan| plan.tasks().all(may_be_inside))
        };
        let plans: Option<Vec<Plan>> = self.bodies.iter().map(plan).collect();
        Some(Conditional { plans: plans?.into_iter().map(Arc::new).collect(), ..self.clone() })
    }

    pub fn plans(&self) -> &[Arc<Plan>] {
        &self.plans
    }

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

/// As CUDA has it: what the device does by itself.
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
