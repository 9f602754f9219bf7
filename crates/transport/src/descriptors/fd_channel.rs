//! Sending and receiving bytes with file descriptors (`SCM_RIGHTS`) over any Unix socket. A channel
//! carries messages, which arrive whole or not at all, even if the sender or the receiver dies.

use outhaul_abi::fd;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Largest number of descriptors that travel together.
pub const FDS_MAX: usize = 16;
/// Largest size of a channel's message in bytes. A socket accepts a message of this size at once,
/// unless the machine's administrator has set a very low limit.
pub const FD_MESSAGE_BYTES_MAX: usize = 32 << 10;

// SAFETY: the macro only computes a length.
const CONTROL_BYTES: usize =
    unsafe { libc::CMSG_SPACE((FDS_MAX * size_of::<RawFd>()) as u32) } as usize;

#[repr(C, align(8))]
struct Control([u8; CONTROL_BYTES]);

fn header(part: &mut libc::iovec, control: &mut Control, control_bytes: usize) -> libc::msghdr {
    // SAFETY: all zero is a valid `msghdr`, which contains only numbers and pointers.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    (message.msg_iov, message.msg_iovlen) = (part, 1);
    if control_bytes > 0 {
        (message.msg_control, message.msg_controllen) =
            (control.0.as_mut_ptr().cast(), control_bytes);
    }
    message
}

