//! Warp collectives: shuffles, votes, matches, and reductions. A lane waits only for the lanes in
//! its member mask.

use super::block::{Block, Thread, suspend};
use super::warp::{Op, Pending};
use crate::engine::exec::arithmetic::matrix;

/// Makes `thread` take part in a collective. Afterwards `thread.result` holds the resulting value
/// and `thread.flag` the resulting predicate.
pub unsafe extern "C" fn collective(
    block: *mut Block,
    thread: *mut Thread,
    op: Op,
    mask: u32,
    value: u64,
    b: u32,
    c: u32,
) {
    // SAFETY: compiled code passes the running thread and its block.
    unsafe {
        let index = (*thread).index;
        // The lanes of a group arrive one after another.
        (*block).current = index;
        let lane = 1u32 << (*thread).lane;
        (*thread).pending = Pending { op, mask: mask | lane, value, b, c };
        if (*block).in_order != 0 && (*block).stackless && (*block).arrive_in_order(index) {
            return;
        }
        (*block).end_pass_early();
        (*block).next = index as i32;
        if !(*block).collective_arrived(index, lane) {
            (*block).block_thread(index);
            (*block).lane_blocked(index);
            suspend(block, thread, false);
        }
    }
}

/// Implements `activemask`. The result is the set of lanes that wait at the same instruction when
/// no lane of the warp can run further.
pub unsafe extern "C" fn active_mask(block: *mut Block, thread: *mut Thread, site: u32) {
    // SAFETY: as for `collective`.
    unsafe {
        (*block).end_pass_early();
        let index = (*thread).index;
        (*thread).pending = Pending { op: Op::ActiveMask, mask: 0, value: 0, b: site, c: 0 };
        (&mut (*block).warps)[index as usize / 32].asking |= 1 << (*thread).lane;
        (*block).block_thread(index);
        (*block).lane_blocked(index);
        suspend(block, thread, false);
    }
}

impl Block {
    /// Handles an arrival at a collective during a pass. If later members are missing, the next
    /// lane runs. When the last member arrives, the collective completes and its members continue,
    /// beginning with the first. The tables do not change. Returns false if a lane between the
    /// members is not in the same collective.
    fn arrive_in_order(&mut self, index: u32) -> bool {
        let (first, lane) = (index & !31, index & 31);
        let count = (self.count - first).min(32);
        let Pending { op, mask, .. } = self.threads[index as usize].pending;
        let members = mask & (u32::MAX >> (32 - count));
        let last = 31 - members.leading_zeros();
        if lane < last {
            self.in_collectives += 1;
            self.next = index as i32 + 1;
            return true;
        }
        let lowest = members.trailing_zeros();
        // A lane between the members that is not a member itself has a different mask.
        let others = &self.threads[(first + lowest) as usize..index as usize];
        if !others.iter().all(|other| other.pending.mask == mask && other.pending.op == op) {
            return false;
        }
        self.in_collectives -= last - lowest;
        self.carry_out(first as usize, members, self.threads[index as usize].pending);
        lanes(members).for_each(|lane| self.threads[first as usize + lane].pending.op = Op::None);
        self.next = (first + lowest) as i32;
        true
    }

    /// Handles a lane that arrived at a collective during a pass that has since ended.
    pub fn arrive_late(&mut self, index: u32) {
        if self.threads[index as usize].pending.waits() {
            self.collective_arrived(index, 1 << (index % 32));
        }
    }

    fn carry_out(&mut self, first: usize, members: u32, asked: Pending) {
        let count = (self.threads.len() - first).min(32);
        match asked.op {
            Op::Matrix | Op::LoadMatrix | Op::StoreMatrix | Op::TransposeMatrix => {
                self.complete_matrix(first, count, asked)
            }
            op => complete(&mut self.threads[first..first + count], members, op),
        }
        self.shadow.warp_meets(first / 32);
    }

    fn collective_arrived(&mut self, index: u32, lane: u32) -> bool {
        let first = index as usize & !31;
        let warp = &mut self.warps[index as usize / 32];
        warp.pending |= lane;
        let asked = self.threads[index as usize].pending;
        let members = asked.mask & warp.alive;
        if warp.pending & members != members {
            return false;
        }
        let same = |other: &Pending| other.mask == asked.mask && other.op == asked.op;
        if !lanes(members).all(|lane| same(&self.threads[first + lane].pending)) {
            return false;
        }
        self.carry_out(first, members, asked);
        let warp = &mut self.warps[index as usize / 32];
        warp.pending &= !members;
        warp.runnable |= members;
        self.wake_lanes(first, members);
        true
    }

    fn complete_matrix(&mut self, first: usize, count: usize, asked: Pending) {
        let mut addresses = [0; 32];
        for (address, thread) in addresses.iter_mut().zip(&self.threads[first..first + count]) {
            *address = thread.pending.value;
        }
        let fragments = self.fragments(first, count);
        let (matrices, transposed) = (asked.b as usize & 0xFF, asked.b >> 8 != 0);
        match asked.op {
            Op::Matrix => matrix::multiply(fragments, asked.value),
            Op::TransposeMatrix => matrix::transpose(fragments),
            // SAFETY: the addresses come from the kernel, on whose stack this code runs.
            Op::LoadMatrix => unsafe {
                matrix::load_rows(fragments, &addresses, matrices, transposed)
            },
            // SAFETY: as above.
            _ => unsafe { matrix::store_rows(fragments, &addresses, matrices, transposed) },
        }
    }

    fn wake_lanes(&mut self, first: usize, members: u32) {
        lanes(members).for_each(|lane| {
            self.threads[first + lane].pending.op = Op::None;
            self.wake((first + lane) as u32);
        });
    }

