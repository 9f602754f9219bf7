//! Tasks: stream operations as data, so that a queue can run them once and a graph any number of
//! times.
//!
//! Deliberately absent: operations that a graph cannot hold, such as stream callbacks. These are
//! enqueued as closures and rejected while a stream is captured.

use outhaul_lock::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;

use outhaul_abi::types::CUgraphNodeType;
use outhaul_abi::types::values::{
    GRAPH_NODE_TYPE_BATCH_MEM_OP, GRAPH_NODE_TYPE_CONDITIONAL, GRAPH_NODE_TYPE_EMPTY,
    GRAPH_NODE_TYPE_EVENT_RECORD, GRAPH_NODE_TYPE_GRAPH, GRAPH_NODE_TYPE_HOST,
    GRAPH_NODE_TYPE_KERNEL, GRAPH_NODE_TYPE_MEM_ALLOC, GRAPH_NODE_TYPE_MEM_FREE,
    GRAPH_NODE_TYPE_MEMCPY, GRAPH_NODE_TYPE_MEMSET, GRAPH_NODE_TYPE_WAIT_EVENT,
};

use crate::driver::objects::code::kernel_call::KernelCall;
use crate::driver::objects::graphs::conditional::Conditional;
use crate::driver::objects::graphs::graph::Graph;
use crate::driver::objects::graphs::host_call::HostCall;
use crate::driver::objects::graphs::memory::GraphAllocation;
use crate::driver::objects::graphs::plan::Plan;
use crate::driver::objects::memory::copy::Copy;
use crate::driver::objects::memory::copy::Fill;
use crate::driver::objects::memory::ranges::Ranges;
use crate::driver::objects::streams::event::{Event, Pending, Record};
use crate::driver::objects::streams::memory_operation::Batch;

/// A task.
#[derive(Clone)]
pub enum Task {
    Kernel(Arc<KernelCall>),
    Copy(Copy),
    Fill(Fill),
    Host(HostCall),
    Graph(Arc<Plan>),
    /// A child graph that the program can change until the outer graph is instantiated.
    Embedded(Embedded),
    Conditional(Arc<Conditional>),
    Batch(Arc<Batch>),
    /// Allocates memory. The memory is there from the start, so nothing happens when the task runs.
    Allocate(Arc<GraphAllocation>),
    /// Frees memory of this or another graph.
    Free(Arc<GraphAllocation>),
    Empty,
    EventRecord(Arc<Event>),
    EventWait(Arc<Event>),
}

/// A child graph and the handle with which the program names the graph.
#[derive(Clone)]
pub struct Embedded {
    /// The graph's handle.
    pub handle: u64,
    /// The graph.
    pub graph: Arc<Mutex<Graph>>,
}

/// The record that a graph launch assigns to one of its event nodes.
pub enum Moment {
    Reached(Pending),
    Awaited(Option<Arc<Record>>),
}

/// The records of a launch, in execution order.
pub type Moments = VecDeque<Moment>;

impl Task {
    /// Returns whether the task calls a host function or is a graph that contains such a task.
    pub fn has_host_function(&self) -> bool {
        match self {
            Task::Host(_) => true,
            Task::Graph(plan) => plan.has_host_function(),
            _ => false,
        }
    }

    /// Returns whether the task copies from host memory to host memory or is a graph that does.
    pub fn copies_within_host(&self, ranges: &Ranges) -> bool {
        let is_hosts =
            |address| ranges.containing(address).is_none_or(|range| range.origin.is_host());
        match self {
            Task::Copy(copy) => is_hosts(copy.to.address) && is_hosts(copy.from.address),
            Task::Graph(plan) => plan.copies_within_host(ranges),
            _ => false,
        }
    }

    /// Returns the task's node type.
    pub fn node_type(&self) -> CUgraphNodeType {
        match self {
            Task::Kernel(_) => GRAPH_NODE_TYPE_KERNEL,
            Task::Copy(_) => GRAPH_NODE_TYPE_MEMCPY,
            Task::Fill(_) => GRAPH_NODE_TYPE_MEMSET,
            Task::Host(_) => GRAPH_NODE_TYPE_HOST,
            Task::Graph(_) | Task::Embedded(_) => GRAPH_NODE_TYPE_GRAPH,
            Task::Batch(_) => GRAPH_NODE_TYPE_BATCH_MEM_OP,
            Task::Conditional(_) => GRAPH_NODE_TYPE_CONDITIONAL,
            Task::Allocate(_) => GRAPH_NODE_TYPE_MEM_ALLOC,
            Task::Free(_) => GRAPH_NODE_TYPE_MEM_FREE,
            Task::Empty => GRAPH_NODE_TYPE_EMPTY,
            Task::EventRecord(_) => GRAPH_NODE_TYPE_EVENT_RECORD,
            Task::EventWait(_) => GRAPH_NODE_TYPE_WAIT_EVENT,
        }
    }

    /// Resets the conditions at the start of each graph launch, before any task runs.
    pub fn reset(&self) {
        match self {
            Task::Graph(plan) => plan.tasks().for_each(Task::reset),
            Task::Conditional(node) => {
                node.condition.reset();
                node.plans().iter().flat_map(|plan| plan.tasks()).for_each(Task::reset);
            }
            _ => {}
        }
    }
}
