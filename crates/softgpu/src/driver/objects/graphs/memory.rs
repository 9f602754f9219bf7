//! Memory of graphs that allocate. A graph's allocation has its address and its memory from its
//! creation. It keeps both as long as a graph, an executable graph, queued work or the program
//! uses it. Deliberately absent: two allocations never share memory, not even at different times
//! in one graph.

use outhaul_lock::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

use crate::driver::lock;
use crate::driver::system::error::{Error, Result};

/// Number of attributes of a device's graph memory: used and reserved bytes, each current and
/// highest.
const ATTRIBUTES: i32 = 4;

/// One allocation of a graph. `driver::graphs::memory` frees the memory when the last reference is
/// dropped.
pub struct GraphAllocation {
    /// First address.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Ordinal of the device.
    pub device: i32,
    /// Identifier of the range, because memory of another allocation may have the same address
    /// after the destruction of a context.
    pub range_id: u64,
}

/// The allocations of all graphs.
#[derive(Default)]
pub struct GraphMemory(Mutex<State>);

#[derive(Default)]
struct State {
    known: HashMap<u64, Weak<GraphAllocation>>,
    /// Allocations that a launch has made and nothing has freed since. They may outlive their
    /// graphs.
    launched: HashMap<u64, Arc<GraphAllocation>>,
    /// Bytes by device: those of launched allocations, and those of all.
    levels: HashMap<i32, [Level; 2]>,
}

#[derive(Clone, Copy, Default)]
struct Level {
    now: u64,
    high: u64,
}

impl Level {
    fn add(&mut self, bytes: u64) {
        self.now += bytes;
        self.high = self.high.max(self.now);
    }
}

/// The allocations that each launch of a graph makes and frees.
#[derive(Default)]
pub struct LaunchEffects {
    /// Allocations that the graph makes.
    pub allocates: Vec<Arc<GraphAllocation>>,
    /// Allocations that the graph frees, whichever graph made them.
    pub frees: Vec<Arc<GraphAllocation>>,
}

impl GraphMemory {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }

    /// Adds an allocation.
    pub fn add(&self, allocation: GraphAllocation) -> Arc<GraphAllocation> {
        let allocation = Arc::new(allocation);
        let mut state = self.state();
        state.known.insert(allocation.address, Arc::downgrade(&allocation));
        state.levels.entry(allocation.device).or_default()[1].add(allocation.bytes);
        allocation
    }

    /// Removes an allocation that nothing uses any more.
    pub fn forget(&self, allocation: &GraphAllocation) {
        let mut state = self.state();
        let is_it = |known: &Weak<GraphAllocation>| std::ptr::eq(known.as_ptr(), allocation);
        if state.known.get(&allocation.address).is_some_and(is_it) {
            state.known.remove(&allocation.address);
        }
        if let Some(levels) = state.levels.get_mut(&allocation.device) {
            levels[1].now -= allocation.bytes;
        }
    }

    /// Returns the allocation whose first address is `address`.
    pub fn find(&self, address: u64) -> Option<Arc<GraphAllocation>> {
        self.state().known.get(&address)?.upgrade()
    }

    /// Fails if memory of an earlier launch is still allocated. With `free_first`, frees that
    /// memory instead.
    pub fn check_launch(&self, effects: &LaunchEffects, free_first: bool) -> Result<()> {
        for allocation in &effects.allocates {
            if free_first {
                self.free(allocation.address);
            } else if self.state().launched.contains_key(&allocation.address) {
                return Err(Error::InvalidValue);
            }
        }
        Ok(())
    }

    /// Updates the launched allocations after the launch of a graph.
    pub fn note_launch(&self, effects: LaunchEffects) {
        for allocation in effects.allocates {
            let mut state = self.state();
            state.levels.entry(allocation.device).or_default()[0].add(allocation.bytes);
            state.launched.insert(allocation.address, allocation);
        }
        for allocation in effects.frees {
            self.free(allocation.address);
        }
    }

    /// Frees an allocation that a launch has made. The memory remains until the caller and all
    /// graphs have dropped the allocation. Returns none for any other address.
    pub fn free(&self, address: u64) -> Option<Arc<GraphAllocation>> {
        let mut state = self.state();
        let allocation = state.launched.remove(&address)?;
        state.levels.entry(allocation.device).or_default()[0].now -= allocation.bytes;
        Some(allocation)
    }

    /// Returns the value of a `CUgraphMem_attribute` in bytes.
    pub fn attribute(&self, device: i32, attribute: i32) -> Result<u64> {
        if !(0..ATTRIBUTES).contains(&attribute) {
            return Err(Error::InvalidValue);
        }
        let levels = self.state().levels.get(&device).copied().unwrap_or_default();
        let level = levels[usize::from(attribute >= 2)];
        Ok(if attribute % 2 == 1 { level.high } else { level.now })
    }

    /// Resets a high-water mark to the present value. The other attributes cannot be set.
    pub fn reset_high(&self, device: i32, attribute: i32) -> Result<()> {
        if !(0..ATTRIBUTES).contains(&attribute) || attribute % 2 == 0 {
            return Err(Error::InvalidValue);
        }
        let mut state = self.state();
        let level = &mut state.levels.entry(device).or_default()[usize::from(attribute >= 2)];
        level.high = level.now;
        Ok(())
    }
}
