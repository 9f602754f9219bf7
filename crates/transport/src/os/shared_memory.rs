//! Memory that two processes map. The memory is a memfd that is sealed against shrinking, because
//! an access to a missing page would end the process.

use outhaul_abi::fd;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// A mapping of shared memory.
pub struct SharedMemory {
    address: *mut u8,
    bytes: usize,
}

// SAFETY: plain memory; each reader and writer explains why its access is sound.
unsafe impl Send for SharedMemory {}
// SAFETY: as above.
unsafe impl Sync for SharedMemory {}

fn check(result: i32) -> io::Result<i32> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

impl SharedMemory {
    /// Creates zeroed memory. Returns the memory, and a descriptor with which another process can
    /// map it. Fails with `FileTooLarge` beyond the process's limit on the size of files.
    pub fn create(bytes: usize) -> io::Result<(SharedMemory, OwnedFd)> {
        SharedMemory::create_at(bytes, 0)
    }

    /// Creates memory as `create` does, if possible at `address_hint` (0: anywhere).
    pub fn create_at(bytes: usize, address_hint: usize) -> io::Result<(SharedMemory, OwnedFd)> {
        let descriptor = fd::memory(c"outhaul", libc::MFD_ALLOW_SEALING, bytes as u64)?;
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: the descriptor is open, and the call takes no pointers.
        check(unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_ADD_SEALS, seals) })?;
        Ok((SharedMemory::map(&descriptor, bytes, address_hint)?, descriptor))
    }

    /// Maps memory that another process created. Fails if the memory has another size or can
    /// shrink.
    pub fn adopt(descriptor: &OwnedFd, bytes: usize) -> io::Result<SharedMemory> {
        SharedMemory::adopt_at(descriptor, bytes, 0)
    }

    /// Maps memory as `adopt` does, if possible at `address_hint` (0: anywhere).
    pub fn adopt_at(
        descriptor: &OwnedFd,
        bytes: usize,
        address_hint: usize,
    ) -> io::Result<SharedMemory> {
        // SAFETY: the descriptor is open; the struct is a local, filled before it is read.
        let (seals, size) = unsafe {
            let mut status: libc::stat = std::mem::zeroed();
            check(libc::fstat(descriptor.as_raw_fd(), &mut status))?;
            (check(libc::fcntl(descriptor.as_raw_fd(), libc::F_GET_SEALS))?, status.st_size)
        };
        if seals & libc::F_SEAL_SHRINK == 0 || size as u64 != bytes as u64 {
            let what = format!(
                "shared memory of {size} bytes with seals {seals:#x}, where {bytes} bytes that \
                cannot shrink were agreed"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        SharedMemory::map(descriptor, bytes, address_hint)
    }

    /// Maps the memory at `address_hint` if those addresses are free, otherwise anywhere.
    fn map(descriptor: &OwnedFd, bytes: usize, address_hint: usize) -> io::Result<SharedMemory> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the new mapping replaces no other, because without MAP_FIXED the address is only
        // a hint.
        let address = unsafe {
            libc::mmap(
                address_hint as *mut _,
                bytes,
                protection,
                libc::MAP_SHARED,
                descriptor.as_raw_fd(),
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(SharedMemory { address: address.cast(), bytes })
    }

    /// Returns the address of the first byte, which is at a page boundary.
    pub fn address(&self) -> *mut u8 {
        self.address
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: `map` mapped the memory with this length, and its owner no longer uses it.
        unsafe { libc::munmap(self.address.cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_see_the_same_bytes() {
        let (one, descriptor) = SharedMemory::create(8192).unwrap();
        let other = SharedMemory::adopt(&descriptor, 8192).unwrap();
        // SAFETY: both addresses are inside their mappings.
        unsafe {
            one.address().add(5000).write(7);
            assert_eq!(other.address().add(5000).read(), 7);
        }
    }

    #[test]
    fn memory_of_another_size_or_that_may_shrink_is_refused() {
        let (_memory, descriptor) = SharedMemory::create(8192).unwrap();
        assert!(SharedMemory::adopt(&descriptor, 4096).is_err());
        let unsealed = fd::memory(c"test", libc::MFD_ALLOW_SEALING, 4096).unwrap();
        assert!(SharedMemory::adopt(&unsealed, 4096).is_err());
    }
}
