//! A connection over TLS after its handshake: first for the hello and its answer, then as the two
//! halves of a lane.

use super::record::{
    EXTRA_BYTES, HEADER_BYTES, KEYS_BYTES, Keys, Opener, PLAIN_BYTES_MAX, RECORD_BYTES_MAX, Sealer,
    invalid, length,
};
use crate::os::deadline::Deadline;
use crate::os::send::Sending;
use crate::os::tcp_options::receive;
use outhaul_abi::fd;
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Largest number of records in one write.
const BATCH_MAX: usize = 16;
/// Largest number of bytes that are received and not decrypted yet.
const RECEIVED_BYTES_MAX: usize = BATCH_MAX * RECORD_BYTES_MAX;

/// Both halves of a connection.
pub struct Tls {
    /// The TCP connection.
    pub stream: Arc<TcpStream>,
    opened: Opened,
    sealed: Sealed,
    /// A memfd with the keys, for a process that takes over the connection.
    pub keys: Option<OwnedFd>,
}

impl Tls {
    /// Starts with the keys from a handshake.
    pub fn new(stream: TcpStream, keys: Keys) -> Tls {
        let stream = Arc::new(stream);
        let (sealer, opener) = keys.halves();
        let buffer = vec![0; RECEIVED_BYTES_MAX].into();
        // Until the connection is a lane, it receives no byte that another process might need.
        let opened = Opened {
            stream: stream.clone(),
            opener,
            buffer,
            plain: 0..0,
            sealed: 0..0,
            greedy: false,
        };
        let sealed = Sealed { stream: stream.clone(), sealer, buffer: Vec::new() };
        Tls { stream, opened, sealed, keys: None }
    }

    /// Returns the keys for a process that takes over the connection. Fails if this process has
    /// received data after the hello.
    pub fn handed_on(&self) -> io::Result<Keys> {
        if !self.opened.plain.is_empty() || !self.opened.sealed.is_empty() {
            return Err(invalid("there is data after the hello"));
        }
        Ok(Keys::of(&self.sealed.sealer, &self.opened.opener))
    }

    /// Writes the keys to a memfd whose descriptor another process can take over.
    pub fn write_down(&mut self) -> io::Result<()> {
        let bytes = self.handed_on()?.to_bytes();
        let memory = File::from(fd::memory(c"outhaul-lane", 0, bytes.len() as u64)?);
        memory.write_all_at(&bytes, 0)?;
        self.keys = Some(memory.into());
        Ok(())
    }

    /// Continues with keys that `write_down` has written.
    pub fn read_down(stream: TcpStream, keys: OwnedFd) -> io::Result<Tls> {
        let mut bytes = [0; KEYS_BYTES];
        File::from(keys).read_exact_at(&mut bytes, 0)?;
        Ok(Tls::new(stream, Keys::from_bytes(&bytes)))
    }

    /// Reads at least one byte before `deadline`. Returns 0 at the end of the data.
    pub fn read_until(&mut self, deadline: Deadline, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(count) = self.opened.take(out, false)? {
                return Ok(count);
            }
            deadline.wait_for(&*self.stream)?;
        }
    }

    /// Splits the connection into two halves for a lane, which owns all data from now on.
    pub fn into_halves(self) -> (Opened, Sealed) {
        (Opened { greedy: true, ..self.opened }, self.sealed)
    }
}

impl Read for Tls {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Ok(self.opened.take(out, true)?.unwrap_or(0))
    }
}

impl Write for Tls {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sealed.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The reading half.
pub struct Opened {
    stream: Arc<TcpStream>,
    opener: Opener,
    buffer: Box<[u8]>,
    /// Range of decrypted bytes that are not read yet.
    plain: Range<usize>,
    /// Range of received bytes that are not decrypted yet.
    sealed: Range<usize>,
    /// Whether to receive more than the next record.
    greedy: bool,
}

impl Opened {
    /// Returns the number of bytes that the next record lacks, or its header if the header is
    /// incomplete.
    fn missing(&self) -> io::Result<usize> {
        let sealed = &self.buffer[self.sealed.clone()];
        if sealed.len() < HEADER_BYTES {
            return Ok(HEADER_BYTES - sealed.len());
        }
        Ok((HEADER_BYTES + length(sealed)?).saturating_sub(sealed.len()))
    }

    /// Decrypts the next record, which is complete.
    fn open(&mut self) -> io::Result<()> {
        let start = self.sealed.start;
        let end = start + HEADER_BYTES + length(&self.buffer[self.sealed.clone()])?;
        let place = self.opener.open(&mut self.buffer[start..end])?;
        self.plain = place.map_or(0..0, |place| start + place.start..start + place.end);
        self.sealed.start = end;
        Ok(())
    }

    /// Receives more data, or returns None if that would block and `may_wait` is false. The caller
    /// has read all decrypted bytes.
    fn receive(&mut self, missing: usize, may_wait: bool) -> io::Result<Option<usize>> {
        if self.sealed.is_empty() {
            self.sealed = 0..0;
        } else if self.buffer.len() - self.sealed.end < missing {
            self.buffer.copy_within(self.sealed.clone(), 0);
            self.sealed = 0..self.sealed.len();
        }
        let room = if self.greedy { self.buffer.len() - self.sealed.end } else { missing };
        let place = self.sealed.end..self.sealed.end + room;
        let flags = if may_wait { 0 } else { libc::MSG_DONTWAIT };
        loop {
            match receive(&self.stream, &mut self.buffer[place.clone()], flags) {
                Ok(count) => {
                    self.sealed.end += count;
                    return Ok(Some(count));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && !may_wait => {
                    return Ok(None);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads at least one byte, and all others that have already arrived. If `may_wait` is false,
    /// returns None instead of blocking.
    pub fn take(&mut self, out: &mut [u8], may_wait: bool) -> io::Result<Option<usize>> {
        let mut taken = 0;
        loop {
            let count = self.plain.len().min(out.len() - taken);
            out[taken..taken + count]
                .copy_from_slice(&self.buffer[self.plain.start..self.plain.start + count]);
            self.plain.start += count;
            taken += count;
            if taken == out.len() {
                return Ok(Some(taken));
            }
            match self.missing()? {
                0 => self.open()?,
                _ if taken > 0 => return Ok(Some(taken)),
                missing => match self.receive(missing, may_wait)? {
                    None => return Ok(None),
                    Some(0) if self.sealed.is_empty() => return Ok(Some(0)),
                    Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Some(_) => {}
                },
            }
        }
    }
}

/// The writing half.
pub struct Sealed {
    stream: Arc<TcpStream>,
    sealer: Sealer,
    buffer: Vec<u8>,
}

impl Sealed {
    /// Returns the TCP connection.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Sends several records in one write. Returns the number of bytes of `bytes` that they
    /// contain.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(BATCH_MAX * PLAIN_BYTES_MAX)];
        self.buffer.clear();
        self.buffer.reserve(bytes.len() + bytes.len().div_ceil(PLAIN_BYTES_MAX) * EXTRA_BYTES);
        for piece in bytes.chunks(PLAIN_BYTES_MAX) {
            self.sealer.seal(&mut self.buffer, |out| out.extend_from_slice(piece));
        }
        Sending(&*self.stream).write_all(&self.buffer)?;
        Ok(bytes.len())
    }
}
