//! Reports, when a program ends, that it never loaded Outhaul's libcuda.so.1. The program replaces
//! `outhaul run`, so a separate process waits. That process ends when the library reports that a
//! program loaded it, usually within moments, or when the program ends.

use outhaul_abi::loading::witness::{LOADED, VARIABLE};
use outhaul_pool::identity::secret::random_digits;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

const MISSED: &str = "outhaul: the program never loaded Outhaul's libcuda.so.1, nor did one that \
it started, so it used no GPU of Outhaul's. \
    Check that it uses CUDA, and that no script that starts it resets LD_LIBRARY_PATH or clears \
    the environment. `outhaul run --quiet` omits this line.\n";
/// Number of descriptors to close if Linux lacks close_range.
const DESCRIPTORS_MAX: RawFd = 1024;
const DIGITS: usize = 16;

/// The socket on which the library reports that it was loaded.
pub struct Witness {
    /// Name of the socket, as in the program's environment.
    name: String,
}

impl Witness {
    /// Starts the process that waits, or returns none if the system lacks what the process needs.
    pub fn stand() -> Option<Witness> {
        let name = format!("outhaul-run-{}-{}", std::process::id(), random_digits(DIGITS).ok()?);
        let socket = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).ok()?).ok()?;
        let program = this_process()?;
        // SAFETY: the children make only system calls on descriptors that the parent opened, and
        // end by _exit.
        unsafe {
            match libc::fork() {
                -1 => return None,
                // The grandchild does the work, so that the program finds no child that it did not
                // start.
                0 => match libc::fork() {
                    0 => watch(program.as_raw_fd(), socket.as_raw_fd()),
                    _ => libc::_exit(0),
                },
                child => {
                    while libc::waitpid(child, std::ptr::null_mut(), 0) < 0
                        && *libc::__errno_location() == libc::EINTR
                    {}
                }
            }
        }
        Some(Witness { name })
    }

    /// Returns the environment variable that names the socket to the program.
    pub fn variable(&self) -> (&'static str, &str) {
        (VARIABLE, &self.name)
    }

    /// Ends the process that waits, because the program did not start.
    pub fn dismiss(&self) {
        let address = SocketAddr::from_abstract_name(&self.name);
        let _ = address.and_then(|address| UnixDatagram::unbound()?.send_to_addr(LOADED, &address));
    }
}

/// Opens a pidfd of this process, and so of the program that replaces it.
fn this_process() -> Option<OwnedFd> {
    // SAFETY: takes no pointers; nothing else owns the new descriptor.
    unsafe {
        let descriptor = libc::syscall(libc::SYS_pidfd_open, libc::getpid(), 0);
        (descriptor >= 0).then(|| OwnedFd::from_raw_fd(descriptor as RawFd))
    }
}

/// Waits for the library's report or the program's end. Prints a message if the program did not
/// load the library.
///
/// # Safety
/// The calling process is the child of a fork, and owns both descriptors.
unsafe fn watch(program: RawFd, socket: RawFd) -> ! {
    // SAFETY: the pointers are to locals and static strings, passed with their true lengths.
    unsafe {
        // Detaches from the terminal, because a signal that ends the program must not end this
        // process first.
        libc::setsid();
        libc::chdir(c"/".as_ptr());
        keep_only([libc::STDERR_FILENO, program.min(socket), program.max(socket)]);
        let mut waited =
            [program, socket].map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
        while libc::poll(waited.as_mut_ptr(), waited.len() as libc::nfds_t, -1) < 0 {
            if *libc::__errno_location() != libc::EINTR {
                // Nothing can be said about the program.
                libc::_exit(1)
            }
        }
        let mut word = [0u8; LOADED.len()];
        // The report may have arrived just before the end.
        if libc::recv(socket, word.as_mut_ptr().cast(), word.len(), libc::MSG_DONTWAIT) < 0 {
            libc::write(libc::STDERR_FILENO, MISSED.as_ptr().cast(), MISSED.len());
        }
        libc::_exit(0)
    }
}

/// Closes all descriptors except `kept`, so that readers of the program's output see its end.
/// `kept` must be ascending.
///
/// # Safety
/// Nothing else in this process uses the closed descriptors.
unsafe fn keep_only(kept: [RawFd; 3]) {
    let mut first = 0;
    for last in kept.map(|fd| fd - 1).into_iter().chain([RawFd::MAX]) {
        // SAFETY: takes no pointers.
        if last >= first && unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } < 0 {
            // SAFETY: takes no pointers.
            (first..=last.min(DESCRIPTORS_MAX)).for_each(|fd| _ = unsafe { libc::close(fd) });
        }
        first = last.saturating_add(2);
    }
}
