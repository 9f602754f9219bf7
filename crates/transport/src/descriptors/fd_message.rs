//! Parcels: bytes and descriptors that one process sends another on the same machine. A parcel
//! arrives whole or not at all, whatever happens to its sender or receiver.

use crate::descriptors::unix_socket;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Largest size of a parcel. Sockets take that much at once, unless the machine's administrator has
/// set a very low limit.
pub const FD_MESSAGE_BYTES_MAX: usize = 32 << 10;
/// Largest number of descriptors in a parcel.
pub const FD_MESSAGE_DESCRIPTORS_MAX: usize = 16;

/// Bytes and descriptors that arrive together.
pub struct FdMessage {
    /// The bytes, at least one.
    pub bytes: Vec<u8>,
    /// The descriptors.
    pub descriptors: Vec<OwnedFd>,
}

/// One end of a socket for parcels.
pub struct Post(UnixStream);

impl From<OwnedFd> for Post {
    fn from(end: OwnedFd) -> Post {
        Post(end.into())
    }
}

impl AsFd for Post {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

// SAFETY: computes a length.
const CONTROL_BYTES: usize =
    unsafe { libc::CMSG_SPACE((FD_MESSAGE_DESCRIPTORS_MAX * size_of::<RawFd>()) as u32) } as usize;

#[repr(C, align(8))]
struct Control([u8; CONTROL_BYTES]);

fn header(bytes: &mut libc::iovec, control: &mut Control, control_bytes: usize) -> libc::msghdr {
    // SAFETY: plain numbers and pointers; all zero is a valid value.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    (message.msg_iov, message.msg_iovlen) = (bytes, 1);
    if control_bytes > 0 {
        (message.msg_control, message.msg_controllen) =
            (control.0.as_mut_ptr().cast(), control_bytes);
    }
    message
}

impl Post {
    /// Makes two connected ends.
    pub fn pair() -> io::Result<(Post, Post)> {
        let (one, other) = unix_socket::pair_of_packets()?;
        Ok((Post(one), Post(other)))
    }

    /// Limits the time that a read or a write may block.
    pub fn set_limit(&self, limit: Option<Duration>) -> io::Result<()> {
        self.0.set_read_timeout(limit)?;
        self.0.set_write_timeout(limit)
    }

    /// Ends sending from this end.
    pub fn shut(&self) -> io::Result<()> {
        self.0.shutdown(std::net::Shutdown::Write)
    }

