//! Events shared between processes. All processes map a page that counts how often the event was
//! recorded and how many of these records were reached. An IPC handle of 64 bytes locates the page
//! while its owner has the event.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use crate::driver::objects::memory::pages;
use crate::driver::system::error::{Error, Result};
use outhaul_abi::fd;

const HANDLE_BYTES: usize = 64;
const MAGIC: u64 = u64::from_le_bytes(*b"softgpuE");
/// Magic number of a handle whose page is a file in its owner's folder.
const MAGIC_OF_FILE: u64 = u64::from_le_bytes(*b"softgpuF");
/// Environment variable with this process's folder for pages, for systems in which processes may
/// not inspect each other. The folder is in a folder of its node, next to the other processes'
/// folders. The nodes' folders are in a common folder. Each name is an unguessable number.
const FOLDER_VARIABLE: &str = "OUTHAUL_SOFT_EVENTS";
const PAGE_BYTES: u64 = 4096;
/// Maximum interval between polls. The interval is shorter at first.
const POLL_INTERVAL_MAX: Duration = Duration::from_micros(200);

/// The beginning of the page.
#[repr(C)]
struct Counts {
    /// Number that distinguishes the page from a later page with the same descriptor.
    nonce: AtomicU64,
    recorded: AtomicU64,
    reached: AtomicU64,
}

/// The location where other processes find a page.
enum SharedPage {
    Descriptor(OwnedFd),
    /// A file in this process's folder, removed with the event.
    File(PathBuf),
    /// The page belongs to another process.
    Others,
}

/// An event that several processes share.
pub struct SharedEvent {
    counts: NonNull<Counts>,
    place: SharedPage,
}

// SAFETY: the page stays mapped while this value lives, and all of its contents are atomics.
unsafe impl Send for SharedEvent {}
// SAFETY: as above.
unsafe impl Sync for SharedEvent {}

/// A record made by any process.
pub struct Moment {
    event: Arc<SharedEvent>,
    number: u64,
}

/// A record that this process will reach. Dropping the value marks the record as reached, even if
/// the stream did not reach it.
pub struct Approach(Moment);

impl SharedEvent {
    /// Creates a shared event and its page.
    pub fn create() -> Result<SharedEvent> {
        let nonce = nonce()?;
        let (file, place) = match own_folder() {
            Some(folder) => {
                let path = folder.join(name(nonce));
                let file =
                    std::fs::File::options().read(true).write(true).create_new(true).open(&path);
                let file = file.and_then(fd::above_stdio).map_err(|_| Error::OperatingSystem)?;
                (OwnedFd::from(file), Some(path))
            }
            None => (pages::create_shared(PAGE_BYTES)?, None),
        };
        pages::set_bytes(&file, PAGE_BYTES)?;
        let counts = pages::map_file(&file, PAGE_BYTES)?.cast();
        let event = SharedEvent {
            counts,
            place: place.map_or(SharedPage::Descriptor(file), SharedPage::File),
        };
        event.counts().nonce.store(nonce, SeqCst);
        Ok(event)
    }

    fn counts(&self) -> &Counts {
        // SAFETY: the page is mapped, large enough, and begins with these atomics, for which any
        // bits are valid.
        unsafe { self.counts.as_ref() }
    }

    /// Returns the IPC handle with which other processes open the event.
    pub fn handle(&self) -> Result<[u8; HANDLE_BYTES]> {
        let nonce = self.counts().nonce.load(SeqCst);
        let words = match &self.place {
            SharedPage::Descriptor(descriptor) => {
                [MAGIC, std::process::id().into(), descriptor.as_raw_fd() as u64, nonce]
            }
            SharedPage::File(path) => {
                let above = |generation| {
                    path.ancestors().nth(generation).and_then(number).ok_or(Error::InvalidHandle)
                };
                [MAGIC_OF_FILE, above(2)?, above(1)?, nonce]
            }
            SharedPage::Others => return Err(Error::InvalidHandle),
        };
        let mut handle = [0; HANDLE_BYTES];
        for (place, word) in handle.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        Ok(handle)
    }

    /// Opens an event of another process by its IPC handle.
    pub fn open(handle: &[u8; HANDLE_BYTES]) -> Result<SharedEvent> {
        let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|byte| handle[8 * i + byte]));
        let (owner, place, nonce) = (word(1), word(2), word(3));
        let path = match word(0) {
            MAGIC => PathBuf::from(format!("/proc/{owner}/fd/{place}")),
            MAGIC_OF_FILE => {
                let own = own_folder().ok_or(Error::InvalidValue)?;
                let nodes = own.ancestors().nth(2).ok_or(Error::InvalidValue)?;
                nodes.join(name(owner)).join(name(place)).join(name(nonce))
            }
            _ => return Err(Error::InvalidValue),
        };
        let file = std::fs::OpenOptions::new().read(true).write(true).open(path);
        let file = file.and_then(fd::above_stdio).map_err(|_| Error::InvalidValue)?;
        let file = OwnedFd::from(file);
        if pages::shared_bytes(&file)? != PAGE_BYTES {
            return Err(Error::InvalidValue);
        }
        let event = SharedEvent {
            counts: pages::map_file(&file, PAGE_BYTES)?.cast(),
            place: SharedPage::Others,
        };
        if event.counts().nonce.load(SeqCst) == nonce {
            Ok(event)
        } else {
            Err(Error::InvalidValue)
        }
    }

    /// Begins a record that is about to be submitted to a stream.
    pub fn begin(self: &Arc<Self>) -> Approach {
        Approach(Moment {
            event: Arc::clone(self),
            number: self.counts().recorded.fetch_add(1, SeqCst) + 1,
        })
    }

    /// Returns the last record by any process, or `None` before the first.
    pub fn last(self: &Arc<Self>) -> Option<Moment> {
        let number = self.counts().recorded.load(SeqCst);
        (number > 0).then(|| Moment { event: Arc::clone(self), number })
    }
}

impl Drop for SharedEvent {
    fn drop(&mut self) {
        pages::unmap(self.counts.as_ptr().expose_provenance() as u64, PAGE_BYTES);
        if let SharedPage::File(path) = &self.place {
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Drop for Approach {
    fn drop(&mut self) {
        self.0.event.counts().reached.fetch_max(self.0.number, SeqCst);
    }
}

impl Moment {
    /// Returns whether the record has been reached.
    pub fn is_reached(&self) -> bool {
        self.event.counts().reached.load(SeqCst) >= self.number
    }

    /// Waits until the record is reached.
    pub fn wait(&self) {
        let mut pause = Duration::from_micros(1);
        while !self.is_reached() {
            std::thread::sleep(pause);
            pause = (pause * 2).min(POLL_INTERVAL_MAX);
        }
    }
}

fn own_folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// Returns the name of a folder or file: the number in hexadecimal.
fn name(number: u64) -> String {
    format!("{number:016x}")
}

fn number(path: &Path) -> Option<u64> {
    u64::from_str_radix(path.file_name()?.to_str()?, 16).ok()
}

fn nonce() -> Result<u64> {
    let mut bytes = [0; 8];
    // SAFETY: `bytes` is a local array that is valid for writes of its whole length.
    let filled = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    if filled == bytes.len() as isize {
        Ok(u64::from_le_bytes(bytes))
    } else {
        Err(Error::OperatingSystem)
    }
}
