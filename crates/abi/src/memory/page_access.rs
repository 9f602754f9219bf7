//! Which of this process's pages a thread may access. A program may unmap or protect its own memory
//! at any time, also while it is registered. NVIDIA's driver then keeps the physical pages. A
//! library that accesses the memory by its addresses must ask first.

use std::ffi::c_void;
use std::io::Error;
use std::ops::Range;
use std::sync::OnceLock;

const PAGE_BYTES: usize = 4096;

/// Returns whether all bytes can be read. As when memory is pinned, pages become resident.
pub fn is_readable(range: Range<usize>) -> bool {
    is_accessible(range, libc::MADV_POPULATE_READ)
}

/// Returns whether all bytes can be written. As when memory is pinned, pages become resident.
pub fn is_writable(range: Range<usize>) -> bool {
    is_accessible(range, libc::MADV_POPULATE_WRITE)
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

/// Asks about the pages of `range`. A sandbox that forbids the question does not count as a no.
fn is_answered(range: Range<usize>, ask: impl FnOnce(*mut c_void, usize) -> i32) -> bool {
    let start = range.start / PAGE_BYTES * PAGE_BYTES;
    let Some(end) = range.end.checked_next_multiple_of(PAGE_BYTES) else { return false };
    let no = [libc::ENOMEM, libc::EFAULT, libc::EINVAL, libc::EHWPOISON];
    let error = |_| Error::last_os_error().raw_os_error();
    let answer = Some(ask(start as *mut c_void, end - start)).filter(|answer| *answer != 0);
    answer.and_then(error).is_none_or(|error| !no.contains(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn pages_that_are_gone_or_protected_are_found() {
        let bytes = 3 * PAGE_BYTES;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, of which this test alone knows.
        let page = unsafe {
            libc::mmap(null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        let start = page as usize;
        let access = |range: Range<usize>| (is_readable(range.clone()), is_writable(range));
        let protect = |protection| {
            // SAFETY: the page is this test's own, and no thread uses it.
            let done = unsafe { libc::mprotect(page.byte_add(PAGE_BYTES), PAGE_BYTES, protection) };
            assert_eq!(done, 0);
        };
        let all = start + 1..start + bytes - 1;
        assert_eq!(access(all.clone()), (true, true));
        protect(libc::PROT_READ);
        assert_eq!(access(all.clone()), (true, false));
        protect(libc::PROT_NONE);
        assert_eq!(access(all.clone()), (false, false));
        // SAFETY: as above.
        assert_eq!(unsafe { libc::munmap(page.byte_add(PAGE_BYTES), PAGE_BYTES) }, 0);
        assert_eq!(access(all), (false, false));
        assert_eq!(access(start..start + PAGE_BYTES), (true, true));
        assert_eq!(access(usize::MAX - 5..usize::MAX), (false, false));
        // SAFETY: as above; nothing needs to lie in the middle.
        unsafe { libc::munmap(page, bytes) };
    }
}
