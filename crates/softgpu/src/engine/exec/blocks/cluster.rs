//! The blocks of a cluster. They are resident on one core and take turns, so accesses to each
//! other's shared memory need no atomic instructions. The scheduler releases the cluster barrier
//! here, between the turns of two blocks. Compiled code never does. Most launches have one block
//! per cluster.

use super::attendance::Attendance;
use super::block::{Block, Progress, Thread, suspend};
use super::fault_handler;
use super::fiber::Stacks;
use super::job::Job;
use super::limits::SLOT_BYTES;
use crate::engine::Fault;

/// Maximum number of blocks in a cluster, on any device.
pub const BLOCKS_MAX: u32 = 16;

/// The blocks of a cluster.
pub struct Cluster {
    blocks: Box<[Block]>,
    /// The blocks' shared memory, with one slot for each block.
    _shared_memory: Vec<u128>,
    shape: [u32; 3],
    /// Stacks that the blocks share. They belong to the worker that runs the cluster.
    stacks: *mut Stacks,
}

impl Cluster {
    /// Returns a cluster of `job`'s shape, which can run one cluster of the grid after another.
    pub fn new(job: &Job, worker: u32, stacks: *mut Stacks) -> Cluster {
        let size = job.cluster.iter().product::<u32>() as usize;
        // Additional bytes after the last block's memory, so that a small overrun does not touch
        // other memory of this process.
        let last_bytes = job.shared_bytes as usize + (1 << 10);
        let mut shared_memory =
            vec![0_u128; ((size - 1) * SLOT_BYTES as usize + last_bytes).div_ceil(16)];
        let base: *mut u8 = shared_memory.as_mut_ptr().cast();
        let mut blocks: Box<[Block]> =
            (0..size as u32).map(|rank| Block::new(job, worker, rank, base, stacks)).collect();
        let first = blocks.as_mut_ptr();
        blocks.iter_mut().for_each(|block| block.first_of_cluster = first);
        Cluster { blocks, _shared_memory: shared_memory, shape: job.cluster, stacks }
    }

    /// Resets every thread to its start, for the cluster `id` of the grid.
    pub fn begin(&mut self, id: [u32; 3]) {
        let [width, height, _] = self.shape;
        for (rank, block) in (0..).zip(&mut self.blocks) {
            let within = [rank % width, rank / width % height, rank / width / height];
            block.begin(id, within, self.shape);
        }
    }

    /// Runs each block until none can continue without blocks of other clusters.
    pub fn advance(&mut self) -> Progress {
        let progress = self.take_turns();
        if let Progress::Failed(_) = progress {
            // SAFETY: the worker that runs the cluster owns the stacks. No thread of the cluster
            // runs now or will be resumed.
            unsafe { (*self.stacks).give_all() };
        }
        progress
    }

    fn take_turns(&mut self) -> Progress {
        loop {
            for block in self.blocks.iter_mut().filter(|block| block.can_run()) {
                fault_handler::enter(block);
                let progress = block.advance();
                fault_handler::leave();
                if let Progress::Failed(fault) = progress {
                    return Progress::Failed(fault);
                }
            }
            if !self.pass_barrier() {
                break;
            }
        }
        let Some(unfinished) = self.blocks.iter().find(|block| !block.is_done()) else {
            return Progress::Done;
        };
        if self.blocks.iter().any(Block::can_run) {
            return Progress::Stalled;
        }
        let [x, y, z, _] = unfinished.ctaid;
        Progress::Failed(Fault::Deadlock { block: [x, y, z] })
    }

    /// Releases the threads at the cluster barrier if every live thread of the cluster has arrived.
    /// Returns whether the threads were released.
    fn pass_barrier(&mut self) -> bool {
        let passed = self.blocks.iter().any(Block::waits_for_cluster)
            && self.blocks.iter().all(Block::has_arrived_in_cluster);
        if passed {
            self.blocks.iter_mut().for_each(Block::pass_cluster_barrier);
        }
        passed
    }
}

impl Block {
    /// Returns whether any thread waits at the cluster barrier.
    pub fn waits_for_cluster(&self) -> bool {
        self.at_cluster.waiting.iter().any(|&bits| bits != 0)
    }

    /// Returns whether every live thread of the block has arrived at the cluster barrier.
    pub fn has_arrived_in_cluster(&self) -> bool {
        let arrived: u32 = self.at_cluster.arrived.iter().map(|bits| bits.count_ones()).sum();
        self.is_done() || arrived == self.live
    }

    /// Releases the threads that wait at the cluster barrier.
    pub fn pass_cluster_barrier(&mut self) {
        let Attendance { waiting, .. } = std::mem::take(&mut self.at_cluster);
        self.shadow.pass();
        self.go_on_after_barrier(&waiting);
    }

    /// Returns the rank of the block whose shared memory holds the bytes, and their offset in that
    /// memory.
    pub fn place_in_cluster(&self, address: u64, bytes: u32) -> Option<(usize, usize)> {
        let distance = address.checked_sub(self.cluster_shared as u64)?;
        let (rank, offset) = (distance / SLOT_BYTES, distance % SLOT_BYTES);
        let is_there =
            rank < u64::from(self.cluster_size) && offset + u64::from(bytes) <= self.shared_bytes;
        is_there.then_some((rank as usize, offset as usize))
    }
}

/// Implements `barrier.cluster.arrive`: counts the thread as arrived without making the thread
/// wait. The scheduler releases the barrier later, between the turns of two blocks.
pub unsafe extern "C" fn arrive(block: *mut Block, thread: *mut Thread) {
    // SAFETY: compiled code passes the running thread and its block.
    unsafe {
        let index = (*thread).index;
        (*block).at_cluster.arrived[index as usize / 64] |= 1 << (index % 64);
    }
}

/// Implements `barrier.cluster.wait`. Returns at once if the barrier has been passed since the
/// thread arrived.
pub unsafe extern "C" fn wait(block: *mut Block, thread: *mut Thread) {
    // SAFETY: compiled code passes the running thread and its block.
    unsafe {
        (*block).end_pass_early();
        let index = (*thread).index;
        let (word, bit) = (index as usize / 64, 1 << (index % 64));
        (*block).next = index as i32;
        if (*block).at_cluster.arrived[word] & bit != 0 {
            (*block).at_cluster.waiting[word] |= bit;
            (*block).block_thread(index);
            (*block).lane_blocked(index);
            suspend(block, thread, false);
        }
    }
}
