//! Reads that share one deadline. A time limit on each read alone would not help, because a slow
//! sender could send byte after byte forever.

use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};

/// A point in time at which reading ends.
#[derive(Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// Returns whether the deadline has passed.
    pub fn is_over(self) -> bool {
        Instant::now() >= self.0
    }

    /// Returns the earlier of the two deadlines.
    pub fn or(self, other: Deadline) -> Deadline {
        Deadline(self.0.min(other.0))
    }

    /// Returns the deadline that is `limit` from now.
    pub fn after(limit: Duration) -> Deadline {
        Deadline(Instant::now() + limit)
    }

    /// Waits until a read from the socket would not block: data has arrived, or the other side is
    /// gone. Fails with `TimedOut` after the deadline.
    pub fn wait_for(self, socket: &impl AsFd) -> io::Result<()> {
        let mut poll =
            libc::pollfd { fd: socket.as_fd().as_raw_fd(), events: libc::POLLIN, revents: 0 };
        loop {
            let left = self.0.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "the other side takes too long",
                ));
            }
            // SAFETY: the only entry lives through the call.
            let ready = unsafe { libc::poll(&mut poll, 1, left.as_millis() as i32 + 1) };
            match ready {
                1.. => return Ok(()),
                0 => {}
                _ => match io::Error::last_os_error() {
                    error if error.kind() == io::ErrorKind::Interrupted => {}
                    error => return Err(error),
                },
            }
        }
    }

    /// Returns a reader of the socket that fails after the deadline.
    pub fn on<S: AsFd>(self, socket: &S) -> Timely<'_, S>
    where
        for<'a> &'a S: Read,
    {
        Timely { socket, deadline: self }
    }
}

/// A socket's reader that fails after a deadline.
pub struct Timely<'s, S> {
    socket: &'s S,
    deadline: Deadline,
}

impl<S: AsFd> Read for Timely<'_, S>
where
    for<'a> &'a S: Read,
{
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.deadline.wait_for(self.socket)?;
        (&mut &*self.socket).read(out)
    }
}
