//! Finds changed pages of managed memory by comparing a digest of each page. On a GPU, a kernel
//! keeps the digests and reports which pages have changed, so that only these leave the device. The
//! worker copies all pages and computes the digests itself if that is faster, as on the software
//! GPU.
//!
//! This module's streams wait for no other work, but a GPU that is full of other kernels may be
//! unable to run one more. A caller that cannot wait forever gets `None`.

use crate::worker::managed::page_hash;
use crate::worker::managed::page_hash::{Digest, PAGE_BYTES};
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_transport::os::tune_settings;
use outhaul_wire::limits::{MANAGED_BROUGHT_BYTES_MAX, MANAGED_FETCH_BYTES_MAX};
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

const DIGEST_BYTES: u64 = size_of::<Digest>() as u64;
/// Minimum size of an allocation for digests, in bytes.
const DIGESTS_BYTES_MIN: u64 = 4096;
/// Size in bytes of the pinned memory through which data passes between device and client.
pub const BOUNCE_BYTES: usize = 4 << 20;

/// Size in bytes of the pinned memory that the kernel writes. The size limits the data in one
/// answer and the data fetched at once.
pub const WINDOW_BYTES: u64 = 2 << 20;
const _: () =
    assert!(MANAGED_BROUGHT_BYTES_MAX <= WINDOW_BYTES && MANAGED_FETCH_BYTES_MAX <= WINDOW_BYTES);

/// Number of rows that the kernel's parameters can contain.
const ROWS: usize = 96;
const BLOCK_THREADS: u32 = 256;
const BLOCK_PAGES: u64 = 8;
/// Maximum number of blocks, enough to fill any GPU. Each block checks several pages in turn.
const BLOCKS_MAX: u64 = 4096;
/// Name of the variable that sets where digests are computed: `device` or `here`. If the variable
/// is not set, the worker chooses the faster place.
const SETTING: &str = "digests";
/// Number of pages on which the two ways are compared.
const TRIAL_PAGES: u64 = 256;
/// How long to spin for the kernel's end before polling with pauses.
const SPIN: Duration = Duration::from_micros(200);
const PAUSE: Duration = Duration::from_micros(50);

const HIGHEST_PRIORITY: i32 = i32::MIN;

/// Contiguous pages of managed memory.
pub struct PageRun {
    address: u64,
    pages: u64,
    digests: Digests,
}

enum Digests {
    Here(Mutex<Vec<Digest>>),
    OnDevice(CUdeviceptr),
}

/// A question about some of a piece's pages.
pub struct Ask<'p> {
    /// The piece.
    pub piece: &'p PageRun,
    /// The range in bytes, relative to the piece's start.
    pub range: Range<u64>,
    /// The pages whose contents to return.
    pub brings: Brings,
}

/// The pages whose contents a question returns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Brings {
    Nothing,
    Changed,
    All,
}

/// The answers to a list of questions.
#[derive(Default)]
pub struct Found {
    /// For each question, the runs of changed pages in bytes, relative to the piece's start.
    pub changed: Vec<Vec<Range<u64>>>,
    /// Concatenated contents of all requested pages.
    pub bytes: Vec<u8>,
}

/// A row in the kernel's parameters.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Row {
    address: u64,
    digests: u64,
    brought: u64,
    brings_all: u64,
    first: u64,
}

/// Finds changed pages in one context's memory.
pub struct DirtyScanner {
    driver: Arc<Driver>,
    context: CUcontext,
    /// Whether the context has been destroyed, with all memory in it.
    gone: AtomicBool,
    /// The kernel; `None` if the worker computes the digests.
    kernel: Option<Kernel>,
    copies: CUstream,
    state: Mutex<ScanState>,
}

#[derive(Clone, Copy)]
struct Kernel {
    function: CUfunction,
    stream: CUstream,
}

