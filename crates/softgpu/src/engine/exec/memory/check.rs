//! Memory checks, which checked code calls at each access. They find addresses outside allocations,
//! misaligned addresses, reads of memory that was never written, and races in shared memory. In a
//! race, two threads of a block access the same byte without a barrier between the accesses.
//! Doubtful cases are not reported: atomics, volatile accesses and barriers of any kind count as
//! synchronisation.

use std::fmt::Write;

use super::heap;
use super::shadow::Access;
pub use super::shadow::{ORDERED, SHARED, WRITES};
use crate::engine::exec::blocks::block::{Block, Thread, fail};
use crate::engine::{Checker, Fault};

/// Checks one access and ends the grid if the access is wrong.
pub unsafe extern "C" fn access(
    block: *mut Block,
    thread: *mut Thread,
    address: u64,
    size_and_kind: u64,
    value: u64,
) {
    let access = Access {
        address,
        bytes: (size_and_kind & 0xFF) as u32,
        what: (size_and_kind >> 8 & 0xFF) as u32,
        line: (size_and_kind >> 32) as u32,
        value,
    };
    // SAFETY: checked code passes the running thread and its block, whose job has a checker.
    unsafe {
        let Some(checker) = (*(*block).job).checker() else { return };
        let (block, thread) = (&mut *block, &*thread);
        if let Err((what, fault)) = inspect(block, thread, &access, checker) {
            report(block, thread, &access, &what, checker);
            fail(block, fault);
        }
    }
}

/// Records that all earlier accesses of the block happen before all later ones.
pub unsafe extern "C" fn order(block: *mut Block) {
    // SAFETY: as for `access`.
    unsafe { (*block).shadow.pass() }
}

fn report(block: &Block, thread: &Thread, access: &Access, what: &str, checker: &dyn Checker) {
    // SAFETY: the job outlives its blocks.
    let name = unsafe { &(*block.job).name };
    let kind =
        what.split(':').next().unwrap_or(what).trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    let place = format!("{name} {} {}", access.line, kind.split(" with ").next().unwrap_or(kind));
    checker.report(&place, &describe(block, thread, access, what));
}

fn describe(block: &Block, thread: &Thread, access: &Access, what: &str) -> String {
    let ([bx, by, bz, _], [tx, ty, tz]) = (block.ctaid, thread.tid);
    // SAFETY: the job outlives its blocks.
    let job = unsafe { &*block.job };
    let mut text = format!(
        "{what}\n    in kernel {}, block ({bx},{by},{bz}), thread ({tx},{ty},{tz})",
        job.name
    );
    let _ = write!(
        text,
        ", line {} of its PTX: {} at {:#x}",
        access.line,
        access.name(),
        access.address
    );
    text
}

type Outcome = Result<(), (String, Fault)>;

fn inspect(block: &mut Block, thread: &Thread, access: &Access, checker: &dyn Checker) -> Outcome {
    let [x, y, z, _] = block.ctaid;
    let place = (access.address, [x, y, z], thread.tid);
    if !access.address.is_multiple_of(u64::from(access.bytes.clamp(1, 16))) {
        let fault = Fault::Misaligned { address: place.0, block: place.1, thread: place.2 };
        return Err(("misaligned address".into(), fault));
    }
    let shared = access.address.wrapping_sub(block.shared as u64);
    let in_shared =
        shared.checked_add(u64::from(access.bytes)).is_some_and(|end| end <= block.shared_bytes);
    let out = |text: String| {
        Err((text, Fault::IllegalAddress { address: place.0, block: place.1, thread: place.2 }))
    };
    if in_shared {
        inspect_shared(block, thread, access, shared as usize, checker);
        return Ok(());
    }
    if access.what & SHARED != 0 {
        let distance = shared as i64;
        return out(format!(
            "address outside of shared memory: offset {distance} of {} bytes",
            block.shared_bytes
        ));
    }
    if let Some((rank, offset)) = block.place_in_cluster(access.address, access.bytes) {
        inspect_other_block(block, thread, access, (rank, offset), checker);
        return Ok(());
    }
    if block.is_own(access.address, access.bytes) || heap::holds(access.address, access.bytes) {
        return Ok(());
    }
    if !checker.holds(access.address, access.bytes) {
        return out(format!(
            "address in no allocation; the nearest: {}",
            checker.nearest(access.address)
        ));
    }
    if access.writes() {
        checker.written(access.address, access.bytes);
    } else if !checker.initialised(access.address, access.bytes) {
        report(block, thread, access, "read of memory that was never written", checker);
    }
    Ok(())
}

/// Checks an access to another block's shared memory. Races there are not reported.
fn inspect_other_block(
    block: &Block,
    thread: &Thread,
    access: &Access,
    (rank, offset): (usize, usize),
    checker: &dyn Checker,
) {
    // SAFETY: the blocks of a cluster live together, and only this block's threads run now.
    let other = unsafe { &mut *block.first_of_cluster.add(rank) };
    if !other.shadow.touch_from_outside(offset, access) {
        report(block, thread, access, "read of shared memory that was never written", checker);
    }
}

fn inspect_shared(
    block: &mut Block,
    thread: &Thread,
    access: &Access,
    offset: usize,
    checker: &dyn Checker,
) {
    // SAFETY: the caller checked that the bytes are inside the block's shared memory.
    let held =
        unsafe { std::slice::from_raw_parts(block.shared.add(offset), access.bytes as usize) };
    let same_value = access.writes()
        && access.bytes <= 8
        && *held == access.value.to_le_bytes()[..access.bytes as usize];
    let unwritten = !access.writes()
        && (offset..offset + access.bytes as usize).any(|at| !block.shadow.is_written(at));
    let mut rival = None;
    for at in offset..offset + access.bytes as usize {
        rival = rival.or(block.shadow.touch(at, thread.index, access, same_value));
    }
    if unwritten {
        report(block, thread, access, "read of shared memory that was never written", checker);
    }
    if let Some(rival) = rival {
        let [x, y, z] = block.threads[rival as usize].tid;
        let text = format!(
            "race in shared memory with thread ({x},{y},{z}): no barrier between the two accesses"
        );
        report(block, thread, access, &text, checker);
    }
}
