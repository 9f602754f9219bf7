//! Pinned host memory that a worker on the same machine maps too. Copies to it and from it are
//! posts with an offset, and the device executes them by itself.

use outhaul_lock::Mutex;
use outhaul_transport::MemorySocket;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Alignment of pinned memory.
const PINNED_STEP_BYTES: usize = 1 << 21;

/// Address of the next piece of pinned memory, in a range that is free in workers too.
static NEXT_ADDRESS: AtomicUsize = AtomicUsize::new(0);

/// Sets the first address of pinned memory, below device memory, which begins at `arena_base`. No
/// other memory is known to be there.
pub fn begin(arena_base: u64) {
    NEXT_ADDRESS.store((arena_base as usize / 4 * 3).next_multiple_of(PINNED_STEP_BYTES), Relaxed);
}

/// Returns an address for memory that a worker may have to map at the same address.
pub fn place(bytes: usize) -> usize {
    NEXT_ADDRESS.fetch_add(bytes.next_multiple_of(PINNED_STEP_BYTES), Relaxed)
}

/// Makes segments. The lock keeps the order of the descriptors equal to that of the messages about
/// them.
pub struct HostSegments(pub(super) Mutex<Maker>);

/// The socket over which segments are shared, and how many there are.
pub(super) struct Maker {
    /// Absent where no memory can be shared.
    pub memory_socket: Option<MemorySocket>,
    /// Number of the last segment.
    pub last: u64,
}

impl HostSegments {
    /// Shares memory through the socket, if there is one.
    pub fn new(memory_socket: Option<MemorySocket>) -> HostSegments {
        HostSegments(Mutex::new(Maker { memory_socket, last: 0 }))
    }
}