// SAFETY: the fields are handles and addresses, which the driver accepts from any thread.
unsafe impl Send for DirtyScanner {}
// SAFETY: the driver accepts the handles from any thread, and the lock protects the pinned memory.
unsafe impl Sync for DirtyScanner {}

struct ScanState {
    /// One byte per page, which the kernel sets, and the number of these bytes.
    flags: *mut u8,
    flags_bytes: usize,
    /// Pinned memory to which the kernel writes pages' contents.
    window: *mut u8,
    bounce: *mut c_void,
    /// Unused digest memory by size. It is never freed, because freeing waits for the device, which
    /// may be blocked in a host function that waits for this scan. For the same reason, flags that
    /// became too small are kept; they are smaller than the current ones.
    spare: HashMap<u64, Vec<u64>>,
}

impl ScanState {
    /// Makes the flags large enough for `pages` pages, and clears them.
    fn clear(&mut self, driver: &Driver, pages: usize) -> Result<(), CUresult> {
        // SAFETY: the state records the memory's size; the out-pointer is a local, and a context is
        // current.
        unsafe {
            if self.flags_bytes < pages {
                let bytes = pages.next_power_of_two().max(PAGE_BYTES as usize);
                driver.cuMemHostAlloc((&raw mut self.flags).cast(), bytes, 0).ok()?;
                self.flags_bytes = bytes;
            }
            self.flags.write_bytes(0, pages);
        }
        Ok(())
    }
}

impl Kernel {
    fn load(driver: &Driver) -> Result<Kernel, CUresult> {
        let image = concat!(include_str!("kernels/dirty_scan.ptx"), "\0");
        let (mut module, mut function, mut stream) =
            (CUmodule::NULL, CUfunction::NULL, CUstream::NULL);
        // SAFETY: the image is PTX that ends in NUL; the out-pointers are locals; a context is
        // current.
        unsafe {
            driver.cuModuleLoadData(&mut module, image.as_ptr().cast()).ok()?;
            driver
                .cuModuleGetFunction(&mut function, module, c"outhaul_dirty_scan".as_ptr())
                .ok()?;
            driver
                .cuStreamCreateWithPriority(
                    &mut stream,
                    values::STREAM_NON_BLOCKING,
                    HIGHEST_PRIORITY,
                )
                .ok()?;
        }
        Ok(Kernel { function, stream })
    }

    /// Launches the kernel on `rows`. `flags` has one byte per page.
    fn start(
        self,
        driver: &Driver,
        rows: &[Row],
        pages: u64,
        flags: *mut u8,
    ) -> Result<(), CUresult> {
        let mut base = 0;
        for (i, these) in rows.chunks(ROWS).enumerate() {
            let end = rows.get((i + 1) * ROWS).map_or(pages, |row| row.first);
            let mut table = [Row::default(); ROWS];
            for (row, from) in table.iter_mut().zip(these) {
                *row = Row { first: from.first - base, ..*from };
            }
            let (mut count, mut pages, mut flags) =
                (these.len() as u32, end - base, flags.wrapping_add(base as usize));
            let mut params: [*mut c_void; 4] = [
                (&raw mut table).cast(),
                (&raw mut count).cast(),
                (&raw mut pages).cast(),
                (&raw mut flags).cast(),
            ];
            let blocks = pages.div_ceil(BLOCK_PAGES).min(BLOCKS_MAX) as u32;
            let (params, none) = (params.as_mut_ptr(), std::ptr::null_mut());
            // SAFETY: the kernel takes these four parameters; their addresses are the session's or
            // the scanner's own.
            unsafe {
                driver.cuLaunchKernel(
                    self.function,
                    blocks,
                    1,
                    1,
                    BLOCK_THREADS,
                    1,
                    1,
                    0,
                    self.stream,
                    params,
                    none,
                )
            }
            .ok()?;
            base = end;
        }
        Ok(())
    }

