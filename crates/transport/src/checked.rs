//! What a plain TCP connection carries, in records with checksums. TCP's own sum has 16 bits and network cards compute it, so a bit that a card, a switch or a
//! memory flips arrives. Nothing is given to a reader before its record has been checked. Over TLS and in shared memory there is no need for it.

use crate::lane::{Sink, Source};
use crate::send::{is_writable, send};
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use twox_hash::XxHash3_64;

/// What a record carries at most: it stays in a processor's cache between the sum and the copy.
pub const RECORD_BYTES_MAX: usize = 128 << 10;
/// A record's length, the same with all bits turned, and the sum of what follows: a length that was changed would be waited for.
const HEAD_BYTES: usize = 16;

fn changed() -> io::Error {
    let what = "bytes were changed on their way, by a checksum: the network or a memory on the way is faulty";
    io::Error::new(io::ErrorKind::InvalidData, what)
}

struct Head {
    length: usize,
    sum: u64,
}

impl Head {
    fn encode(length: usize, sum: u64) -> [u8; HEAD_BYTES] {
        let (length, mut bytes) = (length as u32, [0; HEAD_BYTES]);
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes[4..8].copy_from_slice(&(!length).to_le_bytes());
        bytes[8..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> io::Result<Head> {
        let word = |at: usize| {
            bytes
                .get(at..at + 4)
                .and_then(|word| word.try_into().ok())
                .map_or(0, u32::from_le_bytes)
        };
        let length = word(0) as usize;
        if word(4) != !word(0) || length == 0 || length > RECORD_BYTES_MAX {
            return Err(changed());
        }
        Ok(Head { length, sum: u64::from(word(12)) << 32 | u64::from(word(8)) })
    }

    fn check(&self, bytes: &[u8]) -> io::Result<()> {
        if XxHash3_64::oneshot(bytes) == self.sum { Ok(()) } else { Err(changed()) }
    }
}

pub struct Writing {
    stream: Arc<TcpStream>,
    /// A copy of what is sent: its sum has to be that of the bytes that leave, and a program may write to its memory while a copy from there is on its way.
    record: Vec<u8>,
}

impl Writing {
    pub fn new(stream: Arc<TcpStream>) -> Writing {
        Writing { stream, record: Vec::new() }
    }

    fn send_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match send(&*self.stream, &[IoSlice::new(bytes)], 0) {
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    /// One record, whole.
    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let record = &mut self.record;
        record.clear();
        record.resize(HEAD_BYTES, 0);
        for slice in slices {
            let room = HEAD_BYTES + RECORD_BYTES_MAX - record.len();
            record.extend_from_slice(&slice[..slice.len().min(room)]);
        }
        let length = record.len() - HEAD_BYTES;
        if length > 0 {
            let head = Head::encode(length, XxHash3_64::oneshot(&record[HEAD_BYTES..]));
            record[..HEAD_BYTES].copy_from_slice(&head);
            self.send_all(&self.record)?;
        }
        Ok(length)
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

/// Bytes into both places, one after the other. None where it would wait and may not.
fn receive(
    stream: &TcpStream,
    places: &mut [IoSliceMut<'_>],
    flags: i32,
) -> io::Result<Option<usize>> {
    // SAFETY: plain numbers and pointers; all zero is a valid value.
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

pub struct Reading {
    stream: Arc<TcpStream>,
    /// What did not go straight to its reader.
    buffer: Box<[u8]>,
    /// What has been checked and not read.
    checked: Range<usize>,
    /// What has been received and not checked, behind that.
    raw: Range<usize>,
}

impl Reading {
    pub fn new(stream: Arc<TcpStream>) -> Reading {
        Reading {
            stream,
            buffer: vec![0; 2 * HEAD_BYTES + RECORD_BYTES_MAX].into(),
            checked: 0..0,
            raw: 0..0,
        }
    }

    /// At least one byte; 0 at the end, and None where it would wait and may not.
    fn take(&mut self, out: &mut [u8], flags: i32) -> io::Result<Option<usize>> {
        loop {
            if !self.checked.is_empty() {
                let count = self.checked.len().min(out.len());
                out[..count]
                    .copy_from_slice(&self.buffer[self.checked.start..self.checked.start + count]);
                self.checked.start += count;
                return Ok(Some(count));
            }
            if self.raw.is_empty() && out.len() >= RECORD_BYTES_MAX {
                match self.take_straight(out, flags)? {
                    Taken::Bytes(count) => return Ok(Some(count)),
                    Taken::Nothing => return Ok(None),
                    Taken::Part => {}
                }
            }
            if !self.check_next()? {
                match self.receive_more(flags)? {
                    None => return Ok(None),
                    Some(0) if self.raw.is_empty() => return Ok(Some(0)),
                    Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Some(count) => self.raw.end += count,
                }
            }
        }
    }

    /// Whether a whole record was there.
    fn check_next(&mut self) -> io::Result<bool> {
        let raw = &self.buffer[self.raw.clone()];
        if raw.len() < HEAD_BYTES {
            return Ok(false);
        }
        let head = Head::decode(raw)?;
        let Some(bytes) = raw.get(HEAD_BYTES..HEAD_BYTES + head.length) else { return Ok(false) };
        head.check(bytes)?;
        let start = self.raw.start + HEAD_BYTES;
        self.checked = start..start + head.length;
        self.raw.start = self.checked.end;
        Ok(true)
    }

    fn receive_more(&mut self, flags: i32) -> io::Result<Option<usize>> {
        self.buffer.copy_within(self.raw.clone(), 0);
        self.raw = 0..self.raw.len();
        receive(&self.stream, &mut [IoSliceMut::new(&mut self.buffer[self.raw.end..])], flags)
    }

    /// The next record where its reader wants it, which has room for any. What came behind it, or a part of it that came alone, is kept.
    fn take_straight(&mut self, out: &mut [u8], flags: i32) -> io::Result<Taken> {
        let mut bytes = [0; HEAD_BYTES];
        let place = &mut out[..RECORD_BYTES_MAX];
        let Some(count) = receive(
            &self.stream,
            &mut [IoSliceMut::new(&mut bytes), IoSliceMut::new(place)],
            flags,
        )?
        else {
            return Ok(Taken::Nothing);
        };
        if count == 0 {
            return Ok(Taken::Bytes(0));
        }
        if count < HEAD_BYTES {
            self.keep(&bytes[..count], &[]);
            return Ok(Taken::Part);
        }
        let head = Head::decode(&bytes)?;
        let came = count - HEAD_BYTES;
        if came < head.length && flags & libc::MSG_DONTWAIT != 0 {
            self.keep(&bytes, &place[..came]);
            return Ok(Taken::Part);
        }
        let mut left = came.min(head.length);
        while left < head.length {
            match receive(
                &self.stream,
                &mut [IoSliceMut::new(&mut place[left..head.length])],
                libc::MSG_WAITALL,
            )? {
                Some(0) | None => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(more) => left += more,
            }
        }
        head.check(&place[..head.length])?;
        if came > head.length {
            self.keep(&place[head.length..came], &[]);
        }
        Ok(Taken::Bytes(head.length))
    }

    fn keep(&mut self, first: &[u8], second: &[u8]) {
        self.buffer[..first.len()].copy_from_slice(first);
        self.buffer[first.len()..first.len() + second.len()].copy_from_slice(second);
        self.raw = 0..first.len() + second.len();
    }
}

enum Taken {
    Bytes(usize),
    /// It would wait and may not.
    Nothing,
    /// The beginning of a record, which is kept.
    Part,
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

#[cfg(test)]
mod tests;
