//! Creation of host segments, which client and worker of one machine both map. A copy to or from a
//! segment is a post that contains an offset, and the device executes it without the client.

use outhaul_lock::Mutex;
use outhaul_transport::MemorySocket;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Alignment of pinned memory in bytes.
const PINNED_STEP_BYTES: usize = 1 << 21;

/// Address of the next piece of pinned memory, in a range that is free in workers too.
static NEXT_ADDRESS: AtomicUsize = AtomicUsize::new(0);

/// Sets the first address of pinned memory. The address is below `arena_base`, where device memory
/// begins, and no other memory is known to be there.
pub fn begin(arena_base: u64) {
    NEXT_ADDRESS.store((arena_base as usize / 4 * 3).next_multiple_of(PINNED_STEP_BYTES), Relaxed);
}

/// Returns an address for memory that a worker may have to map at the same address.
pub fn place(bytes: usize) -> usize {
    NEXT_ADDRESS.fetch_add(bytes.next_multiple_of(PINNED_STEP_BYTES), Relaxed)
}

/// Creates the segments of a session. The lock keeps the descriptors in the order of the messages
/// about them.
pub struct HostSegments(pub(super) Mutex<Maker>);

/// The socket over which client and worker share segments, and the number of the last segment.
pub(super) struct Maker {
    /// None if client and worker cannot share memory.
    pub memory_socket: Option<MemorySocket>,
    /// Number of the last segment.
    pub last: u64,
}

impl HostSegments {
    /// Creates the registry. It shares memory through `memory_socket`, if any.
    pub fn new(memory_socket: Option<MemorySocket>) -> HostSegments {
        HostSegments(Mutex::new(Maker { memory_socket, last: 0 }))
    }
}
