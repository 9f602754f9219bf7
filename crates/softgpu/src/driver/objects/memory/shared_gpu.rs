//! A GPU that several processes share. A file that all of them map records each process's device
//! memory use. Without the file, every process has its own GPU. Memory of a process that has ended
//! counts as free.

use crate::driver::objects::memory::pages;
use crate::driver::system::error::{Error, Result};
use outhaul_abi::fd;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Maximum number of processes that use one device.
const ROWS: usize = 256;
/// File size; the file has one counter per process.
const BYTES: usize = ROWS * size_of::<AtomicU64>();

/// The mapped file, and this process's row in it.
pub struct SharedGpu {
    file: File,
    memory: NonNull<u8>,
    row: usize,
}

// SAFETY: the memory is accessed only through atomics.
unsafe impl Send for SharedGpu {}
// SAFETY: as above.
unsafe impl Sync for SharedGpu {}

/// Returns the lock of a row's byte in the file, which the row's process holds. Linux releases the
/// lock when the process ends, even before its parent has reaped it. Linux also reports the lock
/// where processes may not inspect each other.
fn lock_of(row: usize) -> libc::flock {
    libc::flock {
        l_type: libc::F_WRLCK as i16,
        l_whence: libc::SEEK_SET as i16,
        l_start: row as libc::off_t,
        l_len: 1,
        l_pid: 0,
    }
}

impl SharedGpu {
    /// Opens the file and claims a row. All processes that open the same file share one GPU.
    pub fn open(path: &Path) -> Result<SharedGpu> {
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .and_then(fd::above_stdio)
            .map_err(|_| Error::OperatingSystem)?;
        fd::set_bytes(&file, BYTES as u64).map_err(|_| Error::OperatingSystem)?;
        let memory = pages::map_file(file.as_fd(), BYTES as u64)?;
        let mut shared_gpu = SharedGpu { file, memory, row: 0 };
        shared_gpu.row = (0..ROWS).find(|row| shared_gpu.claim(*row)).ok_or(Error::OutOfMemory)?;
        shared_gpu.used(shared_gpu.row).store(0, SeqCst);
        Ok(shared_gpu)
    }

    fn claim(&self, row: usize) -> bool {
        // SAFETY: the descriptor is open, and `fcntl` only reads the lock during the call.
        unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_OFD_SETLK, &lock_of(row)) == 0 }
    }

    /// Returns whether another process holds the row.
    fn is_claimed(&self, row: usize) -> bool {
        let mut lock = lock_of(row);
        // SAFETY: the descriptor is open, and `lock` is valid for reads and writes during the call.
        let asked = unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_OFD_GETLK, &mut lock) };
        asked == 0 && lock.l_type != libc::F_UNLCK as i16
    }

    fn used(&self, row: usize) -> &AtomicU64 {
        // SAFETY: the row is inside the mapping, which is page-aligned and never unmapped. All
        // processes access the mapping only through atomics.
        unsafe { &*self.memory.as_ptr().cast::<AtomicU64>().add(row) }
    }

    /// Returns the number of bytes that all running processes use.
    pub fn used_bytes(&self) -> u64 {
        let of = |row| match self.used(row).load(SeqCst) {
            used if used > 0 && (row == self.row || self.is_claimed(row)) => used,
            _ => 0,
        };
        (0..ROWS).map(of).sum()
    }

    /// Records that this process allocates memory.
    pub fn take(&self, bytes: u64) {
        self.used(self.row).fetch_add(bytes, SeqCst);
    }

    /// Records that this process frees memory.
    pub fn give_back(&self, bytes: u64) {
        self.used(self.row).fetch_sub(bytes, SeqCst);
    }
}