    /// Sends a parcel. Fails if it is empty or too large.
    pub fn send(&self, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        if bytes.is_empty()
            || bytes.len() > FD_MESSAGE_BYTES_MAX
            || descriptors.len() > FD_MESSAGE_DESCRIPTORS_MAX
        {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut parts =
            libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        let mut control = Control([0; CONTROL_BYTES]);
        let room = size_of_val(descriptors) as u32;
        // SAFETY: computes lengths.
        let (space, length) =
            unsafe { (libc::CMSG_SPACE(room) as usize, libc::CMSG_LEN(room) as usize) };
        let message =
            header(&mut parts, &mut control, if descriptors.is_empty() { 0 } else { space });
        // SAFETY: the header describes the two locals, and the control part has room for as many
        // descriptors as there may be.
        let sent = unsafe {
            if let Some(header) = libc::CMSG_FIRSTHDR(&message).as_mut() {
                (header.cmsg_level, header.cmsg_type, header.cmsg_len) =
                    (libc::SOL_SOCKET, libc::SCM_RIGHTS, length);
                let places = libc::CMSG_DATA(header).cast::<RawFd>();
                descriptors.iter().enumerate().for_each(|(i, descriptor)| {
                    places.add(i).write_unaligned(descriptor.as_raw_fd())
                });
            }
            libc::sendmsg(self.0.as_raw_fd(), &message, libc::MSG_NOSIGNAL)
        };
        if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Receives the next parcel; returns None when the other end is closed.
    pub fn receive(&self) -> io::Result<Option<FdMessage>> {
        let mut bytes = vec![0; FD_MESSAGE_BYTES_MAX];
        let mut parts = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        let mut control = Control([0; CONTROL_BYTES]);
        let mut message = header(&mut parts, &mut control, CONTROL_BYTES);
        // SAFETY: the header describes two locals that live through the call.
        let count =
            unsafe { libc::recvmsg(self.0.as_raw_fd(), &mut message, libc::MSG_CMSG_CLOEXEC) };
        let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
        // SAFETY: the kernel filled the header, and what it says are descriptors are this process's
        // now.
        let descriptors = unsafe { descriptors_of(&message) };
        if message.msg_flags & (libc::MSG_TRUNC | libc::MSG_CTRUNC) != 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        bytes.truncate(count);
        Ok((count > 0).then_some(FdMessage { bytes, descriptors }))
    }
}

/// # Safety
/// The kernel filled the message, and nobody has taken its descriptors.
unsafe fn descriptors_of(message: &libc::msghdr) -> Vec<OwnedFd> {
    let mut descriptors = Vec::new();
    // SAFETY: the caller's promise; each header is inside the message, and says how long it is.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while let Some(found) = header.as_ref() {
            if (found.cmsg_level, found.cmsg_type) == (libc::SOL_SOCKET, libc::SCM_RIGHTS) {
                let count = (found.cmsg_len - libc::CMSG_LEN(0) as usize) / size_of::<RawFd>();
                let places = libc::CMSG_DATA(header).cast::<RawFd>();
                descriptors.extend(
                    (0..count).map(|i| OwnedFd::from_raw_fd(places.add(i).read_unaligned())),
                );
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    }
    descriptors
}

/// Returns whether two descriptors refer to the same file.
pub fn is_same_file(one: &impl AsFd, other: &impl AsFd) -> bool {
    let file = |descriptor: BorrowedFd<'_>| {
        let mut status = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: the call fills the local where it succeeds.
        let found = unsafe {
            (libc::fstat(descriptor.as_raw_fd(), status.as_mut_ptr()) == 0)
                .then(|| status.assume_init())
        };
        found.map(|status| (status.st_dev, status.st_ino))
    };
    file(one.as_fd()).is_some_and(|known| file(other.as_fd()) == Some(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write};

    #[test]
    fn a_parcel_arrives_whole_also_when_its_sender_is_gone() {
        let (one, other) = Post::pair().unwrap();
        let pipes: Vec<_> =
            (0..FD_MESSAGE_DESCRIPTORS_MAX).map(|_| std::io::pipe().unwrap()).collect();
        let ends: Vec<_> = pipes.iter().map(|(reading, _)| reading.as_fd()).collect();
        one.send(&[7; FD_MESSAGE_BYTES_MAX], &ends).unwrap();
        one.send(b"none", &[]).unwrap();
        drop(one);
        let FdMessage { bytes, descriptors } = other.receive().unwrap().unwrap();
        assert_eq!(
            (bytes, descriptors.len()),
            (vec![7; FD_MESSAGE_BYTES_MAX], FD_MESSAGE_DESCRIPTORS_MAX)
        );
        for (number, (descriptor, (own, mut writing))) in
            descriptors.into_iter().zip(pipes).enumerate()
        {
            assert!(is_same_file(&descriptor, &own));
            writing.write_all(&[number as u8]).unwrap();
            let mut byte = [0];
            File::from(descriptor).read_exact(&mut byte).unwrap();
            assert_eq!(usize::from(byte[0]), number);
        }
        let last = other.receive().unwrap().unwrap();
        assert_eq!((last.bytes.as_slice(), last.descriptors.len()), (&b"none"[..], 0));
        assert!(other.receive().unwrap().is_none());
    }

    #[test]
    fn what_is_too_large_is_not_sent_and_what_does_not_come_is_not_waited_for() {
        let (one, other) = Post::pair().unwrap();
        let (reading, writing) = std::io::pipe().unwrap();
        assert!(
            one.send(&[0; FD_MESSAGE_BYTES_MAX + 1], &[]).is_err() && one.send(&[], &[]).is_err()
        );
        assert!(one.send(b"many", &[reading.as_fd(); FD_MESSAGE_DESCRIPTORS_MAX + 1]).is_err());
        assert!(!is_same_file(&reading, &std::io::stdin()) && is_same_file(&reading, &writing));
        other.set_limit(Some(Duration::from_millis(10))).unwrap();
        assert_eq!(other.receive().err().unwrap().kind(), io::ErrorKind::WouldBlock);
    }
}
