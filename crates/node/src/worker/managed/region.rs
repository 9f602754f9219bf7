//! The node's side of memory that program and device reach at the same address. It reports the
//! device's changes to the client. In managed memory, the device itself finds the changes
//! (`dirty_scan`). In managed variables, a comparison with the last common state finds them. Both
//! use streams of their own, so that they do not wait for other work, and the client asks when no
//! work is in progress.
//!
//! A host callback exchanges managed memory with the device. The exchange must not wait for
//! commands, because commands may wait for work queued after that very callback. So its messages
//! arrive on the callback lane, and a separate thread handles them. If memory may move, it is
//! resident only during commands, and the messages arrive as commands.

use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::io::outbound::Outbound;
use crate::worker::managed::dirty_scan::{Ask, BOUNCE_BYTES, Brings, DirtyScanner, PageRun};
use crate::worker::managed::page_hash::PAGE_BYTES;
use crate::worker::managed::prefetch::{Prefetch, Watched};
use crate::worker::memory::host_pages::{HostPages, Runs};
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_transport::os::spin::{PROGRAM_SPIN, spin};
use outhaul_transport::replicas::replica::{Replica, ReplicaPages};
use outhaul_wire::codec::List;
use outhaul_wire::limits::{
    MANAGED_BROUGHT_BYTES_MAX, MANAGED_BYTES_MAX, MANAGED_FETCH_BYTES_MAX, MANAGED_QUEUE_BYTES_MAX,
    MANAGED_REGIONS_PER_QUERY_MAX, MANAGED_RUNS_MAX,
};
use outhaul_wire::messages::*;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Maximum time that the device may take to report changes.
const SCAN_WAIT: Duration = Duration::from_secs(1);
/// Maximum time that the device may take if, without its report, everything must be sent.
const SCAN_WAIT_BEFORE_ALL_IS_SENT: Duration = Duration::from_secs(10);

/// Size of the smallest change in bytes. Program and device may write adjacent words at the same
/// time.
const WORD_BYTES: usize = 4;

/// Number for regions of memory that only the device reaches.
pub const DEVICE: u8 = 0;
/// Number for regions of pinned memory.
pub const HOST: u8 = 1;
/// Number for regions of managed variables.
pub const PLACED: u8 = 2;

/// A session's regions.
pub struct ManagedRegions {
    outbound: Arc<Outbound>,
    open: Mutex<BTreeMap<u64, Arc<ManagedRegion>>>,
    /// Sender of jobs to the thread of exchanges, once that thread runs.
    jobs: Mutex<Option<Sender<Job>>>,
    queued_bytes: AtomicUsize,
    /// Held during a scan, write or fetch until it is answered, so that the answers have the order
    /// of the operations.
    acting: Mutex<()>,
    scanners: Mutex<HashMap<CUcontext, Arc<DirtyScanner>>>,
    runs: Runs,
}

/// A piece of memory that program and device reach at the same address.
pub struct ManagedRegion {
    start: u64,
    bytes: u64,
    transfer: u64,
    side: MemoryAccess,
}

/// How this process reaches the memory.
pub enum MemoryAccess {
    /// Pages of this process at the program's addresses.
    Pages { _pages: HostPages },
    /// Memory managed by the driver, and the last state that both sides knew.
    Here { known: Mutex<Vec<u8>> },
    /// Memory that only the device reaches.
    Device(Managed),
}

/// Memory that only the device reaches.
pub struct Managed {
    scanner: Arc<DirtyScanner>,
    piece: PageRun,
    /// Whether everything may have changed, because the digests do not describe the program's copy.
    unknown: AtomicBool,
    /// The pages' heat, if only touched pages are sent unasked and others on request. If `None`,
    /// all changed pages are sent.
    heat: Option<Mutex<Prefetch>>,
}

enum Job {
    Write { number: u64, region: Arc<ManagedRegion>, offset: u64, bytes: Vec<u8> },
    Scan { regions: Vec<Arc<ManagedRegion>>, ticket: Ticket },
    Fetch { region: Arc<ManagedRegion>, range: Range<u64>, is_touched: bool, ticket: Ticket },
}

