//! Conditional nodes: graphs inside a graph that run once, repeatedly or not at all. While the
//! outer graph runs, kernels set the condition that decides how often.

use outhaul_lock::Mutex;
use std::sync::Arc;

use outhaul_abi::types::CUgraph;
use outhaul_abi::types::values::{
    GRAPH_COND_TYPE_IF, GRAPH_COND_TYPE_SWITCH, GRAPH_COND_TYPE_WHILE,
};

use crate::driver::lock;
use crate::driver::objects::graphs::condition::Condition;
use crate::driver::objects::graphs::graph::Graph;
use crate::driver::objects::graphs::plan::Plan;
use crate::driver::objects::graphs::task::Task;
use crate::driver::system::error::{Error, Result};

/// A conditional node.
#[derive(Clone)]
pub struct Conditional {
    /// The condition that decides whether and which inner graphs run.
    pub condition: Arc<Condition>,
    /// The node's kind, as a `CUgraphConditionalNodeType`.
    pub kind: i32,
    /// Handles of the inner graphs, which the program fills with nodes. The program may read this
    /// memory while the node exists.
    pub handles: Arc<[CUgraph]>,
    bodies: Vec<Arc<Mutex<Graph>>>,
    /// Plans of the inner graphs, made when the outer graph was instantiated.
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

    /// Fails if a node of this kind cannot have `count` inner graphs.
    pub fn check(kind: i32, count: usize) -> Result<()> {
        let fits = match kind {
            GRAPH_COND_TYPE_IF => (1..=2).contains(&count),
            GRAPH_COND_TYPE_WHILE => count == 1,
            GRAPH_COND_TYPE_SWITCH => count >= 1,
            _ => false,
        };
        if fits { Ok(()) } else { Err(Error::InvalidValue) }
    }

    /// Returns the node with plans of its inner graphs as they are now. Returns `None` if an inner
    /// graph cannot run inside a conditional node.
    pub fn planned(&self) -> Option<Conditional> {
        let plan = |body: &Arc<Mutex<Graph>>| {
            Plan::new(lock(body).clone()).ok().filter(|plan| plan.tasks().all(may_be_inside))
        };
        let plans: Option<Vec<Plan>> = self.bodies.iter().map(plan).collect();
        Some(Conditional { plans: plans?.into_iter().map(Arc::new).collect(), ..self.clone() })
    }

    /// Returns the plans of the inner graphs.
    pub fn plans(&self) -> &[Arc<Plan>] {
        &self.plans
    }
}

/// Returns whether CUDA allows a task inside a conditional node. Allowed tasks are those that the
/// device performs without the host.
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
        | Task::Allocate(_)
        | Task::Free(_)
        | Task::Embedded(_) => false,
    }
}
