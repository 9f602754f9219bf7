//! The program's pages of one piece of managed memory: which of them it has written, and which the
//! device has changed since. If Linux reports writes, nothing is compared and no second copy is
//! kept. If Linux also lets a thread provide absent pages, pages that the device has changed are
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
    /// The memory is compared with what both sides last knew.
    Compared(Vec<u8>),
    /// Linux reports which pages are written.
    Reported(&'static UserFault),
    /// Linux also reports which absent pages are touched.
    FetchedOnTouch(Absent),
}

struct Absent {
    kernel: &'static UserFault,
    /// Pages that the device has changed and no thread has touched since.
    away: PageSet,
    /// Whether touches of absent pages are reported already: from the first absence on.
    reports_touches: bool,
    /// Page that the program will touch next if it reads in order, and the number of pages fetched
    /// at once before it.
    expected: usize,
    ahead: usize,
}

/// Number of pages to fetch when one is touched: first, and at most if the pages are touched in
/// order.
const AHEAD_MIN: usize = 16;
const AHEAD_MAX: usize = 512;
/// Number of absent pages of zeros that are provided when one is touched.
const ZEROS: usize = 512;

impl Pages {
    /// Pages that contain zeros on both sides. `lazily`: the other side can be asked at any time
    /// what it has changed.
    ///
    /// # Safety
    /// The pages are private memory, mapped until this is dropped.
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
            // SAFETY: as above; the advice changes nothing but speed.
            unsafe { libc::madvise(start as *mut c_void, bytes, libc::MADV_HUGEPAGE) };
        }
        Pages { start, bytes, tracking }
    }

    /// Memory of any kind and any size, which is compared.
    ///
    /// # Safety
    /// It is readable until this is dropped.
    pub unsafe fn compared(start: usize, bytes: usize) -> Pages {
        Pages { start, bytes, tracking: DirtyTracking::Compared(vec![0; bytes]) }
    }

    /// Whether pages that the device has changed are fetched on touch.
    pub fn is_lazy(&self) -> bool {
        matches!(self.tracking, DirtyTracking::FetchedOnTouch(_))
    }

    /// Returns the present contents.
    fn all(&self) -> &[u8] {
        // SAFETY: `new`'s caller's promise. The program may write at the same time: the next scan
        // finds what it writes meanwhile.
        unsafe { std::slice::from_raw_parts(self.start as *const u8, self.bytes) }
    }

    /// Returns what the program has written inside a range, as offsets. From now on both sides know
    /// it.
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

    /// Copies the bytes of a written run: the remembered ones if there are any, and else the
    /// present ones.
    pub fn bytes_of(&self, run: Range<usize>) -> Vec<u8> {
        match &self.tracking {
            DirtyTracking::Compared(known) => known[run].to_vec(),
            DirtyTracking::Reported(_) | DirtyTracking::FetchedOnTouch(_) => {
                self.all()[run].to_vec()
            }
        }
    }

    /// Notes that changes by the device have been written to the memory.
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

    // ---- where what the device has changed is fetched when it is touched ----

    fn absent(&mut self) -> Option<&mut Absent> {
        if let DirtyTracking::FetchedOnTouch(absent) = &mut self.tracking {
            Some(absent)
        } else {
            None
        }
    }

    /// Makes the run absent, because the device has changed it: a thread that touches it blocks
    /// until it is fetched.
    pub fn withdraw(&mut self, run: Range<usize>) -> Result<(), CUresult> {
        let (start, bytes) = (self.start, self.bytes);
        let Some(absent) = self.absent() else { return Ok(()) };
        if !absent.reports_touches {
            let whole = start..start + bytes;
            // SAFETY: `new`'s caller's promise, and a thread serves touches of these pages.
            unsafe { absent.kernel.register(&whole, true) }
                .map_err(|_| CUresult::OPERATING_SYSTEM)?;
            // A child has no thread that provides pages, so its touches must fail.
            // SAFETY: as above.
            unsafe { libc::madvise(start as *mut c_void, bytes, libc::MADV_DONTFORK) };
            absent.reports_touches = true;
        }
        let pages = pages(&run);
        if absent.away.run_in(pages.clone()) != Some(pages.clone()) {
            absent.away.insert(pages);
            // SAFETY: as above; the present contents are outdated.
            unsafe {
                libc::madvise((start + run.start) as *mut c_void, run.len(), libc::MADV_DONTNEED)
            };
        }
        Ok(())
    }

    /// Does as `withdraw`, except for pages that the program has written and this has not sent yet.
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

    /// Whether the program cannot have written any page without fetching it first.
    pub fn is_all_away(&self) -> bool {
        let pages = self.bytes / PAGE_BYTES;
        let DirtyTracking::FetchedOnTouch(absent) = &self.tracking else { return false };
        absent.away.count() == pages
    }

    /// Provides the bytes of absent pages.
    pub fn bring(&mut self, offset: usize, bytes: &[u8]) {
        let start = self.start;
        if let Some(absent) = self.absent() {
            absent.kernel.fill(start + offset, bytes);
            absent.away.remove(pages(&(offset..offset + bytes.len())));
        }
    }

    /// Notes that the pages cannot be fetched.
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

    /// Returns the range to fetch, because a thread touches an absent page. Pages that were never
    /// withdrawn contain zeros, which this provides at once.
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

/// Smallest memory for which larger pages are worthwhile.
const HUGE_BYTES: usize = 2 << 20;

/// Returns the pages in which two images differ, counted from `base`.
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