/// Repeats `call` while signals interrupt it. Returns the number of bytes that `call` returned.
fn uninterrupted(mut call: impl FnMut() -> isize) -> io::Result<usize> {
    loop {
        match usize::try_from(call()).map_err(|_| io::Error::last_os_error()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Sends `bytes` and `fds` in one system call. Fails unless the socket accepts all bytes at once,
/// so `bytes` must be short.
pub fn send_fds(
    socket: &impl AsFd,
    bytes: &[u8],
    fds: &[BorrowedFd<'_>],
    flags: i32,
) -> io::Result<()> {
    if fds.len() > FDS_MAX {
        let text = format!("{} descriptors are more than {FDS_MAX}", fds.len());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut control = Control([0; CONTROL_BYTES]);
    let room = size_of_val(fds) as u32;
    // SAFETY: the macros only compute lengths.
    let (space, length) =
        unsafe { (libc::CMSG_SPACE(room) as usize, libc::CMSG_LEN(room) as usize) };
    let message = header(&mut part, &mut control, if fds.is_empty() { 0 } else { space });
    // SAFETY: the header describes the two locals, and the control buffer fits `FDS_MAX`
    // descriptors.
    unsafe {
        if let Some(header) = libc::CMSG_FIRSTHDR(&message).as_mut() {
            (header.cmsg_level, header.cmsg_type, header.cmsg_len) =
                (libc::SOL_SOCKET, libc::SCM_RIGHTS, length);
            let places = libc::CMSG_DATA(header).cast::<RawFd>();
            (0..).zip(fds).for_each(|(i, fd)| places.add(i).write_unaligned(fd.as_raw_fd()));
        }
    }
    let socket = socket.as_fd().as_raw_fd();
    // SAFETY: as above.
    match uninterrupted(|| unsafe { libc::sendmsg(socket, &message, flags | libc::MSG_NOSIGNAL) })?
    {
        sent if sent == bytes.len() => Ok(()),
        sent => Err(io::Error::new(
            io::ErrorKind::WriteZero,
            format!("sent only {sent} of {} bytes", bytes.len()),
        )),
    }
}

/// Receives the available bytes, and the descriptors that came with them, which close on exec.
/// Fails with `InvalidData` if Linux truncated the bytes or the descriptors.
pub fn receive_fds(
    socket: &impl AsFd,
    bytes: &mut [u8],
    flags: i32,
) -> io::Result<(usize, Vec<OwnedFd>)> {
    let (count, fds) = receive_bytes(socket, bytes, flags)?;
    Ok((count, fds?))
}

/// Receives as `receive_fds` does, but also returns the bytes of a message that lost descriptors.
fn receive_bytes(
    socket: &impl AsFd,
    bytes: &mut [u8],
    flags: i32,
) -> io::Result<(usize, io::Result<Vec<OwnedFd>>)> {
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut control = Control([0; CONTROL_BYTES]);
    let mut message = header(&mut part, &mut control, CONTROL_BYTES);
    let (socket, flags) = (socket.as_fd().as_raw_fd(), flags | libc::MSG_CMSG_CLOEXEC);
    // SAFETY: the header describes two locals that live through the call.
    let count = uninterrupted(|| unsafe { libc::recvmsg(socket, &mut message, flags) })?;
    // SAFETY: Linux filled the header, and this process now owns the descriptors in it.
    let fds: io::Result<Vec<OwnedFd>> = unsafe { fds_of(&message) }.into_iter().collect();
    let cut = |what| io::Error::new(io::ErrorKind::InvalidData, what);
    if message.msg_flags & libc::MSG_TRUNC != 0 {
        return Err(cut("the message is too large"));
    }
    let is_whole = message.msg_flags & libc::MSG_CTRUNC == 0;
    let lost = "descriptors were lost: too many came, or this process may open no more";
    Ok((count, if is_whole { fds } else { Err(cut(lost)) }))
}

/// Receives as `receive_fds` does. Fails if more than one descriptor came.
pub fn receive_fd(
    socket: &impl AsFd,
    bytes: &mut [u8],
    flags: i32,
) -> io::Result<(usize, Option<OwnedFd>)> {
    let (count, fds) = receive_fds(socket, bytes, flags)?;
    Ok((count, at_most_one(fds)?))
}

/// Returns the only descriptor, if there is any. Fails if there are several.
pub(crate) fn at_most_one(mut fds: Vec<OwnedFd>) -> io::Result<Option<OwnedFd>> {
    let one = fds.pop();
    let too_many = || io::Error::new(io::ErrorKind::InvalidData, "more than one descriptor came");
    if fds.is_empty() { Ok(one) } else { Err(too_many()) }
}

/// # Safety
/// Linux has filled the message, and its descriptors have no owner yet.
unsafe fn fds_of(message: &libc::msghdr) -> Vec<io::Result<OwnedFd>> {
    let mut fds = Vec::new();
    // SAFETY: the caller upholds this function's contract; each header is inside the message, and
    // says how long it is.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while let Some(found) = header.as_ref() {
            if (found.cmsg_level, found.cmsg_type) == (libc::SOL_SOCKET, libc::SCM_RIGHTS) {
                let count = (found.cmsg_len - libc::CMSG_LEN(0) as usize) / size_of::<RawFd>();
                let places = libc::CMSG_DATA(header).cast::<RawFd>();
                fds.extend((0..count).map(|i| fd::owned(places.add(i).read_unaligned())));
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    }
    fds
}

/// The bytes of a message, and its descriptors or the reason why they were lost.
pub(crate) type Received = (Vec<u8>, io::Result<Vec<OwnedFd>>);

/// One end of a channel for messages of bytes and descriptors.
pub struct FdChannel(UnixStream);

impl From<OwnedFd> for FdChannel {
    fn from(end: OwnedFd) -> FdChannel {
        FdChannel(end.into())
    }
}

impl AsFd for FdChannel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl FdChannel {
    /// Makes two connected ends.
    pub fn pair() -> io::Result<(FdChannel, FdChannel)> {
        let mut ends: [RawFd; 2] = [-1; 2];
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
        // SAFETY: the array is valid for writes of two descriptors.
        if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) } < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call above created both descriptors, which have no other owner.
        let [one, other] = ends.map(|end| unsafe { fd::owned(end) });
        Ok((one?.into(), other?.into()))
    }

    /// Limits the time for which a read or a write may block.
    pub fn set_limit(&self, limit: Option<Duration>) -> io::Result<()> {
        self.0.set_read_timeout(limit)?;
        self.0.set_write_timeout(limit)
    }

    /// Shuts down sending from this end.
    pub fn shut(&self) -> io::Result<()> {
        self.0.shutdown(std::net::Shutdown::Write)
    }

    /// Sends a message. Fails if the message is empty or too large.
    pub fn send(&self, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        if bytes.is_empty() || bytes.len() > FD_MESSAGE_BYTES_MAX {
            let text = format!("a message has 1 to {FD_MESSAGE_BYTES_MAX} bytes: {}", bytes.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        send_fds(&self.0, bytes, fds, 0)
    }

    /// Receives the next message: at least one byte, and descriptors. Returns None when the other
    /// end is closed.
    pub fn receive(&self) -> io::Result<Option<(Vec<u8>, Vec<OwnedFd>)>> {
        self.receive_bytes()?.map(|(bytes, fds)| Ok((bytes, fds?))).transpose()
    }

    /// Receives as `receive` does, and also returns the bytes of a message that lost descriptors.
    pub(crate) fn receive_bytes(&self) -> io::Result<Option<Received>> {
        let mut bytes = vec![0; FD_MESSAGE_BYTES_MAX];
        let (count, fds) = receive_bytes(&self.0, &mut bytes, 0)?;
        bytes.truncate(count);
        Ok((count > 0).then_some((bytes, fds)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write};

    /// Asserts that data written to the pipe arrives at the descriptor.
    fn assert_leads_from(mut writing: impl Write, fd: OwnedFd) {
        writing.write_all(b"through").unwrap();
        let mut text = [0; 7];
        File::from(fd).read_exact(&mut text).unwrap();
        assert_eq!(&text, b"through");
    }

    #[test]
    fn a_message_arrives_whole_also_when_its_sender_is_gone() {
        let (one, other) = FdChannel::pair().unwrap();
        let pipes: Vec<_> = (0..FDS_MAX).map(|_| std::io::pipe().unwrap()).collect();
        let ends: Vec<_> = pipes.iter().map(|(reading, _)| reading.as_fd()).collect();
        one.send(&[7; FD_MESSAGE_BYTES_MAX], &ends).unwrap();
        one.send(b"none", &[]).unwrap();
        drop(one);
        let (bytes, fds) = other.receive().unwrap().unwrap();
        assert_eq!((bytes, fds.len()), (vec![7; FD_MESSAGE_BYTES_MAX], FDS_MAX));
        for (fd, (_, writing)) in fds.into_iter().zip(pipes) {
            // SAFETY: the descriptor is open.
            let flags = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) };
            assert_eq!(flags, libc::FD_CLOEXEC);
            assert_leads_from(writing, fd);
        }
        let (bytes, fds) = other.receive().unwrap().unwrap();
        assert_eq!((bytes.as_slice(), fds.len()), (&b"none"[..], 0));
        assert!(other.receive().unwrap().is_none());
    }

    #[test]
    fn a_message_that_is_too_large_is_refused_and_a_receiver_does_not_wait() {
        let (one, other) = FdChannel::pair().unwrap();
        let (reading, _writing) = std::io::pipe().unwrap();
        assert!(
            one.send(&[0; FD_MESSAGE_BYTES_MAX + 1], &[]).is_err() && one.send(&[], &[]).is_err()
        );
        assert!(one.send(b"many", &[reading.as_fd(); FDS_MAX + 1]).is_err());
        other.set_limit(Some(Duration::from_millis(10))).unwrap();
        assert_eq!(other.receive().err().unwrap().kind(), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn a_truncated_message_is_an_error_and_the_next_one_is_not() {
        let (one, other) = FdChannel::pair().unwrap();
        let (reading, writing) = std::io::pipe().unwrap();
        let mut bytes = [0; 4];
        one.send(b"too long", &[reading.as_fd()]).unwrap();
        assert_eq!(
            receive_fds(&other, &mut bytes, 0).unwrap_err().kind(),
            io::ErrorKind::InvalidData
        );
        one.send(b"two", &[reading.as_fd(); 2]).unwrap();
        assert_eq!(
            receive_fd(&other, &mut bytes, 0).unwrap_err().kind(),
            io::ErrorKind::InvalidData
        );
        drop(reading);
        assert!((&writing).write_all(b"x").is_err(), "a lost descriptor is closed");
        one.send(b"next", &[]).unwrap();
        assert!(matches!(receive_fd(&other, &mut bytes, 0), Ok((4, None))));
    }

    #[test]
    fn a_descriptor_arrives_with_its_bytes_of_a_stream_and_only_then() {
        let (one, mut other) = UnixStream::pair().unwrap();
        let (reading, writing) = std::io::pipe().unwrap();
        send_fds(&one, b"pipe", &[reading.as_fd()], 0).unwrap();
        drop(reading);
        let mut bytes = [0; 16];
        let (count, fd) = receive_fd(&other, &mut bytes, 0).unwrap();
        assert_eq!(&bytes[..count], b"pipe");
        assert_leads_from(writing, fd.unwrap());
        other.write_all(b"x").unwrap();
        assert!(matches!(receive_fd(&one, &mut bytes, 0), Ok((1, None))));
    }
}
