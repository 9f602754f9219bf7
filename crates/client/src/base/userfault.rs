//! Page tracking by Linux, through `userfaultfd` and `PAGEMAP_SCAN`. Linux notes writes in the page
//! tables, also those of system calls, so no signal handler is needed. A thread that touches an
//! absent page blocks until a thread of this library provides the page.

use crate::base::log;
use crate::base::page_set::{PAGE_BYTES, add_run};
use outhaul_abi::fd;
use outhaul_transport::os::tune_settings;
use std::ffi::c_void;
use std::io::Error;
use std::ops::Range;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::OnceLock;

/// Maximum number of runs of written pages that one system call returns.
const REGIONS: usize = 1024;
/// Setting that limits which Linux features the library uses: `faults`, `writes`, or `nothing`. By
/// default it uses all.
const SETTING: &str = "managed";

const UFFD_USER_MODE_ONLY: i32 = 1;
const UFFD_API: u64 = 0xAA;
const FEATURE_WP_ASYNC: u64 = 1 << 15;
const FEATURE_MOVE: u64 = 1 << 16;
const MODE_MISSING: u64 = 1;
const MODE_WRITE_PROTECT: u64 = 2;
const COPY_MODE_WRITE_PROTECT: u64 = 2;
const MOVE_MODE_ALLOW_HOLES: u64 = 2;
const EVENT_PAGE_FAULT: u8 = 0x12;
const IOCTL_NEW: u64 = 0xAA00;
const IOCTL_API: u64 = 0xC018_AA3F;
const IOCTL_REGISTER: u64 = 0xC020_AA00;
const IOCTL_WAKE: u64 = 0x8010_AA02;
const IOCTL_COPY: u64 = 0xC028_AA03;
const IOCTL_ZERO: u64 = 0xC020_AA04;
const IOCTL_MOVE: u64 = 0xC028_AA05;
const IOCTL_POISON: u64 = 0xC020_AA08;
const IOCTL_SCAN: u64 = 0xC060_6610;

const SCAN_PROTECT_FOUND: u64 = 1;
const SCAN_CHECK_PROTECTED: u64 = 2;
const IS_WRITTEN: u64 = 1 << 1;
const IS_PRESENT: u64 = 1 << 3;
const IS_SWAPPED: u64 = 1 << 4;
const IS_ZERO_PAGE: u64 = 1 << 5;

#[repr(C)]
struct Api {
    api: u64,
    features: u64,
    ioctls: u64,
}

#[repr(C)]
struct Register {
    start: u64,
    bytes: u64,
    mode: u64,
    ioctls: u64,
}

/// Argument of the requests that copy and that move pages.
#[repr(C)]
struct CopyIn {
    to: u64,
    from: u64,
    bytes: u64,
    mode: u64,
    copied: i64,
}

