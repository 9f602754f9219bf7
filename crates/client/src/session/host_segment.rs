//! Host segments: pieces of pinned memory that client and worker of one machine both map.

use crate::session::host_segments::{HostSegments, place};
use crate::session::stream_progress::Progress;
use crate::session::{Session, Target};
use outhaul_lock::Mutex;
use outhaul_transport::SharedMemory;
use outhaul_wire::messages::{HostSegmentClose, HostSegmentOpen};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether the program ever took a device pointer to a host segment. The client never resets this,
/// which costs only a few more waits.
static ANY_REACHED: AtomicBool = AtomicBool::new(false);

/// A piece of pinned memory that the worker on the same machine maps too.
pub struct HostSegment {
    /// The session whose worker maps the segment. For other nodes the memory is ordinary host
    /// memory.
    pub session: &'static Session,
    /// Number of the segment within its session.
    pub number: u64,
    /// Whether the device can use the program's own pointers into the segment.
    pub in_place: bool,
    /// Whether the program took a device pointer. The client does not learn of writes through it.
    reached: AtomicBool,
    memory: SharedMemory,
    /// Writes by the device that may be incomplete: their streams, and the positions in them.
    written: Mutex<Vec<(Arc<dyn Progress>, u64)>>,
}

/// Returns whether the device may write to host segments without the client's knowledge.
pub fn is_any_reached() -> bool {
    ANY_REACHED.load(Relaxed)
}

impl HostSegment {
    /// Notes that the program took a device pointer to the segment.
    pub fn note_reached(&self) {
        self.reached.store(true, Relaxed);
        ANY_REACHED.store(true, Relaxed);
    }

    /// Returns the address of the first byte.
    pub fn address(&self) -> usize {
        self.memory.address() as usize
    }

    /// Notes that the device writes to the segment before `stream` reaches its present position.
    pub fn note_written(&self, stream: &Arc<impl Progress + 'static>) {
        let stream: Arc<dyn Progress> = stream.clone();
        let mut written = self.lock();
        written.retain(|(other, position)| {
            !Arc::ptr_eq(other, &stream) && !other.is_completed(*position)
        });
        let position = stream.position();
        written.push((stream, position));
    }

    /// Returns whether the memory already contains all writes of the program's commands so far.
    pub fn is_up_to_date(&self) -> bool {
        let mut written = self.lock();
        written.retain(|(stream, position)| !stream.is_completed(*position));
        written.is_empty() && !self.reached.load(Relaxed)
    }

    /// Blocks until the device's writes to the segment are complete.
    pub fn wait_for_writes(&self) {
        if self.is_up_to_date() {
            return;
        }
        let written = self.lock().clone();
        for (stream, position) in written {
            // If the stream has failed, the program's own next call returns the error.
            if stream.wait_out().is_ok() {
                self.lock()
                    .retain(|(other, later)| !Arc::ptr_eq(other, &stream) || *later > position);
            }
        }
    }

    fn lock(&self) -> outhaul_lock::MutexGuard<'_, Vec<(Arc<dyn Progress>, u64)>> {
        self.written.lock()
    }

    /// Makes the worker unmap the segment once the device no longer uses it. The program's own
    /// mapping ends with the last reference.
    pub fn close(&self) {
        // Ignored because a lost session holds no memory.
        let _ = Target { session: self.session, context: 0 }
            .post(&HostSegmentClose { segment: self.number });
    }
}

impl HostSegments {
    /// Creates a segment. Returns none if client and worker cannot share memory, or no more of it.
    /// The caller then uses ordinary memory, whose bytes travel over the lanes.
    pub fn open(&self, bytes: usize, at: Target) -> Option<HostSegment> {
        let mut maker = self.0.lock();
        let number = maker.last + 1;
        let memory = maker.memory_socket.as_ref()?.give(number, bytes, place(bytes)).ok()?;
        maker.last = number;
        let message = HostSegmentOpen {
            segment: number,
            bytes: bytes as u64,
            address: memory.address() as u64,
        };
        let in_place = at.call(&message).ok()?.read(|reply| Ok(reply.in_place)).ok()?;
        let (reached, written) = (AtomicBool::new(false), Mutex::default());
        Some(HostSegment { session: at.session, number, in_place, reached, memory, written })
    }
}
