//! What a connection over the network carries, in records with checksums. TCP's own sum has 16 bits
//! and network cards compute it, so a bit that a card, a switch or a memory flips arrives. Nothing
//! is given to a reader before its record has been checked. Between records come words about the
//! line itself. TLS has sums of its own, and the records all the same: in them a line counts what
//! has come. In shared memory there is no need for any.

use crate::lane::Sink;
use crate::line::Line;
use crate::send::is_writable;
use std::io::{self, IoSlice, Write};
use std::sync::Arc;
use twox_hash::XxHash3_64;

/// What a record carries at most: it stays in a processor's cache between the sum and the copy.
pub const RECORD_BYTES_MAX: usize = 128 << 10;
/// A record's length, the same with all bits turned, and the sum of what follows: a length that was
/// changed would be waited for.
pub(crate) const HEAD_BYTES: usize = 16;
/// In the length of a word: it is no record.
const IS_WORD: u32 = 1 << 31;
/// What a word carries: how much has come, or all bits for a goodbye.
const WORD_BYTES: usize = 8;
const GOODBYE: u64 = u64::MAX;

fn changed() -> io::Error {
    let what = "bytes were changed on their way, by a checksum: the network or a memory on the way \
    is faulty";
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// What one side of a line tells the other about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Word {
    /// All before this position of what the other side sends has come.
    Received(u64),
    /// Nothing follows: the line ends in order.
    Goodbye,
}

/// As it travels.
pub(crate) fn word(word: Word) -> [u8; HEAD_BYTES + WORD_BYTES] {
    let value = match word {
        Word::Received(position) => position,
        Word::Goodbye => GOODBYE,
    };
    let (mut bytes, value) = ([0; HEAD_BYTES + WORD_BYTES], value.to_le_bytes());
    bytes[..HEAD_BYTES]
        .copy_from_slice(&Head::encode(IS_WORD | WORD_BYTES as u32, XxHash3_64::oneshot(&value)));
    bytes[HEAD_BYTES..].copy_from_slice(&value);
    bytes
}

/// Of a record or a word that came.
pub(crate) struct Head {
    pub length: usize,
    pub is_word: bool,
    sum: u64,
}

impl Head {
    fn encode(length: u32, sum: u64) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes[4..8].copy_from_slice(&(!length).to_le_bytes());
        bytes[8..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    pub fn decode(bytes: &[u8]) -> io::Result<Head> {
        let word = |at: usize| {
            bytes
                .get(at..at + 4)
                .and_then(|word| word.try_into().ok())
                .map_or(0, u32::from_le_bytes)
        };
        let (length, is_word) = ((word(0) & !IS_WORD) as usize, word(0) & IS_WORD != 0);
        let is_possible =
            if is_word { length == WORD_BYTES } else { length > 0 && length <= RECORD_BYTES_MAX };
        if word(4) != !word(0) || !is_possible {
            return Err(changed());
        }
        Ok(Head { length, is_word, sum: u64::from(word(12)) << 32 | u64::from(word(8)) })
    }

    pub fn check(&self, bytes: &[u8]) -> io::Result<()> {
        if XxHash3_64::oneshot(bytes) == self.sum { Ok(()) } else { Err(changed()) }
    }
}

/// What a word says.
pub(crate) fn word_of(bytes: &[u8]) -> Word {
    match bytes.try_into().map_or(0, u64::from_le_bytes) {
        GOODBYE => Word::Goodbye,
        position => Word::Received(position),
    }
}

pub struct Writing {
    line: Arc<Line>,
}

impl Writing {
    pub fn new(line: Arc<Line>) -> Writing {
        Writing { line }
    }
}

/// Puts the record of what slices begin with behind what is there, and says how much that is. A
/// copy: its sum has to be that of the bytes that leave, and a program may write to its memory
/// while a copy from there is on its way.
fn put_record(slices: &[IoSlice<'_>], out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.resize(start + HEAD_BYTES, 0);
    for slice in slices {
        let room = start + HEAD_BYTES + RECORD_BYTES_MAX - out.len();
        out.extend_from_slice(&slice[..slice.len().min(room)]);
    }
    let length = out.len() - start - HEAD_BYTES;
    let head = Head::encode(length as u32, XxHash3_64::oneshot(&out[start + HEAD_BYTES..]));
    out[start..start + HEAD_BYTES].copy_from_slice(&head);
    length
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    /// One record, whole.
    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let bytes = slices.iter().map(|slice| slice.len()).sum::<usize>().min(RECORD_BYTES_MAX);
        let mut length = 0;
        if bytes > 0 {
            self.line.send(HEAD_BYTES + bytes, |out| length = put_record(slices, out))?;
        }
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Writing {
    fn is_ready(&self) -> bool {
        self.line.stream().is_some_and(|stream| is_writable(&*stream))
    }
}

#[cfg(test)]
mod tests;
