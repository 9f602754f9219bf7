//! Descriptors that a process of this program inherits from the process that starts it. They follow
//! the standard streams, in the order of the caller's list.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// The first inherited descriptor.
const FIRST: RawFd = 3;

/// Starts a process that inherits `fds`.
pub fn spawn_with(mut command: Command, fds: &[BorrowedFd<'_>]) -> io::Result<Child> {
    let mut fds: Vec<RawFd> = fds.iter().map(AsRawFd::as_raw_fd).collect();
    // SAFETY: the closure calls only functions that are safe between fork and exec.
    unsafe { command.pre_exec(move || put_in_place(&mut fds)) };
    command.spawn()
}

/// Moves the descriptors to their final numbers. This function runs in the child, where it must not
/// allocate memory.
fn put_in_place(fds: &mut [RawFd]) -> io::Result<()> {
    let check = |result: i32| if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) };
    let end_fd = end(fds.len());
    // Move the descriptors away first, because one may have the number that another needs.
    for fd in fds.iter_mut() {
        // SAFETY: fcntl takes no pointers here.
        *fd = check(unsafe { libc::fcntl(*fd, libc::F_DUPFD_CLOEXEC, end_fd) })?;
    }
    for (place, fd) in (FIRST..end_fd).zip(fds) {
        // SAFETY: dup2 takes no pointers. It clears close-on-exec on its result.
        check(unsafe { libc::dup2(*fd, place) })?;
    }
    Ok(())
}

/// Returns the number after the last of `count` inherited descriptors.
pub fn end(count: usize) -> RawFd {
    FIRST + count as RawFd
}

/// Takes over `count` descriptors that this process inherited, and makes them close on exec.
/// Returns None for each descriptor that is not open.
///
/// # Safety
/// No other code in this process owns these descriptors, and none has opened any yet.
pub unsafe fn take(count: usize) -> Vec<Option<OwnedFd>> {
    (FIRST..end(count))
        .map(|fd| {
            // SAFETY: fcntl takes no pointers here; the caller guarantees that no other code owns
            // the descriptor.
            unsafe {
                (libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) == 0)
                    .then(|| OwnedFd::from_raw_fd(fd))
            }
        })
        .collect()
}