/// A scan's result.
#[derive(Default)]
struct Seen {
    changed: Vec<u64>,
    brought: Vec<u64>,
    wanted: Vec<u64>,
    unknown: Vec<u64>,
    bytes: Vec<u8>,
}

impl ManagedRegion {
    /// Returns the range that a message names. Returns `None` if it is not inside the region, or is
    /// not made of whole pages although it must be.
    fn range(&self, offset: u64, bytes: u64) -> Option<Range<u64>> {
        let end = offset.checked_add(bytes).filter(|end| *end <= self.bytes && bytes > 0)?;
        let fits = match &self.side {
            MemoryAccess::Pages { .. } => false,
            MemoryAccess::Here { .. } => true,
            MemoryAccess::Device(_) => {
                offset.is_multiple_of(PAGE_BYTES) && bytes.is_multiple_of(PAGE_BYTES)
            }
        };
        fits.then_some(offset..end)
    }

    fn managed(&self) -> Option<&Managed> {
        if let MemoryAccess::Device(managed) = &self.side { Some(managed) } else { None }
    }

    fn write(&self, offset: u64, new: &[u8]) -> Result<(), CUresult> {
        match &self.side {
            MemoryAccess::Device(managed) => {
                managed.scanner.write(&managed.piece, offset, new)?;
                managed.note_away(&(offset..offset + new.len() as u64), false);
                Ok(())
            }
            MemoryAccess::Here { known } => {
                let known = &mut lock(known)[offset as usize..offset as usize + new.len()];
                // SAFETY: the range was checked to be inside the region.
                unsafe { merge((self.start + offset) as *mut u8, known, new) };
                known.copy_from_slice(new);
                Ok(())
            }
            MemoryAccess::Pages { .. } => Err(CUresult::INVALID_VALUE),
        }
    }

    fn pair(&self, run: &Range<u64>) -> [u64; 2] {
        [self.start + run.start, run.end - run.start]
    }

    /// Sends the contents of `runs` to the client, before the answer.
    fn send(&self, outbound: &Outbound, runs: &[Range<u64>]) -> Result<(), CUresult> {
        for run in runs {
            for offset in (run.start..run.end).step_by(BOUNCE_BYTES) {
                let range =
                    self.start + offset..self.start + run.end.min(offset + BOUNCE_BYTES as u64);
                let data =
                    |bytes: &[u8]| outbound.data(self.transfer, offset, CUresult::SUCCESS, bytes);
                match &self.side {
                    MemoryAccess::Device(managed) => managed.scanner.read(&[range], data)?,
                    // SAFETY: the run is inside the region.
                    _ => data(unsafe {
                        std::slice::from_raw_parts(
                            range.start as *const u8,
                            (range.end - range.start) as usize,
                        )
                    }),
                }
            }
        }
        Ok(())
    }
}

impl Managed {
    /// Notes whether the program no longer has the pages in `range`.
    fn note_away(&self, range: &Range<u64>, is_away: bool) {
        self.heat.iter().for_each(|heat| lock(heat).note_away(range, is_away));
    }
}

impl ManagedRegions {
    /// Returns whether an exchange of memory during a host function needs the driver.
    pub fn asks_driver(&self) -> bool {
        self.open().values().any(|region| !matches!(region.side, MemoryAccess::Pages { .. }))
    }

