//! Pinned memory that kernels may use over a network while neither side changes it. This module
//! moves such pages to other addresses, so that Linux reports when the program touches them. Until
//! then neither side compares the memory. `replicas` informs the node.

use crate::base::log;
use crate::base::page_set::PAGE_BYTES;
use crate::base::userfault::UserFault;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_transport::os::tune_settings;
use outhaul_transport::replicas::replica::Replica;
use std::collections::BTreeMap;
use std::io::Error;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::AcqRel, Ordering::Relaxed, Ordering::Release};
use std::sync::{Arc, OnceLock};

/// Minimum size of memory whose pages move. Comparing less memory costs no more than one or two
/// system calls.
const BYTES_MIN: usize = 256 << 10;
/// Number of unchanged bytes that consecutive scans must compare before the pages move. Comparing
/// as many takes about as long as moving the pages both ways and waiting for the node's answer.
const SCANNED_BYTES_MIN: usize = 8 << 20;
/// Minimum number of consecutive scans without a change.
const SCANS_MIN: u32 = 4;
/// Maximum number of consecutive scans without a change. The required number doubles on each
/// attempt to move the pages.
const SCANS_MAX: u32 = 512;
/// Setting for tests: memory of any size moves after this many scans, every time.
const SETTING: &str = "idle-scans";
/// Maximum number of bytes to move in one step, during which other threads wait.
pub const STEP_BYTES_MAX: usize = 64 << 20;
/// Size of huge pages. Linux moves one as a whole if both addresses are aligned equally.
const HUGE_PAGE_BYTES: usize = 2 << 20;

#[derive(Default)]
/// The pieces of memory of one session whose pages may move.
pub struct MovablePieces {
    /// The pieces by address. The lock is held while pages move, until the node knows.
    pieces: Mutex<BTreeMap<usize, MovablePages>>,
    /// Whether a thread is handling idle pieces.
    is_handled: AtomicBool,
}

/// A piece of memory whose pages may move.
pub struct MovablePages {
    /// The memory as replicated and compared.
    pub replica: Arc<Replica>,
    room: Arc<Room>,
    is_absent: bool,
    idle_scans: u32,
}

/// Whether pages of this process may be absent. Once set, the flag stays set.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// Returns whether pages of this process may be absent.
pub fn is_in_use() -> bool {
    IN_USE.load(Relaxed)
}

/// Returns whether moving `bytes` bytes is worthwhile, and Linux offers page moves to this process.
pub fn may_move(bytes: usize) -> bool {
    (bytes >= BYTES_MIN || scans_of_tests().is_some())
        && UserFault::of_process().is_some_and(UserFault::takes_pages)
}

fn scans_of_tests() -> Option<u32> {
    static SCANS: OnceLock<Option<u32>> = OnceLock::new();
    *SCANS.get_or_init(|| tune_settings::value(SETTING)?.parse().ok())
}

impl MovablePieces {
    /// Locks the pieces.
    pub fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, MovablePages>> {
        self.pieces.lock()
    }

    /// Adds parts of memory for which `may_move` returned true. The memory must consist of whole
    /// pages, allocated for this purpose.
    pub fn enter(&self, parts: &[Arc<Replica>]) {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return };
        let room = Arc::new(Room::new(first.start()..last.range().end));
        IN_USE.store(true, Relaxed);
        let mut pieces = self.lock();
        for replica in parts {
            let scans = SCANNED_BYTES_MIN.div_ceil(replica.bytes()) as u32;
            let idle_scans = scans_of_tests().unwrap_or(scans.clamp(SCANS_MIN, SCANS_MAX));
            let piece = MovablePages {
                replica: replica.clone(),
                room: room.clone(),
                is_absent: false,
                idle_scans,
            };
            replica.set_idle_scans(idle_scans);
            pieces.insert(replica.start(), piece);
        }
    }

    /// Claims the handling of idle pieces. Returns true if the caller must handle them and then
    /// call `end`.
    pub fn begin(&self) -> bool {
        !self.is_handled.swap(true, AcqRel)
    }

    /// Ends the handling that `begin` claimed.
    pub fn end(&self) {
        self.is_handled.store(false, Release);
    }
}

impl MovablePages {
    /// Returns whether the pages should move.
    pub fn is_idle(&self) -> bool {
        !self.is_absent && self.replica.is_idle()
    }

    /// Returns whether the pages have moved away.
    pub fn is_absent(&self) -> bool {
        self.is_absent
    }

    /// Returns the memory's addresses, extended to whole pages.
    pub fn range(&self) -> Range<usize> {
        let start = self.replica.start();
        start..start + self.replica.bytes().next_multiple_of(PAGE_BYTES)
    }

    /// Doubles the number of scans until the next attempt.
    pub fn wait_longer(&mut self) {
        self.idle_scans = scans_of_tests().unwrap_or((self.idle_scans * 2).min(SCANS_MAX));
        self.replica.set_idle_scans(self.idle_scans);
    }

