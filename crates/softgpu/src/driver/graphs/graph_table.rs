//! The tables that map handles to graphs and nodes.

use outhaul_lock::Mutex;
use std::sync::Arc;

use crate::driver::lock;
use crate::driver::objects::graphs::condition::Condition;
use crate::driver::objects::graphs::conditional::Conditional;
use crate::driver::objects::graphs::edge::Dependency;
use crate::driver::objects::graphs::graph::Graph;
use crate::driver::objects::graphs::plan::Plan;
use crate::driver::objects::graphs::task::{Embedded, Task};
use crate::driver::state::Driver;
use crate::driver::system::error::{Error, Result};

impl Driver {
    /// Adds a graph and returns its handle.
    pub fn create_graph(&self, graph: Graph) -> u64 {
        self.graphs.insert(Mutex::new(graph))
    }

    /// Returns the graph with the given handle.
    pub fn graph(&self, handle: u64) -> Result<Arc<Mutex<Graph>>> {
        self.graphs.get(handle).ok_or(Error::InvalidValue)
    }

    /// Returns a copy of the graph's current state.
    pub fn copy_of_graph(&self, handle: u64) -> Result<Graph> {
        let mut copy = lock(&*self.graph(handle)?).clone();
        for node in copy.nodes() {
            if let Task::Embedded(child) = copy.task(node)?.clone() {
                let plan =
                    Plan::new(lock(&child.graph).clone()).map_err(|_| Error::InvalidValue)?;
                copy.set_task(node, Task::Graph(Arc::new(plan)))?;
            }
        }
        Ok(copy)
    }

    /// Clones a graph and returns the clone's handle.
    pub fn clone_graph(&self, handle: u64) -> Result<u64> {
        let original = self.copy_of_graph(handle)?;
        if original.tasks().any(|task| matches!(task, Task::Conditional(_)))
            || original.has_memory_nodes()
        {
            return Err(Error::NotSupported);
        }
        let clone = self.create_graph(Graph::default());
        let renamed = original.renamed(|| self.graph_nodes.insert(clone));
        *lock(&*self.graph(clone)?) = renamed;
        Ok(clone)
    }

    /// Destroys a graph and its nodes.
    pub fn destroy_graph(&self, handle: u64) -> Result<()> {
        let graph = self.graphs.remove(handle).ok_or(Error::InvalidValue)?;
        let graph = lock(&graph);
        for node in graph.nodes() {
            self.graph_nodes.remove(node);
        }
        graph.tasks().for_each(|task| self.destroy_inside(task));
        Ok(())
    }

    /// Returns the handle of a child node's graph. From then on, the program can change that graph.
    pub fn embedded(&self, node: u64) -> Result<u64> {
        let graph = self.graph_of(node)?;
        let plan = match lock(&graph).task(node)? {
            Task::Embedded(child) => return Ok(child.handle),
            Task::Graph(plan) => Arc::clone(plan),
            _ => return Err(Error::InvalidValue),
        };
        let handle = self.create_graph(Graph::default());
        let child = self.graph(handle)?;
        let mut renamed = plan.graph().renamed(|| self.graph_nodes.insert(handle));
        renamed.is_embedded = true;
        *lock(&child) = renamed;
        lock(&graph).set_task(node, Task::Embedded(Embedded { handle, graph: child }))?;
        Ok(handle)
    }

    /// Returns the task for a graph that is moved into another graph and keeps its own and its
    /// nodes' handles. NVIDIA's driver does not support a second move.
    pub fn moved(&self, handle: u64, into: u64) -> Result<Task> {
        let graph = self.graph(handle)?;
        if self.is_within(into, handle)? {
            return Err(Error::InvalidValue);
        }
        if lock(&graph).is_embedded {
            return Err(Error::NotSupported);
        }
        Ok(Task::Embedded(Embedded { handle, graph }))
    }

    /// Returns whether the graph `inner` is `outer` or is inside it.
    fn is_within(&self, inner: u64, outer: u64) -> Result<bool> {
        if inner == outer {
            return Ok(true);
        }
        let graph = self.graph(outer)?;
        let inside: Vec<u64> = lock(&graph).tasks().flat_map(graphs_inside).collect();
        inside.into_iter().try_fold(false, |found, one| Ok(found || self.is_within(inner, one)?))
    }

    /// Destroys the inner graphs of a conditional or child node.
    fn destroy_inside(&self, task: &Task) {
        for inside in graphs_inside(task) {
            let _ = self.destroy_graph(inside);
        }
    }

    /// Creates a conditional node with `count` empty inner graphs, which the program fills. `kind`
    /// is a `CUgraphConditionalNodeType`.
    pub fn conditional(
        &self,
        condition: Arc<Condition>,
        kind: i32,
        count: usize,
    ) -> Result<Conditional> {
        Conditional::check(kind, count)?;
        let body = |_| {
            let handle = self.create_graph(Graph::default());
            Ok((handle, self.graph(handle)?))
        };
        Ok(Conditional::new(condition, kind, (0..count).map(body).collect::<Result<_>>()?))
    }

    /// Adds a node to a graph and returns its handle.
    pub fn add_node(&self, graph: u64, task: Task, after: Vec<Dependency>) -> Result<u64> {
        let cell = self.graph(graph)?;
        let node = self.graph_nodes.insert(graph);
        let moved =
            if let Task::Embedded(child) = &task { Some(child.graph.clone()) } else { None };
        lock(&cell).add(node, task, after).inspect_err(|_| {
            self.graph_nodes.remove(node);
        })?;
        moved.iter().for_each(|child| lock(child).is_embedded = true);
        Ok(node)
    }

    /// Destroys a node and its edges.
    pub fn destroy_node(&self, node: u64) -> Result<()> {
        let graph = self.graph_of(node)?;
        let task = lock(&*graph).task(node)?.clone();
        lock(&*graph).remove(node);
        self.destroy_inside(&task);
        self.graph_nodes.remove(node);
        Ok(())
    }

    /// Returns the graph that contains a node.
    pub fn graph_of(&self, node: u64) -> Result<Arc<Mutex<Graph>>> {
        self.graph(*self.graph_nodes.get(node).ok_or(Error::InvalidValue)?)
    }
}

/// Returns the handles of the graphs that a node owns.
fn graphs_inside(task: &Task) -> Vec<u64> {
    match task {
        Task::Embedded(child) => vec![child.handle],
        Task::Conditional(node) => node.handles.iter().map(|inside| inside.0 as u64).collect(),
        _ => Vec::new(),
    }
}
