//! Barriers of a block, at which threads wait for one another.

use super::*;

#[derive(Clone, Default)]
pub(super) struct Barrier {
    pub arrived: u32,
    /// 0: every thread of the block.
    pub expected: u32,
    pub waiting: [u64; THREADS_MAX / 64],
    /// A reduction: the threads want to know how many brought a one.
    pub reduces: bool,
    pub ones: u32,
    pub zeros: u32,
}

impl Barrier {
    /// Bits 0 and 1: conjunction and disjunction; from bit 32: the count.
    pub fn result(&self) -> u64 {
        u64::from(self.zeros == 0) | u64::from(self.ones > 0) << 1 | u64::from(self.ones) << 32
    }
}

/// `bar.sync`, `bar.red`: `count` 0 means all threads. `input` is the predicate of a reduction, or
/// [`NO_INPUT`].
pub unsafe extern "C" fn barrier(
    block: *mut Block,
    thread: *mut Thread,
    id: u32,
    count: u32,
    input: u32,
) {
    // SAFETY: compiled code passes the running thread and its block.
    unsafe {
        (*block).settle();
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

/// `bar.arrive`: counted, but nobody waits.
pub unsafe extern "C" fn barrier_arrive(
    block: *mut Block,
    _thread: *mut Thread,
    id: u32,
    count: u32,
) {
    // SAFETY: as for `barrier`.
    unsafe {
        (*block).settle();
        arrive(block, id, count, NO_INPUT, None);
    }
}

#[inline]
unsafe fn arrive(block: *mut Block, id: u32, count: u32, input: u32, waiter: Option<u32>) -> bool {
    // SAFETY: as for `barrier`; the reference ends before any switch.
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
