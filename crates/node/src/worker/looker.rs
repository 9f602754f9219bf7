//! Finds which pages of managed memory have changed, by a digest of each page. On a GPU a kernel keeps the digests and says which pages are not what they
//! were, so that only these leave the device. Where copying all of it and taking the digests here is faster, as on a GPU of software, that is done.
//!
//! Streams of its own wait for nobody's work, though a GPU that is full of other kernels may have no room for one more: who cannot wait for ever is told
//! that nothing is known.

use super::digest::{self, Digest};
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

pub const PAGE_BYTES: u64 = 4096;
const DIGEST_BYTES: u64 = size_of::<Digest>() as u64;
/// The least memory for digests that is asked for at once.
const DIGESTS_BYTES_MIN: u64 = 4096;
/// What passes between device and client goes through so much pinned memory.
pub const BOUNCE_BYTES: usize = 4 << 20;

const BLOCK_THREADS: u32 = 256;
const BLOCK_PAGES: u64 = 8;
/// As many blocks as fill any GPU; each looks at page after page.
const BLOCKS_MAX: u64 = 4096;
/// Where digests are taken: `device` or `here`. What is faster unless set.
const VARIABLE: &str = "OUTHAUL_DIGESTS";
/// Pages by which it is found out what is faster.
const TRIAL_PAGES: u64 = 256;
/// Looks for the kernel's end before it sleeps between looks.
const SPIN: Duration = Duration::from_micros(200);
const PAUSE: Duration = Duration::from_micros(50);

const HIGHEST_PRIORITY: i32 = i32::MIN;

/// Whole pages of managed memory, one behind the other.
pub struct Piece {
    address: u64,
    pages: u64,
    digests: Digests,
}

enum Digests {
    Here(Mutex<Vec<Digest>>),
    OnDevice(CUdeviceptr),
}

/// As the kernel reads it.
#[repr(C)]
struct Row {
    address: u64,
    digests: u64,
    first: u64,
}

/// One context's.
pub struct Looker {
    driver: Arc<Driver>,
    context: CUcontext,
    /// The context is no more, and all memory in it.
    gone: AtomicBool,
    /// None where the digests are taken here.
    kernel: Option<Kernel>,
    copies: CUstream,
    state: Mutex<State>,
}

#[derive(Clone, Copy)]
struct Kernel {
    function: CUfunction,
    stream: CUstream,
}

// SAFETY: handles and addresses, which the driver takes from any thread.
unsafe impl Send for Looker {}
// SAFETY: as above; pinned memory is used under the lock.
unsafe impl Sync for Looker {}

struct State {
    rows: Pair,
    bits: Pair,
    bounce: *mut c_void,
    /// Memory for digests that nobody uses, by its bytes. It is kept: to free memory waits for the device.
    spare: HashMap<u64, Vec<u64>>,
}

/// Pinned memory and device memory of one size, of which one is the other's copy.
struct Pair {
    host: *mut c_void,
    device: CUdeviceptr,
    bytes: usize,
}

impl Pair {
    const NONE: Pair = Pair { host: std::ptr::null_mut(), device: 0, bytes: 0 };

