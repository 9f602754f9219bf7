//! Memory of graphs that allocate. An allocation has its address, and memory behind it, from the
//! node that makes it until neither a graph, nor an executable graph, nor the program has it any
//! more. The node in the driver's graph is an empty one: it keeps the order. Absent: allocations of
//! several graphs, or at different times in one, do not take turns on the same memory.

use crate::driver::driver;
use crate::memory;
use outhaul_abi::types::{CUdeviceptr, CUresult};
use outhaul_lock::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Weak};

/// In place of the handle of the pool that an allocation belongs to.
pub const OF_GRAPHS: u64 = u64::MAX;

pub struct Block {
    pub address: CUdeviceptr,
    pub bytes: u64,
    pub device: i32,
    /// The allocation's, since its address may be another's once a context was reset.
    id: u64,
    /// A launch has allocated it, and nothing has freed it since.
    allocated: AtomicBool,
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Ok(driver) = driver() {
            driver.graph_memory.forget(self);
        }
        let is_there = |driver| {
            memory::find(driver, self.address).is_some_and(|(found, _)| found.id == self.id)
        };
        if driver().is_ok_and(is_there) {
            // A session that is lost holds nothing any more.
            let _ = memory::free(self.address);
        }
    }
}

/// What the launches of a graph do.
#[derive(Clone, Default)]
pub struct Effects {
    allocates: Vec<Arc<Block>>,
    frees: Vec<Arc<Block>>,
}

impl Effects {
    pub fn is_empty(&self) -> bool {
        self.allocates.is_empty() && self.frees.is_empty()
    }

    /// Memory of an earlier launch that is there still.
    pub fn leaks(&self) -> bool {
        self.allocates.iter().any(|block| block.allocated.load(SeqCst))
    }

    fn stays(&self, block: &Arc<Block>) -> bool {
        !self.frees.iter().any(|freed| Arc::ptr_eq(freed, block))
    }
}

/// What a node is that the driver has as an empty one.
#[derive(Clone)]
pub enum Node {
    Allocates(Weak<Block>),
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
    /// What is allocated: it lives on without its graph.
    allocated: HashMap<CUdeviceptr, Arc<Block>>,
    nodes: HashMap<u64, (u64, Node)>,
    /// By device: what is allocated, and what is held for graphs.
    levels: HashMap<i32, [Level; 2]>,
}

#[derive(Default)]
pub struct GraphMemory {
    table: Mutex<Table>,
    /// Blocks and nodes, so that programs without any pay a look only.
    known: AtomicUsize,
}

impl GraphMemory {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock()
    }

    fn is_unused(&self) -> bool {
        self.known.load(Relaxed) == 0
    }

    pub fn allocate(&self, bytes: u64, device: i32) -> Result<Arc<Block>, CUresult> {
        let address = memory::allocate(bytes as usize, OF_GRAPHS)?;
        let id = memory::find(driver()?, address).map_or(0, |(found, _)| found.id);
        let block = Arc::new(Block { address, bytes, device, id, allocated: false.into() });
        let mut table = self.lock();
        table.blocks.insert(address, Arc::downgrade(&block));
        table.levels.entry(device).or_default()[1].add(bytes);
        self.known.fetch_add(1, Relaxed);
        Ok(block)
    }

    fn forget(&self, block: &Block) {
        let mut table = self.lock();
        if table.blocks.remove(&block.address).is_some() {
            table.levels.entry(block.device).or_default()[1].now -= block.bytes;
            self.known.fetch_sub(1, Relaxed);
        }
    }

    pub fn find(&self, address: CUdeviceptr) -> Option<Arc<Block>> {
        if self.is_unused() { None } else { self.lock().blocks.get(&address)?.upgrade() }
    }

    /// A node of a graph, which the driver does not know for what it is.
    pub fn enter(&self, graph: u64, node: u64, what: Node) {
        if self.lock().nodes.insert(node, (graph, what)).is_none() {
            self.known.fetch_add(1, Relaxed);
        }
    }

    pub fn node(&self, node: u64) -> Option<Node> {
        if self.is_unused() {
            None
        } else {
            self.lock().nodes.get(&node).map(|(_, what)| what.clone())
        }
    }

    /// A graph has gone, and its nodes with it.
    pub fn forget_nodes(&self, graph: u64) {
        if self.is_unused() {
            return;
        }
        let mut table = self.lock();
        let before = table.nodes.len();
        table.nodes.retain(|_, (of, _)| *of != graph);
        self.known.fetch_sub(before - table.nodes.len(), Relaxed);
    }

    /// A graph was launched.
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

    /// Frees what a launch has allocated. None if the address is no graph's.
    pub fn free(&self, address: CUdeviceptr) -> Option<Result<(), CUresult>> {
        let block = self.find(address)?;
        if !block.allocated.swap(false, SeqCst) {
            return Some(Err(CUresult::INVALID_VALUE));
        }
        let mut table = self.lock();
        table.levels.entry(block.device).or_default()[0].now -= block.bytes;
        let held = table.allocated.remove(&address);
        // The last that has it gives it back, for which it needs the table.
        drop(table);
        drop(held);
        Some(Ok(()))
    }

    /// Bytes of a device: allocated or held, now or at most.
    pub fn bytes(&self, device: i32, held: bool, high: bool) -> u64 {
        let level = self
            .lock()
            .levels
            .get(&device)
            .map_or(Level::default(), |levels| levels[usize::from(held)]);
        if high { level.high } else { level.now }
    }

    pub fn reset_high(&self, device: i32, held: bool) {
        let mut table = self.lock();
        let level = &mut table.levels.entry(device).or_default()[usize::from(held)];
        level.high = level.now;
    }
}

/// What a graph under construction allocates and frees.
#[derive(Default)]
pub struct Building(Mutex<Effects>);

impl Building {
    fn lock(&self) -> MutexGuard<'_, Effects> {
        self.0.lock()
    }

    pub fn allocate(&self, block: Arc<Block>) {
        self.lock().allocates.push(block);
    }

    pub fn free(&self, block: Arc<Block>) {
        self.lock().frees.push(block);
    }

    /// Whether one launch would free a block twice.
    pub fn frees(&self, address: CUdeviceptr) -> bool {
        self.lock().frees.iter().any(|block| block.address == address)
    }

    pub fn effects(&self) -> Effects {
        self.lock().clone()
    }
}