    /// Records that a lane waits. If no other lane can run, lanes in `activemask` receive their
    /// result.
    pub fn lane_blocked(&mut self, index: u32) {
        let warp = &mut self.warps[index as usize / 32];
        warp.runnable &= !(1 << (index % 32));
        if warp.runnable == 0 && warp.asking != 0 {
            self.answer_active(index as usize & !31);
        }
    }

    /// Records that a lane spins. Lanes in `activemask` then receive their result without waiting
    /// for this lane.
    pub fn lane_spins(&mut self, index: u32) {
        if self.warps[index as usize / 32].asking != 0 {
            self.answer_active(index as usize & !31);
        }
    }

    /// Records that a lane has exited. A collective that waited only for this lane then completes.
    pub fn lane_left(&mut self, index: u32) {
        let first = index as usize & !31;
        let warp = &mut self.warps[index as usize / 32];
        warp.alive &= !(1 << (index % 32));
        if warp.pending != 0 {
            let waiting = warp.pending;
            for lane in lanes(waiting) {
                if self.warps[index as usize / 32].pending & (1 << lane) != 0 {
                    self.collective_arrived((first + lane) as u32, 1 << lane);
                }
            }
        }
        self.lane_blocked(index);
    }

    fn answer_active(&mut self, first: usize) {
        let asking = std::mem::take(&mut self.warps[first / 32].asking);
        for lane in lanes(asking) {
            let site = self.threads[first + lane].pending.b;
            let same = lanes(asking).filter(|&other| self.threads[first + other].pending.b == site);
            self.threads[first + lane].result = same.fold(0, |mask, other| mask | 1 << other);
        }
        self.warps[first / 32].runnable |= asking;
        self.wake_lanes(first, asking);
    }
}

fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

fn complete(threads: &mut [Thread], members: u32, op: Op) {
    match op {
        Op::Sync
        | Op::None
        | Op::ActiveMask
        | Op::Matrix
        | Op::LoadMatrix
        | Op::StoreMatrix
        | Op::TransposeMatrix => {}
        Op::ShflUp | Op::ShflDown | Op::ShflBfly | Op::ShflIdx => shuffle(threads, members, op),
        Op::VoteAny | Op::VoteAll | Op::VoteUni | Op::VoteBallot => {
            let ballot = lanes(members)
                .filter(|&lane| threads[lane].pending.value != 0)
                .fold(0, |m, lane| m | 1u32 << lane);
            let result = match op {
                Op::VoteAny => u32::from(ballot != 0),
                Op::VoteAll => u32::from(ballot == members),
                Op::VoteUni => u32::from(ballot == members || ballot == 0),
                _ => ballot,
            };
            everyone(threads, members, u64::from(result), 0);
        }
        Op::MatchAny => lanes(members).for_each(|lane| {
            let value = threads[lane].pending.value;
            let same = lanes(members).filter(|&other| threads[other].pending.value == value);
            threads[lane].result = same.fold(0, |mask, other| mask | 1 << other);
        }),
        Op::MatchAll => {
            let first = threads[members.trailing_zeros() as usize].pending.value;
            let all = lanes(members).all(|lane| threads[lane].pending.value == first);
            everyone(threads, members, if all { u64::from(members) } else { 0 }, u32::from(all));
        }
        Op::Elect => {
            let leader = members.trailing_zeros();
            everyone(threads, members, u64::from(leader), 0);
            threads[leader as usize].flag = 1;
        }
        _ => {
            let values = lanes(members).map(|lane| threads[lane].pending.value as u32);
            let result = values.reduce(|a, b| redux(op, a, b)).unwrap_or(0);
            everyone(threads, members, u64::from(result), 0);
        }
    }
}

fn everyone(threads: &mut [Thread], members: u32, result: u64, flag: u32) {
    for lane in lanes(members) {
        threads[lane].result = result;
        threads[lane].flag = flag;
    }
}

fn redux(op: Op, a: u32, b: u32) -> u32 {
    match op {
        Op::ReduxAddU => a.wrapping_add(b),
        Op::ReduxMinU => a.min(b),
        Op::ReduxMaxU => a.max(b),
        Op::ReduxMinS => (a as i32).min(b as i32) as u32,
        Op::ReduxMaxS => (a as i32).max(b as i32) as u32,
        Op::ReduxAnd => a & b,
        Op::ReduxOr => a | b,
        _ => a ^ b,
    }
}

/// Computes a shuffle as the PTX manual defines it. `c` packs the segment mask in bits 8 to 12 and
/// the clamp in bits 0 to 4.
fn shuffle(threads: &mut [Thread], members: u32, op: Op) {
    for lane in lanes(members) {
        let Pending { b, c, .. } = threads[lane].pending;
        let (lane32, b) = (lane as u32, b & 31);
        let (clamp, segment) = (c & 31, (c >> 8) & 31);
        let max = (lane32 & segment) | (clamp & !segment);
        let min = lane32 & segment;
        let (from, valid) = match op {
            Op::ShflUp => (lane32.wrapping_sub(b), lane32 as i32 - b as i32 >= max as i32),
            Op::ShflDown => (lane32 + b, lane32 + b <= max),
            Op::ShflBfly => (lane32 ^ b, lane32 ^ b <= max),
            _ => (min | (b & !segment), (min | (b & !segment)) <= max),
        };
        let from = if valid { from as usize & 31 } else { lane };
        let value = threads.get(from).map_or(0, |thread| thread.pending.value);
        threads[lane].result = value;
        threads[lane].flag = u32::from(valid);
    }
}
