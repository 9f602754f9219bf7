//! A connection over TLS whose handshake is over: first for the hello and what answers it, then as
//! the two halves of a lane.

use super::record::{
    EXTRA_BYTES, HEADER_BYTES, KEYS_BYTES, Keys, Opener, PLAIN_BYTES_MAX, RECORD_BYTES_MAX, Sealer,
    length,
};
use crate::deadline::Deadline;
use crate::send::Sending;
use crate::tcp::receive;
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Records that leave in one write.
const BATCH_MAX: usize = 16;
/// What may have been received and not opened.
const RECEIVED_BYTES_MAX: usize = BATCH_MAX * RECORD_BYTES_MAX;

/// Both halves.
pub struct Tls {
    pub stream: Arc<TcpStream>,
    opened: Opened,
    sealed: Sealed,
    /// For another process to go on with.
    pub keys: Option<OwnedFd>,
}

impl Tls {
    pub fn new(stream: TcpStream, keys: Keys) -> Tls {
        let stream = Arc::new(stream);
        let (sealer, opener) = keys.halves();
        let buffer = vec![0; RECEIVED_BYTES_MAX].into();
        // Until it is a lane, no byte is taken that somebody else might want.
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

    /// What another process goes on with.
    pub fn handed_on(&self) -> io::Result<Keys> {
        if !self.opened.plain.is_empty() || !self.opened.sealed.is_empty() {
            return Err(super::invalid("more came than a hello"));
        }
        Ok(Keys::of(&self.sealed.sealer, &self.opened.opener))
    }

    /// Writes down what another process goes on with, in memory that it is given by a descriptor.
    pub fn write_down(&mut self) -> io::Result<()> {
        let bytes = self.handed_on()?.to_bytes();
        // SAFETY: the name is a C string; the descriptor is owned here alone.
        let memory = unsafe {
            match libc::memfd_create(c"outhaul-lane".as_ptr(), libc::MFD_CLOEXEC) {
                descriptor if descriptor >= 0 => OwnedFd::from_raw_fd(descriptor),
                _ => return Err(io::Error::last_os_error()),
            }
        };
        let memory = File::from(memory);
        memory.write_all_at(&bytes, 0)?;
        self.keys = Some(memory.into());
        Ok(())
    }

    /// What was written down.
    pub fn read_down(stream: TcpStream, keys: OwnedFd) -> io::Result<Tls> {
        let mut bytes = [0; KEYS_BYTES];
        File::from(keys).read_exact_at(&mut bytes, 0)?;
        Ok(Tls::new(stream, Keys::from_bytes(&bytes)))
    }

    /// At least one byte, if it comes in time; none at the end.
    pub fn read_until(&mut self, deadline: Deadline, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(count) = self.opened.take(out, false)? {
                return Ok(count);
            }
            deadline.wait_for(&*self.stream)?;
        }
    }

    /// For a lane, to which all belongs that comes from now on.
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

pub struct Opened {
    stream: Arc<TcpStream>,
    opener: Opener,
    buffer: Box<[u8]>,
    /// What of a record has been opened and not read.
    plain: Range<usize>,
    /// What has been received and not opened.
    sealed: Range<usize>,
    /// Whether to take more than the next record.
    greedy: bool,
}

impl Opened {
    /// The length of the next record, if that is known, and what is missing of it.
    fn missing(&self) -> io::Result<usize> {
        let sealed = &self.buffer[self.sealed.clone()];
        if sealed.len() < HEADER_BYTES {
            return Ok(HEADER_BYTES - sealed.len());
        }
        Ok((HEADER_BYTES + length(sealed)?).saturating_sub(sealed.len()))
    }

    /// Opens the next record, which is there as a whole.
    fn open(&mut self) -> io::Result<()> {
        let start = self.sealed.start;
        let end = start + HEADER_BYTES + length(&self.buffer[self.sealed.clone()])?;
        let place = self.opener.open(&mut self.buffer[start..end])?;
        self.plain = place.map_or(0..0, |place| start + place.start..start + place.end);
        self.sealed.start = end;
        Ok(())
    }

    /// Receives more; None where it would wait and may not. Whatever was opened has been read.
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

    /// At least one byte, and as many as are here already; None where it would wait and may not.
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

pub struct Sealed {
    stream: Arc<TcpStream>,
    sealer: Sealer,
    buffer: Vec<u8>,
}

impl Sealed {
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Several records in one write. How many bytes of these are in them.
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
