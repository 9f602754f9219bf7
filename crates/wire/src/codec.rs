//! Encoding of values as bytes, and checked decoding. Decoding borrows from the frame. An
//! allocation never exceeds what the frame's size allows.

use crate::limits::{LIST_LENGTH_MAX, NAME_BYTES_MAX};

/// The reason why bytes are not a valid message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// A field ends after the end of the message.
    #[error("the message ends early")]
    Truncated,
    /// Bytes remain after the last field.
    #[error("the message is longer than its fields")]
    Trailing,
    /// The length of a name or a list, which exceeds its limit.
    #[error("a length of {0} is over the limit")]
    TooLong(usize),
    /// A name is not UTF-8.
    #[error("a name is not UTF-8")]
    NotText,
    /// The value of a boolean that is neither 0 nor 1.
    #[error("{0} is not a boolean")]
    NotBool(u8),
}

/// The part of a message that has not been read yet.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Creates a reader at the beginning of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// Reads `count` bytes. Fails if the message has fewer left.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let (head, rest) = self.rest.split_at_checked(count).ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(head)
    }

    /// Decodes a value that must extend to the end of the message.
    pub fn whole<T: Field<'a>>(mut self) -> Result<T, DecodeError> {
        let value = T::take(&mut self)?;
        if self.rest.is_empty() { Ok(value) } else { Err(DecodeError::Trailing) }
    }

    /// Decodes a value, and ignores the data after it, which a later release may send.
    pub fn beginning<T: Field<'a>>(mut self) -> Result<T, DecodeError> {
        T::take(&mut self)
    }

    fn length(&mut self, max: usize) -> Result<usize, DecodeError> {
        let length = u32::take(self)? as usize;
        if length > max { Err(DecodeError::TooLong(length)) } else { Ok(length) }
    }
}

/// A value with an encoding.
pub trait Field<'a>: Sized {
    /// Appends the encoded value to `out`.
    fn put(&self, out: &mut Vec<u8>);
    /// Decodes a value, and moves the reader to the value's end.
    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError>;

    /// Returns the encoded value.
    fn encoded(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.put(&mut out);
        out
    }
}

/// The body of a frame.
pub trait Message<'a>: Field<'a> {
    /// Number of the message, which never changes.
    const OP: u16;
    /// Level of the spec that introduced the message. A side with an older level does not know it.
    const LEVEL: u16;
    /// Number of body bytes before the payload, for a message with a payload.
    const HEAD_BYTES: Option<usize>;

    /// Returns the handle of the message's stream; 0 is the legacy stream. Returns None if the
    /// message belongs to no stream.
    fn stream(&self) -> Option<u64> {
        None
    }
}

/// A message with a reply.
pub trait Call {
    /// The message that answers the call.
    type Reply<'r>: Field<'r>;
}

macro_rules! numbers {
    ($($ty:ident)*) => {$(
        impl<'a> Field<'a> for $ty {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
                let bytes = reader.bytes(size_of::<$ty>())?;
                Ok($ty::from_le_bytes(bytes.try_into().map_err(|_| DecodeError::Truncated)?))
            }
        }
    )*};
}

numbers! { u8 u16 u32 u64 i32 f32 }

impl<'a> Field<'a> for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        match u8::take(reader)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(DecodeError::NotBool(other)),
        }
    }
}

impl Field<'_> for () {
    fn put(&self, _out: &mut Vec<u8>) {}

    fn take(_reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(())
    }
}

impl<'a, T: Field<'a> + Copy + Default, const N: usize> Field<'a> for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        for value in self {
            value.put(out);
        }
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let mut values = [T::default(); N];
        for value in &mut values {
            *value = T::take(reader)?;
        }
        Ok(values)
    }
}

impl<'a> Field<'a> for &'a [u8] {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        out.extend_from_slice(self);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        // Unlimited here, because a length beyond the frame's end fails as `Truncated`.
        let length = reader.length(usize::MAX)?;
        reader.bytes(length)
    }
}

impl<'a> Field<'a> for &'a str {
    fn put(&self, out: &mut Vec<u8>) {
        self.as_bytes().put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let length = reader.length(NAME_BYTES_MAX)?;
        std::str::from_utf8(reader.bytes(length)?).map_err(|_| DecodeError::NotText)
    }
}

/// A list of values. Its encoding begins with its length.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct List<T>(pub Vec<T>);

impl<'a, T: Field<'a>> Field<'a> for List<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.0.len() as u32).put(out);
        for value in &self.0 {
            value.put(out);
        }
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let length = reader.length(LIST_LENGTH_MAX)?;
        // Each entry takes at least one byte. So a false length cannot reserve more entries than
        // the frame has bytes.
        let mut values = Vec::with_capacity(length.min(reader.rest.len()));
        for _ in 0..length {
            values.push(T::take(reader)?);
        }
        Ok(List(values))
    }
}
