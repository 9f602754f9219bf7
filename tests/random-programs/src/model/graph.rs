//! Graphs that are built by calls or captured. A launch is a single operation in a stream.

use super::action::{accesses, conflict};
use super::order::handed_over;
use super::{Model, Refusal, Verdict, wrong};
use crate::clock::{Atom, Clock};
use crate::program::*;

/// Maximum number of nodes in a graph.
const NODES_MAX: usize = 64;

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Index of the operation that created the node.
    pub site: usize,
    /// The node's action.
    pub action: Action,
    /// Nodes on which the node directly depends.
    pub after: Vec<usize>,
    /// Nodes on which the node depends, directly or indirectly.
    ancestors: Clock,
    /// Registration counts of the buffers at the time when the action was set.
    registrations: Vec<usize>,
}

/// A graph.
#[derive(Clone, Default, Debug)]
pub struct Graph {
    /// Nodes in order of creation.
    pub nodes: Vec<Node>,
    /// Whether the graph exists.
    pub alive: bool,
    /// Whether the graph was built by calls, so that its node handles are known.
    pub built: bool,
    last_use: Option<Atom>,
}

/// An executable graph.
#[derive(Clone, Debug)]
pub struct Exec {
    /// Nodes in order of creation.
    pub nodes: Vec<Node>,
    /// Whether the executable graph exists.
    pub alive: bool,
    /// Number of the graph from which the executable graph was created.
    pub graph: usize,
    /// Whether that graph was built by calls.
    pub built: bool,
    /// Atoms that have happened when all launches so far are complete.
    done: Clock,
    last_use: Option<Atom>,
}

impl Model {
    pub(super) fn new_graph(&mut self, thread: usize, number: usize, built: bool) -> Verdict {
        if self.graphs.contains_key(&number) {
            return wrong("the graph exists already");
        }
        let call = self.step(thread);
        self.graphs
            .insert(number, Graph { alive: true, built, last_use: Some(call), ..Graph::default() });
        Ok(())
    }

    /// Returns a graph that the thread may use.
    pub fn graph(&self, thread: usize, number: usize) -> Result<&Graph, Refusal> {
        let Some(graph) = self.graphs.get(&number).filter(|graph| graph.alive) else {
            return wrong("there is no such graph");
        };
        handed_over(graph.last_use, &self.threads[thread])?;
        Ok(graph)
    }

    /// Returns an executable graph that the thread may use.
    pub fn exec(&self, thread: usize, number: usize) -> Result<&Exec, Refusal> {
        let Some(exec) = self.execs.get(&number).filter(|exec| exec.alive) else {
            return wrong("there is no such executable graph");
        };
        handed_over(exec.last_use, &self.threads[thread])?;
        Ok(exec)
    }

    /// Returns a new node. Fails if the node is invalid, or races with a node to which it has no
    /// order.
    fn node(&self, nodes: &[Node], action: &Action, after: &[usize]) -> Result<Node, Refusal> {
        self.is_sound(action)?;
        if matches!(action, Action::Host { deeds }
            if deeds.iter().any(|deed| matches!(deed, Deed::Post(_))))
        {
            return wrong("a token is posted once, and a graph is launched often");
        }
        if nodes.len() >= NODES_MAX || after.iter().any(|index| *index >= nodes.len()) {
            return wrong("a node comes after others of its graph");
        }
        let mut ancestors = Clock::default();
        for index in after {
            ancestors.join(&nodes[*index].ancestors);
            ancestors.insert(*index);
        }
        if nodes
            .iter()
            .enumerate()
            .any(|(index, node)| !ancestors.has(index) && conflict(&node.action, action))
        {
            return wrong("two nodes race");
        }
        Ok(Node {
            site: self.site(),
            action: action.clone(),
            after: after.to_vec(),
            ancestors,
            registrations: self.registrations(action),
        })
    }

    fn registrations(&self, action: &Action) -> Vec<usize> {
        accesses(action)
            .iter()
            .map(|(range, _)| {
                self.buffers.get(&range.buffer).map_or(0, |buffer| buffer.registrations)
            })
            .collect()
    }

    pub(super) fn add_node(
        &mut self,
        thread: usize,
        number: usize,
        after: &[usize],
        action: &Action,
    ) -> Result<usize, Refusal> {
        let node = self.node(&self.graph(thread, number)?.nodes, action, after)?;
        self.may_name(thread, action)?;
        let call = self.step(thread);
        self.name(call, action);
        let graph = self.graphs.get_mut(&number).expect("the graph was looked up");
        graph.last_use = Some(call);
        graph.nodes.push(node);
        Ok(graph.nodes.len() - 1)
    }

    pub(super) fn graph_call(&mut self, thread: usize, deal: &Deal) -> Verdict {
        match deal {
            Deal::NewGraph { graph } => self.new_graph(thread, *graph, true),
            Deal::Node { graph, after, action } => {
                if !self.graph(thread, *graph)?.built {
                    return wrong("the graph was captured");
                }
                self.add_node(thread, *graph, after, action).map(|_| ())
            }
            Deal::Instantiate { exec, graph } => self.instantiate(thread, *exec, *graph),
            Deal::Change { exec, node, action } => self.change(thread, *exec, *node, action),
            Deal::Launch { exec, stream } => self.launch(thread, *exec, *stream),
            Deal::DropExec { exec } => {
                self.exec(thread, *exec)?;
                self.step(thread);
                self.execs.get_mut(exec).expect("it was looked up").alive = false;
                Ok(())
            }
            Deal::DropGraph { graph } => {
                self.graph(thread, *graph)?;
                self.step(thread);
                self.graphs.get_mut(graph).expect("it was looked up").alive = false;
                Ok(())
            }
            _ => wrong("no such call here"),
        }
    }

