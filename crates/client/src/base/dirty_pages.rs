//! Change tracking for one piece of managed memory: which pages the program has written, and which
//! ones the device has changed since. If Linux reports writes, the library needs no second copy to
//! compare. If Linux also reports touches of absent pages, pages that the device has changed stay
//! absent until the program touches them.

use crate::base::page_set::{PAGE_BYTES, PageSet, add_run, pages};
use crate::base::userfault::UserFault;
use outhaul_abi::types::CUresult;
use std::ffi::c_void;
use std::ops::Range;

/// The pages of one piece of managed memory.
pub struct Pages {
    start: usize,
    bytes: usize,
    tracking: DirtyTracking,
}

enum DirtyTracking {
    /// Comparison of the memory with the contents that both sides last had in common.
    Compared(Vec<u8>),
    /// Write tracking by Linux.
    Reported(&'static UserFault),
    /// Write tracking by Linux, and page faults on absent pages.
    FetchedOnTouch(Absent),
}

struct Absent {
    kernel: &'static UserFault,
    /// Pages that the device has changed and that no thread has touched since.
    away: PageSet,
    /// Whether Linux reports touches of absent pages. Set when pages first become absent.
    reports_touches: bool,
    /// Page that a sequential reader touches next. `ahead` is the number of pages fetched for its
    /// last touch.
    expected: usize,
    ahead: usize,
}

/// Number of pages to fetch for a touch. `AHEAD_MAX` is the upper bound for touches in order.
const AHEAD_MIN: usize = 16;
const AHEAD_MAX: usize = 512;
/// Number of zero pages to provide for one touch of pages that were never withdrawn.
const ZEROS: usize = 512;

impl Pages {
    /// Creates the tracking for memory that contains zeros on both sides. Set `lazily` if the other
    /// side can be asked at any time what it has changed.
    ///
    /// # Safety
    /// The pages are private memory that stays mapped as long as the result lives.
    pub unsafe fn new(start: usize, bytes: usize, lazily: bool) -> Pages {
        let reporting = UserFault::of_process().filter(|kernel| {
            // SAFETY: the caller upholds this function's contract.
            unsafe { kernel.register(&(start..start + bytes), false) }.is_ok()
        });
        let tracking = match reporting {
            None => DirtyTracking::Compared(vec![0; bytes]),
            Some(kernel) if lazily && kernel.brings_pages => {
                let away = PageSet::new(bytes / PAGE_BYTES);
                DirtyTracking::FetchedOnTouch(Absent {
                    kernel,
                    away,
                    reports_touches: false,
                    expected: usize::MAX,
                    ahead: 0,
                })
            }
            Some(kernel) => DirtyTracking::Reported(kernel),
        };
        if bytes > HUGE_BYTES {
            // SAFETY: the caller guarantees that the range is mapped; the advice affects only
            // speed.
            unsafe { libc::madvise(start as *mut c_void, bytes, libc::MADV_HUGEPAGE) };
        }
        Pages { start, bytes, tracking }
    }

    /// Creates the tracking by comparison for memory of any kind and size.
    ///
    /// # Safety
    /// The memory is valid for reads as long as the result lives.
    pub unsafe fn compared(start: usize, bytes: usize) -> Pages {
        Pages { start, bytes, tracking: DirtyTracking::Compared(vec![0; bytes]) }
    }

    /// Returns whether pages that the device has changed are fetched only when the program touches
    /// them.
    pub fn is_lazy(&self) -> bool {
        matches!(self.tracking, DirtyTracking::FetchedOnTouch(_))
    }

    /// Returns the memory's present contents.
    fn all(&self) -> &[u8] {
        // SAFETY: the caller of `new` guarantees that the memory is mapped. The program may write
        // concurrently; the next scan finds such writes.
        unsafe { std::slice::from_raw_parts(self.start as *const u8, self.bytes) }
    }

