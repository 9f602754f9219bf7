//! The instructions that use named barriers: `bar.sync`, `bar.red` and `bar.arrive`.

use super::{Block, Thread, suspend};
use crate::engine::exec::blocks::limits::{BARRIERS, NO_INPUT};

/// Implements `bar.sync` and `bar.red`. A `count` of 0 means all threads. `input` is the predicate
/// for a reduction, or [`NO_INPUT`].
pub unsafe extern "C" fn barrier(
    block: *mut Block,
    thread: *mut Thread,
    id: u32,
    count: u32,
    input: u32,
) {
    // SAFETY: compiled code passes the running thread and its block.
    unsafe {
        (*block).end_pass_early();
        let index = (*thread).index;
        (*block).next = index as i32;
        if !arrive(block, id, count, input, Some(index)) {
            (*block).block_thread(index);
            (*block).lane_blocked(index);
            suspend(block, thread, false);
        } else if (*block).in_order != 0 {
            suspend(block, thread, false);
        }
    }
}

/// Implements `bar.arrive`: counts the thread as arrived without making the thread wait.
pub unsafe extern "C" fn barrier_arrive(
    block: *mut Block,
    _thread: *mut Thread,
    id: u32,
    count: u32,
) {
    // SAFETY: as for `barrier`.
    unsafe {
        (*block).end_pass_early();
        arrive(block, id, count, NO_INPUT, None);
    }
}

#[inline]
unsafe fn arrive(block: *mut Block, id: u32, count: u32, input: u32, waiter: Option<u32>) -> bool {
    // SAFETY: as for `barrier`. The reference ends before any switch.
    let block = unsafe { &mut *block };
    let id = id as usize % BARRIERS;
    let barrier = &mut block.barriers[id];
    block.barriers_busy += u32::from(barrier.arrived == 0);
    barrier.arrived += 1;
    barrier.expected = count;
    barrier.reduces |= input != NO_INPUT;
    barrier.ones += u32::from(input == 1);
    barrier.zeros += u32::from(input == 0);
    if let Some(index) = waiter {
        barrier.waiting[index as usize / 64] |= 1 << (index % 64);
    }
    let complete = barrier.arrived >= if count == 0 { block.live } else { count };
    if complete {
        block.release(id);
    }
    complete
}
