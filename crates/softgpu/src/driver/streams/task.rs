//! Tasks: the operations of a stream as data, so that a queue can run them once and a graph any
//! number of times.
//!
//! Deliberately absent: operations that a graph cannot hold (stream callbacks, stream-ordered
//! allocation). These are queued as closures and refused while a stream is captured.

use outhaul_lock::Mutex;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::Arc;

use outhaul_abi::types::CUgraphNodeType;
use outhaul_abi::types::values::{
    GRAPH_NODE_TYPE_BATCH_MEM_OP, GRAPH_NODE_TYPE_CONDITIONAL, GRAPH_NODE_TYPE_EMPTY,
    GRAPH_NODE_TYPE_EVENT_RECORD, GRAPH_NODE_TYPE_GRAPH, GRAPH_NODE_TYPE_HOST,
    GRAPH_NODE_TYPE_KERNEL, GRAPH_NODE_TYPE_MEMCPY, GRAPH_NODE_TYPE_MEMSET,
    GRAPH_NODE_TYPE_WAIT_EVENT,
};

use super::event::{Event, Pending, Record};
use super::memory_operation::Batch;
use crate::driver::code::launch::KernelCall;
use crate::driver::graphs::conditional::Conditional;
use crate::driver::graphs::graph::Graph;
use crate::driver::graphs::graph_exec::Plan;
use crate::driver::memory::copy::{Copy, Fill};
use crate::driver::state;
use crate::driver::state::Driver;
use crate::driver::system::error::Result;

/// A task.
#[derive(Clone)]
pub enum Task {
    Kernel(Arc<KernelCall>),
    Copy(Copy),
    Fill(Fill),
    Host(HostCall),
    Graph(Arc<Plan>),
    /// A child graph that the program can change until the graph around it is instantiated.
    Embedded(Embedded),
    Conditional(Arc<Conditional>),
    Batch(Arc<Batch>),
    Empty,
    EventRecord(Arc<Event>),
    EventWait(Arc<Event>),
}

/// A graph inside another, with the handle by which the program knows it.
#[derive(Clone)]
pub struct Embedded {
    /// Handle.
    pub handle: u64,
    /// The graph.
    pub graph: Arc<Mutex<Graph>>,
}

/// A function of the program, with its argument.
#[derive(Clone, Copy)]
pub struct HostCall {
    /// Function.
    pub function: unsafe extern "C" fn(*mut c_void),
    /// Address of the argument, because a pointer is not `Send`.
    pub data: u64,
}

/// The record that the launch of a graph assigns to one of its event nodes.
pub enum Moment {
    Reached(Pending),
    Awaited(Option<Arc<Record>>),
}

/// The records of a launch, in the order in which its nodes run.
pub type Moments = VecDeque<Moment>;

impl HostCall {
    /// Calls the function.
    pub fn run(&self) {
        // SAFETY: the program promises that the function takes its own data.
        state::in_host_function(|| unsafe {
            (self.function)(std::ptr::with_exposed_provenance_mut(self.data as usize))
        });
    }
}

impl Task {
    /// Returns whether the task is a host function, or a graph that contains one.
    pub fn has_host_function(&self) -> bool {
        match self {
            Task::Host(_) => true,
            Task::Graph(plan) => plan.has_host_function(),
            _ => false,
        }
    }

    /// Returns whether the task copies from host memory to host memory, or is a graph that does.
    pub fn copies_within_host(&self, driver: &Driver) -> bool {
        let is_hosts =
            |address| driver.ranges.containing(address).is_none_or(|range| range.origin.is_host());
        match self {
            Task::Copy(copy) => is_hosts(copy.to.address) && is_hosts(copy.from.address),
            Task::Graph(plan) => plan.copies_within_host(driver),
            _ => false,
        }
    }

    /// Returns the type of the node.
    pub fn node_type(&self) -> CUgraphNodeType {
        match self {
            Task::Kernel(_) => GRAPH_NODE_TYPE_KERNEL,
            Task::Copy(_) => GRAPH_NODE_TYPE_MEMCPY,
            Task::Fill(_) => GRAPH_NODE_TYPE_MEMSET,
            Task::Host(_) => GRAPH_NODE_TYPE_HOST,
            Task::Graph(_) | Task::Embedded(_) => GRAPH_NODE_TYPE_GRAPH,
            Task::Batch(_) => GRAPH_NODE_TYPE_BATCH_MEM_OP,
            Task::Conditional(_) => GRAPH_NODE_TYPE_CONDITIONAL,
            Task::Empty => GRAPH_NODE_TYPE_EMPTY,
            Task::EventRecord(_) => GRAPH_NODE_TYPE_EVENT_RECORD,
            Task::EventWait(_) => GRAPH_NODE_TYPE_WAIT_EVENT,
        }
    }

    /// Prepares the task at the launch of a graph, before it is queued. It checks that memory still
    /// exists, and takes the records of events as they are now.
    pub fn begin(&self, driver: &Driver, moments: &mut Moments) -> Result<()> {
        match self {
            Task::Copy(copy) => driver.check_copy(copy)?,
            Task::Fill(fill) => driver.check_fill(fill)?,
            Task::Graph(plan) => plan.tasks().try_for_each(|task| task.begin(driver, moments))?,
            Task::Conditional(node) => node
                .plans()
                .iter()
                .flat_map(|plan| plan.tasks())
                .try_for_each(|task| task.begin(driver, moments))?,
            Task::EventRecord(event) => moments.push_back(Moment::Reached(event.expect())),
            Task::EventWait(event) => moments.push_back(Moment::Awaited(event.last()?)),
            Task::Kernel(_) | Task::Host(_) | Task::Empty | Task::Batch(_) | Task::Embedded(_) => {}
        }
        Ok(())
    }

    /// Runs the task in its place in a stream. The nodes of a graph run one after the other, which
    /// is one of the orders that its edges allow.
    pub fn run(&self, moments: &mut Moments) -> Result<()> {
        match self {
            Task::Kernel(call) => call.run()?,
            Task::Copy(copy) => copy.run()?,
            Task::Fill(fill) => fill.run()?,
            Task::Host(call) => call.run(),
            Task::Graph(plan) => plan.tasks().try_for_each(|task| task.run(moments))?,
            Task::Conditional(node) => node.run(moments)?,
            Task::Batch(batch) => batch.run(),
            // A plan contains an embedded graph as a graph.
            Task::Empty | Task::Embedded(_) => {}
            Task::EventRecord(_) | Task::EventWait(_) => match moments.pop_front() {
                Some(Moment::Reached(pending)) => drop(pending),
                Some(Moment::Awaited(Some(record))) => record.wait(),
                Some(Moment::Awaited(None)) | None => {}
            },
        }
        Ok(())
    }

    /// Resets conditions at each launch of a graph, before any of its tasks runs.
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

    /// Returns a task that reads its source from the returned bytes, which are copied now.
    pub fn staged(self) -> (Task, Vec<u8>) {
        match self {
            Task::Copy(copy) => {
                let (copy, bytes) = copy.staged();
                (Task::Copy(copy), bytes)
            }
            other => (other, Vec::new()),
        }
    }
}
