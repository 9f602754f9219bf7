//! A card that several processes share: what each has taken of a device's memory, in a file that they all map. Without one, every process has a card
//! of its own. A process that has ended has nothing.

use super::error::{Error, Result};
use super::pages;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Processes that use one device.
const ROWS: usize = 256;
/// A process's number, and the bytes that it has.
const ROW_WORDS: usize = 2;
const BYTES: usize = ROWS * ROW_WORDS * size_of::<AtomicU64>();

pub struct Card {
    memory: NonNull<u8>,
    row: usize,
}

// SAFETY: the memory is used as atomics only.
unsafe impl Send for Card {}
// SAFETY: as above.
unsafe impl Sync for Card {}

/// A process that has ended and that nobody has waited for yet has nothing any more.
fn is_running(process: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    process != 0
        && stat.is_ok_and(|stat| {
            stat.rsplit_once(')').is_some_and(|(_, fields)| !fields.starts_with(" Z"))
        })
}

impl Card {
    /// The card of this name, of which all processes that name it have a part.
    pub fn open(path: &Path) -> Result<Card> {
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|_| Error::OperatingSystem)?;
        file.set_len(BYTES as u64).map_err(|_| Error::OperatingSystem)?;
        let memory = pages::map_file(&OwnedFd::from(file), BYTES as u64)?;
        let mut card = Card { memory, row: 0 };
        let own = u64::from(std::process::id());
        let claim = |row: usize| {
            let process = card.word(row, 0);
            let before = process.load(SeqCst);
            !is_running(before) && process.compare_exchange(before, own, SeqCst, SeqCst).is_ok()
        };
        let row = (0..ROWS).find(|row| claim(*row)).ok_or(Error::OutOfMemory)?;
        card.word(row, 1).store(0, SeqCst);
        card.row = row;
        Ok(card)
    }

    fn word(&self, row: usize, word: usize) -> &AtomicU64 {
        // SAFETY: inside the mapping, which lies on a page's boundary, is never unmapped, and is used as atomics by every process.
        unsafe { &*self.memory.as_ptr().cast::<AtomicU64>().add(row * ROW_WORDS + word) }
    }

    /// By all processes that run.
    pub fn used_bytes(&self) -> u64 {
        let of = |row| {
            if is_running(self.word(row, 0).load(SeqCst)) {
                self.word(row, 1).load(SeqCst)
            } else {
                0
            }
        };
        (0..ROWS).map(of).sum()
    }

    pub fn take(&self, bytes: u64) {
        self.word(self.row, 1).fetch_add(bytes, SeqCst);
    }

    pub fn give_back(&self, bytes: u64) {
        self.word(self.row, 1).fetch_sub(bytes, SeqCst);
    }
}
