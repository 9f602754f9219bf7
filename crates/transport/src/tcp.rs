//! Lanes over TCP.

use crate::lane::{Lane, LaneReader, LaneWriter, Source};
use crate::look::SHORT;
use std::io::{self, IoSlice, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

const KEEPALIVE_IDLE_SECONDS: i32 = 5;
const KEEPALIVE_INTERVAL_SECONDS: i32 = 2;
const KEEPALIVE_PROBES: i32 = 3;

/// A connection to the first of the addresses that takes one.
pub fn dial(addresses: &[SocketAddr], timeout: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in addresses {
        match TcpStream::connect_timeout(address, timeout) {
            Ok(stream) => {
                tune(&stream)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

pub fn lane(stream: TcpStream) -> Lane {
    let stream = Arc::new(stream);
    let reader = LaneReader::new(Box::new(Socket(stream.clone())), SHORT);
    Lane { reader, writer: LaneWriter::new(Box::new(Socket(stream))), passage: None, detour: None }
}

/// One half of a connection, which takes one descriptor for both.
struct Socket(Arc<TcpStream>);

impl Read for Socket {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read(out)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self.0).write(bytes)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        (&*self.0).write_vectored(slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub fn receive(stream: &TcpStream, out: &mut [u8], flags: i32) -> io::Result<usize> {
    // SAFETY: the descriptor is open and the buffer has the length that is passed.
    let count = unsafe { libc::recv(stream.as_raw_fd(), out.as_mut_ptr().cast(), out.len(), flags) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

impl Source for Socket {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        match receive(&self.0, out, libc::MSG_DONTWAIT) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            other => other.map(Some),
        }
    }

    fn read_all(&mut self, mut out: &mut [u8]) -> io::Result<()> {
        while !out.is_empty() {
            match receive(&self.0, out, libc::MSG_WAITALL) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => out = &mut out[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// No delay for small frames, and a dead peer noticed within seconds.
pub fn tune(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let set = |level: i32, option: i32, value: i32| {
        let length = size_of::<i32>() as libc::socklen_t;
        // SAFETY: the descriptor is open, and the value is an int as these options want.
        let result = unsafe { libc::setsockopt(stream.as_raw_fd(), level, option, (&raw const value).cast(), length) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    set(libc::SOL_SOCKET, libc::SO_KEEPALIVE, 1)?;
    set(libc::IPPROTO_TCP, libc::TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS)?;
    set(libc::IPPROTO_TCP, libc::TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS)?;
    set(libc::IPPROTO_TCP, libc::TCP_KEEPCNT, KEEPALIVE_PROBES)
}
