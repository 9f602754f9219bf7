//! Executable memory. Compiled functions are copied into writable pages, which then become
//! executable.

use outhaul_lock::RwLock;
use std::collections::BTreeMap;
use std::io;

/// Address ranges of all compiled code: from first address to end.
static RANGES: RwLock<BTreeMap<usize, usize>> = RwLock::new(BTreeMap::new());

/// Returns whether an address is in compiled code. Signal handlers call this function, so it never
/// waits. It returns false if the lock is taken.
pub fn contains(address: usize) -> bool {
    let Some(ranges) = RANGES.try_read() else { return false };
    ranges.range(..=address).next_back().is_some_and(|(_, end)| address < *end)
}

/// Executable memory with machine code.
pub struct Code {
    base: *mut u8,
    bytes: usize,
}

// SAFETY: the mapping is read-only and executable after construction.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// Copies machine code into executable memory.
    pub fn new(machine_code: &[u8]) -> io::Result<Code> {
        let bytes = machine_code.len().max(1).next_multiple_of(4096);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new anonymous mapping, which is written within its size before it becomes
        // executable.
        unsafe {
            let base = libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                flags,
                -1,
                0,
            );
            if base == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let code = Code { base: base.cast(), bytes };
            std::ptr::copy_nonoverlapping(machine_code.as_ptr(), code.base, machine_code.len());
            if libc::mprotect(base, bytes, libc::PROT_READ | libc::PROT_EXEC) != 0 {
                return Err(io::Error::last_os_error());
            }
            RANGES.write().insert(code.base as usize, code.base as usize + bytes);
            Ok(code)
        }
    }

    /// Returns the address of the first byte.
    pub fn address(&self) -> *mut u8 {
        self.base
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        RANGES.write().remove(&(self.base as usize));
        // SAFETY: this is the mapping from `new`, and the program that owns the code has no launch
        // in flight.
        unsafe { libc::munmap(self.base.cast(), self.bytes) };
    }
}
