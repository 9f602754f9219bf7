//! Pinned memory that kernels may use, over a link, and that neither side changes: its pages go
//! elsewhere, so that Linux says when the program touches it. Until then neither side looks at it.
//! When and how pages move; what the node is told of it is `twins`' affair.

use crate::log;
use crate::userfault::{PAGE_BYTES, UserFault};
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_transport::twin::Twin;
use std::collections::BTreeMap;
use std::io::Error;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};

/// A look at less costs no more than a system call or two.
const BYTES_MIN: usize = 256 << 10;
/// Looks in a row that find no change before the pages go. More after each time that the program
/// touched them: moving both ways costs about as much as a look.
const LOOKS_MIN: u32 = 64;
const LOOKS_MAX: u32 = 512;
/// Pages are moved at a stroke where both places lie alike in pages of this size.
const HUGE_PAGE_BYTES: usize = 2 << 20;

#[derive(Default)]
pub struct Absence {
    /// By address. Held while pages move, and until the node knows of it.
    pieces: Mutex<BTreeMap<usize, Piece>>,
    in_use: AtomicBool,
    /// A piece was found that is to be seen to.
    is_found: AtomicBool,
}

pub struct Piece {
    pub twin: Arc<Twin>,
    /// Where the pages are while they are absent.
    elsewhere: Option<Mapping>,
    looks: u32,
}

/// Whether so much memory is worth it, and Linux offers it to this process.
pub fn may_move(bytes: usize) -> bool {
    bytes >= BYTES_MIN && UserFault::of_process().is_some_and(UserFault::takes_pages)
}

impl Absence {
    pub fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Piece>> {
        self.pieces.lock()
    }

    /// Memory that was allocated for this, in whole pages of its own, and that `may_move`.
    pub fn enter(&self, twin: &Arc<Twin>) {
        let piece = Piece { twin: twin.clone(), elsewhere: None, looks: LOOKS_MIN };
        self.lock().insert(twin.start(), piece);
        self.in_use.store(true, Release);
    }

    /// A piece that nobody has changed for long. The caller sees to it, and says so: until then
    /// none is found.
    pub fn find_unchanged(&self) -> Option<usize> {
        if !self.in_use.load(Acquire) || self.is_found.load(Acquire) {
            return None;
        }
        let pieces = self.pieces.try_lock()?;
        let (start, _) = pieces.iter().find(|(_, piece)| piece.is_unchanged())?;
        (!self.is_found.swap(true, Release)).then_some(*start)
    }

    pub fn note_seen_to(&self) {
        self.is_found.store(false, Release);
    }
}

impl Piece {
    fn is_unchanged(&self) -> bool {
        self.elsewhere.is_none() && self.twin.unchanged_looks() >= self.looks
    }

    pub fn is_absent(&self) -> bool {
        self.elsewhere.is_some()
    }

    fn range(&self) -> Range<usize> {
        let start = self.twin.start();
        start..start + self.twin.bytes().next_multiple_of(PAGE_BYTES)
    }

    /// It is tried less often, the more often it was in vain.
    pub fn wait_longer(&mut self) {
        self.twin.forget_looks();
        self.looks = (self.looks * 2).min(LOOKS_MAX);
    }

    /// Whoever touches the memory from here on waits for `bring`. An error: the pages are where
    /// they were, because something holds them or Linux does not offer this.
    pub fn withdraw(&mut self) -> Result<(), Error> {
        self.wait_longer();
        let Some(kernel) = UserFault::of_process() else { return Ok(()) };
        let range = self.range();
        let elsewhere = Mapping::like(&range)?;
        let place = elsewhere.place.clone();
        // Pages that were never written would come back as others.
        let populate = libc::MADV_POPULATE_WRITE;
        // SAFETY: both are private anonymous memory, which the thread that serves touches knows.
        unsafe {
            if libc::madvise(range.start as *mut _, range.len(), populate) != 0 {
                return Err(Error::last_os_error());
            }
            kernel.register(&place, true)?;
            kernel.register(&range, true)?;
        }
        let moves = || {
            // SAFETY: as above.
            let (moved, result) = unsafe { kernel.move_pages(&range, place.start) };
            let part = place.start..place.start + moved;
            // SAFETY: as above, and nobody knows of this place yet.
            result.map_err(|why| (why, unsafe { kernel.put_back(&part, range.start) }))
        };
        // SAFETY: it has as many pages, and goes when they are back.
        match unsafe { self.twin.relocate(place.start, moves) } {
            Ok(()) => self.elsewhere = Some(elsewhere),
            Err((why, are_back)) => {
                if !are_back {
                    self.lose(elsewhere);
                }
                return Err(why);
            }
        }
        Ok(())
    }

    /// The pages are back, and whoever waits for them goes on.
    pub fn bring(&mut self) {
        let (Some(kernel), Some(elsewhere)) = (UserFault::of_process(), self.elsewhere.take())
        else {
            return;
        };
        let range = self.range();
        // SAFETY: as in `withdraw`; the memory is where it was.
        let are_back = unsafe {
            let back = || Ok::<_, ()>(kernel.put_back(&elsewhere.place, range.start));
            self.twin.relocate(range.start, back) == Ok(true)
        };
        if !are_back {
            self.lose(elsewhere);
        }
        kernel.wake(range);
    }

    /// Linux does not give some pages back: nobody looks at the memory any more, and whoever
    /// touches what is missing gets SIGBUS rather than zeros.
    fn lose(&self, elsewhere: Mapping) {
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
        std::mem::forget(elsewhere);
    }
}

/// Addresses for as many pages as another range has, at the same places of huge pages.
struct Mapping {
    all: Range<usize>,
    place: Range<usize>,
}

impl Mapping {
    fn like(range: &Range<usize>) -> Result<Mapping, Error> {
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
        Ok(Mapping { all, place: start..start + range.len() })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this owns the mapping.
        unsafe { libc::munmap(self.all.start as *mut _, self.all.len()) };
    }
}
