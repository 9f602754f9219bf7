//! Pinned memory that kernels may use, over a link, and that neither side changes: its pages go
//! elsewhere, so that Linux says when the program touches it. Until then neither side looks at it.
//! When and how pages move; what the node is told of it is `twins`' affair.

use crate::log;
use crate::userfault::{PAGE_BYTES, UserFault};
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_transport::replica::twin::Twin;
use std::collections::BTreeMap;
use std::io::Error;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::AcqRel, Ordering::Relaxed, Ordering::Release};
use std::sync::{Arc, OnceLock};

/// A look at less costs no more than a system call or two.
const BYTES_MIN: usize = 256 << 10;
/// Looks in a row that find no change before the pages go: so many that they compared this much
/// memory, which takes about as long as it takes to move pages both ways, and the node's answer.
const LOOKED_BYTES_MIN: usize = 8 << 20;
const LOOKS_MIN: u32 = 4;
/// Twice as many each time that the program touched them.
const LOOKS_MAX: u32 = 512;
/// For tests: memory of any size goes after so many looks, each time.
const VARIABLE: &str = "OUTHAUL_IDLE_LOOKS";
/// What goes, or comes, in one step: others wait for the end of it.
pub const STEP_BYTES_MAX: usize = 64 << 20;
/// Pages are moved at a stroke where both places lie alike in pages of this size.
const HUGE_PAGE_BYTES: usize = 2 << 20;

#[derive(Default)]
pub struct Absence {
    /// Parts of memory by address. Held while pages move, and until the node knows of it.
    pieces: Mutex<BTreeMap<usize, Piece>>,
    /// A thread sees to idle pieces.
    is_seen_to: AtomicBool,
}

pub struct Piece {
    pub twin: Arc<Twin>,
    room: Arc<Room>,
    is_absent: bool,
    idle_looks: u32,
}

/// Stays so: some memory of the process may go.
static IN_USE: AtomicBool = AtomicBool::new(false);

pub fn is_in_use() -> bool {
    IN_USE.load(Relaxed)
}

/// Whether so much memory is worth it, and Linux offers it to this process.
pub fn may_move(bytes: usize) -> bool {
    (bytes >= BYTES_MIN || looks_of_tests().is_some())
        && UserFault::of_process().is_some_and(UserFault::takes_pages)
}

fn looks_of_tests() -> Option<u32> {
    static LOOKS: OnceLock<Option<u32>> = OnceLock::new();
    *LOOKS.get_or_init(|| std::env::var(VARIABLE).ok()?.parse().ok())
}

impl Absence {
    pub fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Piece>> {
        self.pieces.lock()
    }

    /// All parts of memory that was allocated for this, in whole pages of its own, and that
    /// `may_move`.
    pub fn enter(&self, parts: &[Arc<Twin>]) {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return };
        let room = Arc::new(Room::new(first.start()..last.range().end));
        IN_USE.store(true, Relaxed);
        let mut pieces = self.lock();
        for twin in parts {
            let looks = LOOKED_BYTES_MIN.div_ceil(twin.bytes()) as u32;
            let idle_looks = looks_of_tests().unwrap_or(looks.clamp(LOOKS_MIN, LOOKS_MAX));
            let piece =
                Piece { twin: twin.clone(), room: room.clone(), is_absent: false, idle_looks };
            twin.set_idle_looks(idle_looks);
            pieces.insert(twin.start(), piece);
        }
    }

    /// Whether the caller is to see to idle pieces, and to say when it has.
    pub fn begin(&self) -> bool {
        !self.is_seen_to.swap(true, AcqRel)
    }

    pub fn end(&self) {
        self.is_seen_to.store(false, Release);
    }
}

impl Piece {
    pub fn is_idle(&self) -> bool {
        !self.is_absent && self.twin.is_idle()
    }

    pub fn is_absent(&self) -> bool {
        self.is_absent
    }

    /// Its pages.
    pub fn range(&self) -> Range<usize> {
        let start = self.twin.start();
        start..start + self.twin.bytes().next_multiple_of(PAGE_BYTES)
    }

    /// It is tried less often, the more often it was in vain.
    pub fn wait_longer(&mut self) {
        self.idle_looks = looks_of_tests().unwrap_or((self.idle_looks * 2).min(LOOKS_MAX));
        self.twin.set_idle_looks(self.idle_looks);
    }