    /// Returns whether the kernel ends within `limit`.
    fn ends_in(self, driver: &Driver, limit: Duration) -> Result<bool, CUresult> {
        let start = Instant::now();
        loop {
            // SAFETY: the stream is the kernel's own.
            match unsafe { driver.cuStreamQuery(self.stream) } {
                CUresult::NOT_READY if start.elapsed() >= limit => return Ok(false),
                CUresult::NOT_READY if start.elapsed() < SPIN => thread::yield_now(),
                CUresult::NOT_READY => thread::sleep(PAUSE),
                code => return code.ok().map(|()| true),
            }
        }
    }
}

impl DirtyScanner {
    /// Creates a scanner for the current context.
    pub fn new(driver: &Arc<Driver>, context: CUcontext) -> Result<DirtyScanner, CUresult> {
        let (mut copies, mut bounce) = (CUstream::NULL, std::ptr::null_mut());
        // SAFETY: the out-pointers are locals, and the context is current.
        unsafe {
            driver.cuStreamCreate(&mut copies, values::STREAM_NON_BLOCKING).ok()?;
            driver.cuMemHostAlloc(&mut bounce, BOUNCE_BYTES, 0).ok()?;
        }
        let (flags, window) = (std::ptr::null_mut(), std::ptr::null_mut());
        let state =
            Mutex::new(ScanState { flags, flags_bytes: 0, window, bounce, spare: HashMap::new() });
        let mut scanner = DirtyScanner {
            driver: driver.clone(),
            context,
            gone: AtomicBool::new(false),
            kernel: None,
            copies,
            state,
        };
        // If the driver rejects the kernel, the worker computes the digests.
        if let Ok(kernel) = Kernel::load(driver) {
            // SAFETY: the out-pointer is a local, and the context is current.
            unsafe {
                driver.cuMemHostAlloc(
                    (&raw mut scanner.lock().window).cast(),
                    WINDOW_BYTES as usize,
                    0,
                )
            }
            .ok()?;
            match tune_settings::value(SETTING).as_deref() {
                Some("here") => {}
                Some("device") => scanner.kernel = Some(kernel),
                _ => scanner.choose(kernel)?,
            }
        }
        Ok(scanner)
    }

    /// Checks some pages in both ways, and chooses the faster one.
    fn choose(&mut self, kernel: Kernel) -> Result<(), CUresult> {
        let mut address = 0;
        // SAFETY: the out-pointer is a local.
        unsafe { self.driver.cuMemAlloc_v2(&mut address, (TRIAL_PAGES * PAGE_BYTES) as usize) }
            .ok()?;
        let mut took = [Duration::MAX; 2];
        for (way, took) in [None, Some(kernel)].into_iter().zip(&mut took) {
            self.kernel = way;
            let piece = self.open(address, TRIAL_PAGES)?;
            let page: Vec<u8> = (0..PAGE_BYTES as u32).map(|i| ((i * i) >> 3) as u8).collect();
            self.write(&piece, PAGE_BYTES, &page)?;
            // The first round includes other start-up costs, so the second one counts.
            for _ in 0..2 {
                let start = Instant::now();
                let ask = Ask {
                    piece: &piece,
                    range: 0..TRIAL_PAGES * PAGE_BYTES,
                    brings: Brings::Nothing,
                };
                let found = self.scan(&[ask], Duration::MAX)?;
                // No page has changed. If a way reports a change, its digests are wrong.
                let is_right = found.is_some_and(|found| found.changed.iter().all(Vec::is_empty));
                *took = if is_right { start.elapsed() } else { Duration::MAX };
            }
            self.close(&piece);
        }
        if took[0] < took[1] {
            self.kernel = None;
        }
        // SAFETY: the address is this function's own allocation, which nothing uses any more.
        unsafe { self.driver.cuMemFree_v2(address) }.ok()
    }

    /// Notes that the context has been destroyed.
    pub fn note_gone(&self) {
        self.gone.store(true, SeqCst);
    }

