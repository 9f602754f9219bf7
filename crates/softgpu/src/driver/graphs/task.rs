//! Runs the tasks of streams and graphs.

use crate::driver::objects::graphs::conditional::Conditional;
use crate::driver::objects::graphs::task::{Moment, Moments, Task};
use crate::driver::state::Driver;
use crate::driver::system::error::Result;
use outhaul_abi::types::values::{GRAPH_COND_TYPE_SWITCH, GRAPH_COND_TYPE_WHILE};

impl Task {
    /// Prepares the task when a graph is launched, before the graph is enqueued. Checks that memory
    /// still exists, and takes the events' current records.
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
            Task::Kernel(_)
            | Task::Host(_)
            | Task::Allocate(_)
            | Task::Free(_)
            | Task::Empty
            | Task::Batch(_)
            | Task::Embedded(_) => {}
        }
        Ok(())
    }

    /// Runs the task when a stream reaches it. A graph's nodes run one after another, in one of the
    /// orders that its edges allow.
    pub fn run(&self, moments: &mut Moments) -> Result<()> {
        match self {
            Task::Kernel(call) => call.run()?,
            Task::Copy(copy) => copy.run()?,
            Task::Fill(fill) => fill.run()?,
            Task::Host(call) => call.run(),
            Task::Graph(plan) => plan.tasks().try_for_each(|task| task.run(moments))?,
            Task::Conditional(node) => node.run(moments)?,
            Task::Batch(batch) => batch.run(),
            // A plan holds an embedded graph as `Task::Graph`.
            Task::Allocate(_) | Task::Free(_) | Task::Empty | Task::Embedded(_) => {}
            Task::EventRecord(_) | Task::EventWait(_) => match moments.pop_front() {
                Some(Moment::Reached(pending)) => drop(pending),
                Some(Moment::Awaited(Some(record))) => record.wait(),
                Some(Moment::Awaited(None)) | None => {}
            },
        }
        Ok(())
    }

    /// Returns a task that reads its source from the returned bytes, into which the source is
    /// copied now.
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

impl Conditional {
    /// Runs the inner graphs that the condition selects.
    pub fn run(&self, moments: &mut Moments) -> Result<()> {
        let mut run = |which: usize| {
            self.plans()
                .get(which)
                .map_or(Ok(()), |plan| plan.tasks().try_for_each(|task| task.run(moments)))
        };
        match self.kind {
            GRAPH_COND_TYPE_WHILE => {
                while self.condition.value() != 0 {
                    run(0)?;
                }
                Ok(())
            }
            GRAPH_COND_TYPE_SWITCH => run(self.condition.value() as usize),
            _ => run(usize::from(self.condition.value() == 0)),
        }
    }
}
