//! Memory operations of streams: one writes a word, or waits until a word meets a condition. The
//! client and the software GPU parse their descriptions, so that a wrong one fails in its own call.

use crate::types::{CUdeviceptr, CUresult, CUstreamBatchMemOpParams};

/// Values of `CUstreamBatchMemOpType`.
#[allow(missing_docs)]
mod kind {
    pub const WAIT_32: u32 = 1;
    pub const WRITE_32: u32 = 2;
    pub const FLUSH: u32 = 3;
    pub const WAIT_64: u32 = 4;
    pub const WRITE_64: u32 = 5;
    pub const BARRIER: u32 = 6;
}

/// The flag `CU_STREAM_WAIT_VALUE_FLUSH`: the stream flushes what other devices have written.
const WAIT_FLUSH: u32 = 1 << 30;
/// Maximum of `CUstreamMemoryBarrier_flags`.
const BARRIER_FLAGS_MAX: u64 = 1;

/// The comparisons of `CUstreamWaitValue_flags`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// The word minus the value, as a signed number, is not negative.
    AtLeast,
    /// The word equals the value.
    Equal,
    /// The word and the value have a set bit in common.
    AnyBit,
    /// There is a bit that neither the word nor the value has set.
    Nor,
}

/// Width of a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Width {
    /// 4 bytes.
    Bits32,
    /// 8 bytes.
    Bits64,
}

/// A word in memory, at a multiple of its size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Word {
    /// Address of the first byte.
    pub address: CUdeviceptr,
    /// Width of the word.
    pub width: Width,
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MemoryOperation {
    /// The stream waits until the comparison of the word with the value holds.
    Wait(Word, u64, Until),
    /// The stream writes the value.
    Write(Word, u64),
    /// The stream flushes what other devices have written.
    Flush,
    /// The stream orders the operations around this one.
    Barrier,
}

impl Until {
    fn of_flags(flags: u32) -> Result<Until, CUresult> {
        match flags & !WAIT_FLUSH {
            0 => Ok(Until::AtLeast),
            1 => Ok(Until::Equal),
            2 => Ok(Until::AnyBit),
            3 => Ok(Until::Nor),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }
}

impl Width {
    /// Returns the size in bytes.
    pub fn bytes(self) -> u64 {
        match self {
            Width::Bits32 => 4,
            Width::Bits64 => 8,
        }
    }
}

impl MemoryOperation {
    /// Parses a description. `can_flush` is the device's attribute
    /// `CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES`.
    ///
    /// # Errors
    /// `INVALID_VALUE` for unknown kinds and flags, and for a word whose address is not a multiple
    /// of its size. `NOT_SUPPORTED` for a flush that the device cannot do.
    pub fn parse(
        description: &CUstreamBatchMemOpParams,
        can_flush: bool,
    ) -> Result<MemoryOperation, CUresult> {
        let [head, address, value, flags, ..] = description.words;
        let (width, is_wait) = match head as u32 {
            kind::WAIT_32 => (Width::Bits32, true),
            kind::WRITE_32 => (Width::Bits32, false),
            kind::WAIT_64 => (Width::Bits64, true),
            kind::WRITE_64 => (Width::Bits64, false),
            kind::FLUSH if can_flush => return Ok(MemoryOperation::Flush),
            kind::FLUSH => return Err(CUresult::NOT_SUPPORTED),
            // The flags of this kind are the other half of the first word.
            kind::BARRIER if head >> 32 <= BARRIER_FLAGS_MAX => {
                return Ok(MemoryOperation::Barrier);
            }
            _ => return Err(CUresult::INVALID_VALUE),
        };
        let (word, flags) = (Word { address, width }, flags as u32);
        if !address.is_multiple_of(width.bytes()) {
            return Err(CUresult::INVALID_VALUE);
        }
        if is_wait {
            let until = Until::of_flags(flags)?;
            let is_possible = can_flush || flags & WAIT_FLUSH == 0;
            let wait = MemoryOperation::Wait(word, value, until);
            return if is_possible { Ok(wait) } else { Err(CUresult::NOT_SUPPORTED) };
        }
        // The functions of version 2 do not take CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER.
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        Ok(MemoryOperation::Write(word, value))
    }

    /// Returns the word that the operation accesses.
    pub fn word(&self) -> Option<Word> {
        match self {
            MemoryOperation::Wait(word, ..) | MemoryOperation::Write(word, _) => Some(*word),
            MemoryOperation::Flush | MemoryOperation::Barrier => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(head: u64, address: u64, flags: u64) -> Result<MemoryOperation, CUresult> {
        let description = CUstreamBatchMemOpParams { words: [head, address, 7, flags, 0, 0] };
        MemoryOperation::parse(&description, false)
    }

    #[test]
    fn wrong_descriptions_have_the_codes_of_nvidias_driver() {
        // Recorded from driver 580.159 on an H200.
        assert_eq!(parse(77, 64, 0), Err(CUresult::INVALID_VALUE));
        assert_eq!(parse(kind::FLUSH.into(), 0, 0), Err(CUresult::NOT_SUPPORTED));
        assert_eq!(parse(kind::WAIT_32.into(), 64, 4), Err(CUresult::INVALID_VALUE));
        assert_eq!(parse(kind::WAIT_32.into(), 64, 1 << 30), Err(CUresult::NOT_SUPPORTED));
        assert_eq!(parse(kind::WRITE_32.into(), 64, 1), Err(CUresult::INVALID_VALUE));
        assert_eq!(parse(kind::WRITE_64.into(), 68, 0), Err(CUresult::INVALID_VALUE));
        assert_eq!(parse(u64::from(kind::BARRIER) | 2 << 32, 0, 0), Err(CUresult::INVALID_VALUE));
    }

    #[test]
    fn an_operation_has_its_word() {
        let word = Word { address: 68, width: Width::Bits32 };
        let write = MemoryOperation::Write(word, 7);
        assert_eq!(parse(kind::WRITE_32.into(), 68, 0), Ok(write));
        assert_eq!(write.word(), Some(word));
        let barrier = parse(u64::from(kind::BARRIER) | 1 << 32, 0, 0).unwrap();
        assert_eq!((barrier, barrier.word()), (MemoryOperation::Barrier, None));
    }
}