/// Argument of requests that take a range and return a byte count.
#[repr(C)]
struct Fill {
    start: u64,
    bytes: u64,
    mode: u64,
    filled: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Region {
    start: u64,
    end: u64,
    categories: u64,
}

#[repr(C)]
struct Scan {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walked_to: u64,
    regions: u64,
    region_count: u64,
    pages_max: u64,
    inverted: u64,
    all_of: u64,
    any_of: u64,
    returned: u64,
}

/// The part of `struct uffd_msg` that page faults use.
#[repr(C)]
#[derive(Default)]
struct Event {
    kind: u8,
    _reserved: [u8; 7],
    _flags: u64,
    address: u64,
    _thread: u64,
}

/// Access to Linux's page tracking for this process.
pub struct UserFault {
    faults: OwnedFd,
    pages: OwnedFd,
    /// Whether Linux reports touches of absent pages, including those by system calls.
    pub brings_pages: bool,
    /// Whether Linux (6.8 or later) can move pages to another address. It refuses pages that a
    /// device or Linux itself may be writing.
    moves_pages: bool,
}

fn ioctl<T>(descriptor: &OwnedFd, request: u64, argument: &mut T) -> Result<i32, Error> {
    // SAFETY: each caller passes the struct that Linux expects for the request, and it outlives the
    // call.
    let result =
        unsafe { libc::ioctl(descriptor.as_raw_fd(), request as _, std::ptr::from_mut(argument)) };
    if result < 0 { Err(Error::last_os_error()) } else { Ok(result) }
}

fn open(path: &std::ffi::CStr, flags: i32) -> Option<OwnedFd> {
    // SAFETY: `path` is a C string; the new descriptor has no other owner.
    unsafe { fd::owned(libc::open(path.as_ptr(), flags | libc::O_CLOEXEC)) }.ok()
}

fn userfaultfd(flags: i32) -> Option<OwnedFd> {
    // SAFETY: the system call takes only flags; the new descriptor has no other owner.
    unsafe { fd::owned(libc::syscall(libc::SYS_userfaultfd, flags | libc::O_CLOEXEC) as i32) }.ok()
}

/// Opens a userfault descriptor through `/dev/userfaultfd`, if an administrator gave this user
/// access.
fn by_device() -> Option<OwnedFd> {
    let device = open(c"/dev/userfaultfd", libc::O_RDWR)?;
    // SAFETY: the request takes only flags; the new descriptor has no other owner.
    unsafe { fd::owned(libc::ioctl(device.as_raw_fd(), IOCTL_NEW as _, libc::O_CLOEXEC)) }.ok()
}

impl UserFault {
    /// Returns the page tracking, or `None` if Linux does not offer it or the user forbids it.
    /// Without page tracking the library compares memory.
    pub fn of_process() -> Option<&'static UserFault> {
        static FOUND: OnceLock<Option<UserFault>> = OnceLock::new();
        FOUND
            .get_or_init(|| {
                UserFault::open(tune_settings::value(SETTING).unwrap_or_default().as_str())
            })
            .as_ref()
    }

    fn open(setting: &str) -> Option<UserFault> {
        let whole = || userfaultfd(0).or_else(by_device).filter(|_| setting != "writes");
        let (faults, brings_pages) = match setting {
            "nothing" => return None,
            _ => match whole() {
                Some(faults) => (faults, true),
                None => (userfaultfd(UFFD_USER_MODE_ONLY)?, false),
            },
        };
        let mut api = Api { api: UFFD_API, features: FEATURE_WP_ASYNC, ioctls: 0 };
        if let Err(error) = ioctl(&faults, IOCTL_API, &mut api) {
            log::note(|| {
                format!(
                    "Linux does not report which pages are written ({error}): managed memory is \
                    compared"
                )
            });
            return None;
        }
        let pages = open(c"/proc/self/pagemap", libc::O_RDONLY)?;
        let moves_pages = api.features & FEATURE_MOVE != 0;
        let found = UserFault { faults, pages, brings_pages, moves_pages };
        found.scans().then_some(found)
    }

    /// Returns whether Linux supports `PAGEMAP_SCAN`. Versions before 6.7 have userfaultfd without
    /// it.
    fn scans(&self) -> bool {
        let page = 0usize;
        let here = std::ptr::from_ref(&page) as usize / PAGE_BYTES * PAGE_BYTES;
        ioctl(&self.pages, IOCTL_SCAN, &mut Scan::of(here..here + PAGE_BYTES, 0, &mut [])).is_ok()
    }

    /// Makes Linux note writes to these pages from now on. If `absent`, a thread that touches an
    /// absent page blocks until `fill` or `clear` provides it.
    ///
    /// # Safety
    /// The pages are private anonymous memory. The caller accepts that threads that touch them may
    /// block.
    pub unsafe fn register(&self, range: &Range<usize>, absent: bool) -> Result<(), Error> {
        let mode = MODE_WRITE_PROTECT | if absent { MODE_MISSING } else { 0 };
        let mut register =
            Register { start: range.start as u64, bytes: range.len() as u64, mode, ioctls: 0 };
        ioctl(&self.faults, IOCTL_REGISTER, &mut register).map(drop)
    }

    /// Returns whether Linux reports touches of absent pages, and can check that pages are unused
    /// and make them absent atomically.
    pub fn takes_pages(&self) -> bool {
        self.brings_pages && self.moves_pages
    }

