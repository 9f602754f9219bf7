//! Graphs: tasks and the order between them, as plain data.
//!
//! Nodes are identified by their handles, which ascend in creation order. An executable graph and a
//! child graph hold copies of a graph with unchanged handles. Deliberately absent: execution, and
//! the tables from handles to graphs.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use outhaul_abi::types::CUgraphEdgeData;

use crate::driver::objects::graphs::condition::Condition;
use crate::driver::objects::graphs::edge::{Dependency, Edge};
use crate::driver::objects::graphs::task::Task;
use crate::driver::objects::graphs::user_object::References;
use crate::driver::system::error::{Error, Result};

/// A graph.
#[derive(Clone, Default)]
pub struct Graph {
    nodes: BTreeMap<u64, Node>,
    objects: BTreeMap<u64, References>,
    conditions: Vec<Arc<Condition>>,
    /// In a clone: the clone's nodes, by the original's nodes.
    clones: HashMap<u64, u64>,
    /// Whether the graph belongs to a child node, with which it is destroyed.
    pub is_embedded: bool,
}

#[derive(Clone)]
struct Node {
    task: Task,
    after: Vec<Dependency>,
}

/// The point in the second graph where two graphs that should have the same shape differ.
pub struct Difference {
    /// The node at which the graphs differ, or 0.
    pub node: u64,
    /// The dependency of `node` whose edge differs, or 0.
    pub from: u64,
}

impl Graph {
    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node.
    pub fn add(&mut self, node: u64, task: Task, after: Vec<Dependency>) -> Result<()> {
        let distinct: BTreeSet<u64> = after.iter().map(|dependency| dependency.node).collect();
        if distinct.len() != after.len()
            || !distinct.iter().all(|node| self.nodes.contains_key(node))
        {
            return Err(Error::InvalidValue);
        }
        self.nodes.insert(node, Node { task, after });
        Ok(())
    }

    /// Removes a node and its edges.
    pub fn remove(&mut self, node: u64) {
        self.nodes.remove(&node);
        for other in self.nodes.values_mut() {
            other.after.retain(|dependency| dependency.node != node);
        }
    }

    /// Adds all of the edges or none. Cycles are detected only when the graph is instantiated.
    pub fn connect(&mut self, edges: &[Edge]) -> Result<()> {
        let mut new = BTreeSet::new();
        for edge in edges {
            let known = self.nodes.contains_key(&edge.from) && self.nodes.contains_key(&edge.to);
            if !known
                || edge.from == edge.to
                || self.edge(edge).is_some()
                || !new.insert((edge.from, edge.to))
            {
                return Err(Error::InvalidValue);
            }
        }
        for edge in edges {
            if let Some(node) = self.nodes.get_mut(&edge.to) {
                node.after.push(Dependency { node: edge.from, data: edge.data });
            }
        }
        Ok(())
    }

    /// Removes all of the edges or none.
    pub fn disconnect(&mut self, edges: &[Edge]) -> Result<()> {
        if edges.iter().any(|edge| self.edge(edge).is_none_or(|data| data != edge.data)) {
            return Err(Error::InvalidValue);
        }
        for edge in edges {
            if let Some(node) = self.nodes.get_mut(&edge.to) {
                node.after.retain(|dependency| dependency.node != edge.from);
            }
        }
        Ok(())
    }

    fn edge(&self, edge: &Edge) -> Option<CUgraphEdgeData> {
        self.nodes
            .get(&edge.to)?
            .after
            .iter()
            .find(|dependency| dependency.node == edge.from)
            .map(|dependency| dependency.data)
    }

    /// Returns whether any node allocates or frees memory.
    pub fn has_memory_nodes(&self) -> bool {
        self.tasks().any(|task| matches!(task, Task::Allocate(_) | Task::Free(_)))
    }

    /// Returns a node's task.
    pub fn task(&self, node: u64) -> Result<&Task> {
        self.nodes.get(&node).map(|node| &node.task).ok_or(Error::InvalidValue)
    }

    /// Replaces a node's task. The new task must have the same type.
    pub fn set_task(&mut self, node: u64, task: Task) -> Result<()> {
        let node = self
            .nodes
            .get_mut(&node)
            .filter(|node| node.task.node_type() == task.node_type())
            .ok_or(Error::InvalidValue)?;
        node.task = task;
        Ok(())
    }

    /// Copies the tasks of another graph's nodes, and the references that keep their resources
    /// alive. `pairs` names nodes of this graph and of `other`.
    pub fn take_over(&mut self, other: &Graph, pairs: &[(u64, u64)]) {
        for (mine, theirs) in pairs {
            if let (Some(mine), Some(theirs)) = (self.nodes.get_mut(mine), other.nodes.get(theirs))
            {
                mine.task = theirs.task.clone();
            }
        }
        self.objects = other.objects.clone();
    }

