//! The node's side of memory that program and device reach by the same address. It answers what the device has changed by comparing with what
//! both sides last knew. Copies run in a stream of their own, so that they wait for nobody's work; the client asks when there is none.
//!
//! A host callback's turn must not wait for commands, which may wait for what stands behind that very callback. So turns come on the lane of callbacks, and a
//! thread of their own carries them out. Where memory may move, it is in place for commands only, and turns come as such.

use super::Worker;
use super::frame::{Incoming, Refusal, Ticket};
use super::host_pages::{HostPages, Runs};
use super::outbound::Outbound;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_transport::twin::Twin;
use outhaul_wire::codec::List;
use outhaul_wire::limits::{MIRROR_BYTES_MAX, MIRROR_QUEUE_BYTES_MAX, MIRROR_READ_BYTES_MAX, PIECE_BYTES};
use outhaul_wire::messages::*;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};

const PAGE_BYTES: usize = 4096;
/// What program and device may write beside each other.
const WORD_BYTES: usize = 4;

const DEVICE: u8 = 0;
const HOST: u8 = 1;
const PLACED: u8 = 2;

pub struct Mirrors {
    driver: Arc<Driver>,
    outbound: Arc<Outbound>,
    open: Mutex<BTreeMap<u64, Arc<Mirror>>>,
    /// To the thread of turns, once there is one.
    jobs: Mutex<Option<Sender<Job>>>,
    queued_bytes: AtomicUsize,
    streams: Mutex<HashMap<CUcontext, CUstream>>,
    runs: Runs,
}

pub struct Mirror {
    start: u64,
    bytes: u64,
    transfer: u64,
    side: Side,
    /// What both sides last knew; of pages of this process's own, their twin knows.
    known: Mutex<Vec<u8>>,
}

/// How this process reaches it.
enum Side {
    /// Pages of its own.
    Pages { _pages: HostPages },
    /// What the driver manages.
    Here,
    /// The device alone does.
    Device { context: CUcontext, stream: CUstream },
}

enum Job {
    Write { number: u64, mirror: Arc<Mirror>, offset: usize, bytes: Vec<u8> },
    Read { mirror: Arc<Mirror>, range: Range<usize>, ticket: Ticket },
}

/// What the device has changed: offsets and lengths, and what lies in the range that was asked for.
struct Changed {
    runs: Vec<(u64, u64)>,
    now: Vec<u8>,
}

impl Mirror {
    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.known.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Bytes that are compared here, if they are.
    fn range(&self, offset: u64, bytes: u64) -> Option<Range<usize>> {
        let end = offset.checked_add(bytes).filter(|end| *end <= self.lock().len() as u64)?;
        Some(offset as usize..end as usize)
    }

    /// A copy between the device and this process, in the mirror's own stream.
    fn copy(&self, driver: &Driver, copy: impl FnOnce(CUstream) -> CUresult) -> Result<(), CUresult> {
        let Side::Device { context, stream } = self.side else { return Ok(()) };
        let mut popped = CUcontext::NULL;
        // SAFETY: context and stream are the session's own, and what is pushed is popped.
        unsafe {
            driver.cuCtxPushCurrent_v2(context).ok()?;
            let copied = copy(stream).ok().and_then(|()| driver.cuStreamSynchronize(stream).ok());
            let _ = driver.cuCtxPopCurrent_v2(&mut popped);
            copied
        }
    }

    fn write(&self, driver: &Driver, offset: usize, new: &[u8]) -> Result<(), CUresult> {
        let known = &mut self.lock()[offset..offset + new.len()];
        let address = self.start + offset as u64;
        if matches!(self.side, Side::Here) {
            // SAFETY: inside the mirror.
            unsafe { merge(address as *mut u8, known, new) };
        }
        known.copy_from_slice(new);
        // SAFETY: the bytes live through the wait; the device address is this session's own affair.
        self.copy(driver, |stream| unsafe { driver.cuMemcpyHtoDAsync_v2(address, known.as_ptr().cast(), known.len(), stream) })
    }