    fn reserve(&mut self, driver: &Driver, bytes: usize) -> Result<(), CUresult> {
        if self.bytes >= bytes {
            return Ok(());
        }
        let bytes = bytes.next_power_of_two().max(4096);
        // SAFETY: places for an address; what was there before is freed, and nothing uses it.
        unsafe {
            if self.bytes > 0 {
                let _ = driver.cuMemFreeHost(self.host);
                let _ = driver.cuMemFree_v2(self.device);
                *self = Pair::NONE;
            }
            driver.cuMemHostAlloc(&mut self.host, bytes, 0).ok()?;
            driver.cuMemAlloc_v2(&mut self.device, bytes).ok()?;
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Kernel {
    fn load(driver: &Driver) -> Result<Kernel, CUresult> {
        let image = concat!(include_str!("kernels/look.ptx"), "\0");
        let (mut module, mut function, mut stream) = (CUmodule::NULL, CUfunction::NULL, CUstream::NULL);
        // SAFETY: a C string of PTX; places for handles; a context is current.
        unsafe {
            driver.cuModuleLoadData(&mut module, image.as_ptr().cast()).ok()?;
            driver.cuModuleGetFunction(&mut function, module, c"outhaul_look".as_ptr()).ok()?;
            driver.cuStreamCreateWithPriority(&mut stream, values::STREAM_NON_BLOCKING, HIGHEST_PRIORITY).ok()?;
        }
        Ok(Kernel { function, stream })
    }

    /// Whether it is at its end within some time.
    fn ends_in(self, driver: &Driver, limit: Duration) -> Result<bool, CUresult> {
        let start = Instant::now();
        loop {
            // SAFETY: the stream is this one's own.
            match unsafe { driver.cuStreamQuery(self.stream) } {
                CUresult::NOT_READY if start.elapsed() >= limit => return Ok(false),
                CUresult::NOT_READY if start.elapsed() < SPIN => thread::yield_now(),
                CUresult::NOT_READY => thread::sleep(PAUSE),
                code => return code.ok().map(|()| true),
            }
        }
    }
}

impl Looker {
    /// In the current context.
    pub fn new(driver: &Arc<Driver>, context: CUcontext) -> Result<Looker, CUresult> {
        let (mut copies, mut bounce) = (CUstream::NULL, std::ptr::null_mut());
        // SAFETY: places for a handle and an address; the context is current.
        unsafe {
            driver.cuStreamCreate(&mut copies, values::STREAM_NON_BLOCKING).ok()?;
            driver.cuMemHostAlloc(&mut bounce, BOUNCE_BYTES, 0).ok()?;
        }
        let state = Mutex::new(State { rows: Pair::NONE, bits: Pair::NONE, bounce, spare: HashMap::new() });
        let mut looker = Looker { driver: driver.clone(), context, gone: AtomicBool::new(false), kernel: None, copies, state };
        // A driver that does not take the kernel leaves the other way.
        if let Ok(kernel) = Kernel::load(driver) {
            match std::env::var(VARIABLE).as_deref() {
                Ok("here") => {}
                Ok("device") => looker.kernel = Some(kernel),
                _ => looker.choose(kernel)?,
            }
        }
        Ok(looker)
    }

    /// Looks at some pages both ways, and keeps to the faster one.
    fn choose(&mut self, kernel: Kernel) -> Result<(), CUresult> {
        let mut address = 0;
        // SAFETY: a place for an address.
        unsafe { self.driver.cuMemAlloc_v2(&mut address, (TRIAL_PAGES * PAGE_BYTES) as usize) }.ok()?;
        let mut took = [Duration::MAX; 2];
        for (way, took) in [None, Some(kernel)].into_iter().zip(&mut took) {
            self.kernel = way;
            let piece = self.open(address, TRIAL_PAGES)?;
            let page: Vec<u8> = (0..PAGE_BYTES as u32).map(|i| ((i * i) >> 3) as u8).collect();
            self.write(&piece, PAGE_BYTES, &page)?;
            // The first time other things take their time too.
            for _ in 0..2 {
                let start = Instant::now();
                let found = self.changed(&[&piece], Duration::MAX)?;
                // Nothing has changed, or the two do not mean the same by a digest.
                let is_right = found.is_some_and(|found| found.iter().all(Vec::is_empty));
                *took = if is_right { start.elapsed() } else { Duration::MAX };
            }
            self.close(&piece);
        }
        if took[0] < took[1] {
            self.kernel = None;
        }
        // SAFETY: nothing uses it any more.
        unsafe { self.driver.cuMemFree_v2(address) }.ok()
    }

    pub fn note_gone(&self) {
        self.gone.store(true, SeqCst);
    }

    pub fn is_gone(&self) -> bool {
        self.gone.load(SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Runs something in the context.
    fn within<T>(&self, body: impl FnOnce(&Driver) -> Result<T, CUresult>) -> Result<T, CUresult> {
        let mut popped = CUcontext::NULL;
        // SAFETY: the context is the session's own, and what is pushed is popped.
        unsafe {
            self.driver.cuCtxPushCurrent_v2(self.context).ok()?;
            let result = body(&self.driver);
            let _ = self.driver.cuCtxPopCurrent_v2(&mut popped);
            result
        }
    }

    /// Whole pages from an address on, with zeros in them.
    pub fn open(&self, address: u64, pages: u64) -> Result<Piece, CUresult> {
        let bytes = digest_bytes(pages);
        let mut spare = self.lock().spare.get_mut(&bytes).and_then(Vec::pop).unwrap_or_default();
        self.within(|driver| {
            // SAFETY: a place for an address; then memory of these sizes, the session's own.
            unsafe {
                if self.kernel.is_some() {
                    if spare == 0 {
                        driver.cuMemAlloc_v2(&mut spare, bytes as usize).ok()?;
                    }
                    driver.cuMemsetD8Async(spare, 0, bytes as usize, self.copies).ok()?;
                }
                driver.cuMemsetD8Async(address, 0, (pages * PAGE_BYTES) as usize, self.copies).ok()?;
                driver.cuStreamSynchronize(self.copies).ok()
            }
        })?;
        let digests = match self.kernel {
            Some(_) => Digests::OnDevice(spare),
            None => Digests::Here(Mutex::new(vec![[0; 2]; pages as usize])),
        };
        Ok(Piece { address, pages, digests })
    }

    pub fn close(&self, piece: &Piece) {
        if let Digests::OnDevice(address) = piece.digests {
            self.lock().spare.entry(digest_bytes(piece.pages)).or_default().push(address);
        }
    }

    /// Writes whole pages of a piece, which are known then.
    pub fn write(&self, piece: &Piece, offset: u64, bytes: &[u8]) -> Result<(), CUresult> {
        let (first, new) = ((offset / PAGE_BYTES) as usize, digest::of_pages(bytes).collect::<Vec<_>>());
        self.within(|driver| {
            // SAFETY: bytes and digests live through the wait; the ranges lie in the session's memory.
            unsafe {
                driver.cuMemcpyHtoDAsync_v2(piece.address + offset, bytes.as_ptr().cast(), bytes.len(), self.copies).ok()?;
                if let Digests::OnDevice(digests) = piece.digests {
                    let at = digests + first as u64 * DIGEST_BYTES;
                    driver.cuMemcpyHtoDAsync_v2(at, new.as_ptr().cast(), size_of_val(&new[..]), self.copies).ok()?;
                }
                driver.cuStreamSynchronize(self.copies).ok()
            }
        })?;
        if let Digests::Here(digests) = &piece.digests {
            digests.lock().unwrap_or_else(|e| e.into_inner())[first..first + new.len()].copy_from_slice(&new);
        }
        Ok(())
    }

    /// For each piece the runs of pages that have changed since they were last asked for or written, in bytes from where it begins. None if the device
    /// had no room to say so within some time: what has changed is not known then, nor is it the next time.
    pub fn changed(&self, pieces: &[&Piece], limit: Duration) -> Result<Option<Vec<Vec<Range<u64>>>>, CUresult> {
        if let Some(kernel) = self.kernel {
            return self.changed_there(kernel, pieces, limit);
        }
        pieces.iter().map(|piece| self.changed_here(piece)).collect::<Result<_, _>>().map(Some)
    }

    fn changed_here(&self, piece: &Piece) -> Result<Vec<Range<u64>>, CUresult> {
        let Digests::Here(known) = &piece.digests else { return Ok(Vec::new()) };
        let mut known = known.lock().unwrap_or_else(|e| e.into_inner());
        let mut runs = Vec::new();
        for start in (0..piece.pages * PAGE_BYTES).step_by(BOUNCE_BYTES) {
            let end = (start + BOUNCE_BYTES as u64).min(piece.pages * PAGE_BYTES);
            let range = piece.address + start..piece.address + end;
            self.read(std::slice::from_ref(&range), |bytes| {
                for (page, new) in (start / PAGE_BYTES..).zip(digest::of_pages(bytes)) {
                    if std::mem::replace(&mut known[page as usize], new) != new {
                        add_page(&mut runs, page);
                    }
                }
            })?;
        }
        Ok(runs)
    }

    fn changed_there(&self, kernel: Kernel, pieces: &[&Piece], limit: Duration) -> Result<Option<Vec<Vec<Range<u64>>>>, CUresult> {
        let mut state = self.lock();
        // What did not end in time may be under way still, with what it was given.
        if !self.within(|driver| kernel.ends_in(driver, limit))? {
            return Ok(None);
        }
        let mut pages = 0;
        let rows = pieces.iter().map(|piece| {
            let Digests::OnDevice(digests) = piece.digests else { return Err(CUresult::UNKNOWN) };
            let first = pages;
            pages += piece.pages;
            Ok(Row { address: piece.address, digests, first })
        });
        let rows = rows.collect::<Result<Vec<Row>, _>>()?;
        let Some(bits) = self.within(|driver| run(driver, kernel, &mut state, &rows, pages, limit))? else { return Ok(None) };
        let mut first = 0;
        let of = |piece: &&Piece| {
            let start = first;
            first += piece.pages;
            runs(&bits, start..first)
        };
        Ok(Some(pieces.iter().map(of).collect()))
    }

    /// Has what lies in some ranges, no more than fits, one behind the other.
    pub fn read<T>(&self, ranges: &[Range<u64>], take: impl FnOnce(&[u8]) -> T) -> Result<T, CUresult> {
        let state = self.lock();
        let sum: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        if sum > BOUNCE_BYTES as u64 {
            return Err(CUresult::INVALID_VALUE);
        }
        self.within(|driver| {
            let mut at = 0;
            for Range { start, end } in ranges {
                let bytes = (end - start) as usize;
                // SAFETY: inside of the pinned memory, which lives through the wait; the range lies in the session's memory.
                unsafe { driver.cuMemcpyDtoHAsync_v2(state.bounce.byte_add(at), *start, bytes, self.copies) }.ok()?;
                at += bytes;
            }
            // SAFETY: the stream is this one's own.
            unsafe { driver.cuStreamSynchronize(self.copies) }.ok()?;
            // SAFETY: the copies to it are over, and nobody else uses it.
            Ok(take(unsafe { std::slice::from_raw_parts(state.bounce.cast(), at) }))
        })
    }
}

/// A bit for each page that has changed; None if that takes too long.
fn run(
    driver: &Driver,
    kernel: Kernel,
    state: &mut State,
    rows: &[Row],
    mut pages: u64,
    limit: Duration,
) -> Result<Option<Vec<u64>>, CUresult> {
    let bit_bytes = pages.div_ceil(u64::from(u64::BITS)) as usize * size_of::<u64>();
    let row_bytes = size_of_val(rows);
    state.rows.reserve(driver, row_bytes)?;
    state.bits.reserve(driver, bit_bytes)?;
    let State { rows: table, bits, .. } = &*state;
    let (mut count, mut told, mut table_at) = (rows.len() as u32, bits.device, table.device);
    let mut params: [*mut c_void; 4] =
        [(&raw mut table_at).cast(), (&raw mut count).cast(), (&raw mut pages).cast(), (&raw mut told).cast()];
    let blocks = pages.div_ceil(BLOCK_PAGES).min(BLOCKS_MAX) as u32;
    // SAFETY: the pinned memory is as large as was just seen to, and nobody else uses it; the kernel takes these four parameters.
    unsafe {
        std::ptr::copy_nonoverlapping(rows.as_ptr().cast::<u8>(), table.host.cast(), row_bytes);
        driver.cuMemcpyHtoDAsync_v2(table.device, table.host, row_bytes, kernel.stream).ok()?;
        driver.cuMemsetD8Async(bits.device, 0, bit_bytes, kernel.stream).ok()?;
        let (params, none) = (params.as_mut_ptr(), std::ptr::null_mut());
        driver.cuLaunchKernel(kernel.function, blocks, 1, 1, BLOCK_THREADS, 1, 1, 0, kernel.stream, params, none).ok()?;
        driver.cuMemcpyDtoHAsync_v2(bits.host, bits.device, bit_bytes, kernel.stream).ok()?;
    }
    if !kernel.ends_in(driver, limit)? {
        return Ok(None);
    }
    // SAFETY: the copy to it is over.
    Ok(Some(unsafe { std::slice::from_raw_parts(bits.host.cast::<u64>(), bit_bytes / size_of::<u64>()) }.to_vec()))
}

fn digest_bytes(pages: u64) -> u64 {
    (pages * DIGEST_BYTES).next_power_of_two().max(DIGESTS_BYTES_MIN)
}

fn add_page(runs: &mut Vec<Range<u64>>, page: u64) {
    let start = page * PAGE_BYTES;
    match runs.last_mut() {
        Some(last) if last.end == start => last.end += PAGE_BYTES,
        _ => runs.push(start..start + PAGE_BYTES),
    }
}

/// Runs of bits, as bytes from the first page on.
fn runs(bits: &[u64], pages: Range<u64>) -> Vec<Range<u64>> {
    let mut runs = Vec::new();
    let mut at = pages.start;
    while at < pages.end {
        let word = bits[(at / 64) as usize];
        // Most words have none.
        if at.is_multiple_of(64) && word == 0 {
            at += 64;
            continue;
        }
        if word >> (at % 64) & 1 == 1 {
            add_page(&mut runs, at - pages.start);
        }
        at += 1;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_become_runs_within_their_piece() {
        let mut bits = vec![0u64; 4];
        for page in [3, 4, 63, 64, 65, 130, 200] {
            bits[page / 64] |= 1 << (page % 64);
        }
        let of = |pages| runs(&bits, pages).into_iter().map(|run| run.start / PAGE_BYTES..run.end / PAGE_BYTES).collect::<Vec<_>>();
        assert_eq!(of(0..256), [3..5, 63..66, 130..131, 200..201]);
        assert_eq!(of(4..64), [0..1, 59..60]);
        assert_eq!(of(66..130), []);
    }
}
