//! A running grid: its shape, its parameters, and the progress of its clusters.

use crate::engine::{Checker, Fault, Output};
use outhaul_lock::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// Number of zeroed words that each grid gets for the grid barrier of cooperative groups.
const WORKSPACE_WORDS: usize = 64;

/// The entry point of a kernel's code.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    address: usize,
    by_block: bool,
}

impl Start {
    /// Returns the entry point at `address`. If `by_block`, the code is entered once for all
    /// threads of a block.
    ///
    /// # Safety
    /// The code at `address` was generated for this kind of entry, and lives as long as the grid.
    pub unsafe fn new(address: usize, by_block: bool) -> Start {
        Start { address, by_block }
    }

    /// Returns the code's address.
    pub fn address(self) -> usize {
        self.address
    }

    /// Returns whether the code is entered once for all threads of a block.
    pub fn by_block(self) -> bool {
        self.by_block
    }
}

/// A running grid.
pub struct Job {
    /// Unique number of the grid.
    pub id: u64,
    /// Entry point of the kernel's code.
    pub start: Start,
    /// Blocks in the grid, by dimension.
    pub grid: [u32; 3],
    /// Threads in a block, by dimension.
    pub block: [u32; 3],
    /// Blocks in a cluster, by dimension.
    pub cluster: [u32; 3],
    /// Clusters in the grid, by dimension.
    pub clusters: [u32; 3],
    /// Whether the launch or the kernel asked for clusters explicitly.
    pub cluster_is_explicit: bool,
    /// Shared memory per block, in bytes.
    pub shared_bytes: u64,
    /// Offset of dynamic shared memory, in bytes.
    pub dynamic_base: u32,
    /// Size of dynamic shared memory, in bytes.
    pub dynamic_bytes: u32,
    /// Addresses of the program's global variables.
    pub globals: *const *mut u8,
    /// Whether all blocks must be resident at once.
    pub cooperative: bool,
    /// Size of each stack, in bytes.
    pub stack_bytes: usize,
    /// Size of each thread's frame, in bytes.
    pub frame_bytes: usize,
    /// Receiver for the kernel's output.
    pub output: *const dyn Output,
    /// Maximum size of the heap for `malloc` in kernels, in bytes.
    pub heap_bytes_max: u64,
    /// Name of the kernel.
    pub name: String,
    checker: Option<*const dyn Checker>,
    params: Vec<u128>,
    workspace: Box<[AtomicU32; WORKSPACE_WORDS]>,
    /// Number of clusters in the grid.
    pub(super) count: u64,
    claimed: AtomicU64,
    pub(super) stop: AtomicBool,
    pub(super) overdue: AtomicBool,
    pub(super) state: Mutex<GridState>,
    pub(super) done: Condvar,
}

/// The progress of a grid.
#[derive(Default)]
pub(super) struct GridState {
    /// Number of clusters that have ended.
    pub finished: u64,
    /// The first fault that a cluster reported.
    pub fault: Option<Fault>,
}

// SAFETY: the raw pointers remain valid until `pool::run` returns. By then the last worker has
// stopped using them.
unsafe impl Send for Job {}

// SAFETY: as above. All mutable fields are atomic or locked.
unsafe impl Sync for Job {}

/// The arguments of a launch.
pub struct Plan<'a> {
    /// Entry point of the kernel's code.
    pub start: Start,
    /// Blocks in the grid, by dimension.
    pub grid: [u32; 3],
    /// Threads in a block, by dimension.
    pub block: [u32; 3],
    /// Blocks in a cluster, if the launch or the kernel uses clusters. The grid consists of whole
    /// clusters.
    pub cluster: Option<[u32; 3]>,
    /// Size of static shared memory, in bytes.
    pub static_shared_bytes: u32,
    /// Size of dynamic shared memory, in bytes.
    pub dynamic_bytes: u32,
    /// Addresses of the program's global variables.
    pub globals: *const *mut u8,
    /// Whether all blocks must be resident at once.
    pub cooperative: bool,
    /// Size of each stack, in bytes.
    pub stack_bytes: usize,
    /// Number of bytes that a waiting thread saves, in kernels that are entered by block.
    pub frame_bytes: usize,
    /// Receiver for the kernel's output.
    pub output: &'a dyn Output,
    /// Kernel parameters.
    pub params: &'a [u8],
    /// Name of the kernel.
    pub name: &'a str,
    /// Checker for every access. The code must be compiled for checking.
    pub checker: Option<&'a dyn Checker>,
    /// Maximum size of the heap for `malloc` in kernels, in bytes.
    pub heap_bytes_max: u64,
    /// Maximum run time.
    pub time_limit: Option<Duration>,
}