    /// Moves pages to addresses without pages. Returns how many bytes from the start were moved,
    /// and the error that stopped the move. Linux rejects (`EBUSY`) pages that direct I/O, an
    /// io_uring's buffers or a device hold. It also rejects pages that another process shares since
    /// a fork.
    ///
    /// # Safety
    /// Both ranges are private anonymous memory, and the second is registered for absent pages.
    pub unsafe fn move_pages(&self, from: &Range<usize>, to: usize) -> (usize, Result<(), Error>) {
        let mut moved = 0;
        while moved < from.len() {
            let mut step = CopyIn {
                to: (to + moved) as u64,
                from: (from.start + moved) as u64,
                bytes: (from.len() - moved) as u64,
                mode: MOVE_MODE_ALLOW_HOLES,
                copied: 0,
            };
            let result = ioctl(&self.faults, IOCTL_MOVE, &mut step);
            moved += step.copied.max(0) as usize;
            match result {
                Err(error) if error.raw_os_error() != Some(libc::EAGAIN) => {
                    return (moved, Err(error));
                }
                _ => {}
            }
        }
        (moved, Ok(()))
    }

    /// Moves pages back to where they were, one by one if Linux rejects larger moves. Linux does so
    /// if the program has changed properties of parts of the range, such as protection. It also
    /// does so if a child that was created without the C library's `fork` shares the pages. Copies
    /// a page that cannot be moved. Returns whether all pages are back.
    ///
    /// # Safety
    /// As for `move_pages`; in addition only the caller uses the first range.
    pub unsafe fn put_back(&self, from: &Range<usize>, to: usize) -> bool {
        // SAFETY: the caller upholds this function's contract.
        let (moved, _) = unsafe { self.move_pages(from, to) };
        let rest = from.start + moved..from.end;
        let mut are_back = true;
        for page in rest.step_by(PAGE_BYTES) {
            let there = to + (page - from.start);
            // SAFETY: the caller upholds this function's contract; a page that could not be moved
            // is still mapped.
            are_back &= unsafe {
                self.move_pages(&(page..page + PAGE_BYTES), there).1.is_ok()
                    || self
                        .fill_page(there, std::slice::from_raw_parts(page as *const u8, PAGE_BYTES))
            };
        }
        are_back
    }

    /// Copies `bytes` to the absent page at `address`. Returns whether that succeeded.
    fn fill_page(&self, address: usize, bytes: &[u8]) -> bool {
        let mut copy = CopyIn {
            to: address as u64,
            from: bytes.as_ptr() as u64,
            bytes: PAGE_BYTES as u64,
            mode: 0,
            copied: 0,
        };
        ioctl(&self.faults, IOCTL_COPY, &mut copy).is_ok()
    }

    /// Returns the written runs of pages in a range since the last call, in order. Adjacent pages
    /// form one run.
    pub fn written(&self, range: Range<usize>) -> Result<Vec<Range<usize>>, Error> {
        self.found(range, SCAN_PROTECT_FOUND | SCAN_CHECK_PROTECTED)
    }

    /// Returns the written runs of pages as `written` does, but does not reset what Linux noted.
    pub fn written_so_far(&self, range: Range<usize>) -> Result<Vec<Range<usize>>, Error> {
        self.found(range, SCAN_CHECK_PROTECTED)
    }

