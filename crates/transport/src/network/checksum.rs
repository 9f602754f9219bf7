//! Records with checksums, in which a connection over the network carries its data. TCP's own
//! checksum has 16 bits, and network cards compute it. So a flipped bit in a card, a switch or a
//! memory can go unnoticed. A reader gets data only after its record has been checked.
//!
//! Control messages about the line itself travel between records. TLS has checksums of its own, but
//! a line needs the records to count what has arrived. Shared memory needs no records.

use std::io::{self, IoSlice};
use twox_hash::XxHash3_64;

/// Largest payload of a record, so small that it stays in the CPU's cache between the checksum and
/// the copy.
pub const RECORD_BYTES_MAX: usize = 128 << 10;
/// Size of a header: the record's length, its complement, and the checksum of the payload. The
/// complement detects a changed length, for which a reader would otherwise wait.
pub(crate) const HEAD_BYTES: usize = 16;
/// Flag in the length that marks a control message.
const IS_CONTROL: u32 = 1 << 31;
/// Payload size of a control message. The payload is the received position, or all ones for a
/// goodbye.
const CONTROL_BYTES: usize = 8;
const GOODBYE: u64 = u64::MAX;

fn changed() -> io::Error {
    let what = "a checksum shows that bytes were changed on their way: the network or a memory on \
        the way is faulty";
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// A message about a line itself, from one side to the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ControlMessage {
    /// Everything before this position of the other side's data has arrived.
    Received(u64),
    /// No data follows, because the line ends in order.
    Goodbye,
}

/// Encodes a control message.
pub(crate) fn encode_control(message: ControlMessage) -> [u8; HEAD_BYTES + CONTROL_BYTES] {
    let value = match message {
        ControlMessage::Received(position) => position,
        ControlMessage::Goodbye => GOODBYE,
    };
    let (mut bytes, value) = ([0; HEAD_BYTES + CONTROL_BYTES], value.to_le_bytes());
    bytes[..HEAD_BYTES].copy_from_slice(&Head::encode(
        IS_CONTROL | CONTROL_BYTES as u32,
        XxHash3_64::oneshot(&value),
    ));
    bytes[HEAD_BYTES..].copy_from_slice(&value);
    bytes
}

/// The header of a record or a control message.
pub(crate) struct Head {
    /// Length of the payload in bytes.
    pub length: usize,
    /// Whether the payload is a control message.
    pub is_control: bool,
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

    /// Decodes a header. Fails if it was changed in transit.
    pub fn decode(bytes: &[u8]) -> io::Result<Head> {
        let word = |at: usize| {
            bytes
                .get(at..at + 4)
                .and_then(|word| word.try_into().ok())
                .map_or(0, u32::from_le_bytes)
        };
        let (length, is_control) = ((word(0) & !IS_CONTROL) as usize, word(0) & IS_CONTROL != 0);
        let is_possible = if is_control {
            length == CONTROL_BYTES
        } else {
            length > 0 && length <= RECORD_BYTES_MAX
        };
        if word(4) != !word(0) || !is_possible {
            return Err(changed());
        }
        Ok(Head { length, is_control, sum: u64::from(word(12)) << 32 | u64::from(word(8)) })
    }

    /// Checks the payload. Fails if it was changed in transit.
    pub fn check(&self, bytes: &[u8]) -> io::Result<()> {
        if XxHash3_64::oneshot(bytes) == self.sum { Ok(()) } else { Err(changed()) }
    }
}

/// Decodes a control message's payload.
pub(crate) fn decode_control(bytes: &[u8]) -> ControlMessage {
    match bytes.try_into().map_or(0, u64::from_le_bytes) {
        GOODBYE => ControlMessage::Goodbye,
        position => ControlMessage::Received(position),
    }
}

/// Appends a record with the beginning of `slices` to `out`. Returns the payload's size. Computes
/// the checksum of its copy, because a program may write to its memory while a copy from there is
/// in progress.
pub(crate) fn put_record(slices: &[IoSlice<'_>], out: &mut Vec<u8>) -> usize {
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
