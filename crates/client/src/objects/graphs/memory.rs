//! Memory of graphs that allocate. An allocation node has its address and its memory from its
//! creation. It keeps them as long as a graph, an executable graph or the program uses them. The
//! driver's graph contains an empty node instead, to preserve the order. Not implemented: two
//! allocations never share memory, not even at different times in one graph.

use outhaul_abi::types::{CUdeviceptr, CUresult};
use outhaul_lock::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Weak};

/// Sentinel that graph allocations store instead of a pool's handle.
pub const OF_GRAPHS: u64 = u64::MAX;

/// One allocation of a graph. `driver::memory::graph_memory` frees the memory when the last
/// reference is dropped.
pub struct Block {
    /// Address of the first byte.
    pub address: CUdeviceptr,
    /// Number of bytes.
    pub bytes: u64,
    /// Ordinal of the device.
    pub device: i32,
    /// Unique number of the allocation, because after a context reset another allocation may have
    /// the same address.
    pub id: u64,
    /// Whether a launch has allocated the block and nothing has freed it since.
    allocated: AtomicBool,
}

/// Blocks that each launch of a graph allocates and frees.
#[derive(Clone, Default)]
pub struct Effects {
    allocates: Vec<Arc<Block>>,
    frees: Vec<Arc<Block>>,
}

impl Effects {
    /// Returns whether a launch neither allocates nor frees.
    pub fn is_empty(&self) -> bool {
        self.allocates.is_empty() && self.frees.is_empty()
    }

    /// Returns whether memory of an earlier launch is still allocated.
    pub fn leaks(&self) -> bool {
        self.allocates.iter().any(|block| block.allocated.load(SeqCst))
    }

    fn stays(&self, block: &Arc<Block>) -> bool {
        !self.frees.iter().any(|freed| Arc::ptr_eq(freed, block))
    }
}

/// The kind of a memory node, for which the driver's graph has an empty node.
#[derive(Clone)]
pub enum Node {
    /// Allocates this block.
    Allocates(Weak<Block>),
    /// Frees the block at this address.
    Frees(CUdeviceptr),
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

#[derive(Default)]
struct Table {
    blocks: HashMap<CUdeviceptr, Weak<Block>>,
    /// Allocated blocks, which may outlive their graphs.
    allocated: HashMap<CUdeviceptr, Arc<Block>>,
    nodes: HashMap<u64, (u64, Node)>,
    /// Bytes by device: those allocated, and those reserved for graphs.
    levels: HashMap<i32, [Level; 2]>,
}

/// The allocations of all graphs.
#[derive(Default)]
pub struct GraphMemory {
    table: Mutex<Table>,
    /// Number of blocks and nodes. A program without any pays only for reading this number.
    known: AtomicUsize,
}

impl GraphMemory {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock()
    }

    fn is_unused(&self) -> bool {
        self.known.load(Relaxed) == 0
    }

    /// Adds an allocation.
    pub fn add(&self, address: CUdeviceptr, bytes: u64, device: i32, id: u64) -> Arc<Block> {
        let block = Arc::new(Block { address, bytes, device, id, allocated: false.into() });
        let mut table = self.lock();
        table.blocks.insert(address, Arc::downgrade(&block));
        table.levels.entry(device).or_default()[1].add(bytes);
        self.known.fetch_add(1, Relaxed);
        block
    }

    /// Removes an allocation that nothing uses any more.
    pub fn forget(&self, block: &Block) {
        let mut table = self.lock();
        if table.blocks.remove(&block.address).is_some() {
            table.levels.entry(block.device).or_default()[1].now -= block.bytes;
            self.known.fetch_sub(1, Relaxed);
        }
    }

    /// Returns the block whose first address is `address`.
    pub fn find(&self, address: CUdeviceptr) -> Option<Arc<Block>> {
        if self.is_unused() { None } else { self.lock().blocks.get(&address)?.upgrade() }
    }

    /// Notes the kind of a memory node, because the driver has only an empty node.
    pub fn enter(&self, graph: u64, node: u64, what: Node) {
        if self.lock().nodes.insert(node, (graph, what)).is_none() {
            self.known.fetch_add(1, Relaxed);
        }
    }

    /// Returns the kind of a memory node; none for nodes of other kinds.
    pub fn node(&self, node: u64) -> Option<Node> {
        if self.is_unused() {
            None
        } else {
            self.lock().nodes.get(&node).map(|(_, what)| what.clone())
        }
    }

    /// Forgets the memory nodes of a destroyed graph.
    pub fn forget_nodes(&self, graph: u64) {
        if self.is_unused() {
            return;
        }
        let mut table = self.lock();
        let before = table.nodes.len();
        table.nodes.retain(|_, (of, _)| *of != graph);
        self.known.fetch_sub(before - table.nodes.len(), Relaxed);
    }

    /// Updates the allocated blocks after a graph's launch.
    pub fn launched(&self, effects: &Effects) {
        for block in effects.allocates.iter().filter(|block| effects.stays(block)) {
            if !block.allocated.swap(true, SeqCst) {
                let mut table = self.lock();
                table.levels.entry(block.device).or_default()[0].add(block.bytes);
                table.allocated.insert(block.address, block.clone());
            }
        }
        for block in &effects.frees {
            let _ = self.free(block.address);
        }
    }

    /// Frees a block that a launch has allocated. Returns none if no graph owns the address.
    pub fn free(&self, address: CUdeviceptr) -> Option<Result<(), CUresult>> {
        let block = self.find(address)?;
        if !block.allocated.swap(false, SeqCst) {
            return Some(Err(CUresult::INVALID_VALUE));
        }
        let mut table = self.lock();
        table.levels.entry(block.device).or_default()[0].now -= block.bytes;
        let held = table.allocated.remove(&address);
        // Dropping the last reference frees the block, and that needs the table's lock.
        drop(table);
        drop(held);
        Some(Ok(()))
    }

    /// Returns a device's graph memory in bytes. `held` selects the reserved rather than the
    /// allocated bytes, and `high` the maximum so far rather than the present value.
    pub fn bytes(&self, device: i32, held: bool, high: bool) -> u64 {
        let level = self
            .lock()
            .levels
            .get(&device)
            .map_or(Level::default(), |levels| levels[usize::from(held)]);
        if high { level.high } else { level.now }
    }

    /// Resets a high-water mark to the present value.
    pub fn reset_high(&self, device: i32, held: bool) {
        let mut table = self.lock();
        let level = &mut table.levels.entry(device).or_default()[usize::from(held)];
        level.high = level.now;
    }
}

/// Allocations and frees of a graph that the program still builds.
#[derive(Default)]
pub struct Building(Mutex<Effects>);

impl Building {
    fn lock(&self) -> MutexGuard<'_, Effects> {
        self.0.lock()
    }

    /// Adds an allocation.
    pub fn allocate(&self, block: Arc<Block>) {
        self.lock().allocates.push(block);
    }

    /// Adds a free.
    pub fn free(&self, block: Arc<Block>) {
        self.lock().frees.push(block);
    }

    /// Returns whether a node already frees the block. A second free node would free it twice in
    /// one launch.
    pub fn frees(&self, address: CUdeviceptr) -> bool {
        self.lock().frees.iter().any(|block| block.address == address)
    }

    /// Returns the allocations and frees so far.
    pub fn effects(&self) -> Effects {
        self.lock().clone()
    }
}