    fn found(&self, range: Range<usize>, flags: u64) -> Result<Vec<Range<usize>>, Error> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut regions = [Region { start: 0, end: 0, categories: 0 }; REGIONS];
        let mut at = range.start;
        while at < range.end {
            let mut scan = Scan::of(at..range.end, flags, &mut regions);
            let count = match ioctl(&self.pages, IOCTL_SCAN, &mut scan) {
                Err(error) if error.raw_os_error() == Some(libc::EINTR) => continue,
                result => result? as usize,
            };
            for region in &regions[..count] {
                add_run(&mut found, region.start as usize..region.end as usize);
            }
            at = scan.walked_to as usize;
        }
        Ok(found)
    }

    /// Provides the contents of absent pages, without marking the pages as written. Does not change
    /// present pages.
    pub fn fill(&self, address: usize, bytes: &[u8]) {
        self.each(address..address + bytes.len(), |start, left| {
            let from = &bytes[start - address..];
            let mut copy = CopyIn {
                to: start as u64,
                from: from.as_ptr() as u64,
                bytes: left as u64,
                mode: COPY_MODE_WRITE_PROTECT,
                copied: 0,
            };
            let result = ioctl(&self.faults, IOCTL_COPY, &mut copy);
            (result, copy.copied)
        });
    }

    /// Provides zeros for absent pages.
    pub fn clear(&self, range: Range<usize>) {
        self.each(range, |start, left| {
            let mut zero = Fill { start: start as u64, bytes: left as u64, mode: 0, filled: 0 };
            let result = ioctl(&self.faults, IOCTL_ZERO, &mut zero);
            (result, zero.filled)
        });
    }

    /// Makes touches of these absent pages raise SIGBUS, because the contents are lost.
    pub fn poison(&self, range: Range<usize>) {
        self.each(range, |start, left| {
            let mut poison = Fill { start: start as u64, bytes: left as u64, mode: 0, filled: 0 };
            let result = ioctl(&self.faults, IOCTL_POISON, &mut poison);
            (result, poison.filled)
        });
    }

    /// Applies `step` until it has covered the range, and skips pages that are present. Then wakes
    /// the threads that wait for the range.
    fn each(
        &self,
        range: Range<usize>,
        mut step: impl FnMut(usize, usize) -> (Result<i32, Error>, i64),
    ) {
        let mut at = range.start;
        while at < range.end {
            let (result, done) = step(at, range.end - at);
            match result.map_err(|error| error.raw_os_error().unwrap_or(0)) {
                Ok(_) => return,
                Err(libc::EEXIST) => at += PAGE_BYTES,
                Err(libc::EAGAIN) => at += done.max(0) as usize,
                // The program has unmapped the pages.
                Err(_) => break,
            }
        }
        self.wake(range);
    }

    /// Wakes the threads that wait for a page of the range, so that they retry.
    pub fn wake(&self, range: Range<usize>) {
        let mut wake = [range.start as u64, range.len() as u64];
        let _ = ioctl(&self.faults, IOCTL_WAKE, &mut wake);
    }

    /// Blocks until a thread touches an absent page. Returns the touched address, or `None` if
    /// Linux reports an error.
    pub fn next_absent(&self) -> Option<usize> {
        loop {
            let mut event = Event::default();
            // SAFETY: `event` is valid for writes of its size.
            let read = unsafe {
                libc::read(
                    self.faults.as_raw_fd(),
                    std::ptr::from_mut(&mut event).cast::<c_void>(),
                    size_of::<Event>(),
                )
            };
            match usize::try_from(read) {
                Ok(bytes) if bytes == size_of::<Event>() && event.kind == EVENT_PAGE_FAULT => {
                    return Some(event.address as usize);
                }
                Ok(_) => {}
                Err(_)
                    if matches!(
                        Error::last_os_error().raw_os_error(),
                        Some(libc::EINTR | libc::EAGAIN)
                    ) => {}
                Err(_) => return None,
            }
        }
    }
}

/// Returns how this process finds writes to host memory, for `outhaul doctor`. 0: it compares
/// memory. 1: Linux reports which pages were written. 2: Linux also reports touches of absent
/// pages. 3: Linux can also move pages away.
#[unsafe(no_mangle)]
pub extern "C" fn outhaul_writes_found() -> u32 {
    UserFault::of_process()
        .map_or(0, |kernel| 1 + u32::from(kernel.brings_pages) + u32::from(kernel.takes_pages()))
}

impl Scan {
    /// Creates a query for written pages that are present or swapped out, except zero pages that no
    /// thread has written.
    fn of(range: Range<usize>, flags: u64, regions: &mut [Region]) -> Scan {
        Scan {
            size: size_of::<Scan>() as u64,
            flags,
            start: range.start as u64,
            end: range.end as u64,
            walked_to: 0,
            regions: if regions.is_empty() { 0 } else { regions.as_mut_ptr() as u64 },
            region_count: regions.len() as u64,
            pages_max: 0,
            inverted: IS_ZERO_PAGE,
            all_of: IS_WRITTEN | IS_ZERO_PAGE,
            any_of: IS_PRESENT | IS_SWAPPED,
            returned: IS_WRITTEN,
        }
    }
}
