//! Host segments: pinned host memory that the client maps too. The worker registers each segment
//! with the driver, so that the GPU copies directly and no byte crosses the lane. The client may
//! write to a segment at any time, as a program may natively, so this module does not rely on the
//! content.

use crate::worker::driver::waiters::Waiters;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::memory::unmapping::Unmapping;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_lock::Mutex;
use outhaul_transport::{MemorySocket, SharedMemory};
use outhaul_wire::limits::{HOST_SEGMENT_BYTES_MAX, HOST_SEGMENTS_MAX};
use outhaul_wire::messages::{HostSegmentClose, HostSegmentOpen, HostSegmentOpenReply};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::c_void;
use std::sync::Arc;

const HOST_REGISTER_PORTABLE: u32 = 1;
const HOST_REGISTER_DEVICEMAP: u32 = 2;

/// A host segment. It is unmapped when the last reference is dropped, so later users of it, such as
/// a graph, keep a reference.
pub struct HostSegment {
    driver: Arc<Driver>,
    memory: SharedMemory,
    held: Arc<Held>,
}

/// Number and total bytes of the session's host segments.
#[derive(Default)]
struct Held(Mutex<(usize, u64)>);

/// A session's host segments.
pub struct HostSegments {
    driver: Arc<Driver>,
    waiters: Arc<Waiters>,
    memory_socket: Option<MemorySocket>,
    open: Arc<Mutex<Open>>,
    held: Arc<Held>,
    /// Segments that are being unmapped.
    pub closing: Arc<Unmapping>,
}

#[derive(Default)]
struct Open {
    by_number: HashMap<u64, Arc<HostSegment>>,
    /// Segment numbers by start address.
    by_address: BTreeMap<u64, u64>,
    /// Numbers of open segments and of segments that are being pinned.
    numbers: HashSet<u64>,
}

impl Open {
    fn insert(&mut self, number: u64, segment: HostSegment) {
        self.by_address.insert(segment.start(), number);
        self.by_number.insert(number, Arc::new(segment));
    }

    fn remove(&mut self, number: u64) -> Option<Arc<HostSegment>> {
        let segment = self.by_number.remove(&number)?;
        self.by_address.remove(&segment.start());
        self.numbers.remove(&number);
        Some(segment)
    }

    fn at(&self, address: u64, bytes: u64) -> Option<&Arc<HostSegment>> {
        let (start, number) = self.by_address.range(..=address).next_back()?;
        let segment = self.by_number.get(number)?;
        let end = (address - start).checked_add(bytes)?;
        (end <= segment.memory.bytes() as u64).then_some(segment)
    }
}

impl HostSegment {
    fn start(&self) -> u64 {
        self.memory.address() as u64
    }

    /// Returns the address of the first row if all rows are inside the segment.
    pub fn rows(&self, offset: u64, pitch: u64, width: u64, rows: u64) -> Option<*mut c_void> {
        let span = pitch.checked_mul(rows.checked_sub(1)?)?.checked_add(width)?;
        let inside = offset.checked_add(span)? <= self.memory.bytes() as u64
            && (rows == 1 || pitch >= width);
        // SAFETY: the offset is inside the mapping.
        inside.then(|| unsafe { self.memory.address().add(offset as usize) }.cast())
    }
}

impl Drop for HostSegment {
    fn drop(&mut self) {
        // SAFETY: the segment was registered when it was opened, and no copy uses it any more. If
        // its context has ended, unregistering has no effect.
        let _ = unsafe { self.driver.cuMemHostUnregister(self.memory.address().cast()) };
        self.held.give_back(self.memory.bytes() as u64);
    }
}

impl Held {
    fn take(&self, bytes: u64) -> bool {
        let (count, total) = &mut *self.0.lock();
        let fits = *count < HOST_SEGMENTS_MAX && bytes <= HOST_SEGMENT_BYTES_MAX - *total;
        if fits {
            (*count, *total) = (*count + 1, *total + bytes);
        }
        fits
    }

    fn give_back(&self, bytes: u64) {
        let (count, total) = &mut *self.0.lock();
        (*count, *total) = (*count - 1, *total - bytes);
    }
}