    /// Moves the pages away. A thread that touches the memory then blocks until `bring`. On an
    /// error the pages are where they were: they are pinned, or Linux does not support the move. If
    /// putting them back fails, the memory is lost.
    pub fn withdraw(&mut self) -> Result<(), Error> {
        self.wait_longer();
        let Some(kernel) = UserFault::of_process() else { return Ok(()) };
        let range = self.range();
        let place = self.room.place(&range)?;
        // Pages that were never written would come back as different pages, so the whole range is
        // populated first.
        let populate = libc::MADV_POPULATE_WRITE;
        // SAFETY: private anonymous memory; the thread that handles page faults knows of this
        // range.
        unsafe {
            if libc::madvise(range.start as *mut _, range.len(), populate) != 0 {
                return Err(Error::last_os_error());
            }
            kernel.register(&range, true)?;
        }
        let moves = || {
            // SAFETY: both ranges are private memory, and the room is registered for absent pages.
            let (moved, result) = unsafe { kernel.move_pages(&range, place.start) };
            let part = place.start..place.start + moved;
            // SAFETY: as for `move_pages`; no other thread knows of this part yet.
            result.map_err(|why| (why, unsafe { kernel.put_back(&part, range.start) }))
        };
        // SAFETY: `place` has as many pages, and remains mapped until they are back.
        match unsafe { self.replica.relocate(place.start, moves) } {
            Ok(()) => self.is_absent = true,
            Err((why, are_back)) => {
                if !are_back {
                    self.lose();
                }
                return Err(why);
            }
        }
        Ok(())
    }

    /// Moves the pages back, and wakes the threads that wait for them. The memory is lost if that
    /// fails.
    pub fn bring(&mut self) {
        if !std::mem::take(&mut self.is_absent) {
            return;
        }
        let range = self.range();
        let (Some(kernel), Ok(place)) = (UserFault::of_process(), self.room.place(&range)) else {
            return;
        };
        // SAFETY: only this object uses `place`; after the move the memory is at its original
        // address.
        let are_back = unsafe {
            let back = || Ok::<_, ()>(kernel.put_back(&place, range.start));
            self.replica.relocate(range.start, back) == Ok(true)
        };
        if are_back {
            self.room.clear(place);
        } else {
            self.lose();
        }
        kernel.wake(range);
    }

    /// Gives up memory whose pages Linux does not move back. The library stops comparing it. A
    /// thread that touches the missing pages gets SIGBUS rather than zeros.
    fn lose(&self) {
        let range = self.range();
        self.replica.retire();
        UserFault::of_process().into_iter().for_each(|kernel| kernel.poison(range.clone()));
        log::warn(&format!(
            "some of {} bytes of pinned memory at {:#x} are lost: touching them raises SIGBUS; \
            with OUTHAUL_TUNE=managed=writes this cannot happen",
            range.len(),
            range.start
        ));
        // The room is leaked because it may contain the missing pages, which a core dump then
        // shows.
        std::mem::forget(self.room.clone());
    }
}

/// Addresses that hold the pages of a piece of memory while they are absent.
struct Room {
    /// The memory's addresses, extended to whole pages.
    memory: Range<usize>,
    /// Mapping that holds the pages, created when pages first move.
    mapping: Mutex<Option<Mapping>>,
}

impl Room {
    fn new(memory: Range<usize>) -> Room {
        let end = memory.end.next_multiple_of(PAGE_BYTES);
        Room { memory: memory.start..end, mapping: Mutex::new(None) }
    }

    /// Returns the addresses that hold the pages of `part`. Creates the mapping if necessary.
    fn place(&self, part: &Range<usize>) -> Result<Range<usize>, Error> {
        let mut mapping = self.mapping.lock();
        let start = match &*mapping {
            Some(made) => made.start,
            None => mapping.insert(Mapping::like(&self.memory)?).start,
        };
        let start = start + (part.start - self.memory.start);
        Ok(start..start + part.len())
    }

    /// Frees pages that were copied back rather than moved.
    fn clear(&self, place: Range<usize>) {
        // SAFETY: `place` belongs to this mapping, and no thread reads it any more.
        unsafe { libc::madvise(place.start as *mut _, place.len(), libc::MADV_DONTNEED) };
    }
}

/// Address range with as many pages as another range, and the same alignment to huge pages. The
/// range is registered with the thread that handles page faults.
struct Mapping {
    all: Range<usize>,
    start: usize,
}

impl Mapping {
    fn like(range: &Range<usize>) -> Result<Mapping, Error> {
        let kernel = UserFault::of_process().ok_or(std::io::ErrorKind::Unsupported)?;
        let bytes = range.len() + HUGE_PAGE_BYTES;
        let (protection, flags) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
        );
        // SAFETY: creates an anonymous mapping, and replaces none.
        let address = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            return Err(Error::last_os_error());
        }
        let all = address as usize..address as usize + bytes;
        let start = all.start + range.start.wrapping_sub(all.start) % HUGE_PAGE_BYTES;
        let mapping = Mapping { all, start };
        // SAFETY: private memory that no other thread knows yet.
        unsafe { kernel.register(&(start..start + range.len()), true) }?;
        Ok(mapping)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this object owns the mapping.
        unsafe { libc::munmap(self.all.start as *mut _, self.all.len()) };
    }
}
