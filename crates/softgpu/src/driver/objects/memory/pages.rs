//! Memory as the operating system sees it: reserves, opens and closes address space.
//!
//! All calls of `mmap` and similar functions are here. They take addresses and lengths, so that the
//! rest of the driver layer computes with numbers.

use outhaul_abi::fd;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::ptr::{self, NonNull};

use crate::driver::system::error::{Error, Result};

/// A GPU's page size, which is also the granularity of the virtual-memory API.
pub const PAGE_BYTES: u64 = 2 << 20;

/// Reserves inaccessible address space, at `wanted` if that range is free.
pub fn reserve(bytes: u64, align: u64, wanted: Option<u64>) -> Result<u64> {
    if let Some(address) = wanted
        && let Some(address) = map_nothing(address, bytes, libc::MAP_FIXED_NOREPLACE)
    {
        return Ok(address);
    }
    let slack = bytes.checked_add(align).ok_or(Error::OutOfMemory)?;
    let start = map_nothing(0, slack, 0).ok_or(Error::OutOfMemory)?;
    let address = start.next_multiple_of(align);
    unmap(start, address - start);
    unmap(address + bytes, start + slack - address - bytes);
    Ok(address)
}

/// End of the 32-bit addresses.
pub const LOW_END: u64 = 1 << 32;

/// Reserves address space like [`reserve`], but below 4 GiB, at the first free address from 256
/// MiB.
pub fn reserve_low(bytes: u64, align: u64) -> Result<u64> {
    let step = bytes.max(align);
    let free = |address: &u64| map_nothing(*address, bytes, libc::MAP_FIXED_NOREPLACE).is_some();
    (256 << 20..LOW_END - bytes).step_by(step as usize).find(free).ok_or(Error::OutOfMemory)
}

fn map_nothing(address: u64, bytes: u64, extra: i32) -> Option<u64> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | extra;
    // SAFETY: never replaces a mapping, because either Linux chooses the address or NOREPLACE is
    // set.
    let got = unsafe {
        libc::mmap(
            ptr::without_provenance_mut(address as usize),
            bytes as usize,
            libc::PROT_NONE,
            flags,
            -1,
            0,
        )
    };
    if got == libc::MAP_FAILED {
        return None;
    }
    let got = got.expose_provenance() as u64;
    // Linux before 4.17 treats the address as a hint only.
    if extra != 0 && got != address {
        unmap(got, bytes);
        return None;
    }
    Some(got)
}

/// Makes reserved pages readable and writable. The pages read as zero.
pub fn open(address: u64, bytes: u64) -> Result<()> {
    // SAFETY: the caller names pages that it reserved.
    let opened = unsafe {
        libc::mprotect(pointer(address), bytes as usize, libc::PROT_READ | libc::PROT_WRITE)
    };
    if opened != 0 {
        return Err(Error::OutOfMemory);
    }
    if bytes > PAGE_BYTES {
        // SAFETY: as above; the advice affects only performance.
        unsafe { libc::madvise(pointer(address), bytes as usize, libc::MADV_HUGEPAGE) };
    }
    Ok(())
}

/// Frees the pages' memory and makes the pages inaccessible. The reservation remains.
pub fn close(address: u64, bytes: u64) {
    // SAFETY: the caller names pages of its own reservation that are no longer in use.
    unsafe {
        libc::madvise(pointer(address), bytes as usize, libc::MADV_DONTNEED);
        libc::mprotect(pointer(address), bytes as usize, libc::PROT_NONE);
    }
}

/// Frees address space.
pub fn unmap(address: u64, bytes: u64) {
    if bytes > 0 {
        // SAFETY: the caller owns this range of the address space.
        unsafe { libc::munmap(pointer(address), bytes as usize) };
    }
}

/// Maps readable and writable memory at any address, for pinned host memory.
pub fn map_anonymous(bytes: u64) -> Result<u64> {
    let address = map_nothing(0, bytes, 0).ok_or(Error::OutOfMemory)?;
    match open(address, bytes) {
        Ok(()) => Ok(address),
        Err(error) => {
            unmap(address, bytes);
            Err(error)
        }
    }
}

/// Creates an unnamed file in memory, which several mappings and processes can share.
pub fn create_shared(bytes: u64) -> Result<OwnedFd> {
    fd::memory(c"outhaul-softgpu", 0, bytes).map_err(|_| Error::OutOfMemory)
}

/// Sets a file's size.
pub fn set_bytes(fd: &OwnedFd, bytes: u64) -> Result<()> {
    fd::set_bytes(fd, bytes).map_err(|_| Error::OutOfMemory)
}

/// Returns the size of a file that `create_shared` made in this process or another.
pub fn shared_bytes(fd: &OwnedFd) -> Result<u64> {
    // SAFETY: an all-zero stat is valid, because stat is a plain structure.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the local `stat` is valid for writes.
    if unsafe { libc::fstat(fd.as_raw_fd(), &raw mut stat) } != 0 {
        return Err(Error::InvalidValue);
    }
    u64::try_from(stat.st_size).map_err(|_| Error::InvalidValue)
}

/// Maps the start of a shared file, readable and writable, at any address.
pub fn map_file(file: impl AsFd, bytes: u64) -> Result<NonNull<u8>> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: makes a new mapping and replaces none.
    let got = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes as usize,
            access,
            libc::MAP_SHARED,
            file.as_fd().as_raw_fd(),
            0,
        )
    };
    if got == libc::MAP_FAILED {
        Err(Error::OutOfMemory)
    } else {
        NonNull::new(got.cast()).ok_or(Error::OutOfMemory)
    }
}

/// Maps shared memory over reserved pages. The pages are inaccessible until `protect` opens them.
pub fn map_shared(address: u64, bytes: u64, fd: &OwnedFd, offset: u64) -> Result<()> {
    let offset = i64::try_from(offset).map_err(|_| Error::InvalidValue)?;
    let flags = libc::MAP_SHARED | libc::MAP_FIXED;
    // SAFETY: the caller names pages of its own reservation, where there is no mapping.
    let got = unsafe {
        libc::mmap(pointer(address), bytes as usize, libc::PROT_NONE, flags, fd.as_raw_fd(), offset)
    };
    if got == libc::MAP_FAILED { Err(Error::OutOfMemory) } else { Ok(()) }
}

/// Unmaps pages, so that only their reservation remains.
pub fn unmap_shared(address: u64, bytes: u64) {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    // SAFETY: the caller names pages that it mapped over its own reservation.
    unsafe { libc::mmap(pointer(address), bytes as usize, libc::PROT_NONE, flags, -1, 0) };
}

/// The permitted accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    None,
    Read,
    ReadWrite,
}

/// Sets the permitted accesses to mapped pages.
pub fn protect(address: u64, bytes: u64, access: Access) -> Result<()> {
    let bits = match access {
        Access::None => libc::PROT_NONE,
        Access::Read => libc::PROT_READ,
        Access::ReadWrite => libc::PROT_READ | libc::PROT_WRITE,
    };
    // SAFETY: the caller names pages that it mapped.
    if unsafe { libc::mprotect(pointer(address), bytes as usize, bits) } != 0 {
        return Err(Error::InvalidValue);
    }
    Ok(())
}

/// Returns a device address as a pointer. Device addresses are host addresses of this process.
pub fn pointer<T>(address: u64) -> *mut T {
    ptr::with_exposed_provenance_mut(address as usize)
}
