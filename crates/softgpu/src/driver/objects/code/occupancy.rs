//! Occupancy: the number of a kernel's blocks that one multiprocessor holds, computed as for a GPU.

use std::sync::atomic::Ordering;

use crate::driver::device::{REGISTERS_PER_MULTIPROCESSOR, WARP_SIZE};
use crate::driver::objects::code::function::Function;

/// Returns the number of blocks that are resident on one multiprocessor.
pub fn blocks(function: &Function, block_size: u32, dynamic_shared_bytes: u64) -> u32 {
    let (kernel, limits) = (&function.kernel, &function.tuning.limits);
    let shared_max = u64::from(function.tuning.max_dynamic_shared_bytes.load(Ordering::Relaxed));
    if block_size == 0
        || block_size > kernel.max_threads_per_block
        || dynamic_shared_bytes > shared_max
    {
        return 0;
    }
    let threads = block_size.next_multiple_of(WARP_SIZE as u32);
    let by_threads = limits.threads / threads;
    let by_registers = (kernel.registers * threads)
        .checked_sub(1)
        .map_or(u32::MAX, |n| REGISTERS_PER_MULTIPROCESSOR / (n + 1));
    let shared = u64::from(kernel.static_shared_bytes)
        + dynamic_shared_bytes
        + u64::from(limits.shared_bytes_reserved);
    let by_shared =
        u64::from(limits.shared_bytes).checked_div(shared).map_or(u32::MAX, |n| n as u32);
    // A kernel that fits a block always runs, regardless of the register estimate.
    by_threads.min(by_registers.max(1)).min(by_shared).min(limits.blocks)
}

/// Returns the shared memory that each block may use if `blocks` blocks are to be resident.
pub fn available_shared_bytes(function: &Function, blocks: u32) -> u64 {
    let limits = &function.tuning.limits;
    let each = (limits.shared_bytes / blocks.max(1))
        .saturating_sub(limits.shared_bytes_reserved)
        .min(limits.shared_bytes_optin);
    let room = each.saturating_sub(function.kernel.static_shared_bytes);
    u64::from(room.min(function.tuning.max_dynamic_shared_bytes.load(Ordering::Relaxed)))
}

/// Returns the block size with the most resident threads, and the number of blocks per
/// multiprocessor at that size.
pub fn best_block_size(
    function: &Function,
    limit: u32,
    dynamic_shared_bytes: impl Fn(u32) -> u64,
) -> (u32, u32) {
    let warp = WARP_SIZE as u32;
    let largest =
        function.kernel.max_threads_per_block.min(if limit == 0 { u32::MAX } else { limit });
    let mut best = (0, 0);
    let mut size = largest;
    while size > 0 {
        let resident = blocks(function, size, dynamic_shared_bytes(size));
        if resident * size > best.0 * best.1 {
            best = (size, resident);
        }
        size = (size - 1) / warp * warp;
    }
    best
}
