//! Pinned host memory that the worker maps too, when it runs on the same machine. Copies to it and
//! from it are posts with an offset, and the device carries them out by itself.

use crate::session::{Place, Session};
use crate::stream::Stream;
use outhaul_lock::Mutex;
use outhaul_transport::{MemorySocket, SharedMemory};
use outhaul_wire::messages::{HostSegmentClose, HostSegmentOpen};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

const PINNED_STEP_BYTES: usize = 1 << 21;

/// Where the next piece of pinned memory is to lie, in a range that is free in workers too.
static NEXT_ADDRESS: AtomicUsize = AtomicUsize::new(0);

/// Pinned memory lies below the devices' own, which begins at `arena_base`: nothing else is known
/// to lie there.
pub fn begin(arena_base: u64) {
    NEXT_ADDRESS.store((arena_base as usize / 4 * 3).next_multiple_of(PINNED_STEP_BYTES), Relaxed);
}

/// A place for memory that a worker may have to mirror.
pub fn place(bytes: usize) -> usize {
    NEXT_ADDRESS.fetch_add(bytes.next_multiple_of(PINNED_STEP_BYTES), Relaxed)
}

/// Stays so: a program that once had such memory pays for a few waits more.
static ANY_REACHED: AtomicBool = AtomicBool::new(false);

pub struct HostSegment {
    /// Whose worker maps it; to other nodes it is ordinary memory.
    pub session: &'static Session,
    pub number: u64,
    /// The device reaches it by the program's own pointers.
    pub in_place: bool,
    /// The program took a pointer for the device, whose writes nobody announces.
    reached: AtomicBool,
    memory: SharedMemory,
    /// The device's writes that are not known to be done: their streams, and the positions in them.
    written: Mutex<Vec<(Arc<Stream>, u64)>>,
}

/// Whether the device may write to the program's own memory without a word.
pub fn is_any_reached() -> bool {
    ANY_REACHED.load(Relaxed)
}

impl HostSegment {
    pub fn note_reached(&self) {
        self.reached.store(true, Relaxed);
        ANY_REACHED.store(true, Relaxed);
    }

    pub fn address(&self) -> usize {
        self.memory.address() as usize
    }

    /// The device will have written here when the stream has come to its present position.
    pub fn note_written(&self, stream: &Arc<Stream>) {
        let mut written = self.lock();
        written.retain(|(other, position)| {
            !Arc::ptr_eq(other, stream) && !other.is_completed(*position)
        });
        written.push((stream.clone(), stream.position()));
    }

    /// Whether what stands here now is what the program's commands so far leave here.
    pub fn is_settled(&self) -> bool {
        let mut written = self.lock();
        written.retain(|(stream, position)| !stream.is_completed(*position));
        written.is_empty() && !self.reached.load(Relaxed)
    }

    /// Waits for the device's writes.
    pub fn settle(&self) {
        if self.is_settled() {
            return;
        }
        let written = self.lock().clone();
        for (stream, position) in written {
            // An error of the stream surfaces at the program's own next call.
            if stream.wait_out().is_ok() {
                self.lock()
                    .retain(|(other, later)| !Arc::ptr_eq(other, &stream) || *later > position);
            }
        }
    }

    fn lock(&self) -> outhaul_lock::MutexGuard<'_, Vec<(Arc<Stream>, u64)>> {
        self.written.lock()
    }

    /// The worker lets go of it once the device has; the program's own mapping goes with the last
    /// reference.
    pub fn close(&self) {
        // A session that is lost holds nothing any more.
        let _ = Place { session: self.session, context: 0 }
            .post(&HostSegmentClose { segment: self.number });
    }
}

/// Makes segments. The lock keeps what is given in the order in which it is spoken of.
pub struct HostSegments(Mutex<Maker>);

struct Maker {
    memory_socket: Option<MemorySocket>,
    last: u64,
}

impl HostSegments {
    pub fn new(memory_socket: Option<MemorySocket>) -> HostSegments {
        HostSegments(Mutex::new(Maker { memory_socket, last: 0 }))
    }

    /// None where memory cannot be shared, or no more of it: ordinary memory does then, and its
    /// bytes travel.
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
