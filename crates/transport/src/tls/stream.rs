//! A connection over TLS whose handshake is over: first for the hello and what answers it, then as the two halves of a lane.

use super::record::{
    EXTRA_BYTES, HEADER_BYTES, KEYS_BYTES, Keys, Opener, PLAIN_BYTES_MAX, RECORD_BYTES_MAX, Sealer,
    length,
};
use crate::deadline::Deadline;
use crate::lane::{Lane, LaneReader, LaneWriter, Sink, Source};
use crate::life::LifeLine;
use crate::look::SHORT;
use crate::pace::PaceMeter;
use crate::send::{Sending, is_writable};
use crate::tcp::receive;
use std::fs::File;
use std::io::{self, IoSlice, Read, Write};
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
    reading: Reading,
    writing: Writing,
    /// For another process to go on with.
    pub keys: Option<OwnedFd>,
}

impl Tls {
    pub fn new(stream: TcpStream, keys: Keys) -> Tls {
        let stream = Arc::new(stream);
        let (sealer, opener) = keys.halves();
        let buffer = vec![0; RECEIVED_BYTES_MAX].into();
        // Until it is a lane, no byte is taken that somebody else might want.
        let reading = Reading {
            stream: stream.clone(),
            opener,
            buffer,
            plain: 0..0,
            sealed: 0..0,
            greedy: false,
        };
        let writing = Writing { stream: stream.clone(), sealer, buffer: Vec::new() };
        Tls { stream, reading, writing, keys: None }
    }

    /// What another process goes on with.
    pub fn handed_on(&self) -> io::Result<Keys> {
        if !self.reading.plain.is_empty() || !self.reading.sealed.is_empty() {
            return Err(super::invalid("more came than a hello"));
        }
        Ok(Keys::of(&self.writing.sealer, &self.reading.opener))
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
            if let Some(count) = self.reading.try_read(out)? {
                return Ok(count);
            }
            deadline.wait_for(&*self.stream)?;
        }
    }

    pub fn into_lane(self) -> Lane {
        let reader = LaneReader::new(Box::new(Reading { greedy: true, ..self.reading }), SHORT);
        let writer = LaneWriter::new(Box::new(self.writing));
        let life = LifeLine::new(writer.way(), self.stream.clone());
        Lane {
            reader,
            writer,
            life,
            passage: None,
            meter: Some(PaceMeter::new(self.stream)),
            detour: None,
        }
    }
}

impl Read for Tls {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.reading.read(out)
    }
}

impl Write for Tls {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writing.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Reading {
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

impl Reading {
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
    fn receive(&mut self, missing: usize, flags: i32) -> io::Result<Option<usize>> {
        if self.sealed.is_empty() {
            self.sealed = 0..0;
        } else if self.buffer.len() - self.sealed.end < missing {
            self.buffer.copy_within(self.sealed.clone(), 0);
            self.sealed = 0..self.sealed.len();
        }
        let room = if self.greedy { self.buffer.len() - self.sealed.end } else { missing };
        let place = self.sealed.end..self.sealed.end + room;
        match receive(&self.stream, &mut self.buffer[place], flags) {
            Ok(count) => {
                self.sealed.end += count;
                Ok(Some(count))
            }
            Err(error)
                if error.kind() == io::ErrorKind::WouldBlock && flags & libc::MSG_DONTWAIT != 0 =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// At least one byte, and as many as are here already; None where it would wait and may not.
    fn take(&mut self, out: &mut [u8], flags: i32) -> io::Result<Option<usize>> {
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
                missing => match self.receive(missing, flags)? {
                    None => return Ok(None),
                    Some(0) if self.sealed.is_empty() => return Ok(Some(0)),
                    Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Some(_) => {}
                },
            }
        }
    }
}

impl Read for Reading {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Ok(self.take(out, 0)?.unwrap_or(0))
    }
}

impl Source for Reading {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        self.take(out, libc::MSG_DONTWAIT)
    }
}

struct Writing {
    stream: Arc<TcpStream>,
    sealer: Sealer,
    buffer: Vec<u8>,
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    /// Pieces that fit go into one record, and several records into one write.
    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let total: usize = slices.iter().map(|slice| slice.len()).sum();
        let count = total.min(BATCH_MAX * PLAIN_BYTES_MAX);
        self.buffer.clear();
        self.buffer.reserve(count + count.div_ceil(PLAIN_BYTES_MAX) * EXTRA_BYTES);
        let (mut pieces, mut piece) = (slices.iter(), &[][..]);
        let mut left = count;
        while left > 0 {
            let mut room = left.min(PLAIN_BYTES_MAX);
            left -= room;
            self.sealer.seal(&mut self.buffer, |out| {
                while room > 0 {
                    if piece.is_empty() {
                        let Some(next) = pieces.next() else { return };
                        piece = next;
                        continue;
                    }
                    let (now, later) = piece.split_at(room.min(piece.len()));
                    out.extend_from_slice(now);
                    room -= now.len();
                    piece = later;
                }
            });
        }
        Sending(&*self.stream).write_all(&self.buffer)?;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Writing {
    fn is_ready(&self) -> bool {
        is_writable(&*self.stream)
    }
}