    /// Whoever touches the memory from here on waits for `bring`. An error: the pages are where
    /// they were, because something holds them or Linux does not offer this.
    pub fn withdraw(&mut self) -> Result<(), Error> {
        self.wait_longer();
        let Some(kernel) = UserFault::of_process() else { return Ok(()) };
        let range = self.range();
        let place = self.room.place(&range)?;
        // Pages that were never written would come back as others.
        let populate = libc::MADV_POPULATE_WRITE;
        // SAFETY: private anonymous memory; the thread that serves touches knows of it.
        unsafe {
            if libc::madvise(range.start as *mut _, range.len(), populate) != 0 {
                return Err(Error::last_os_error());
            }
            kernel.register(&range, true)?;
        }
        let moves = || {
            // SAFETY: as above.
            let (moved, result) = unsafe { kernel.move_pages(&range, place.start) };
            let part = place.start..place.start + moved;
            // SAFETY: as above, and nobody knows of this place yet.
            result.map_err(|why| (why, unsafe { kernel.put_back(&part, range.start) }))
        };
        // SAFETY: it has as many pages, and stays until they are back.
        match unsafe { self.twin.relocate(place.start, moves) } {
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

    /// The pages are back, and whoever waits for them goes on.
    pub fn bring(&mut self) {
        if !std::mem::take(&mut self.is_absent) {
            return;
        }
        let range = self.range();
        let (Some(kernel), Ok(place)) = (UserFault::of_process(), self.room.place(&range)) else {
            return;
        };
        // SAFETY: as in `withdraw`; the memory is where it was.
        let are_back = unsafe {
            let back = || Ok::<_, ()>(kernel.put_back(&place, range.start));
            self.twin.relocate(range.start, back) == Ok(true)
        };
        if are_back {
            self.room.clear(place);
        } else {
            self.lose();
        }
        kernel.wake(range);
    }

    /// Linux does not give some pages back: nobody looks at the memory any more, and whoever
    /// touches what is missing gets SIGBUS rather than zeros.
    fn lose(&self) {
        let range = self.range();
        self.twin.retire();
        UserFault::of_process().into_iter().for_each(|kernel| kernel.poison(range.clone()));
        log::warn(&format!(
            "some of {} bytes of pinned memory at {:#x} cannot be had any more: who touches that \
            gets SIGBUS; with OUTHAUL_MANAGED=writes this cannot happen",
            range.len(),
            range.start
        ));
        // It may have what is missing, for whoever looks into a core dump.
        std::mem::forget(self.room.clone());
    }
}

/// Where the pages of a piece of memory are while they are absent.
struct Room {
    /// The memory, in whole pages.
    memory: Range<usize>,
    /// Made when pages go for the first time.
    mapping: Mutex<Option<Mapping>>,
}

impl Room {
    fn new(memory: Range<usize>) -> Room {
        let end = memory.end.next_multiple_of(PAGE_BYTES);
        Room { memory: memory.start..end, mapping: Mutex::new(None) }
    }

    /// For the pages of a part of the memory.
    fn place(&self, part: &Range<usize>) -> Result<Range<usize>, Error> {
        let mut mapping = self.mapping.lock();
        let start = match &*mapping {
            Some(made) => made.start,
            None => mapping.insert(Mapping::like(&self.memory)?).start,
        };
        let start = start + (part.start - self.memory.start);
        Ok(start..start + part.len())
    }

    /// Of pages that were copied back rather than moved.
    fn clear(&self, place: Range<usize>) {
        // SAFETY: it is this mapping's, and nobody looks at it any more.
        unsafe { libc::madvise(place.start as *mut _, place.len(), libc::MADV_DONTNEED) };
    }
}

/// Addresses for as many pages as another range has, at the same places of huge pages, known to
/// the thread that serves touches.
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
        // SAFETY: a fresh anonymous mapping, which replaces none.
        let address = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            return Err(Error::last_os_error());
        }
        let all = address as usize..address as usize + bytes;
        let start = all.start + range.start.wrapping_sub(all.start) % HUGE_PAGE_BYTES;
        let mapping = Mapping { all, start };
        // SAFETY: fresh private memory, which nobody else knows of.
        unsafe { kernel.register(&(start..start + range.len()), true) }?;
        Ok(mapping)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this owns the mapping.
        unsafe { libc::munmap(self.all.start as *mut _, self.all.len()) };
    }
}
