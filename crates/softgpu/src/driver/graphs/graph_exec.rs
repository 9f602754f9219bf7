//! Executable graphs: a copy of a graph with the order in which its nodes run, launched as one
//! operation of a stream.

use outhaul_lock::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;

use outhaul_abi::types::values::GRAPH_INSTANTIATE_SUCCESS;

use super::graph::{Difference, Graph};
use crate::driver::lock;
use crate::driver::state;
use crate::driver::state::Driver;
use crate::driver::streams::queue::Ticket;
use crate::driver::streams::stream::{Length, Stream};
use crate::driver::streams::task::Task;
use crate::driver::system::error::{Error, Result};

/// `CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE`.
const INSTANTIATE_INVALID_STRUCTURE: i32 = 2;
/// Numbers of `CUgraphExecUpdateResult`.
const UPDATE_ERROR: i32 = 1;
const UPDATE_TOPOLOGY_CHANGED: i32 = 2;
const UPDATE_NODE_TYPE_CHANGED: i32 = 3;
const UPDATE_NOT_SUPPORTED: i32 = 6;
const UPDATE_UNSUPPORTED_FUNCTION_CHANGE: i32 = 7;

/// A graph that can run. Launches hold the plan with which they were made.
#[derive(Clone)]
pub struct Plan {
    graph: Graph,
    order: Vec<u64>,
    /// Nodes that do nothing until they are enabled again.
    disabled: BTreeSet<u64>,
}

/// A `CUgraphExec`.
pub struct GraphExec {
    /// Flags of the instantiation.
    pub flags: u64,
    plan: Mutex<Arc<Plan>>,
    /// The last launch. An executable graph never runs twice at the same time.
    last: Mutex<Option<Ticket>>,
}

/// The reason why a graph cannot be instantiated or used for an update.
pub struct Refusal {
    /// Number of a `CUgraphInstantiateResult` or `CUgraphExecUpdateResult`.
    pub result: i32,
    /// Node of the graph that is the reason, or 0.
    pub node: u64,
    /// Dependency of the node whose edge differs, or 0.
    pub from: u64,
}

impl Plan {
    /// Returns whether a node calls a host function.
    pub fn has_host_function(&self) -> bool {
        self.graph.tasks().any(Task::has_host_function)
    }

    /// Returns whether a node copies from host memory to host memory.
    pub fn copies_within_host(&self, driver: &Driver) -> bool {
        self.graph.tasks().any(|task| task.copies_within_host(driver))
    }

    /// Makes the plan of a graph. Fails if it has a cycle or a node that cannot run.
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

    /// Returns the graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the task of a node, which may be in a child graph and is then known by its own
    /// handle.
    fn task(&self, node: u64) -> Result<&Task> {
        let here = self.graph.task(node);
        here.or_else(|error| self.inner().find_map(|plan| plan.task(node).ok()).ok_or(error))
    }

    fn inner(&self) -> impl Iterator<Item = &Arc<Plan>> {
        self.graph.tasks().filter_map(|task| match task {
            Task::Graph(plan) if plan.graph.is_embedded => Some(plan),
            _ => None,
        })
    }

    fn set_task(&mut self, node: u64, task: Task) -> Result<()> {
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

    /// Returns the tasks in the order in which they run.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.order
            .iter()
            .filter(|node| !self.disabled.contains(node))
            .filter_map(|node| self.graph.task(*node).ok())
    }
}

/// Returns the pairs of nodes of two graphs, if the first can be updated with the tasks of the
/// second.
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

impl Refusal {
    /// The result of a success.
    pub const NONE: Refusal = Refusal { result: GRAPH_INSTANTIATE_SUCCESS, node: 0, from: 0 };
}

impl GraphExec {
    /// Instantiates a graph.
    pub fn new(graph: &Graph, flags: u64) -> std::result::Result<GraphExec, Refusal> {
        let plan = Plan::new(graph.clone())?;
        Ok(GraphExec { flags, plan: Mutex::new(Arc::new(plan)), last: Mutex::default() })
    }

    /// Makes later launches use the tasks of a graph of the same shape.
    pub fn update(&self, graph: &Graph) -> std::result::Result<(), Refusal> {
        let mut plan = lock(&self.plan);
        let graph = &Plan::new(graph.clone())?.graph;
        let pairs = compatible(&plan.graph, graph)?;
        Arc::make_mut(&mut plan).graph.take_over(graph, &pairs);
        Ok(())
    }

    /// Returns the task of a node.
    pub fn task(&self, node: u64) -> Result<Task> {
        lock(&self.plan).task(node).cloned()
    }

    /// Makes later launches use another task of the same type for a node.
    pub fn set_task(&self, node: u64, task: Task) -> Result<()> {
        let fits = match (self.task(node)?, &task) {
            (Task::Kernel(old), Task::Kernel(new)) => old.context() == new.context(),
            // As in NVIDIA's driver, a copy that names another kind of memory is another kind of
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

    /// Makes later launches skip a node, or run it again.
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

    /// Returns whether its last launch has not ended.
    pub fn is_under_way(&self) -> bool {
        lock(&self.last).as_ref().is_some_and(|ticket| !ticket.is_done())
    }

    /// Launches the graph in a stream.
    pub fn launch(&self, driver: &Driver, stream: &Stream) -> Result<()> {
        stream.refuse_capture()?;
        let task = Task::Graph(Arc::clone(&lock(&self.plan)));
        stream.context()?.check()?;
        let mut moments = Default::default();
        // Held during the submission, so that launches wait in the order in which they are made.
        let mut last = lock(&self.last);
        task.begin(driver, &mut moments)?;
        let before = last.clone();
        if state::is_like_nvidias() && task.has_host_function() {
            // An H100 did this at the second launch of some graphs, at the 28th of others, and
            // after host functions in the stream.
            let ahead: Vec<Ticket> = before
                .clone()
                .into_iter()
                .chain(stream.queue().tail())
                .filter(|ticket| !ticket.is_done())
                .collect();
            if !ahead.is_empty() {
                stream.context()?.hold_up(|| ahead.iter().for_each(Ticket::wait));
            }
        }
        let is_synchronous = state::is_like_nvidias() && task.copies_within_host(driver);
        let ticket = stream.submit_once(Length::Long, move |_| {
            if let Some(ticket) = before {
                ticket.wait();
            }
            task.reset();
            task.run(&mut moments)
        })?;
        if is_synchronous {
            // On an H100, the call itself copies when the device has reached the graph.
            stream.context()?.hold_up(|| ticket.wait());
        }
        *last = Some(ticket);
        Ok(())
    }
}
