//! Allocates memory for graphs, and frees it when its last reference ends.

use std::sync::Arc;

use crate::driver::lock;
use crate::driver::objects::graphs::memory::GraphAllocation;
use crate::driver::objects::graphs::task::Task;
use crate::driver::objects::memory::ranges::Origin;
use crate::driver::objects::streams::capture::Capture;
use crate::driver::objects::streams::context::Context;
use crate::driver::objects::streams::stream::Stream;
use crate::driver::state::{self, Driver};
use crate::driver::system::error::{Error, Result};

/// Granularity of allocations in bytes.
const UNIT_BYTES: u64 = 512;

impl Driver {
    /// Allocates memory that a graph's node will allocate.
    pub fn allocate_for_graph(
        &self,
        context: &Context,
        device: i32,
        bytes: u64,
    ) -> Result<Arc<GraphAllocation>> {
        let bytes = bytes.checked_next_multiple_of(UNIT_BYTES).ok_or(Error::OutOfMemory)?;
        // Memory of another device belongs to no context here.
        let owner = if device == context.device { context.handle } else { 0 };
        let address = self.allocate_on(device, owner, bytes, Origin::Graph)?;
        let range_id = self.ranges.containing(address).map_or(0, |range| range.id);
        Ok(self.graph_memory.add(GraphAllocation { address, bytes, device, range_id }))
    }

    /// Returns a task that frees memory of a graph. The memory must be one that a graph allocates,
    /// and the graph `handle` must not free it already.
    pub fn free_in_graph(&self, handle: u64, address: u64) -> Result<Task> {
        let allocation = self.graph_memory.find(address).ok_or(Error::InvalidValue)?;
        let graph = self.graph(handle)?;
        let is_freed = lock(&graph)
            .tasks()
            .any(|task| matches!(task, Task::Free(freed) if freed.address == address));
        if is_freed { Err(Error::InvalidValue) } else { Ok(Task::Free(allocation)) }
    }
}

impl Capture {
    /// Captures an allocation. Returns the address of the memory, which belongs to the graph.
    pub fn allocate(
        &self,
        driver: &Driver,
        stream: &Stream,
        device: i32,
        bytes: u64,
    ) -> Result<u64> {
        let allocation = driver.allocate_for_graph(&*stream.context()?, device, bytes)?;
        let address = allocation.address;
        self.add(stream, Task::Allocate(allocation))?;
        Ok(address)
    }

    /// Captures a free of memory that a graph allocates.
    pub fn free(&self, driver: &Driver, stream: &Stream, address: u64) -> Result<()> {
        self.add(stream, driver.free_in_graph(self.graph, address)?)
    }
}

impl Drop for GraphAllocation {
    fn drop(&mut self) {
        let Some(driver) = state::started() else { return };
        driver.graph_memory.forget(self);
        if let Some(range) = driver.ranges.take(self.address, |range| range.id == self.range_id) {
            driver.give_back(&range);
        }
    }
}