impl Job {
    /// Returns a grid whose blocks have not started.
    pub fn new(plan: &Plan<'_>) -> Job {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        let mut params = vec![0u128; plan.params.len() / 16 + 1];
        // SAFETY: the vector has at least as many bytes as `plan.params`.
        unsafe {
            std::ptr::copy_nonoverlapping(
                plan.params.as_ptr(),
                params.as_mut_ptr().cast(),
                plan.params.len(),
            );
        }
        let cluster = plan.cluster.unwrap_or([1; 3]);
        let clusters = std::array::from_fn(|axis| plan.grid[axis] / cluster[axis]);
        let dynamic_base = plan.static_shared_bytes.next_multiple_of(16);
        let output: *const (dyn Output + '_) = plan.output;
        // SAFETY: only the lifetime changes, and `pool::run` returns after the last use.
        let output: *const dyn Output = unsafe { std::mem::transmute(output) };
        let checker: Option<*const (dyn Checker + '_)> =
            plan.checker.map(|checker| checker as *const _);
        // SAFETY: as above.
        let checker: Option<*const dyn Checker> = unsafe { std::mem::transmute(checker) };
        Job {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            start: plan.start,
            grid: plan.grid,
            block: plan.block,
            cluster,
            clusters,
            cluster_is_explicit: plan.cluster.is_some(),
            shared_bytes: u64::from(dynamic_base) + u64::from(plan.dynamic_bytes),
            dynamic_base,
            dynamic_bytes: plan.dynamic_bytes,
            globals: plan.globals,
            cooperative: plan.cooperative,
            stack_bytes: plan.stack_bytes,
            frame_bytes: plan.frame_bytes,
            output,
            heap_bytes_max: plan.heap_bytes_max,
            name: plan.name.to_string(),
            checker,
            params,
            workspace: Box::new([const { AtomicU32::new(0) }; WORKSPACE_WORDS]),
            count: clusters.iter().map(|&n| u64::from(n)).product(),
            claimed: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            overdue: AtomicBool::new(false),
            state: Mutex::default(),
            done: Condvar::new(),
        }
    }

    /// Returns the address of the kernel parameters.
    pub fn params(&self) -> *const u8 {
        self.params.as_ptr().cast()
    }

    /// Returns the size of the kernel parameters in bytes, rounded up to a multiple of 16.
    pub fn params_bytes(&self) -> u64 {
        self.params.len() as u64 * 16
    }

    /// Returns the size of the workspace in bytes.
    pub fn workspace_bytes(&self) -> u64 {
        WORKSPACE_WORDS as u64 * 4
    }

    /// Returns the checker for memory accesses, if there is one.
    pub fn checker(&self) -> Option<&dyn Checker> {
        // SAFETY: `new` explains why the pointer is valid.
        self.checker.map(|checker| unsafe { &*checker })
    }

    /// Returns the address of the zeroed workspace.
    pub fn workspace(&self) -> u64 {
        self.workspace.as_ptr() as u64
    }

    /// Returns whether a block has failed. A block that waits for another one might then wait
    /// forever.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns whether the grid has exceeded its time limit, so that workers must leave its code.
    pub fn overdue(&self) -> bool {
        self.overdue.load(Ordering::Relaxed)
    }

    /// Returns the receiver for the kernel's output.
    pub fn output(&self) -> &dyn Output {
        // SAFETY: `new` explains why the pointer is valid.
        unsafe { &*self.output }
    }

    /// Claims the next cluster for the calling worker. Returns `None` if all are claimed.
    pub fn claim(&self) -> Option<[u32; 3]> {
        let index = self.claimed.fetch_add(1, Ordering::Relaxed);
        let [x, y] = [u64::from(self.clusters[0]), u64::from(self.clusters[1])];
        (index < self.count)
            .then(|| [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32])
    }

    /// Returns the number of stacks that a cluster needs. Blocks that are entered by block take
    /// turns on one stack.
    pub fn stacks(&self) -> usize {
        if self.start.by_block() {
            1
        } else {
            self.block.iter().chain(&self.cluster).product::<u32>() as usize
        }
    }

    /// Returns whether every cluster has been claimed.
    pub fn exhausted(&self) -> bool {
        self.claimed.load(Ordering::Relaxed) >= self.count
    }

    /// Counts `count` more clusters as finished. Keeps the first fault, and a fault stops the grid.
    pub fn finish(&self, count: u64, fault: Option<Fault>) {
        let mut state = self.state.lock();
        state.finished += count;
        if fault.is_some() {
            self.stop.store(true, Ordering::Relaxed);
            state.fault = state.fault.take().or(fault);
        }
        if state.finished == self.count {
            self.done.notify_all();
        }
    }
}