    /// Creates a session's regions, without any.
    pub fn new(outbound: Arc<Outbound>) -> Arc<ManagedRegions> {
        let (open, jobs, queued_bytes, acting, scanners, runs) = Default::default();
        Arc::new(ManagedRegions { outbound, open, jobs, queued_bytes, acting, scanners, runs })
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<ManagedRegion>>> {
        lock(&self.open)
    }

    /// Returns the region that contains `address`, and the offset in the region.
    fn find(&self, address: u64) -> Option<(Arc<ManagedRegion>, u64)> {
        let open = self.open();
        let (start, region) = open.range(..=address).next_back()?;
        (address - start < region.bytes).then(|| (region.clone(), address - start))
    }

    /// Returns the region that contains the whole range, if it consists of this process's pages.
    pub fn pages(&self, address: u64, bytes: u64) -> Option<Arc<ManagedRegion>> {
        if !self.outbound.replicas().is_in_use() {
            return None;
        }
        let (region, offset) = self.find(address)?;
        let inside =
            matches!(region.side, MemoryAccess::Pages { .. }) && bytes <= region.bytes - offset;
        inside.then_some(region)
    }

    fn queried_regions(&self, m: &ManagedChanges) -> Result<Vec<Arc<ManagedRegion>>, String> {
        if m.others.0.len() >= MANAGED_REGIONS_PER_QUERY_MAX {
            return Err(format!(
                "more than {MANAGED_REGIONS_PER_QUERY_MAX} pieces of managed memory in one question"
            ));
        }
        let open = self.open();
        let found = |start: &u64| {
            open.get(start)
                .filter(|region| !matches!(region.side, MemoryAccess::Pages { .. }))
                .cloned()
        };
        let starts = [m.first].into_iter().chain(m.others.0.iter().copied());
        starts
            .map(|start| {
                found(&start).ok_or_else(|| format!("no managed memory begins at {start:#x}"))
            })
            .collect()
    }

    /// Returns the regions at `starts` whose pages are sent by touch. Returns an error if there are
    /// too many addresses.
    pub fn named(&self, starts: &[u64]) -> Result<Vec<Arc<ManagedRegion>>, String> {
        if starts.len() > MANAGED_REGIONS_PER_QUERY_MAX {
            return Err(format!(
                "more than {MANAGED_REGIONS_PER_QUERY_MAX} pieces of managed memory in one question"
            ));
        }
        let open = self.open();
        let by_touch = |region: &&Arc<ManagedRegion>| {
            region.managed().is_some_and(|managed| managed.heat.is_some())
        };
        Ok(starts.iter().filter_map(|start| open.get(start).filter(by_touch)).cloned().collect())
    }

    /// Returns whether a region has not been closed meanwhile. The caller holds `acting`, so the
    /// region also stays open until the caller is done.
    fn is_open(&self, region: &Arc<ManagedRegion>) -> bool {
        self.open().get(&region.start).is_some_and(|open| Arc::ptr_eq(open, region))
    }

    /// Answers a wait with the device's changes. Ignores regions that another thread of the program
    /// closed during the wait, because their memory may be unmapped.
    pub fn answer_wait(&self, regions: &[Arc<ManagedRegion>], ticket: &Ticket) {
        let _acting = lock(&self.acting);
        self.answer_scan(regions, ticket).unwrap_or_else(|code| ticket.fail(code));
    }

    fn answer_scan(&self, regions: &[Arc<ManagedRegion>], ticket: &Ticket) -> Result<(), CUresult> {
        let Seen { changed, brought, wanted, unknown, bytes } = self.scan(regions)?;
        let [changed, brought, wanted, unknown] = [changed, brought, wanted, unknown].map(List);
        ticket.answer(&ManagedChangesReply { changed, brought, wanted, unknown, bytes: &bytes });
        Ok(())
    }

    /// Sends the device's changes in `regions` to the client, or names them in the answer.
    fn scan(&self, regions: &[Arc<ManagedRegion>]) -> Result<Seen, CUresult> {
        let mut seen = Seen::default();
        let mut by_context: Vec<(Arc<DirtyScanner>, Vec<&Arc<ManagedRegion>>)> = Vec::new();
        for region in regions.iter().filter(|region| self.is_open(region)) {
            match &region.side {
                MemoryAccess::Here { known } => {
                    self.compare(region, &mut lock(known), &mut seen)?
                }
                MemoryAccess::Device(managed) if !managed.scanner.is_gone() => {
                    match by_context
                        .iter_mut()
                        .find(|(scanner, _)| Arc::ptr_eq(scanner, &managed.scanner))
                    {
                        Some((_, others)) => others.push(region),
                        None => by_context.push((managed.scanner.clone(), vec![region])),
                    }
                }
                _ => {}
            }
        }
        for (scanner, regions) in by_context {
            self.scan_with(&scanner, &regions, &mut seen)?;
        }
        Ok(seen)
    }

    fn compare(
        &self,
        region: &ManagedRegion,
        known: &mut [u8],
        seen: &mut Seen,
    ) -> Result<(), CUresult> {
        // SAFETY: the slice is the whole region.
        let now = unsafe { std::slice::from_raw_parts(region.start as *const u8, known.len()) };
        let mut runs: Vec<Range<u64>> = Vec::new();
        for (i, (now, known)) in
            now.chunks(PAGE_BYTES as usize).zip(known.chunks_mut(PAGE_BYTES as usize)).enumerate()
        {
            if now != known {
                known.copy_from_slice(now);
                let start = i as u64 * PAGE_BYTES;
                runs.push(start..start + now.len() as u64);
            }
        }
        region.send(&self.outbound, &runs)?;
        seen.changed.extend(few(runs).iter().flat_map(|run| region.pair(run)));
        Ok(())
    }

    fn scan_with(
        &self,
        scanner: &DirtyScanner,
        regions: &[&Arc<ManagedRegion>],
        seen: &mut Seen,
    ) -> Result<(), CUresult> {
        let managed = || regions.iter().filter_map(|region| Some((region, region.managed()?)));
        let (mut asks, mut asked, mut warm_bytes) =
            (Vec::new(), Vec::new(), MANAGED_BROUGHT_BYTES_MAX);
        for (region, managed) in managed() {
            let before = asks.len();
            match &managed.heat {
                Some(_) if managed.unknown.load(SeqCst) => {}
                Some(heat) => {
                    let ask = |watched: Watched| Ask {
                        piece: &managed.piece,
                        range: watched.range,
                        brings: if watched.is_warm { Brings::Changed } else { Brings::Nothing },
                    };
                    asks.extend(lock(heat).watched(&mut warm_bytes).into_iter().map(ask));
                }
                None => asks.push(Ask {
                    piece: &managed.piece,
                    range: 0..region.bytes,
                    brings: Brings::Nothing,
                }),
            }
            asked.push(before..asks.len());
        }
        // If everything must be sent without a report, a longer wait is better.
        let is_by_touch = managed().all(|(_, managed)| managed.heat.is_some());
        let found = scanner
            .scan(&asks, if is_by_touch { SCAN_WAIT } else { SCAN_WAIT_BEFORE_ALL_IS_SENT })?;
        for ((region, managed), asked) in managed().zip(asked) {
            let was_unknown =
                managed.unknown.swap(found.is_none() && managed.heat.is_none(), SeqCst);
            let found =
                found.as_ref().filter(|_| !was_unknown).map(|found| &found.changed[asked.clone()]);
            match (&managed.heat, found) {
                (Some(heat), Some(changed)) => {
                    take_stock(region, &mut lock(heat), &asks[asked], changed, seen)
                }
                (Some(heat), None) => {
                    seen.unknown.push(region.start);
                    lock(heat).note_away(&(0..region.bytes), true);
                }
                (None, found) => {
                    let all = || std::iter::once(0..region.bytes).collect();
                    let runs = few(found.map_or_else(all, |changed| changed.concat()));
                    seen.changed.extend(runs.iter().flat_map(|run| region.pair(run)));
                    region.send(&self.outbound, &runs)?;
                }
            }
        }
        seen.bytes.extend(found.unwrap_or_default().bytes);
        Ok(())
    }

    fn fetch(
        &self,
        region: &Arc<ManagedRegion>,
        range: &Range<u64>,
        is_touched: bool,
        ticket: &Ticket,
    ) -> Result<(), CUresult> {
        let managed =
            region.managed().filter(|_| self.is_open(region)).ok_or(CUresult::INVALID_VALUE)?;
        let answer = |bytes: &[u8]| ticket.answer(&ManagedFetchReply { bytes });
        if let Some(heat) = &managed.heat {
            if is_touched {
                lock(heat).touch(range);
            }
            managed.note_away(range, false);
            // Reading a page also updates its digest, so the page is not reported as changed later.
            if !managed.unknown.load(SeqCst) {
                let ask = Ask { piece: &managed.piece, range: range.clone(), brings: Brings::All };
                if let Some(found) = managed.scanner.scan(&[ask], SCAN_WAIT)? {
                    answer(&found.bytes);
                    return Ok(());
                }
                managed.unknown.store(true, SeqCst);
            }
        }
        let range = region.start + range.start..region.start + range.end;
        managed.scanner.read(&[range], answer)
    }

    // ---- messages on the callback lane ----

    /// Queues the program's changes. Ignores memory that was closed meanwhile.
    pub fn queue_write(
        self: &Arc<ManagedRegions>,
        m: &ReplicaWrite,
        bytes: Vec<u8>,
    ) -> Result<(), String> {
        let outside = || format!("{} bytes at {:#x} leave their region", bytes.len(), m.address);
        let replicas = self.outbound.replicas();
        let managed = self
            .find(m.address)
            .filter(|(region, _)| !matches!(region.side, MemoryAccess::Pages { .. }));
        let Some((region, offset)) = managed else {
            return if replicas.apply(m.number, m.address, &bytes) {
                Ok(())
            } else {
                Err(outside())
            };
        };
        let range = region.range(offset, bytes.len() as u64).ok_or_else(outside)?;
        if self.queued_bytes.fetch_add(bytes.len(), SeqCst) + bytes.len() > MANAGED_QUEUE_BYTES_MAX
        {
            return Err(format!(
                "more than {MANAGED_QUEUE_BYTES_MAX} bytes of managed memory at once"
            ));
        }
        replicas.defer(m.number);
        self.give(Job::Write { number: m.number, region, offset: range.start, bytes });
        Ok(())
    }

    /// Queues a scan. Returns an error if the question is invalid.
    pub fn queue_scan(
        self: &Arc<ManagedRegions>,
        m: &ManagedChanges,
        ticket: Ticket,
    ) -> Result<(), String> {
        let regions = self.queried_regions(m)?;
        self.give(Job::Scan { regions, ticket });
        Ok(())
    }

    /// Queues a fetch. Returns an error if the question is invalid.
    pub fn queue_fetch(
        self: &Arc<ManagedRegions>,
        m: &ManagedFetch,
        ticket: Ticket,
    ) -> Result<(), String> {
        let outside = || format!("{} bytes at {:#x} are not to be fetched", m.bytes, m.address);
        let (region, offset) = self.find(m.address).ok_or_else(outside)?;
        let range = region
            .range(offset, m.bytes)
            .filter(|_| m.bytes <= MANAGED_FETCH_BYTES_MAX)
            .ok_or_else(outside)?;
        self.give(Job::Fetch { region, range, is_touched: m.is_touched, ticket });
        Ok(())
    }

    /// Forgets a context that is about to be destroyed with its memory and streams.
    pub fn forget(&self, context: CUcontext) {
        let gone = lock(&self.scanners).remove(&context);
        gone.iter().for_each(|scanner| scanner.note_gone());
    }

    fn give(self: &Arc<ManagedRegions>, job: Job) {
        let mut jobs = lock(&self.jobs);
        let sender = jobs.get_or_insert_with(|| {
            let (sender, receiver) = channel();
            let regions = self.clone();
            crate::worker::io::threads::start("regions", move || regions.work(&receiver));
            sender
        });
        // Sending cannot fail, because the thread ends only with the process.
        let _ = sender.send(job);
    }

    fn work(&self, jobs: &Receiver<Job>) {
        // A client that waits sends its next message soon, and a sleeping thread would react late.
        while let Some(job) =
            spin(PROGRAM_SPIN, || jobs.try_recv().ok()).or_else(|| jobs.recv().ok())
        {
            let _acting = lock(&self.acting);
            match job {
                Job::Write { number, region, offset, bytes } => {
                    if self.is_open(&region)
                        && let Err(code) = region.write(offset, &bytes)
                    {
                        self.outbound.fault(0, code, "ReplicaWrite");
                    }
                    self.queued_bytes.fetch_sub(bytes.len(), SeqCst);
                    self.outbound.replicas().complete(number);
                }
                Job::Scan { regions, ticket } => {
                    if let Err(code) = self.answer_scan(&regions, &ticket) {
                        ticket.fail(code);
                    }
                }
                Job::Fetch { region, range, is_touched, ticket } => {
                    if let Err(code) = self.fetch(&region, &range, is_touched, &ticket) {
                        ticket.fail(code);
                    }
                }
            }
        }
    }

    // ---- commands ----

    fn scanner(
        &self,
        driver: &Arc<Driver>,
        context: CUcontext,
    ) -> Result<Arc<DirtyScanner>, CUresult> {
        let mut scanners = lock(&self.scanners);
        if let Some(scanner) = scanners.get(&context) {
            return Ok(scanner.clone());
        }
        let scanner = Arc::new(DirtyScanner::new(driver, context)?);
        scanners.insert(context, scanner.clone());
        Ok(scanner)
    }

    /// Returns an error if a region would be too large or would overlap another one.
    pub fn check_new(&self, m: &ManagedOpen) -> Result<(), Refusal> {
        let counts = |region: &&Arc<ManagedRegion>| region.managed().is_none();
        let held: u64 = self.open().values().filter(counts).map(|region| region.bytes).sum();
        if m.bytes == 0 || m.kind != DEVICE && m.bytes > MANAGED_BYTES_MAX - held {
            return Err(Refusal::Driver(CUresult::OUT_OF_MEMORY));
        }
        let end = m
            .address
            .checked_add(m.bytes)
            .ok_or_else(|| Refusal::Violation("a region that has no end".into()))?;
        if self
            .open()
            .range(..end)
            .next_back()
            .is_some_and(|(start, region)| start + region.bytes > m.address)
        {
            return Err(Refusal::Violation(format!("two regions at {:#x}", m.address)));
        }
        Ok(())
    }

    /// Opens memory that the program and this process share, in this process's pages.
    pub fn host_side(
        &self,
        driver: &Arc<Driver>,
        m: &ManagedOpen,
    ) -> Result<MemoryAccess, Refusal> {
        let bytes = m.bytes as usize;
        let pages = self.runs.map(driver, m.address, m.bytes)?;
        // Pages that were mapped before for adjacent memory may contain old bytes. SAFETY: the
        // pages are mapped while the region is open, and no other region overlaps them.
        unsafe { std::ptr::write_bytes(m.address as *mut u8, 0, bytes) };
        // SAFETY: the pages are mapped while the region is open, and the parts are retired when it
        // is closed.
        let parts = unsafe { Replica::cut(m.address as usize, bytes, ReplicaPages::Permanent) };
        self.outbound.replicas().open(&parts).map_err(Refusal::Violation)?;
        Ok(MemoryAccess::Pages { _pages: pages })
    }

    /// Opens memory that only the device reaches, which consists of whole pages. `by_touch` says
    /// whether only touched pages are sent unasked.
    pub fn device_side(
        &self,
        driver: &Arc<Driver>,
        context: CUcontext,
        m: &ManagedOpen,
        by_touch: bool,
    ) -> Result<MemoryAccess, Refusal> {
        let scanner = self.scanner(driver, context)?;
        let piece = scanner.open(m.address, m.bytes / PAGE_BYTES)?;
        let heat = by_touch.then(|| Mutex::new(Prefetch::new(m.bytes)));
        Ok(MemoryAccess::Device(Managed { scanner, piece, unknown: AtomicBool::new(false), heat }))
    }

    /// Opens a managed variable's memory.
    pub fn variable_side(&self, m: &ManagedOpen) -> MemoryAccess {
        MemoryAccess::Here { known: Mutex::new(vec![0; m.bytes as usize]) }
    }

    /// Stores a region.
    pub fn put(&self, m: &ManagedOpen, side: MemoryAccess) {
        let region = ManagedRegion { start: m.address, bytes: m.bytes, transfer: m.transfer, side };
        self.open().insert(m.address, Arc::new(region));
    }

    /// Closes the region that starts at `address`. Waits for the operation in progress, because the
    /// memory may be unmapped next.
    pub fn close(&self, address: u64) -> Result<(), Refusal> {
        let _acting = lock(&self.acting);
        self.outbound.replicas().close(address);
        let region = self.open().remove(&address);
        let region = region
            .ok_or_else(|| Refusal::Violation(format!("there is no region at {address:#x}")))?;
        if let Some(managed) = region.managed().filter(|managed| !managed.scanner.is_gone()) {
            managed.scanner.close(&managed.piece);
        }
        Ok(())
    }

    /// Writes the program's changes to the memory.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Refusal> {
        let outside = || {
            Refusal::Violation(format!("{} bytes at {address:#x} leave their region", bytes.len()))
        };
        let (region, offset) = self.find(address).ok_or_else(outside)?;
        let range = region.range(offset, bytes.len() as u64).ok_or_else(outside)?;
        let _acting = lock(&self.acting);
        Ok(region.write(range.start, bytes)?)
    }

