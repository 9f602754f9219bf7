//! The instructions that manage local memory at run time: `alloca`, `stacksave` and `stackrestore`.

use crate::engine::exec::blocks::block::{Block, Thread, stack_overflow};

/// Implements `alloca`: returns the address of new local memory. Ends the grid if the thread
/// exceeds its limit.
pub unsafe extern "C" fn allocate(
    block: *mut Block,
    thread: *mut Thread,
    bytes: u64,
    align_bytes: u64,
) -> u64 {
    // SAFETY: compiled code passes the running thread and its block. The references end before a
    // fault leaves the thread.
    unsafe {
        (*block).allocates = true;
        let address = (*thread).local.allocate(bytes, align_bytes);
        if address.is_none() {
            stack_overflow(block, thread);
        }
        address.unwrap_or_default()
    }
}

/// Implements `stacksave`: returns a mark for the allocations so far.
pub unsafe extern "C" fn mark(thread: *mut Thread) -> u64 {
    // SAFETY: as for `allocate`.
    unsafe { (*thread).local.mark() as u64 }
}

/// Implements `stackrestore` and function returns: frees every allocation made after `mark`.
pub unsafe extern "C" fn release(thread: *mut Thread, mark: u64) {
    // SAFETY: as for `allocate`.
    unsafe { (*thread).local.release(mark as usize) }
}
