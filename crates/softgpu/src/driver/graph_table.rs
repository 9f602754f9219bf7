//! The tables that lead from handles to graphs and nodes.

use std::sync::{Arc, Mutex};

use super::error::{Error, Result};
use super::graph::{Dependency, Graph};
use super::lock;
use super::state::Driver;
use super::task::Task;

impl Driver {
    pub fn create_graph(&self, graph: Graph) -> u64 {
        self.graphs.insert(Mutex::new(graph))
    }

    pub fn graph(&self, handle: u64) -> Result<Arc<Mutex<Graph>>> {
        self.graphs.get(handle).ok_or(Error::InvalidValue)
    }

    /// A copy, as it is now.
    pub fn copy_of_graph(&self, handle: u64) -> Result<Graph> {
        Ok(lock(&*self.graph(handle)?).clone())
    }

    pub fn clone_graph(&self, handle: u64) -> Result<u64> {
        let original = self.copy_of_graph(handle)?;
        let clone = self.create_graph(Graph::default());
        let renamed = original.renamed(|| self.graph_nodes.insert(clone));
        *lock(&*self.graph(clone)?) = renamed;
        Ok(clone)
    }

    pub fn destroy_graph(&self, handle: u64) -> Result<()> {
        let graph = self.graphs.remove(handle).ok_or(Error::InvalidValue)?;
        for node in lock(&graph).nodes() {
            self.graph_nodes.remove(node);
        }
        Ok(())
    }

    pub fn add_node(&self, graph: u64, task: Task, after: Vec<Dependency>) -> Result<u64> {
        let cell = self.graph(graph)?;
        let node = self.graph_nodes.insert(graph);
        lock(&cell).add(node, task, after).inspect_err(|_| {
            self.graph_nodes.remove(node);
        })?;
        Ok(node)
    }

    pub fn destroy_node(&self, node: u64) -> Result<()> {
        lock(&*self.graph_of(node)?).remove(node);
        self.graph_nodes.remove(node);
        Ok(())
    }

    /// The graph that a node belongs to.
    pub fn graph_of(&self, node: u64) -> Result<Arc<Mutex<Graph>>> {
        self.graph(*self.graph_nodes.get(node).ok_or(Error::InvalidValue)?)
    }
}