    /// Returns the byte ranges inside `within` that the program has written, as offsets. Records
    /// their contents as known to both sides.
    pub fn written(&mut self, within: Range<usize>) -> Result<Vec<Range<usize>>, CUresult> {
        let Pages { start, bytes, .. } = *self;
        if self.is_all_away() {
            return Ok(Vec::new());
        }
        match &mut self.tracking {
            DirtyTracking::Compared(known) => {
                // SAFETY: as in `all`.
                let now = unsafe { std::slice::from_raw_parts(start as *const u8, bytes) };
                let found = runs(&now[within.clone()], &known[within.clone()], within.start);
                found.iter().for_each(|run| known[run.clone()].copy_from_slice(&now[run.clone()]));
                Ok(found)
            }
            DirtyTracking::Reported(kernel)
            | DirtyTracking::FetchedOnTouch(Absent { kernel, .. }) => {
                let found = kernel
                    .written(start + within.start..start + within.end)
                    .map_err(|_| CUresult::OPERATING_SYSTEM)?;
                Ok(found.into_iter().map(|run| run.start - start..run.end - start).collect())
            }
        }
    }

    /// Copies the bytes of a written run: as recorded at the last comparison, or as they are now if
    /// nothing is compared.
    pub fn bytes_of(&self, run: Range<usize>) -> Vec<u8> {
        match &self.tracking {
            DirtyTracking::Compared(known) => known[run].to_vec(),
            DirtyTracking::Reported(_) | DirtyTracking::FetchedOnTouch(_) => {
                self.all()[run].to_vec()
            }
        }
    }

    /// Notes that changes by the device have been written to the memory at `run`.
    pub fn arrived(&mut self, run: Range<usize>) -> Result<(), CUresult> {
        let (start, bytes) = (self.start, self.bytes);
        match &mut self.tracking {
            DirtyTracking::Compared(known) => {
                // SAFETY: as in `all`.
                let now = unsafe { std::slice::from_raw_parts(start as *const u8, bytes) };
                known[run.clone()].copy_from_slice(&now[run]);
                Ok(())
            }
            DirtyTracking::Reported(_) | DirtyTracking::FetchedOnTouch(_) => {
                self.written(run).map(drop)
            }
        }
    }

    // ---- absent pages, which are fetched on touch ----

    fn absent(&mut self) -> Option<&mut Absent> {
        if let DirtyTracking::FetchedOnTouch(absent) = &mut self.tracking {
            Some(absent)
        } else {
            None
        }
    }

    /// Makes the pages of `run` absent, because the device has changed them. A thread that touches
    /// one of them blocks until the page is fetched.
    pub fn withdraw(&mut self, run: Range<usize>) -> Result<(), CUresult> {
        let (start, bytes) = (self.start, self.bytes);
        let Some(absent) = self.absent() else { return Ok(()) };
        if !absent.reports_touches {
            let whole = start..start + bytes;
            // SAFETY: the caller of `new` guarantees private memory, and a thread of this library
            // handles the page faults.
            unsafe { absent.kernel.register(&whole, true) }
                .map_err(|_| CUresult::OPERATING_SYSTEM)?;
            // A child has no thread that provides pages, so its touches must fail.
            // SAFETY: the caller of `new` guarantees that the range is mapped.
            unsafe { libc::madvise(start as *mut c_void, bytes, libc::MADV_DONTFORK) };
            absent.reports_touches = true;
        }
        let pages = pages(&run);
        if absent.away.run_in(pages.clone()) != Some(pages.clone()) {
            absent.away.insert(pages);
            let address = (start + run.start) as *mut c_void;
            // SAFETY: the caller of `new` guarantees that the range is mapped; its contents are
            // outdated.
            let drop_pages =
                || unsafe { libc::madvise(address, run.len(), libc::MADV_DONTNEED) } == 0;
            // Linux keeps locked pages. A program that locks all of its memory locks these too.
            // SAFETY: as above; this changes no contents.
            if !drop_pages() && (unsafe { libc::munlock(address, run.len()) } != 0 || !drop_pages())
            {
                return Err(CUresult::OPERATING_SYSTEM);
            }
        }
        Ok(())
    }

