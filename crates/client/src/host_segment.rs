//! Pinned host memory that the worker maps too, when it runs on the same machine. Copies to it and from it are posts with an offset, and the
//! device carries them out by itself.

use crate::session::{ask, post_in};
use crate::stream::Stream;
use outhaul_transport::{Passage, SharedMemory};
use outhaul_wire::messages::{HostSegmentClose, HostSegmentOpen, StreamSynchronize};
use std::sync::{Arc, Mutex};

pub struct HostSegment {
    pub number: u64,
    memory: SharedMemory,
    /// The device's writes that are not known to be done: their streams, and the positions in them.
    written: Mutex<Vec<(Arc<Stream>, u64)>>,
}

impl HostSegment {
    pub fn address(&self) -> usize {
        self.memory.address() as usize
    }

    /// The device will have written here when the stream has come to its present position.
    pub fn note_written(&self, stream: &Arc<Stream>) {
        let mut written = self.lock();
        written.retain(|(other, position)| !Arc::ptr_eq(other, stream) && !other.is_completed(*position));
        written.push((stream.clone(), stream.position()));
    }

    /// Whether what stands here now is what the program's commands so far leave here.
    pub fn is_settled(&self) -> bool {
        let mut written = self.lock();
        written.retain(|(stream, position)| !stream.is_completed(*position));
        written.is_empty()
    }

    /// Waits for the device's writes.
    pub fn settle(&self) {
        if self.is_settled() {
            return;
        }
        for (stream, position) in self.lock().clone() {
            // An error of the stream surfaces at the program's own next call.
            if ask(&StreamSynchronize { stream: stream.handle }).is_ok() {
                stream.note_completed(position);
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(Arc<Stream>, u64)>> {
        self.written.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The worker lets go of it once the device has; the program's own mapping goes with the last reference.
    pub fn close(&self) {
        // A session that is lost holds nothing any more.
        let _ = post_in(0, &HostSegmentClose { segment: self.number });
    }
}

/// Makes segments. The lock keeps what is given in the order in which it is spoken of.
pub struct HostSegments(Mutex<Maker>);

struct Maker {
    passage: Option<Passage>,
    last: u64,
}

impl HostSegments {
    pub fn new(passage: Option<Passage>) -> HostSegments {
        HostSegments(Mutex::new(Maker { passage, last: 0 }))
    }

    /// None where memory cannot be shared, or no more of it: ordinary memory does then, and its bytes travel.
    pub fn open(&self, bytes: usize) -> Option<HostSegment> {
        let mut maker = self.0.lock().unwrap_or_else(|e| e.into_inner());
        let number = maker.last + 1;
        let memory = maker.passage.as_ref()?.give(number, bytes).ok()?;
        maker.last = number;
        let (status, _) = ask(&HostSegmentOpen { segment: number, bytes: bytes as u64 }).ok()?;
        status.ok().ok()?;
        Some(HostSegment { number, memory, written: Mutex::default() })
    }
}
