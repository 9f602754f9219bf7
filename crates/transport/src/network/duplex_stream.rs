//! The two directions of a network connection after its handshake, with or without TLS. A line uses
//! them.

use crate::network::tls::{Opened, Sealed, Tls};
use crate::os::send::send;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::sync::Arc;

/// The two directions of a connection.
pub struct Pipe {
    pub(crate) stream: Arc<TcpStream>,
    pub(crate) inlet: Inlet,
    pub(crate) outlet: Outlet,
}

/// The receiving direction.
pub(crate) enum Inlet {
    /// Without TLS.
    Plain(Arc<TcpStream>),
    /// Decrypted with TLS.
    Sealed(Box<Opened>),
}

/// The sending direction.
pub(crate) enum Outlet {
    /// Without TLS.
    Plain(Arc<TcpStream>),
    /// Encrypted with TLS.
    Sealed(Box<Sealed>),
}

impl From<TcpStream> for Pipe {
    fn from(stream: TcpStream) -> Pipe {
        let stream = Arc::new(stream);
        Pipe { inlet: Inlet::Plain(stream.clone()), outlet: Outlet::Plain(stream.clone()), stream }
    }
}

impl From<Tls> for Pipe {
    fn from(tls: Tls) -> Pipe {
        let stream = tls.stream.clone();
        let (opened, sealed) = tls.into_halves();
        Pipe { inlet: Inlet::Sealed(opened.into()), outlet: Outlet::Sealed(sealed.into()), stream }
    }
}

impl Inlet {
    /// Receives into `places` in order. Returns the number of bytes, where 0 means the end. With
    /// `MSG_DONTWAIT` in `flags`, returns None instead of blocking.
    pub fn receive(
        &mut self,
        places: &mut [IoSliceMut<'_>],
        flags: i32,
    ) -> io::Result<Option<usize>> {
        match self {
            Inlet::Plain(stream) => receive(stream, places, flags),
            Inlet::Sealed(opened) => {
                let mut taken = 0;
                for place in places.iter_mut().filter(|place| !place.is_empty()) {
                    // After the first bytes, the call takes data that has already arrived, but does
                    // not wait for more.
                    let may_wait = taken == 0 && flags & libc::MSG_DONTWAIT == 0;
                    match opened.take(place, may_wait)? {
                        None if taken == 0 => return Ok(None),
                        None => break,
                        Some(count) => taken += count,
                    }
                    if taken == 0 {
                        break;
                    }
                }
                Ok(Some(taken))
            }
        }
    }
}

impl Outlet {
    /// Returns the socket.
    pub fn stream(&self) -> &TcpStream {
        match self {
            Outlet::Plain(stream) => stream,
            Outlet::Sealed(sealed) => sealed.stream(),
        }
    }

    /// Sends all bytes.
    pub fn send_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let sent = match self {
                Outlet::Plain(stream) => send(&**stream, &[IoSlice::new(bytes)], 0),
                Outlet::Sealed(sealed) => sealed.write(bytes),
            };
            match sent {
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn receive(
    stream: &TcpStream,
    places: &mut [IoSliceMut<'_>],
    flags: i32,
) -> io::Result<Option<usize>> {
    // SAFETY: all zero is a valid `msghdr`, which contains only numbers and pointers.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    (message.msg_iov, message.msg_iovlen) = (places.as_mut_ptr().cast(), places.len());
    loop {
        // SAFETY: an IoSliceMut has the layout of an iovec, and the places live through the call.
        let count = unsafe { libc::recvmsg(stream.as_raw_fd(), &mut message, flags) };
        match usize::try_from(count).map_err(|_| io::Error::last_os_error()) {
            Ok(count) => return Ok(Some(count)),
            Err(error)
                if error.kind() == io::ErrorKind::WouldBlock && flags & libc::MSG_DONTWAIT != 0 =>
            {
                return Ok(None);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
