//! Executable graphs, whose plans can change between launches.

use outhaul_lock::Mutex;
use std::sync::Arc;

use crate::driver::lock;
use crate::driver::objects::graphs::graph::{Difference, Graph};
use crate::driver::objects::graphs::plan::{Plan, Refusal};
use crate::driver::objects::graphs::task::Task;
use crate::driver::objects::streams::queue::Ticket;
use crate::driver::system::error::{Error, Result};

/// Values of `CUgraphExecUpdateResult`.
const UPDATE_ERROR: i32 = 1;
const UPDATE_TOPOLOGY_CHANGED: i32 = 2;
const UPDATE_NODE_TYPE_CHANGED: i32 = 3;
const UPDATE_PARAMETERS_CHANGED: i32 = 5;
const UPDATE_NOT_SUPPORTED: i32 = 6;
const UPDATE_UNSUPPORTED_FUNCTION_CHANGE: i32 = 7;

/// A `CUgraphExec`.
pub struct GraphExec {
    /// The flags of the instantiation.
    pub flags: u64,
    /// The plan that later launches use.
    pub plan: Mutex<Arc<Plan>>,
    /// The ticket of the last launch. Launches of an executable graph never overlap.
    pub last: Mutex<Option<Ticket>>,
}

/// Returns the pairs of matching nodes if `old` can be updated with the tasks of `new`.
fn compatible(old: &Graph, new: &Graph) -> std::result::Result<Vec<(u64, u64)>, Refusal> {
    let topology = |difference: Difference| Refusal {
        result: UPDATE_TOPOLOGY_CHANGED,
        node: difference.node,
        from: difference.from,
    };
    let pairs = old.pair(new).map_err(topology)?;
    for (mine, theirs) in &pairs {
        let refusal = |result| Refusal { result, node: *theirs, from: 0 };
        let (Ok(mine), Ok(theirs)) = (old.task(*mine), new.task(*theirs)) else {
            return Err(refusal(UPDATE_ERROR));
        };
        match (mine, theirs) {
            (Task::Kernel(mine), Task::Kernel(theirs)) if mine.context() != theirs.context() => {
                return Err(refusal(UPDATE_UNSUPPORTED_FUNCTION_CHANGE));
            }
            (Task::Allocate(mine), Task::Allocate(theirs))
            | (Task::Free(mine), Task::Free(theirs))
                if !Arc::ptr_eq(mine, theirs) =>
            {
                return Err(refusal(UPDATE_PARAMETERS_CHANGED));
            }
            (_, Task::Conditional(_)) => return Err(refusal(UPDATE_NOT_SUPPORTED)),
            (Task::Graph(mine), Task::Graph(theirs)) => {
                compatible(&mine.graph, &theirs.graph)?;
            }
            _ if mine.node_type() != theirs.node_type() => {
                return Err(refusal(UPDATE_NODE_TYPE_CHANGED));
            }
            _ => {}
        }
    }
    Ok(pairs)
}

impl GraphExec {
    /// Instantiates a graph.
    pub fn new(graph: &Graph, flags: u64) -> std::result::Result<GraphExec, Refusal> {
        let plan = Plan::new(graph.clone())?;
        Ok(GraphExec { flags, plan: Mutex::new(Arc::new(plan)), last: Mutex::default() })
    }

    /// Makes later launches use the tasks of `graph`, which must have the same shape.
    pub fn update(&self, graph: &Graph) -> std::result::Result<(), Refusal> {
        let mut plan = lock(&self.plan);
        let graph = &Plan::new(graph.clone())?.graph;
        let pairs = compatible(&plan.graph, graph)?;
        Arc::make_mut(&mut plan).graph.take_over(graph, &pairs);
        Ok(())
    }

    /// Returns a node's task.
    pub fn task(&self, node: u64) -> Result<Task> {
        lock(&self.plan).task(node).cloned()
    }

    /// Makes later launches use another task for a node. The task must have the same type.
    pub fn set_task(&self, node: u64, task: Task) -> Result<()> {
        let fits = match (self.task(node)?, &task) {
            (Task::Kernel(old), Task::Kernel(new)) => old.context() == new.context(),
            // As in NVIDIA's driver, a copy between other kinds of memory counts as another type of
            // copy.
            (Task::Copy(old), Task::Copy(new)) => {
                (old.to.memory, old.from.memory) == (new.to.memory, new.from.memory)
            }
            (Task::Graph(old), Task::Graph(new)) => compatible(&old.graph, &new.graph).is_ok(),
            _ => true,
        };
        if !fits {
            return Err(Error::InvalidValue);
        }
        Arc::make_mut(&mut lock(&self.plan)).set_task(node, task)
    }

    /// Returns whether a node is enabled.
    pub fn is_enabled(&self, node: u64) -> Result<bool> {
        self.task(node)?;
        Ok(!lock(&self.plan).disabled.contains(&node))
    }

    /// Makes later launches skip a node or run the node again.
    pub fn set_enabled(&self, node: u64, enabled: bool) -> Result<()> {
        if !matches!(self.task(node)?, Task::Kernel(_) | Task::Copy(_) | Task::Fill(_)) {
            return Err(Error::InvalidValue);
        }
        let mut plan = lock(&self.plan);
        let disabled = &mut Arc::make_mut(&mut plan).disabled;
        if enabled {
            disabled.remove(&node)
        } else {
            disabled.insert(node)
        };
        Ok(())
    }

    /// Returns whether the last launch has not ended yet.
    pub fn is_under_way(&self) -> bool {
        lock(&self.last).as_ref().is_some_and(|ticket| !ticket.is_done())
    }
}