    /// Makes the pages of `run` absent, as `withdraw` does, except for written pages whose changes
    /// have not been sent yet.
    pub fn withdraw_unwritten(&mut self, run: Range<usize>) -> Result<(), CUresult> {
        let start = self.start;
        let Some(absent) = self.absent() else { return Ok(()) };
        let written = absent
            .kernel
            .written_so_far(start + run.start..start + run.end)
            .map_err(|_| CUresult::OPERATING_SYSTEM)?;
        let mut at = run.start;
        for own in written
            .into_iter()
            .map(|own| own.start - start..own.end - start)
            .chain(std::iter::once(run.end..run.end))
        {
            if at < own.start {
                self.withdraw(at..own.start)?;
            }
            at = own.end;
        }
        Ok(())
    }

    /// Returns whether all pages are absent, so that the program cannot have written a page without
    /// fetching it.
    pub fn is_all_away(&self) -> bool {
        let pages = self.bytes / PAGE_BYTES;
        let DirtyTracking::FetchedOnTouch(absent) = &self.tracking else { return false };
        absent.away.count() == pages
    }

    /// Provides the contents of absent pages that start at `offset`.
    pub fn bring(&mut self, offset: usize, bytes: &[u8]) {
        let start = self.start;
        if let Some(absent) = self.absent() {
            absent.kernel.fill(start + offset, bytes);
            absent.away.remove(pages(&(offset..offset + bytes.len())));
        }
    }

    /// Gives up absent pages that cannot be fetched. Touching them then raises SIGBUS.
    pub fn lose(&mut self, run: Range<usize>) {
        let start = self.start;
        if let Some(absent) = self.absent() {
            absent.kernel.poison(start + run.start..start + run.end);
            absent.away.remove(pages(&run));
        }
    }

    /// Returns the first run of absent pages inside a range.
    pub fn away_in(&self, range: Range<usize>) -> Option<Range<usize>> {
        let DirtyTracking::FetchedOnTouch(absent) = &self.tracking else { return None };
        absent.away.run_in(pages(&range)).map(|run| run.start * PAGE_BYTES..run.end * PAGE_BYTES)
    }

    /// Returns the range to fetch, because a thread touches the absent page at `offset`. If that
    /// page was never withdrawn, provides zeros at once and returns `None`.
    pub fn touched(&mut self, offset: usize) -> Option<Range<usize>> {
        let (start, count) = (self.start, self.bytes / PAGE_BYTES);
        let absent = self.absent()?;
        let page = offset / PAGE_BYTES;
        if !absent.away.contains(page) {
            let first = page / ZEROS * ZEROS;
            let mut at = first;
            let end = (first + ZEROS).min(count);
            while at < end {
                let away = absent.away.run_in(at..end).unwrap_or(end..end);
                absent.kernel.clear(start + at * PAGE_BYTES..start + away.start * PAGE_BYTES);
                at = away.end;
            }
            return None;
        }
        let first = page / AHEAD_MIN * AHEAD_MIN;
        absent.ahead =
            if absent.expected == first { (absent.ahead * 2).min(AHEAD_MAX) } else { AHEAD_MIN };
        absent.expected = first + absent.ahead;
        Some(first * PAGE_BYTES..absent.expected.min(count) * PAGE_BYTES)
    }
}

/// Size above which huge pages are worthwhile.
const HUGE_BYTES: usize = 2 << 20;

/// Returns the byte ranges of the pages in which `now` and `known` differ, as offsets plus `base`.
fn runs(now: &[u8], known: &[u8], base: usize) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (i, (a, b)) in now.chunks(PAGE_BYTES).zip(known.chunks(PAGE_BYTES)).enumerate() {
        if a == b {
            continue;
        }
        let start = base + i * PAGE_BYTES;
        add_run(&mut runs, start..start + a.len());
    }
    runs
}
