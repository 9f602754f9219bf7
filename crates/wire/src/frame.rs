//! A frame: a header of 16 bytes and a body.

use crate::codec::{DecodeError, Field, Message, Reader};
use crate::limits::BODY_BYTES_MAX;

/// Size of a header in bytes.
pub const HEADER_BYTES: usize = 16;
/// A heartbeat: a frame without a body, which only shows that its sender is alive.
pub const BEAT: [u8; HEADER_BYTES] = [0; HEADER_BYTES];

/// The header of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Size of the body in bytes.
    pub body_bytes: u32,
    /// Op number of the message.
    pub op: u16,
    /// Index of the message's context plus one; 0 for none.
    pub context: u16,
    /// Number of the frame on its lane, counted from 1. A reply repeats its call's number.
    pub sequence: u64,
}

impl Header {
    /// Encodes the header.
    pub fn encode(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[0..4].copy_from_slice(&self.body_bytes.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.op.to_le_bytes());
        bytes[6..8].copy_from_slice(&self.context.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        bytes
    }

    /// Decodes a header. Fails if the body exceeds its limit.
    pub fn decode(bytes: &[u8; HEADER_BYTES]) -> Result<Header, DecodeError> {
        let mut reader = Reader::new(bytes);
        let header = Header {
            body_bytes: Field::take(&mut reader)?,
            op: Field::take(&mut reader)?,
            context: Field::take(&mut reader)?,
            sequence: Field::take(&mut reader)?,
        };
        let body_bytes = header.body_bytes as usize;
        if body_bytes > BODY_BYTES_MAX { Err(DecodeError::TooLong(body_bytes)) } else { Ok(header) }
    }
}

/// Appends a frame's header and message to `out`. The caller sends the payload of `payload_bytes`
/// bytes after them.
pub fn append<'a, M: Message<'a>>(
    out: &mut Vec<u8>,
    message: &M,
    context: u16,
    sequence: u64,
    payload_bytes: usize,
) {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER_BYTES]);
    message.put(out);
    let body_bytes = (out.len() - start - HEADER_BYTES + payload_bytes) as u32;
    let header = Header { body_bytes, op: M::OP, context, sequence };
    out[start..start + HEADER_BYTES].copy_from_slice(&header.encode());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::BODY_BYTES_MAX;

    #[test]
    fn a_header_survives_and_an_absurd_length_does_not() {
        let header = Header { body_bytes: 77, op: 3, context: 1, sequence: u64::MAX };
        assert_eq!(Header::decode(&header.encode()), Ok(header));
        let absurd = Header { body_bytes: BODY_BYTES_MAX as u32 + 1, ..header };
        assert_eq!(Header::decode(&absurd.encode()), Err(DecodeError::TooLong(BODY_BYTES_MAX + 1)));
    }
}
