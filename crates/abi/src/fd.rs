//! Descriptors in a program's process. A program may have closed its standard input, output or
//! error, and Linux gives a new descriptor the lowest free number. The program's output would then
//! go into a connection or into memory of the library. So the library keeps no descriptor below 3.
//! It also makes no file that is larger than the program may write, because Linux would end the
//! program with a signal.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};

/// The lowest number that is neither standard input, output nor error.
const FIRST: RawFd = 3;

/// Takes ownership of the descriptor that a system call returned, and moves it above the standard
/// ones. Fails with the system call's error if `result` is negative.
///
/// # Errors
/// The system call's error, or `EMFILE` if the descriptor cannot be moved.
///
/// # Safety
/// `result` is what a system call has just returned. The descriptor has no other owner.
pub unsafe fn owned(result: RawFd) -> io::Result<OwnedFd> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the caller upholds this function's contract.
    above_stdio(unsafe { OwnedFd::from_raw_fd(result) })
}

/// Moves a new descriptor above the standard ones. Call this before the descriptor is connected or
/// has contents, because until then another thread's output may go there.
///
/// # Errors
/// `EMFILE` if the process may open no more files.
pub fn above_stdio<F: AsFd + From<OwnedFd>>(descriptor: F) -> io::Result<F> {
    if descriptor.as_fd().as_raw_fd() >= FIRST {
        return Ok(descriptor);
    }
    // The standard library duplicates to numbers from 3 on.
    descriptor.as_fd().try_clone_to_owned().map(F::from)
}

/// Creates an unnamed file in memory of `bytes` zeros. `flags` are those of `memfd_create` beyond
/// close-on-exec.
///
/// # Errors
/// As of `may_write`, or an error of Linux.
pub fn memory(name: &CStr, flags: libc::c_uint, bytes: u64) -> io::Result<OwnedFd> {
    // SAFETY: the name is a C string, and the descriptor has no other owner.
    let descriptor =
        unsafe { owned(libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | flags)) }?;
    set_bytes(&descriptor, bytes)?;
    Ok(descriptor)
}

/// Sets a file's size.
///
/// # Errors
/// As of `may_write`, or an error of Linux.
pub fn set_bytes(file: &impl AsFd, bytes: u64) -> io::Result<()> {
    may_write(bytes)?;
    let length =
        libc::off_t::try_from(bytes).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    // SAFETY: the descriptor is open, and the call takes no pointers.
    if unsafe { libc::ftruncate(file.as_fd().as_raw_fd(), length) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Checks that this process may make a file of `bytes` bytes. Beyond its limit (`ulimit -f`), which
/// also counts for files in memory, Linux sends SIGXFSZ, which ends most programs.
///
/// # Errors
/// `FileTooLarge`, with words about the limit.
pub fn may_write(bytes: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the local is valid for writes.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    if bytes <= limit.rlim_cur {
        return Ok(());
    }
    let text = format!(
        "this process may make files of at most {} bytes, also in memory, and {bytes} are needed: \
        raise its limit (`ulimit -f`)",
        limit.rlim_cur
    );
    Err(io::Error::new(io::ErrorKind::FileTooLarge, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `check` in a child process, whose descriptors and limits the test may change. Returns
    /// whether `check` returned true.
    fn is_true_in_a_child(check: impl FnOnce() -> bool) -> bool {
        let mut status = 0;
        // SAFETY: the child makes only system calls and small allocations, and ends at once.
        unsafe {
            match libc::fork() {
                0 => libc::_exit(i32::from(!check())),
                child => assert_eq!(libc::waitpid(child, &raw mut status, 0), child),
            }
        }
        status == 0
    }

    #[test]
    fn no_descriptor_gets_a_standard_number() {
        assert!(is_true_in_a_child(|| {
            // SAFETY: the child uses none of them afterwards; the calls below make descriptors
            // without another owner.
            unsafe {
                (0..FIRST).for_each(|number| assert_eq!(libc::close(number), 0));
                let socket = || owned(libc::socket(libc::AF_UNIX, libc::SOCK_STREAM, 0)).unwrap();
                let all = [memory(c"test", 0, 1).unwrap(), socket(), socket(), socket()];
                all.iter().all(|one| one.as_raw_fd() >= FIRST)
                    && (0..FIRST).all(|number| libc::fcntl(number, libc::F_GETFD) < 0)
            }
        }));
    }

    #[test]
    fn memory_beyond_the_limit_is_an_error_and_no_signal() {
        assert!(is_true_in_a_child(|| {
            let limit = libc::rlimit { rlim_cur: 4096, rlim_max: 4096 };
            // SAFETY: the local is valid for reads.
            unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) };
            let refused = memory(c"test", 0, 4097).unwrap_err();
            memory(c"test", 0, 4096).is_ok()
                && refused.kind() == io::ErrorKind::FileTooLarge
                && refused.to_string().contains("at most 4096 bytes")
        }));
    }
}
