//! Descriptors that a process of this program inherits from the one that starts it. They come after
//! the standard streams, in the order in which they were given.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// The first inherited descriptor.
const FIRST: RawFd = 3;

/// Starts a process that inherits the descriptors.
pub fn spawn_with(mut command: Command, fds: &[BorrowedFd<'_>]) -> io::Result<Child> {
    let mut fds: Vec<RawFd> = fds.iter().map(AsRawFd::as_raw_fd).collect();
    // SAFETY: the closure calls only functions that are safe between fork and exec.
    unsafe { command.pre_exec(move || put_in_place(&mut fds)) };
    command.spawn()
}

/// Runs in the child, where it may not allocate memory: moves the descriptors to their places.
fn put_in_place(fds: &mut [RawFd]) -> io::Result<()> {
    let check = |result: i32| if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) };
    let end_fd = end(fds.len());
    // Move the descriptors away first, because one may be where another belongs.
    for fd in fds.iter_mut() {
        // SAFETY: a plain descriptor call.
        *fd = check(unsafe { libc::fcntl(*fd, libc::F_DUPFD_CLOEXEC, end_fd) })?;
    }
    for (place, fd) in (FIRST..end_fd).zip(fds) {
        // SAFETY: as above. dup2 clears close-on-exec on its result.
        check(unsafe { libc::dup2(*fd, place) })?;
    }
    Ok(())
}

/// Returns the descriptor after the last of so many inherited ones.
pub fn end(count: usize) -> RawFd {
    FIRST + count as RawFd
}

/// Takes over so many descriptors that this process inherited. Returns None for each that is not
/// open. From now on they close on exec.
///
/// # Safety
/// No other code in this process owns these descriptors, and none has opened any yet.
pub unsafe fn take(count: usize) -> Vec<Option<OwnedFd>> {
    (FIRST..end(count))
        .map(|fd| {
            // SAFETY: a plain descriptor call, and the caller's promise.
            unsafe {
                (libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) == 0)
                    .then(|| OwnedFd::from_raw_fd(fd))
            }
        })
        .collect()
}