    /// Returns the tasks of all nodes.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.nodes.values().map(|node| &node.task)
    }

    /// Returns all nodes.
    pub fn nodes(&self) -> Vec<u64> {
        self.nodes.keys().copied().collect()
    }

    /// Returns the nodes that have no dependencies.
    pub fn roots(&self) -> Vec<u64> {
        self.nodes
            .iter()
            .filter(|(_, node)| node.after.is_empty())
            .map(|(handle, _)| *handle)
            .collect()
    }

    /// Returns all edges.
    pub fn edges(&self) -> Vec<Edge> {
        let incoming = |(to, node): (&u64, &Node)| {
            let to = *to;
            node.after
                .iter()
                .map(move |dependency| Edge { from: dependency.node, to, data: dependency.data })
                .collect::<Vec<_>>()
        };
        self.nodes.iter().flat_map(incoming).collect()
    }

    /// Returns a node's dependencies.
    pub fn dependencies(&self, node: u64) -> Result<Vec<Dependency>> {
        self.nodes.get(&node).map(|node| node.after.clone()).ok_or(Error::InvalidValue)
    }

    /// Returns the nodes that depend on `node`.
    pub fn dependents(&self, node: u64) -> Vec<Dependency> {
        self.edges()
            .into_iter()
            .filter(|edge| edge.from == node)
            .map(|edge| Dependency { node: edge.to, data: edge.data })
            .collect()
    }

    /// Returns an order in which the nodes can run, or one node of a cycle as the error.
    pub fn order(&self) -> std::result::Result<Vec<u64>, u64> {
        let mut behind: HashMap<u64, Vec<u64>> = HashMap::new();
        let mut missing: HashMap<u64, usize> = HashMap::new();
        for (handle, node) in &self.nodes {
            missing.insert(*handle, node.after.len());
            for dependency in &node.after {
                behind.entry(dependency.node).or_default().push(*handle);
            }
        }
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut ready: BTreeSet<u64> = self.roots().into_iter().collect();
        while let Some(node) = ready.pop_first() {
            order.push(node);
            missing.remove(&node);
            for next in behind.get(&node).into_iter().flatten() {
                if let Some(count) = missing.get_mut(next) {
                    *count -= 1;
                    if *count == 0 {
                        ready.insert(*next);
                    }
                }
            }
        }
        missing.into_keys().min().map_or(Ok(order), Err)
    }

    /// Returns the given nodes and all nodes that must run before them.
    pub fn up_to(&self, nodes: impl IntoIterator<Item = u64>) -> BTreeSet<u64> {
        let mut found = BTreeSet::new();
        let mut open: Vec<u64> = nodes.into_iter().collect();
        while let Some(handle) = open.pop() {
            if found.insert(handle)
                && let Some(node) = self.nodes.get(&handle)
            {
                open.extend(node.after.iter().map(|dependency| dependency.node));
            }
        }
        found
    }

    /// Pairs the nodes of two graphs of the same shape. The search starts at the nodes without
    /// dependents and follows incoming edges, both in creation order. CUDA requires programs to
    /// keep that order.
    pub fn pair(&self, other: &Graph) -> std::result::Result<Vec<(u64, u64)>, Difference> {
        let (mine, theirs) = (self.sinks(), other.sinks());
        if self.nodes.len() != other.nodes.len() || mine.len() != theirs.len() {
            return Err(Difference { node: 0, from: 0 });
        }
        let mut pairs: BTreeMap<u64, u64> = BTreeMap::new();
        let mut taken = BTreeSet::new();
        let mut open: Vec<(u64, u64)> = mine.into_iter().zip(theirs).collect();
        while let Some((a, b)) = open.pop() {
            match pairs.entry(a) {
                Entry::Occupied(known) if *known.get() == b => continue,
                Entry::Vacant(free) if taken.insert(b) => free.insert(b),
                _ => return Err(Difference { node: b, from: 0 }),
            };
            let (before, after) = (&self.nodes[&a].after, &other.nodes[&b].after);
            if before.len() != after.len() {
                return Err(Difference { node: b, from: 0 });
            }
            for (x, y) in before.iter().zip(after) {
                if x.data != y.data {
                    return Err(Difference { node: b, from: y.node });
                }
                open.push((x.node, y.node));
            }
        }
        Ok(pairs.into_iter().collect())
    }

    fn sinks(&self) -> Vec<u64> {
        let inner: BTreeSet<u64> = self
            .nodes
            .values()
            .flat_map(|node| &node.after)
            .map(|dependency| dependency.node)
            .collect();
        self.nodes.keys().copied().filter(|node| !inner.contains(node)).collect()
    }

    /// Returns a copy whose nodes have new handles. `name` returns the handles in ascending order.
    pub fn renamed(&self, mut name: impl FnMut() -> u64) -> Graph {
        let names: HashMap<u64, u64> = self.nodes.keys().map(|node| (*node, name())).collect();
        let rename = |node: &Node| {
            let after = node
                .after
                .iter()
                .map(|dependency| Dependency { node: names[&dependency.node], ..*dependency })
                .collect();
            Node { task: node.task.clone(), after }
        };
        let nodes = self.nodes.iter().map(|(handle, node)| (names[handle], rename(node))).collect();
        Graph {
            nodes,
            objects: self.objects.clone(),
            conditions: self.conditions.clone(),
            clones: names,
            is_embedded: false,
        }
    }

    /// Returns the clone of the node `original` of another graph, if this graph still contains the
    /// clone.
    pub fn clone_of(&self, original: u64) -> Option<u64> {
        self.clones.get(&original).copied().filter(|node| self.nodes.contains_key(node))
    }

    /// Keeps a condition, which kernels in the graph may set, alive.
    pub fn keep(&mut self, condition: Arc<Condition>) {
        self.conditions.push(condition);
    }

    /// Adds references to the user object with the handle `object`.
    pub fn retain(&mut self, object: u64, references: References) -> Result<()> {
        match self.objects.entry(object) {
            Entry::Occupied(mut held) => held.get_mut().join(&references),
            Entry::Vacant(free) => {
                free.insert(references);
                Ok(())
            }
        }
    }

    /// Releases `count` references to a user object.
    pub fn release(&mut self, object: u64, count: u32) -> Result<()> {
        let held =
            self.objects.get_mut(&object).filter(|_| count > 0).ok_or(Error::InvalidValue)?;
        held.reduce(count)?;
        if held.is_empty() {
            self.objects.remove(&object);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: u64, to: u64) -> Edge {
        Edge { from, to, data: CUgraphEdgeData::default() }
    }

    /// Returns a graph of four nodes: the first precedes the second and third, and both precede the
    /// fourth. Handles start at `first`.
    fn diamond(first: u64) -> Graph {
        let mut graph = Graph::default();
        for (node, after) in [(0, vec![]), (1, vec![0]), (2, vec![0]), (3, vec![1, 2])] {
            let after = after.into_iter().map(|node| Dependency::full(first + node)).collect();
            graph.add(first + node, Task::Empty, after).unwrap();
        }
        graph
    }

    #[test]
    fn the_order_follows_the_edges() {
        let mut graph = diamond(1);
        assert_eq!(graph.order(), Ok(vec![1, 2, 3, 4]));
        graph.connect(&[edge(3, 2)]).unwrap();
        assert_eq!(graph.order(), Ok(vec![1, 3, 2, 4]));
        graph.connect(&[edge(4, 3)]).unwrap();
        assert_eq!(graph.order(), Err(2));
    }

    #[test]
    fn edges_are_added_and_removed_all_or_none() {
        let mut graph = diamond(1);
        for bad in [edge(1, 2), edge(2, 2), edge(1, 9)] {
            assert_eq!(graph.connect(&[edge(1, 4), bad]), Err(Error::InvalidValue));
        }
        assert_eq!(graph.disconnect(&[edge(1, 2), edge(1, 4)]), Err(Error::InvalidValue));
        assert_eq!(graph.edges().len(), 4);
        graph.disconnect(&[edge(1, 2)]).unwrap();
        assert_eq!(graph.roots(), [1, 2]);
        graph.remove(1);
        assert_eq!(graph.roots(), [2, 3]);
    }

    #[test]
    fn graphs_pair_by_shape() {
        let (old, mut new) = (diamond(1), diamond(11));
        assert_eq!(old.pair(&new).ok(), Some(vec![(1, 11), (2, 12), (3, 13), (4, 14)]));
        new.disconnect(&[edge(11, 12)]).unwrap();
        assert!(old.pair(&new).is_err_and(|difference| difference.node == 12));
        new.connect(&[edge(13, 12)]).unwrap();
        assert!(old.pair(&new).is_err());
    }

    #[test]
    fn a_renamed_copy_has_the_same_shape() {
        let mut next = 20;
        let copy = diamond(1).renamed(|| {
            next += 1;
            next
        });
        assert_eq!(copy.nodes(), [21, 22, 23, 24]);
        assert!(diamond(1).pair(&copy).is_ok());
    }
}
