//! Which of this process's pages a thread may access. A program may unmap or protect its own memory
//! at any time, also while it is registered. NVIDIA's driver then keeps the physical pages. A
//! library that accesses the memory by its addresses must ask first.

use std::ffi::c_void;
use std::io::Error;
use std::ops::Range;
use std::sync::OnceLock;

/// Returns whether all bytes can be read. As when memory is pinned, pages become resident.
pub fn is_readable(range: Range<usize>) -> bool {
    is_accessible(range, libc::MADV_POPULATE_READ)
}

/// Returns whether all bytes can be written. As when memory is pinned, pages become resident.
pub fn is_writable(range: Range<usize>) -> bool {
    is_accessible(range, libc::MADV_POPULATE_WRITE)
}

/// Copies `out.len()` bytes from `address`. Returns false if some of them cannot be read. No other
/// thread can make this function raise a signal, by unmapping the memory meanwhile.
pub fn read(address: usize, out: &mut [u8]) -> bool {
    let (here, there) = (iovec(out.as_mut_ptr() as usize, out.len()), iovec(address, out.len()));
    // SAFETY: the call writes only to `out`. Linux checks the other address.
    let copied = unsafe { libc::process_vm_readv(own_number(), &here, 1, &there, 1, 0) };
    is_copied(copied, out.len()).unwrap_or_else(|| {
        let is_there = is_readable(address..address.saturating_add(out.len()));
        if is_there {
            // SAFETY: Linux has just said that these bytes can be read.
            unsafe { std::ptr::copy(address as *const u8, out.as_mut_ptr(), out.len()) };
        }
        is_there
    })
}

/// Copies `bytes` to `address`. Returns false if some of them cannot be written. No other thread
/// can make this function raise a signal, by unmapping the memory meanwhile.
///
/// # Safety
/// Memory at `address` that can be written is meant for these bytes.
pub unsafe fn write(address: usize, bytes: &[u8]) -> bool {
    let (here, there) = (iovec(bytes.as_ptr() as usize, bytes.len()), iovec(address, bytes.len()));
    // SAFETY: the caller upholds this function's contract. Linux checks the address.
    let copied = unsafe { libc::process_vm_writev(own_number(), &here, 1, &there, 1, 0) };
    is_copied(copied, bytes.len()).unwrap_or_else(|| {
        let is_there = is_writable(address..address.saturating_add(bytes.len()));
        if is_there {
            // SAFETY: Linux has just said that these bytes can be written.
            unsafe { std::ptr::copy(bytes.as_ptr(), address as *mut u8, bytes.len()) };
        }
        is_there
    })
}

/// Returns whether a call copied all bytes, from its result. Returns `None` if a sandbox forbids
/// the call, so that the caller must ask Linux first and then copy by itself.
fn is_copied(result: isize, bytes: usize) -> Option<bool> {
    (result >= 0 || is_no()).then_some(result == bytes as isize)
}

fn iovec(address: usize, bytes: usize) -> libc::iovec {
    libc::iovec { iov_base: address as *mut c_void, iov_len: bytes }
}

fn own_number() -> i32 {
    std::process::id() as i32
}

/// Returns whether the last call failed because of the memory, and not because a sandbox forbids
/// the call.
fn is_no() -> bool {
    let no = [libc::ENOMEM, libc::EFAULT, libc::EINVAL, libc::EHWPOISON];
    Error::last_os_error().raw_os_error().is_some_and(|error| no.contains(&error))
}

fn is_accessible(range: Range<usize>, advice: i32) -> bool {
    if is_supported() {
        return is_answered(range, |address, bytes| {
            // SAFETY: this advice changes no contents.
            unsafe { libc::madvise(address, bytes, advice) }
        });
    }
    is_answered(range, |address, bytes| {
        // SAFETY: this flag has no effect on Linux, except that the call fails for unmapped memory.
        unsafe { libc::msync(address, bytes, libc::MS_ASYNC) }
    })
}

/// Returns whether Linux knows the advice (5.14). Older versions tell only what is unmapped.
fn is_supported() -> bool {
    static SUPPORTED: OnceLock<bool> = OnceLock::new();
    *SUPPORTED.get_or_init(|| {
        let here = &raw const SUPPORTED as usize;
        is_answered(here..here + 1, |address, bytes| {
            // SAFETY: this advice changes no contents.
            unsafe { libc::madvise(address, bytes, libc::MADV_POPULATE_READ) }
        })
    })
}

/// Returns the size of a page, which is 64 KiB on some machines.
fn page_bytes() -> usize {
    // SAFETY: takes no pointers.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// Asks about the pages of `range`. A sandbox that forbids the question does not count as a no.
fn is_answered(range: Range<usize>, ask: impl FnOnce(*mut c_void, usize) -> i32) -> bool {
    let page_bytes = page_bytes();
    let start = range.start / page_bytes * page_bytes;
    let Some(end) = range.end.checked_next_multiple_of(page_bytes) else { return false };
    ask(start as *mut c_void, end - start) == 0 || !is_no()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn pages_that_are_gone_or_protected_are_found() {
        let page_bytes = page_bytes();
        let bytes = 3 * page_bytes;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, of which this test alone knows.
        let page = unsafe {
            libc::mmap(null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        let start = page as usize;
        let access = |range: Range<usize>| (is_readable(range.clone()), is_writable(range));
        let protect = |protection| {
            // SAFETY: the page is this test's own, and no thread uses it.
            let done = unsafe { libc::mprotect(page.byte_add(page_bytes), page_bytes, protection) };
            assert_eq!(done, 0);
        };
        let all = start + 1..start + bytes - 1;
        assert_eq!(access(all.clone()), (true, true));
        protect(libc::PROT_READ);
        assert_eq!(access(all.clone()), (true, false));
        protect(libc::PROT_NONE);
        assert_eq!(access(all.clone()), (false, false));
        // SAFETY: as above.
        assert_eq!(unsafe { libc::munmap(page.byte_add(page_bytes), page_bytes) }, 0);
        assert_eq!(access(all), (false, false));
        assert_eq!(access(start..start + page_bytes), (true, true));
        assert_eq!(access(usize::MAX - 5..usize::MAX), (false, false));
        let mut seen = vec![9; page_bytes];
        assert!(read(start, &mut seen) && seen == vec![0; page_bytes]);
        assert!(!read(start + 1, &mut seen));
        // SAFETY: as above.
        let written = unsafe { [start, start + 1].map(|at| write(at, &vec![7; page_bytes])) };
        assert_eq!(written, [true, false]);
        assert!(read(start, &mut seen) && seen == vec![7; page_bytes]);
        // SAFETY: as above; nothing needs to lie in the middle.
        unsafe { libc::munmap(page, bytes) };
    }
}