    /// Answers a question about the device's changes.
    pub fn answer_question(&self, m: &ManagedChanges, ticket: &Ticket) -> Result<(), Refusal> {
        let regions = self.queried_regions(m).map_err(Refusal::Violation)?;
        let _acting = lock(&self.acting);
        Ok(self.answer_scan(&regions, ticket)?)
    }
}

/// Records changes in memory whose pages are sent by touch. The program no longer has the changed
/// pages that are not sent now.
fn take_stock(
    region: &ManagedRegion,
    heat: &mut Prefetch,
    asks: &[Ask<'_>],
    changed: &[Vec<Range<u64>>],
    seen: &mut Seen,
) {
    let (mut gone, mut brought) = (Vec::new(), Vec::new());
    for (ask, runs) in asks.iter().zip(changed) {
        if ask.brings == Brings::Changed {
            runs.iter().for_each(|run| drop(heat.warm(run)));
            brought.extend_from_slice(runs);
            continue;
        }
        let here: Vec<Range<u64>> = runs.iter().flat_map(|run| heat.here(run)).collect();
        seen.wanted
            .extend(here.iter().flat_map(|run| heat.warm(run)).flat_map(|run| region.pair(&run)));
        gone.extend(here);
    }
    let mut all = gone;
    all.extend_from_slice(&brought);
    all.sort_by_key(|run| run.start);
    let all = few(all);
    all.iter().for_each(|run| heat.note_away(run, true));
    brought.iter().for_each(|run| heat.note_away(run, false));
    seen.changed.extend(all.iter().flat_map(|run| region.pair(run)));
    seen.brought.extend(brought.iter().flat_map(|run| region.pair(run)));
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

/// Merges runs, the nearest ones first, until one answer can name them all.
fn few(mut runs: Vec<Range<u64>>) -> Vec<Range<u64>> {
    let mut gap_bytes = 0;
    loop {
        let mut merged: Vec<Range<u64>> = Vec::new();
        for run in runs {
            match merged.last_mut() {
                Some(last) if run.start - last.end <= gap_bytes => last.end = run.end,
                _ => merged.push(run),
            }
        }
        if merged.len() <= MANAGED_RUNS_MAX / 2 {
            return merged;
        }
        runs = merged;
        gap_bytes = (gap_bytes * 2).max(PAGE_BYTES);
    }
}

/// Writes the words that the program changed. The device may write adjacent words meanwhile.
///
/// # Safety
/// `place` is valid for writes of `new.len()` bytes.
unsafe fn merge(place: *mut u8, known: &[u8], new: &[u8]) {
    for (i, (known, new)) in known.chunks(WORD_BYTES).zip(new.chunks(WORD_BYTES)).enumerate() {
        if known != new {
            // SAFETY: the caller upholds this function's contract.
            unsafe {
                std::ptr::copy_nonoverlapping(new.as_ptr(), place.add(i * WORD_BYTES), new.len())
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_runs_become_few_that_hold_them_all() {
        let many: Vec<Range<u64>> = (0..3 * MANAGED_RUNS_MAX as u64)
            .map(|i| 2 * i * PAGE_BYTES..(2 * i + 1) * PAGE_BYTES)
            .collect();
        let last = many[many.len() - 1].end;
        let merged = few(many);
        assert!(merged.len() <= MANAGED_RUNS_MAX / 2);
        assert_eq!((merged[0].start, merged[merged.len() - 1].end), (0, last));
        assert_eq!(few(vec![0..1, 1..2, 5..6]), [0..2, 5..6]);
    }
}