    /// Returns whether the context has been destroyed.
    pub fn is_gone(&self) -> bool {
        self.gone.load(SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, ScanState> {
        self.state.lock()
    }

    /// Runs `body` with the scanner's context current.
    fn within<T>(&self, body: impl FnOnce(&Driver) -> Result<T, CUresult>) -> Result<T, CUresult> {
        let mut popped = CUcontext::NULL;
        // SAFETY: the context is the session's own, and each push has its pop.
        unsafe {
            self.driver.cuCtxPushCurrent_v2(self.context).ok()?;
            let result = body(&self.driver);
            let _ = self.driver.cuCtxPopCurrent_v2(&mut popped);
            result
        }
    }

    /// Starts tracking whole pages at an address, and fills them with zeros.
    pub fn open(&self, address: u64, pages: u64) -> Result<PageRun, CUresult> {
        let bytes = digest_bytes(pages);
        let mut spare = self.lock().spare.get_mut(&bytes).and_then(Vec::pop).unwrap_or_default();
        self.within(|driver| {
            // SAFETY: the out-pointer is a local; the memory is the session's own and has these
            // sizes.
            unsafe {
                if self.kernel.is_some() {
                    if spare == 0 {
                        driver.cuMemAlloc_v2(&mut spare, bytes as usize).ok()?;
                    }
                    driver.cuMemsetD8Async(spare, 0, bytes as usize, self.copies).ok()?;
                }
                driver
                    .cuMemsetD8Async(address, 0, (pages * PAGE_BYTES) as usize, self.copies)
                    .ok()?;
                driver.cuStreamSynchronize(self.copies).ok()
            }
        })?;
        let digests = match self.kernel {
            Some(_) => Digests::OnDevice(spare),
            None => Digests::Here(Mutex::new(vec![[0; 2]; pages as usize])),
        };
        Ok(PageRun { address, pages, digests })
    }

    /// Stops tracking a piece.
    pub fn close(&self, piece: &PageRun) {
        if let Digests::OnDevice(address) = piece.digests {
            self.lock().spare.entry(digest_bytes(piece.pages)).or_default().push(address);
        }
    }

    /// Writes whole pages of a piece, and stores their digests.
    pub fn write(&self, piece: &PageRun, offset: u64, bytes: &[u8]) -> Result<(), CUresult> {
        let (first, new) =
            ((offset / PAGE_BYTES) as usize, page_hash::of_pages(bytes).collect::<Vec<_>>());
        self.within(|driver| {
            // SAFETY: bytes and digests outlive the wait; the ranges are in the session's memory.
            unsafe {
                driver
                    .cuMemcpyHtoDAsync_v2(
                        piece.address + offset,
                        bytes.as_ptr().cast(),
                        bytes.len(),
                        self.copies,
                    )
                    .ok()?;
                if let Digests::OnDevice(digests) = piece.digests {
                    let at = digests + first as u64 * DIGEST_BYTES;
                    driver
                        .cuMemcpyHtoDAsync_v2(
                            at,
                            new.as_ptr().cast(),
                            size_of_val(&new[..]),
                            self.copies,
                        )
                        .ok()?;
                }
                driver.cuStreamSynchronize(self.copies).ok()
            }
        })?;
        if let Digests::Here(digests) = &piece.digests {
            digests.lock()[first..first + new.len()].copy_from_slice(&new);
        }
        Ok(())
    }

    /// Returns the changes since the last call or write. Returns `None` if the kernel did not end
    /// within `limit`; these changes then remain unknown to the next call too.
    pub fn scan(&self, asks: &[Ask<'_>], limit: Duration) -> Result<Option<Found>, CUresult> {
        if asks.is_empty() {
            return Ok(Some(Found::default()));
        }
        if let Some(kernel) = self.kernel {
            return self.scan_on_device(kernel, asks, limit);
        }
        let mut found = Found::default();
        for ask in asks {
            let changed = self.scan_on_host(ask, &mut found.bytes)?;
            found.changed.push(changed);
        }
        Ok(Some(found))
    }

    fn scan_on_host(
        &self,
        ask: &Ask<'_>,
        brought: &mut Vec<u8>,
    ) -> Result<Vec<Range<u64>>, CUresult> {
        let Digests::Here(known) = &ask.piece.digests else { return Err(CUresult::UNKNOWN) };
        let mut known = known.lock();
        let mut runs = Vec::new();
        for start in ask.range.clone().step_by(BOUNCE_BYTES) {
            let end = (start + BOUNCE_BYTES as u64).min(ask.range.end);
            let range = ask.piece.address + start..ask.piece.address + end;
            self.read(std::slice::from_ref(&range), |bytes| {
                let pages = bytes.chunks(PAGE_BYTES as usize).zip(page_hash::of_pages(bytes));
                for (page, (bytes, new)) in (start / PAGE_BYTES..).zip(pages) {
                    let has_changed = std::mem::replace(&mut known[page as usize], new) != new;
                    if has_changed {
                        add_page(&mut runs, page);
                    }
                    if ask.brings == Brings::All || ask.brings == Brings::Changed && has_changed {
                        brought.extend_from_slice(bytes);
                    }
                }
            })?;
        }
        Ok(runs)
    }

    fn scan_on_device(
        &self,
        kernel: Kernel,
        asks: &[Ask<'_>],
        limit: Duration,
    ) -> Result<Option<Found>, CUresult> {
        let mut state = self.lock();
        // A kernel that did not end in time may still be running and using its memory.
        if !self.within(|driver| kernel.ends_in(driver, limit))? {
            return Ok(None);
        }
        let (mut pages, mut brought_bytes) = (0, 0);
        let rows = asks.iter().map(|Ask { piece, range, brings }| {
            let Digests::OnDevice(digests) = piece.digests else { return Err(CUresult::UNKNOWN) };
            let (bytes, first) = (range.end - range.start, pages);
            pages += bytes / PAGE_BYTES;
            let mut row = Row {
                address: piece.address + range.start,
                digests: digests + range.start / PAGE_BYTES * DIGEST_BYTES,
                first,
                ..Row::default()
            };
            if *brings != Brings::Nothing {
                row.brought = state.window as u64 + brought_bytes;
                row.brings_all = u64::from(*brings == Brings::All);
                brought_bytes += bytes;
            }
            Ok(row)
        });
        let rows = rows.collect::<Result<Vec<Row>, _>>()?;
        if brought_bytes > WINDOW_BYTES {
            return Err(CUresult::INVALID_VALUE);
        }
        let is_over = self.within(|driver| {
            state.clear(driver, pages as usize)?;
            kernel.start(driver, &rows, pages, state.flags)?;
            kernel.ends_in(driver, limit)
        })?;
        // SAFETY: the kernel has ended, and both buffers have at least these sizes.
        Ok(is_over.then(|| unsafe {
            let flags = std::slice::from_raw_parts(state.flags, pages as usize);
            found(asks, flags, std::slice::from_raw_parts(state.window, brought_bytes as usize))
        }))
    }

    /// Passes the contents of `ranges`, concatenated, to `take`. Returns an error if they are too
    /// large together.
    pub fn read<T>(
        &self,
        ranges: &[Range<u64>],
        take: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, CUresult> {
        let state = self.lock();
        let sum: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        if sum > BOUNCE_BYTES as u64 {
            return Err(CUresult::INVALID_VALUE);
        }
        self.within(|driver| {
            let mut at = 0;
            for Range { start, end } in ranges {
                let bytes = (end - start) as usize;
                // SAFETY: the destination is in the pinned memory, which outlives the wait; the
                // source is in the session's memory.
                unsafe {
                    driver.cuMemcpyDtoHAsync_v2(
                        state.bounce.byte_add(at),
                        *start,
                        bytes,
                        self.copies,
                    )
                }
                .ok()?;
                at += bytes;
            }
            // SAFETY: the stream is the scanner's own.
            unsafe { driver.cuStreamSynchronize(self.copies) }.ok()?;
            // SAFETY: the copies to the memory have ended, and the lock excludes other users.
            Ok(take(unsafe { std::slice::from_raw_parts(state.bounce.cast(), at) }))
        })
    }
}

fn digest_bytes(pages: u64) -> u64 {
    (pages * DIGEST_BYTES).next_power_of_two().max(DIGESTS_BYTES_MIN)
}

fn add_page(runs: &mut Vec<Range<u64>>, page: u64) {
    add_run(runs, page * PAGE_BYTES..(page + 1) * PAGE_BYTES);
}

/// Appends a run, merging it with the last one if they are adjacent.
pub fn add_run(runs: &mut Vec<Range<u64>>, run: Range<u64>) {
    match runs.last_mut() {
        Some(last) if last.end == run.start => last.end = run.end,
        _ => runs.push(run),
    }
}

/// Assigns the kernel's results to the questions.
fn found(asks: &[Ask<'_>], flags: &[u8], mut window: &[u8]) -> Found {
    let (mut flags, mut all) = (flags, Found::default());
    for Ask { range, brings, .. } in asks {
        let bytes = (range.end - range.start) as usize;
        let these = flags.split_off(..bytes / PAGE_BYTES as usize).unwrap_or_default();
        let runs = runs(these, range.start / PAGE_BYTES);
        if *brings != Brings::Nothing {
            let here = window.split_off(..bytes).unwrap_or_default();
            match brings {
                Brings::All => all.bytes.extend_from_slice(here),
                _ => {
                    let of = |run: &Range<u64>| {
                        (run.start - range.start) as usize..(run.end - range.start) as usize
                    };
                    runs.iter().for_each(|run| all.bytes.extend_from_slice(&here[of(run)]));
                }
            }
        }
        all.changed.push(runs);
    }
    all
}

/// Returns the runs of changed pages, in bytes. `first` is the number of the first page.
fn runs(flags: &[u8], first: u64) -> Vec<Range<u64>> {
    let mut runs = Vec::new();
    for (page, part) in (first..).step_by(64).zip(flags.chunks(64)) {
        // Most pages have not changed, so whole groups are skipped.
        if part.iter().fold(0, |any, flag| any | flag) != 0 {
            (page..)
                .zip(part)
                .filter(|(_, flag)| **flag != 0)
                .for_each(|(page, _)| add_page(&mut runs, page));
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_pages_become_runs_and_their_bytes() {
        let piece = PageRun { address: 0, pages: 200, digests: Digests::OnDevice(0) };
        let ask = |pages: Range<u64>, brings| Ask {
            piece: &piece,
            range: pages.start * PAGE_BYTES..pages.end * PAGE_BYTES,
            brings,
        };
        let asks = [
            ask(0..100, Brings::Nothing),
            ask(100..104, Brings::Changed),
            ask(150..153, Brings::All),
        ];
        let mut flags = vec![0; 107];
        for page in [3, 4, 63, 64, 65, 99, 101, 103, 104, 106] {
            flags[page] = 1;
        }
        let window: Vec<u8> = (0..7).flat_map(|page| [page; PAGE_BYTES as usize]).collect();
        let found = found(&asks, &flags, &window);
        let pages = |runs: &Vec<Range<u64>>| {
            runs.iter().map(|run| run.start / PAGE_BYTES..run.end / PAGE_BYTES).collect::<Vec<_>>()
        };
        let changed: Vec<_> = found.changed.iter().map(pages).collect();
        assert_eq!(
            changed,
            [vec![3..5, 63..66, 99..100], vec![101..102, 103..104], vec![150..151, 152..153]]
        );
        let brought: Vec<u8> = found.bytes.iter().step_by(PAGE_BYTES as usize).copied().collect();
        assert_eq!(brought, [1, 3, 4, 5, 6]);
    }
}
