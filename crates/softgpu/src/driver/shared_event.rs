//! Events between processes: a page that all of them map counts how often the event was recorded, and how many of these records were reached.
//! The 64 bytes that one process gives another say where the page is to be found while its owner has the event.

use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use super::error::{Error, Result};
use super::pages;

const HANDLE_BYTES: usize = 64;
const MAGIC: u64 = u64::from_le_bytes(*b"softgpuE");
const PAGE_BYTES: u64 = 4096;
/// A waiting stream looks often at first and then at this interval.
const LOOK_INTERVAL_MAX: Duration = Duration::from_micros(200);

/// What lies at the start of the page.
#[repr(C)]
struct Counts {
    /// Tells the page from another that has the same descriptor later.
    nonce: AtomicU64,
    recorded: AtomicU64,
    reached: AtomicU64,
}

pub struct SharedEvent {
    counts: NonNull<Counts>,
    /// Through which other processes find the page; None in a process that found it.
    descriptor: Option<OwnedFd>,
}

// SAFETY: the page is mapped for as long as this lives, and all of it is atomic.
unsafe impl Send for SharedEvent {}
// SAFETY: as above.
unsafe impl Sync for SharedEvent {}

/// One record, by any process.
pub struct Moment {
    event: Arc<SharedEvent>,
    number: u64,
}

/// A record that this process is to reach. Dropping it reaches it, whether the stream got there or not.
pub struct Approach(Moment);

impl SharedEvent {
    pub fn create() -> Result<SharedEvent> {
        let descriptor = pages::create_shared(PAGE_BYTES)?;
        let event = SharedEvent {
            counts: pages::map_file(&descriptor, PAGE_BYTES)?.cast(),
            descriptor: Some(descriptor),
        };
        event.counts().nonce.store(nonce()?, SeqCst);
        Ok(event)
    }

    fn counts(&self) -> &Counts {
        // SAFETY: the page is mapped, large enough, and begins with these atomics; any bits are values of them.
        unsafe { self.counts.as_ref() }
    }

    pub fn handle(&self) -> Result<[u8; HANDLE_BYTES]> {
        let descriptor = self.descriptor.as_ref().ok_or(Error::InvalidHandle)?;
        let words = [
            MAGIC,
            std::process::id().into(),
            descriptor.as_raw_fd() as u64,
            self.counts().nonce.load(SeqCst),
        ];
        let mut handle = [0; HANDLE_BYTES];
        for (place, word) in handle.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        Ok(handle)
    }

    pub fn open(handle: &[u8; HANDLE_BYTES]) -> Result<SharedEvent> {
        let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|byte| handle[8 * i + byte]));
        let (process, number, nonce) = (word(1), word(2), word(3));
        if word(0) != MAGIC {
            return Err(Error::InvalidValue);
        }
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(format!("/proc/{process}/fd/{number}"));
        let file = OwnedFd::from(file.map_err(|_| Error::InvalidValue)?);
        if pages::shared_bytes(&file)? != PAGE_BYTES {
            return Err(Error::InvalidValue);
        }
        let event =
            SharedEvent { counts: pages::map_file(&file, PAGE_BYTES)?.cast(), descriptor: None };
        if event.counts().nonce.load(SeqCst) == nonce {
            Ok(event)
        } else {
            Err(Error::InvalidValue)
        }
    }

    /// A record that is about to be put into a stream.
    pub fn begin(self: &Arc<Self>) -> Approach {
        Approach(Moment {
            event: Arc::clone(self),
            number: self.counts().recorded.fetch_add(1, SeqCst) + 1,
        })
    }

    /// The last record, whoever made it; None before the first.
    pub fn last(self: &Arc<Self>) -> Option<Moment> {
        let number = self.counts().recorded.load(SeqCst);
        (number > 0).then(|| Moment { event: Arc::clone(self), number })
    }
}

impl Drop for SharedEvent {
    fn drop(&mut self) {
        pages::unmap(self.counts.as_ptr().expose_provenance() as u64, PAGE_BYTES);
    }
}

impl Drop for Approach {
    fn drop(&mut self) {
        self.0.event.counts().reached.fetch_max(self.0.number, SeqCst);
    }
}

impl Moment {
    pub fn is_reached(&self) -> bool {
        self.event.counts().reached.load(SeqCst) >= self.number
    }

    pub fn wait(&self) {
        let mut pause = Duration::from_micros(1);
        while !self.is_reached() {
            std::thread::sleep(pause);
            pause = (pause * 2).min(LOOK_INTERVAL_MAX);
        }
    }
}

fn nonce() -> Result<u64> {
    let mut bytes = [0; 8];
    // SAFETY: the local has room for its own length.
    let filled = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    if filled == bytes.len() as isize {
        Ok(u64::from_le_bytes(bytes))
    } else {
        Err(Error::OperatingSystem)
    }
}
