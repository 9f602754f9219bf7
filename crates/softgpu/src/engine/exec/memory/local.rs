//! Local memory that a thread allocates while it runs (`alloca`). The memory is on the heap,
//! because threads that share one stack cannot grow it. It is freed when the function that
//! allocated it returns.

/// Maximum number of bytes per thread, which is the size of local memory on a GPU.
const BYTES_MAX: u64 = 512 << 10;
const UNIT_BYTES: u64 = size_of::<u128>() as u64;

/// One thread's local memory.
#[derive(Default)]
pub struct Local {
    pieces: Vec<Vec<u128>>,
}

impl Local {
    /// Returns a mark for the allocations so far.
    pub fn mark(&self) -> usize {
        self.pieces.len()
    }

    /// Frees every allocation made after `mark`.
    pub fn release(&mut self, mark: usize) {
        self.pieces.truncate(mark);
    }

    /// Allocates memory and returns its address, or `None` if the thread would exceed the limit.
    pub fn allocate(&mut self, bytes: u64, align_bytes: u64) -> Option<u64> {
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
