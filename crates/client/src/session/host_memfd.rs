//! Pinned host memory that a worker on the same machine maps too. Copies to it and from it are
//! posts with an offset, and the device executes them by itself.

use crate::session::progress::Progress;
use crate::session::{Place, Session};
use outhaul_lock::Mutex;
use outhaul_transport::{MemorySocket, SharedMemory};
use outhaul_wire::messages::{HostSegmentClose, HostSegmentOpen};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

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

/// Whether the program ever took a device pointer to such memory. It is never reset: the cost is a
/// few more waits.
static ANY_REACHED: AtomicBool = AtomicBool::new(false);

/// A piece of pinned memory that a worker maps too.
pub struct HostSegment {
    /// The session whose worker maps it. For other nodes it is ordinary memory.
    pub session: &'static Session,
    /// Number of the segment in its session.
    pub number: u64,
    /// Whether the device reaches it by the program's own pointers.
    pub in_place: bool,
    /// Whether the program took a pointer for the device, whose writes are then not announced.
    reached: AtomicBool,
    memory: SharedMemory,
    /// The device's writes that may not be done: their streams, and the positions in them.
    written: Mutex<Vec<(Arc<dyn Progress>, u64)>>,
}

/// Whether the device may write to the program's memory without a message.
pub fn is_any_reached() -> bool {
    ANY_REACHED.load(Relaxed)
}

impl HostSegment {
    /// Notes that the program took a pointer for the device.
    pub fn note_reached(&self) {
        self.reached.store(true, Relaxed);
        ANY_REACHED.store(true, Relaxed);
    }

    /// Address of the first byte.
    pub fn address(&self) -> usize {
        self.memory.address() as usize
    }

    /// Notes that the device writes here before the stream reaches its present position.
    pub fn note_written(&self, stream: &Arc<impl Progress + 'static>) {
        let stream: Arc<dyn Progress> = stream.clone();
        let mut written = self.lock();
        written.retain(|(other, position)| {
            !Arc::ptr_eq(other, &stream) && !other.is_completed(*position)
        });
        let position = stream.position();
        written.push((stream, position));
    }

    /// Whether the memory already contains what the program's commands so far write to it.
    pub fn is_settled(&self) -> bool {
        let mut written = self.lock();
        written.retain(|(stream, position)| !stream.is_completed(*position));
        written.is_empty() && !self.reached.load(Relaxed)
    }

    /// Blocks until the device's writes are done.
    pub fn settle(&self) {
        if self.is_settled() {
            return;
        }
        let written = self.lock().clone();
        for (stream, position) in written {
            // The program's own next call returns an error of the stream.
            if stream.wait_out().is_ok() {
                self.lock()
                    .retain(|(other, later)| !Arc::ptr_eq(other, &stream) || *later > position);
            }
        }
    }

    fn lock(&self) -> outhaul_lock::MutexGuard<'_, Vec<(Arc<dyn Progress>, u64)>> {
        self.written.lock()
    }

    /// Makes the worker unmap it once the device is done with it. The program's own mapping ends
    /// with the last reference.
    pub fn close(&self) {
        // A lost session holds no memory any more.
        let _ = Place { session: self.session, context: 0 }
            .post(&HostSegmentClose { segment: self.number });
    }
}

/// Makes segments. The lock keeps the order of the descriptors equal to that of the messages about
/// them.
pub struct HostSegments(Mutex<Maker>);

struct Maker {
    memory_socket: Option<MemorySocket>,
    last: u64,
}

impl HostSegments {
    /// Shares memory through the socket, if there is one.
    pub fn new(memory_socket: Option<MemorySocket>) -> HostSegments {
        HostSegments(Mutex::new(Maker { memory_socket, last: 0 }))
    }

    /// Returns none if memory cannot be shared, or no more of it. Then the caller uses ordinary
    /// memory, whose bytes travel.
    pub fn open(&self, bytes: usize, at: Place) -> Option<HostSegment> {
        let mut maker = self.0.lock();
        let number = maker.last + 1;
        let memory = maker.memory_socket.as_ref()?.give(number, bytes, place(bytes)).ok()?;
        maker.last = number;
        let message = HostSegmentOpen {
            segment: number,
            bytes: bytes as u64,
            address: memory.address() as u64,
        };
        let in_place = at.call(&message, |reply| Ok(reply.in_place)).ok()?;
        let (reached, written) = (AtomicBool::new(false), Mutex::default());
        Some(HostSegment { session: at.session, number, in_place, reached, memory, written })
    }
}
