//! Local memory that a thread requests while it runs (`alloca`). It is on the heap, because threads
//! that run one after the other have no stack that could grow. It is freed when the function that
//! requested it returns.

use crate::engine::exec::blocks::block::{Block, Thread, stack_overflow};

/// Maximum bytes of one thread together, which is the size of local memory on a GPU.
const BYTES_MAX: u64 = 512 << 10;
const UNIT_BYTES: u64 = size_of::<u128>() as u64;

/// Local memory of one thread.
#[derive(Default)]
pub struct Local {
    pieces: Vec<Vec<u128>>,
}

impl Local {
    /// Frees everything that was allocated after the mark.
    pub fn release(&mut self, mark: usize) {
        self.pieces.truncate(mark);
    }

    /// Returns the address, or `None` if the thread would have more than the limit.
    fn allocate(&mut self, bytes: u64, align_bytes: u64) -> Option<u64> {
        let held: u64 = self.pieces.iter().map(|piece| piece.len() as u64 * UNIT_BYTES).sum();
        let wanted = bytes.checked_add(align_bytes)?.checked_next_multiple_of(UNIT_BYTES)?;
        if held.checked_add(wanted)? > BYTES_MAX {
            return None;
        }
        let piece = vec![0; (wanted / UNIT_BYTES) as usize];
        let address = piece.as_ptr().expose_provenance() as u64;
        self.pieces.push(piece);
        Some(address.next_multiple_of(align_bytes))
    }
}

/// Implements `alloca`: returns the address of new local memory, or ends the grid.
pub unsafe extern "C" fn allocate(
    block: *mut Block,
    thread: *mut Thread,
    bytes: u64,
    align_bytes: u64,
) -> u64 {
    // SAFETY: compiled code passes the running thread and its block; the references end before a
    // fault leaves.
    unsafe {
        (*block).allocates = true;
        let address = (*thread).local.allocate(bytes, align_bytes);
        if address.is_none() {
            stack_overflow(block, thread);
        }
        address.unwrap_or_default()
    }
}

/// Implements `stacksave`: returns a mark for what has been allocated so far.
pub unsafe extern "C" fn mark(thread: *mut Thread) -> u64 {
    // SAFETY: as for `allocate`.
    unsafe { (*thread).local.pieces.len() as u64 }
}

/// Implements `stackrestore` and the return of a function: frees what was allocated after the mark.
pub unsafe extern "C" fn release(thread: *mut Thread, mark: u64) {
    // SAFETY: as for `allocate`.
    unsafe { (*thread).local.release(mark as usize) }
}