impl HostSegments {
    /// Creates an empty set of segments.
    pub fn new(
        driver: Arc<Driver>,
        waiters: Arc<Waiters>,
        memory_socket: Option<MemorySocket>,
    ) -> HostSegments {
        HostSegments {
            driver,
            waiters,
            memory_socket,
            open: Arc::default(),
            held: Arc::default(),
            closing: Arc::default(),
        }
    }

    /// Opens a segment. Pinning is slow (half a second per GiB), so it runs in a thread of its own.
    /// The client uses the segment only after the reply.
    pub fn open(
        &self,
        m: &HostSegmentOpen,
        context: CUcontext,
        ticket: Ticket,
    ) -> Result<(), Refusal> {
        let memory_socket = self.memory_socket.as_ref().ok_or_else(|| {
            Refusal::Violation("memory to share, on a lane that cannot carry it".into())
        })?;
        let bytes = usize::try_from(m.bytes).ok().filter(|bytes| *bytes > 0);
        let bytes =
            bytes.ok_or_else(|| Refusal::Violation(format!("a segment of {} bytes", m.bytes)))?;
        let memory = memory_socket
            .take(m.segment, bytes, m.address as usize)
            .map_err(|e| Refusal::Violation(format!("segment {}: {e}", m.segment)))?;
        if !self.held.take(m.bytes) {
            return Err(Refusal::Driver(CUresult::OUT_OF_MEMORY));
        }
        if !self.lock().numbers.insert(m.segment) {
            self.held.give_back(m.bytes);
            return Err(Refusal::Violation(format!("segment {} is open already", m.segment)));
        }
        let in_place = memory.address() as u64 == m.address;
        let (driver, open, held, number) =
            (self.driver.clone(), self.open.clone(), self.held.clone(), m.segment);
        self.waiters.run(move || {
            // SAFETY: the context is the session's own. The mapping is page-aligned and exists
            // until it is unregistered.
            let registered = unsafe {
                let _ = driver.cuCtxSetCurrent(context);
                driver.cuMemHostRegister_v2(
                    memory.address().cast(),
                    memory.bytes(),
                    HOST_REGISTER_PORTABLE | HOST_REGISTER_DEVICEMAP,
                )
            };
            match registered.ok() {
                Ok(()) => {
                    open.lock().insert(number, HostSegment { driver, memory, held });
                    ticket.answer(&HostSegmentOpenReply { in_place });
                }
                Err(code) => {
                    open.lock().numbers.remove(&number);
                    held.give_back(memory.bytes() as u64);
                    ticket.fail(code);
                }
            }
        });
        Ok(())
    }

    /// Closes a segment, which is unmapped once the device has completed all earlier work in all
    /// contexts.
    pub fn close(&self, m: &HostSegmentClose, contexts: Vec<CUcontext>) -> Result<(), Refusal> {
        let segment = self.lock().remove(m.segment).ok_or_else(|| unknown(m.segment))?;
        let (driver, closing) = (self.driver.clone(), self.closing.clone());
        let range = (segment.memory.address() as u64, segment.memory.bytes() as u64);
        closing.enter(range);
        self.waiters.run(move || {
            closing.wait_while_held();
            for context in contexts {
                // SAFETY: the context is the session's own, and is not destroyed before this thread
                // is done with it.
                unsafe {
                    if driver.cuCtxSetCurrent(context) == CUresult::SUCCESS {
                        let _ = driver.cuCtxSynchronize();
                    }
                }
            }
            drop(segment);
            closing.leave(range);
        });
        Ok(())
    }

    /// Returns the segment that contains the whole range.
    pub fn at(&self, address: u64, bytes: u64) -> Option<Arc<HostSegment>> {
        self.memory_socket.as_ref()?;
        self.lock().at(address, bytes).cloned()
    }

    /// Returns the segment with the given number.
    pub fn get(&self, number: u64) -> Result<Arc<HostSegment>, Refusal> {
        self.lock().by_number.get(&number).cloned().ok_or_else(|| unknown(number))
    }

    fn lock(&self) -> outhaul_lock::MutexGuard<'_, Open> {
        self.open.lock()
    }
}

fn unknown(number: u64) -> Refusal {
    Refusal::Violation(format!("segment {number} is not open"))
}