    fn read(&self, driver: &Driver, range: Range<usize>) -> Result<Changed, CUresult> {
        let known = &mut self.lock()[range.clone()];
        let address = self.start + range.start as u64;
        let mut now = vec![0u8; range.len()];
        if matches!(self.side, Side::Here) {
            // SAFETY: inside the mirror; the place is a local of that size.
            unsafe { std::ptr::copy_nonoverlapping(address as *const u8, now.as_mut_ptr(), now.len()) };
        }
        // SAFETY: the bytes live through the wait; the device address is this session's own affair.
        self.copy(driver, |stream| unsafe { driver.cuMemcpyDtoHAsync_v2(now.as_mut_ptr().cast(), address, now.len(), stream) })?;
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for (i, (now, known)) in now.chunks(PAGE_BYTES).zip(known.chunks_mut(PAGE_BYTES)).enumerate() {
            if now == known {
                continue;
            }
            known.copy_from_slice(now);
            let (offset, bytes) = ((range.start + i * PAGE_BYTES) as u64, now.len() as u64);
            match runs.last_mut() {
                Some((start, sum)) if *start + *sum == offset && *sum + bytes <= PIECE_BYTES as u64 => *sum += bytes,
                _ => runs.push((offset, bytes)),
            }
        }
        Ok(Changed { runs, now })
    }

    /// Answers behind the data.
    fn tell(&self, driver: &Driver, outbound: &Outbound, range: Range<usize>, ticket: &Ticket) -> Result<(), CUresult> {
        let Changed { runs, now } = self.read(driver, range.clone())?;
        for (offset, bytes) in &runs {
            let from = *offset as usize - range.start;
            outbound.data(self.transfer, *offset, CUresult::SUCCESS, &now[from..from + *bytes as usize]);
        }
        ticket.answer(&MirrorReadReply { changed: List(runs.into_iter().flat_map(|(offset, bytes)| [offset, bytes]).collect()) });
        Ok(())
    }
}

impl Mirrors {
    /// Whether what a host function has to find is the driver's to say.
    pub fn asks_driver(&self) -> bool {
        self.open.lock().unwrap_or_else(|e| e.into_inner()).values().any(|mirror| !matches!(mirror.side, Side::Pages { .. }))
    }

