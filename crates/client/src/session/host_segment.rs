//! A piece of pinned memory that a worker on the same machine maps too.

use crate::session::host_segments::{HostSegments, place};
use crate::session::stream_progress::Progress;
use crate::session::{Session, Target};
use outhaul_lock::Mutex;
use outhaul_transport::SharedMemory;
use outhaul_wire::messages::{HostSegmentClose, HostSegmentOpen};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

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
    pub fn is_up_to_date(&self) -> bool {
        let mut written = self.lock();
        written.retain(|(stream, position)| !stream.is_completed(*position));
        written.is_empty() && !self.reached.load(Relaxed)
    }

    /// Blocks until the device's writes are done.
    pub fn wait_for_writes(&self) {
        if self.is_up_to_date() {
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
        let _ = Target { session: self.session, context: 0 }
            .post(&HostSegmentClose { segment: self.number });
    }
}

impl HostSegments {
    /// Returns none if memory cannot be shared, or no more of it. Then the caller uses ordinary
    /// memory, whose bytes travel.
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