    /// Fails unless the nodes' memory still exists and its registrations have not changed.
    fn is_current(&self, nodes: &[Node]) -> Verdict {
        for node in nodes {
            accesses(&node.action)
                .iter()
                .try_for_each(|(range, _)| self.buffer(range.buffer).map(|_| ()))?;
            if self.registrations(&node.action) != node.registrations {
                return wrong("memory of the graph was registered or unregistered");
            }
        }
        Ok(())
    }

    fn instantiate(&mut self, thread: usize, number: usize, graph: usize) -> Verdict {
        if self.execs.contains_key(&number) {
            return wrong("the executable graph exists already");
        }
        let from = self.graph(thread, graph)?;
        if from.nodes.is_empty() {
            return wrong("an empty graph shows nothing");
        }
        self.is_current(&from.nodes)?;
        from.nodes.iter().try_for_each(|node| self.may_name(thread, &node.action))?;
        let (nodes, built) = (from.nodes.clone(), from.built);
        let call = self.step(thread);
        nodes.iter().for_each(|node| self.name(call, &node.action));
        self.graphs.get_mut(&graph).expect("the graph was looked up").last_use = Some(call);
        let exec =
            Exec { nodes, alive: true, graph, built, done: Clock::default(), last_use: Some(call) };
        self.execs.insert(number, exec);
        Ok(())
    }

    fn change(&mut self, thread: usize, number: usize, index: usize, action: &Action) -> Verdict {
        let exec = self.exec(thread, number)?;
        if !exec.built || !self.graph(thread, exec.graph)?.built {
            return wrong("the nodes' handles are not known");
        }
        let Some(old) = exec.nodes.get(index) else { return wrong("there is no such node") };
        if !self.is_alike(&old.action, action) {
            return wrong("a node keeps its kind");
        }
        self.is_current(&exec.nodes)?;
        let node = self.node(&exec.nodes[..index], action, &old.after)?;
        let races = |(place, other): (usize, &Node)| {
            place > index && !other.ancestors.has(index) && conflict(&other.action, action)
        };
        if exec.nodes.iter().enumerate().any(races) {
            return wrong("two nodes race");
        }
        self.may_name(thread, action)?;
        let call = self.step(thread);
        self.name(call, action);
        let exec = self.execs.get_mut(&number).expect("it was looked up");
        exec.nodes[index] = node;
        exec.last_use = Some(call);
        self.graphs.get_mut(&exec.graph).expect("it was looked up").last_use = Some(call);
        Ok(())
    }

    /// Returns whether `new` may replace a node's action in an executable graph. The kernel must be
    /// equal. A copy must name the same kinds of memory in the same way.
    fn is_alike(&self, old: &Action, new: &Action) -> bool {
        let memory = |rows: &Rows| self.buffers.get(&rows.buffer).map(|buffer| buffer.memory);
        match (old, new) {
            (Action::Stamp { .. }, Action::Stamp { .. })
            | (Action::Bump { .. }, Action::Bump { .. })
            | (Action::Check { .. }, Action::Check { .. })
            | (Action::Spin { .. }, Action::Spin { .. })
            | (Action::Host { .. }, Action::Host { .. }) => true,
            (Action::Fill { to: a, .. }, Action::Fill { to: b, .. }) => {
                a.rows == 1 && b.rows == 1 && memory(a) == memory(b)
            }
            (
                Action::Copy { to: a, from: b, call },
                Action::Copy { to: c, from: d, call: other },
            ) => {
                a.rows == 1
                    && c.rows == 1
                    && memory(a) == memory(c)
                    && memory(b) == memory(d)
                    && call == other
            }
            _ => false,
        }
    }

    /// Launches a graph after earlier work in the stream and after the graph's earlier launches.
    fn launch(&mut self, thread: usize, number: usize, stream: Stream) -> Verdict {
        let exec = self.exec(thread, number)?;
        let line = self.line(thread, stream)?;
        self.is_current(&exec.nodes)?;
        let mut base = self.before(thread, line);
        base.join(&exec.done);
        let nodes = exec.nodes.clone();
        for node in &nodes {
            if let Some(last) = self.sites[node.site].last.filter(|last| !base.has(*last)) {
                return Err(Refusal::Race(last));
            }
            // Nodes of one graph that race would have been rejected when they were added. Their
            // accesses are not recorded yet.
            self.may_act(&base, &node.action)?;
        }
        let mut done = base.clone();
        let mut ends: Vec<Clock> = Vec::new();
        for node in &nodes {
            let atom = self.atom(thread, Some(line));
            let mut end = base.clone().with(atom);
            node.after.iter().for_each(|index| end.join(&ends[*index]));
            self.note(atom, &node.action);
            self.perform(node.site, &node.action);
            self.sites[node.site].last = Some(atom);
            done.join(&end);
            ends.push(end);
        }
        self.advance(thread, line, done);
        let tail = self.streams[&line].tail.clone();
        let call = self.step(thread);
        let exec = self.execs.get_mut(&number).expect("it was looked up");
        (exec.done, exec.last_use) = (tail, Some(call));
        Ok(())
    }
}