    pub fn new(driver: Arc<Driver>, outbound: Arc<Outbound>) -> Arc<Mirrors> {
        let (open, jobs, queued_bytes, streams, runs) = Default::default();
        Arc::new(Mirrors { driver, outbound, open, jobs, queued_bytes, streams, runs })
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Mirror>>> {
        self.open.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// What an address lies in, and where in it.
    fn find(&self, address: u64) -> Option<(Arc<Mirror>, u64)> {
        let open = self.open();
        let (start, mirror) = open.range(..=address).next_back()?;
        (address - start < mirror.bytes).then(|| (mirror.clone(), address - start))
    }

    /// The pages of this process's own that hold these bytes, all of them.
    pub fn pages(&self, address: u64, bytes: u64) -> Option<Arc<Mirror>> {
        if !self.outbound.twins().is_in_use() {
            return None;
        }
        let (mirror, offset) = self.find(address)?;
        let inside = matches!(mirror.side, Side::Pages { .. }) && bytes <= mirror.bytes - offset;
        inside.then_some(mirror)
    }

    fn readable(&self, m: &MirrorRead) -> Result<(Arc<Mirror>, Range<usize>), String> {
        let outside = || format!("{} bytes at {} leave the mirror at {:#x}", m.bytes, m.offset, m.address);
        let mirror = self.open().get(&m.address).cloned().ok_or_else(outside)?;
        let range = mirror.range(m.offset, m.bytes).filter(|_| m.bytes <= MIRROR_READ_BYTES_MAX).ok_or_else(outside)?;
        Ok((mirror, range))
    }

    // ---- turns that come on the lane of callbacks ----

    /// What the program has changed. Memory that was closed meanwhile is nobody's.
    pub fn hear(self: &Arc<Mirrors>, m: &MirrorTell, bytes: Vec<u8>) -> Result<(), String> {
        let outside = || format!("{} bytes at {:#x} leave their mirror", bytes.len(), m.address);
        let twins = self.outbound.twins();
        let device = self.find(m.address).filter(|(mirror, _)| !matches!(mirror.side, Side::Pages { .. }));
        let Some((mirror, offset)) = device else {
            return if twins.hear(m.number, m.address, &bytes) { Ok(()) } else { Err(outside()) };
        };
        let range = mirror.range(offset, bytes.len() as u64).ok_or_else(outside)?;
        if self.queued_bytes.fetch_add(bytes.len(), SeqCst) + bytes.len() > MIRROR_QUEUE_BYTES_MAX {
            return Err(format!("more than {MIRROR_QUEUE_BYTES_MAX} bytes of managed memory at once"));
        }
        twins.defer(m.number);
        self.give(Job::Write { number: m.number, mirror, offset: range.start, bytes });
        Ok(())
    }

    pub fn ask(self: &Arc<Mirrors>, m: &MirrorRead, ticket: Ticket) -> Result<(), String> {
        let (mirror, range) = self.readable(m)?;
        self.give(Job::Read { mirror, range, ticket });
        Ok(())
    }

    /// A context is about to go, and its stream with it.
    pub fn forget(&self, context: CUcontext) {
        self.streams.lock().unwrap_or_else(|e| e.into_inner()).remove(&context);
    }

    fn give(self: &Arc<Mirrors>, job: Job) {
        let mut jobs = self.jobs.lock().unwrap_or_else(|e| e.into_inner());
        let sender = jobs.get_or_insert_with(|| {
            let (sender, receiver) = channel();
            let mirrors = self.clone();
            std::thread::spawn(move || mirrors.work(&receiver));
            sender
        });
        // The thread ends with the process.
        let _ = sender.send(job);
    }

    fn work(&self, jobs: &Receiver<Job>) {
        for job in jobs {
            match job {
                Job::Write { number, mirror, offset, bytes } => {
                    if let Err(code) = mirror.write(&self.driver, offset, &bytes) {
                        self.outbound.fault(0, code, "MirrorTell");
                    }
                    self.queued_bytes.fetch_sub(bytes.len(), SeqCst);
                    self.outbound.twins().settle(number);
                }
                Job::Read { mirror, range, ticket } => {
                    if let Err(code) = mirror.tell(&self.driver, &self.outbound, range, &ticket) {
                        ticket.fail(code);
                    }
                }
            }
        }
    }
}

impl Worker {
    fn mirror_side(&self) -> Result<Side, Refusal> {
        let context = self.context()?;
        let mut streams = self.mirrors.streams.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(stream) = streams.get(&context) {
            return Ok(Side::Device { context, stream: *stream });
        }
        let mut stream = CUstream::NULL;
        // SAFETY: the handle goes to a local.
        unsafe { self.driver.cuStreamCreate(&mut stream, values::STREAM_NON_BLOCKING) }.ok()?;
        streams.insert(context, stream);
        Ok(Side::Device { context, stream })
    }

    /// Gives whether its turns may come on the lane of callbacks.
    pub fn open_mirror(&mut self, m: &MirrorOpen) -> Result<bool, Refusal> {
        let held: u64 = self.mirrors.open().values().map(|mirror| mirror.bytes).sum();
        if m.bytes == 0 || m.bytes > MIRROR_BYTES_MAX - held {
            return Err(Refusal::Driver(CUresult::OUT_OF_MEMORY));
        }
        let end = m.address.checked_add(m.bytes).ok_or_else(|| Refusal::Violation("a mirror that has no end".into()))?;
        if self.mirrors.open().range(..end).next_back().is_some_and(|(start, mirror)| start + mirror.bytes > m.address) {
            return Err(Refusal::Violation(format!("two mirrors at {:#x}", m.address)));
        }
        let bytes = m.bytes as usize;
        let side = match m.kind {
            HOST => {
                let pages = self.mirrors.runs.map(&self.driver, m.address, m.bytes)?;
                // Pages that were mapped before, for a neighbour, may hold what an earlier piece of memory here held.
                // SAFETY: the pages are mapped for as long as the mirror is open, and no other mirror lies there.
                unsafe { std::ptr::write_bytes(m.address as *mut u8, 0, bytes) };
                // SAFETY: as above, and the mirror's end has the twin retire.
                let twin = unsafe { Twin::new(m.address as usize, bytes) };
                self.carrier.outbound.twins().open(Arc::new(twin)).map_err(Refusal::Violation)?;
                Side::Pages { _pages: pages }
            }
            DEVICE => self.mirror_side()?,
            PLACED if self.managed.iter().any(|(start, size)| (*start, *size) == (m.address, m.bytes)) => Side::Here,
            PLACED => return Err(Refusal::Violation(format!("{:#x} is no managed variable", m.address))),
            other => return Err(Refusal::Violation(format!("a mirror of kind {other}"))),
        };
        let known = Mutex::new(vec![0; if m.kind == HOST { 0 } else { bytes }]);
        let mirror = Mirror { start: m.address, bytes: m.bytes, transfer: m.transfer, side, known };
        // SAFETY: the device address is this session's own affair.
        mirror.copy(&self.driver, |stream| unsafe { self.driver.cuMemsetD8Async(m.address, 0, bytes, stream) })?;
        self.mirrors.open().insert(m.address, Arc::new(mirror));
        Ok(m.kind == HOST || !self.moves_memory())
    }

    pub fn close_mirror(&mut self, m: &MirrorClose) -> Result<(), Refusal> {
        self.carrier.outbound.twins().close(m.address);
        self.let_driver_empty();
        let mirror = self.mirrors.open().remove(&m.address);
        mirror.map(drop).ok_or_else(|| Refusal::Violation(format!("there is no mirror at {:#x}", m.address)))
    }

    pub fn write_mirror(&mut self, m: &MirrorWrite, incoming: &mut Incoming<'_>) -> Result<(), Refusal> {
        let mut bytes = vec![0; incoming.payload_bytes()];
        incoming.read_payload(&mut bytes)?;
        let outside = || Refusal::Violation(format!("{} bytes at {:#x} leave their mirror", bytes.len(), m.address));
        let (mirror, offset) = self.mirrors.find(m.address).ok_or_else(outside)?;
        let range = mirror.range(offset, bytes.len() as u64).ok_or_else(outside)?;
        Ok(mirror.write(&self.driver, range.start, &bytes)?)
    }

    pub fn read_mirror(&mut self, m: &MirrorRead, ticket: &Ticket) -> Result<(), Refusal> {
        let (mirror, range) = self.mirrors.readable(m).map_err(Refusal::Violation)?;
        Ok(mirror.tell(&self.driver, &self.carrier.outbound, range, ticket)?)
    }
}

/// Writes the words that the program changed. What lies beside them may be the device's.
///
/// # Safety
/// `place` has room for as many bytes as `new` has.
unsafe fn merge(place: *mut u8, known: &[u8], new: &[u8]) {
    for (i, (known, new)) in known.chunks(WORD_BYTES).zip(new.chunks(WORD_BYTES)).enumerate() {
        if known != new {
            // SAFETY: the caller's promise.
            unsafe { std::ptr::copy_nonoverlapping(new.as_ptr(), place.add(i * WORD_BYTES), new.len()) };
        }
    }
}
