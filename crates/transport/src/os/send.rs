//! Writing to sockets without a signal. Linux sends SIGPIPE to a thread that writes to a broken
//! connection, and this signal ends a program by default. The program owns the signal's
//! disposition, so this crate does not change it.

use std::io::{self, IoSlice, Write};
use std::os::fd::AsRawFd;

/// Largest number of slices that Linux takes in one call.
const SLICES_MAX: usize = 1024;

/// Sends as many bytes of `slices` as the socket accepts. Returns the number of bytes.
pub fn send(socket: &impl AsRawFd, slices: &[IoSlice<'_>], flags: i32) -> io::Result<usize> {
    // SAFETY: all zero is a valid `msghdr`, which contains only numbers and pointers.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = slices.as_ptr().cast_mut().cast();
    message.msg_iovlen = slices.len().min(SLICES_MAX);
    // SAFETY: an IoSlice has the layout of an iovec, and the bytes are only read.
    let count = unsafe { libc::sendmsg(socket.as_raw_fd(), &message, flags | libc::MSG_NOSIGNAL) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Returns whether a few bytes could be written without blocking.
pub fn is_writable(socket: &impl AsRawFd) -> bool {
    let mut poll = libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
    // SAFETY: the only entry lives through the call.
    unsafe { libc::poll(&mut poll, 1, 0) > 0 }
}

/// Adapts a socket to `Write`, without SIGPIPE.
pub struct Sending<'s, S>(pub &'s S);

impl<S: AsRawFd> Write for Sending<'_, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        send(self.0, &[IoSlice::new(bytes)], 0)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        send(self.0, slices, 0)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns whether the other side has closed the connection or is gone.
pub fn has_ended(socket: &impl AsRawFd) -> bool {
    ends_within(socket, 0)
}

/// Blocks until the other side has closed the connection or is gone. Data that arrives meanwhile
/// does not wake the thread.
pub fn await_end(socket: &impl AsRawFd) {
    while !ends_within(socket, -1) {}
}

fn ends_within(socket: &impl AsRawFd, limit_ms: i32) -> bool {
    let mut poll = libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLRDHUP, revents: 0 };
    // SAFETY: the only entry lives through the call.
    unsafe { libc::poll(&mut poll, 1, limit_ms) > 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect::connection::Connection;
    use crate::lanes::tcp;
    use crate::network::line::Grace;
    use std::mem::MaybeUninit;
    use std::net::{Shutdown, TcpListener, TcpStream};
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;

    /// Returns whether `act` makes its thread receive SIGPIPE, which that thread blocks.
    fn raises_sigpipe(act: impl FnOnce() + Send) -> bool {
        std::thread::scope(|scope| {
            let acting = scope.spawn(|| {
                // SAFETY: both sets are locals, filled before they are read; the mask is this
                // thread's.
                unsafe {
                    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
                    libc::sigemptyset(set.as_mut_ptr());
                    libc::sigaddset(set.as_mut_ptr(), libc::SIGPIPE);
                    libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
                }
                act();
                let mut pending = MaybeUninit::<libc::sigset_t>::uninit();
                // SAFETY: as above.
                unsafe {
                    libc::sigpending(pending.as_mut_ptr()) == 0
                        && libc::sigismember(pending.as_ptr(), libc::SIGPIPE) == 1
                }
            });
            acting.join().unwrap()
        })
    }

    #[test]
    fn no_writing_to_a_broken_connection_raises_sigpipe() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let broken = || {
            let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            stream
        };
        let slices = [IoSlice::new(b"one"), IoSlice::new(b"two")];
        let bare = broken();
        assert!(
            raises_sigpipe(|| assert!((&bare).write_vectored(&slices).is_err())),
            "or this test sees nothing"
        );
        let mut lane = tcp::lane(broken(), Grace::NONE, Arc::default());
        assert!(!raises_sigpipe(|| assert!(lane.writer.write(&[b"one", b"two"]).is_err())));
        let (one, other) = UnixStream::pair().unwrap();
        drop(other);
        for mut connection in [Connection::Tcp(broken()), Connection::Local(one, None)] {
            assert!(!raises_sigpipe(|| assert!(connection.write_all(b"hello").is_err())));
        }
        assert!(!raises_sigpipe(|| assert!(Sending(&broken()).write_vectored(&slices).is_err())));
    }
}
