//! Plans: copies of graphs, together with an order in which their nodes run.

use crate::driver::lock;
use crate::driver::objects::graphs::graph::Graph;
use crate::driver::objects::graphs::memory::LaunchEffects;
use crate::driver::objects::graphs::task::Task;
use crate::driver::objects::memory::ranges::Ranges;
use crate::driver::system::error::{Error, Result};
use outhaul_abi::types::values::GRAPH_INSTANTIATE_SUCCESS;
use std::collections::BTreeSet;
use std::sync::Arc;

/// `CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE`.
const INSTANTIATE_INVALID_STRUCTURE: i32 = 2;

/// A graph that can run. A launch holds the plan from which it was made.
#[derive(Clone)]
pub struct Plan {
    /// The copy of the graph.
    pub graph: Graph,
    order: Vec<u64>,
    /// Nodes that launches skip until they are enabled again.
    pub disabled: BTreeSet<u64>,
}

/// The reason why a graph cannot be instantiated or used for an update.
pub struct Refusal {
    /// A `CUgraphInstantiateResult` or `CUgraphExecUpdateResult`.
    pub result: i32,
    /// The node that causes the refusal, or 0.
    pub node: u64,
    /// The dependency of `node` whose edge differs, or 0.
    pub from: u64,
}

impl Plan {
    /// Returns whether any node calls a host function.
    pub fn has_host_function(&self) -> bool {
        self.graph.tasks().any(Task::has_host_function)
    }

    /// Returns whether any node copies from host memory to host memory.
    pub fn copies_within_host(&self, ranges: &Ranges) -> bool {
        self.graph.tasks().any(|task| task.copies_within_host(ranges))
    }

    /// Makes a plan of `graph`. Fails if the graph has a cycle or a node that cannot run.
    pub fn new(mut graph: Graph) -> std::result::Result<Plan, Refusal> {
        let invalid = |node| Refusal { result: INSTANTIATE_INVALID_STRUCTURE, node, from: 0 };
        let order = graph.order().map_err(invalid)?;
        for node in &order {
            if let Ok(Task::Embedded(child)) = graph.task(*node) {
                let plan = Plan::new(lock(&child.graph).clone()).map_err(|_| invalid(*node))?;
                graph.set_task(*node, Task::Graph(Arc::new(plan))).map_err(|_| invalid(*node))?;
            }
            if let Ok(Task::Conditional(conditional)) = graph.task(*node) {
                let planned = conditional.planned().ok_or_else(|| invalid(*node))?;
                graph
                    .set_task(*node, Task::Conditional(Arc::new(planned)))
                    .map_err(|_| invalid(*node))?;
            }
        }
        Ok(Plan { graph, order, disabled: BTreeSet::new() })
    }

    /// Returns the allocations that each launch makes and frees.
    pub fn launch_effects(&self) -> LaunchEffects {
        let mut effects = LaunchEffects::default();
        for task in self.tasks() {
            match task {
                Task::Allocate(allocation) => effects.allocates.push(Arc::clone(allocation)),
                Task::Free(allocation) => effects.frees.push(Arc::clone(allocation)),
                _ => {}
            }
        }
        effects
    }

    /// Returns the graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns a node's task. A node of a child graph is identified by its own handle.
    pub fn task(&self, node: u64) -> Result<&Task> {
        let here = self.graph.task(node);
        here.or_else(|error| self.inner().find_map(|plan| plan.task(node).ok()).ok_or(error))
    }

    fn inner(&self) -> impl Iterator<Item = &Arc<Plan>> {
        self.graph.tasks().filter_map(|task| match task {
            Task::Graph(plan) if plan.graph.is_embedded => Some(plan),
            _ => None,
        })
    }

    /// Replaces the task of a node, which may belong to a child graph.
    pub fn set_task(&mut self, node: u64, task: Task) -> Result<()> {
        if self.graph.task(node).is_ok() {
            return self.graph.set_task(node, task);
        }
        for outer in self.graph.nodes() {
            if let Task::Graph(plan) = self.graph.task(outer)?
                && plan.graph.is_embedded
                && plan.task(node).is_ok()
            {
                let mut plan = Plan::clone(plan);
                plan.set_task(node, task)?;
                return self.graph.set_task(outer, Task::Graph(Arc::new(plan)));
            }
        }
        Err(Error::InvalidValue)
    }

    /// Returns the enabled tasks in execution order.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.order
            .iter()
            .filter(|node| !self.disabled.contains(node))
            .filter_map(|node| self.graph.task(*node).ok())
    }
}

impl Refusal {
    /// The result of a successful instantiation or update.
    pub const NONE: Refusal = Refusal { result: GRAPH_INSTANTIATE_SUCCESS, node: 0, from: 0 };
}
