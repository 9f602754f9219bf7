//! Memory operations: they write a word, or wait until a word meets a condition.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use outhaul_abi::types::CUstreamBatchMemOpParams;

use crate::driver::objects::memory::pages;
use crate::driver::objects::memory::ranges::Ranges;
use crate::driver::system::error::{Error, Result};

/// The flag `CU_STREAM_WAIT_VALUE_FLUSH`, which affects only remote writes.
const WAIT_FLUSH: u32 = 1 << 30;
/// The flag `CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER`.
const WRITE_NO_BARRIER: u32 = 1;
/// Maximum interval between polls. The interval is shorter at first.
const POLL_INTERVAL_MAX: Duration = Duration::from_micros(200);
/// Values of `CUstreamBatchMemOpType`.
const WAIT_32: u32 = 1;
const WRITE_32: u32 = 2;
const FLUSH: u32 = 3;
const WAIT_64: u32 = 4;
const WRITE_64: u32 = 5;

/// The comparisons of `CUstreamWaitValue_flags`.
#[derive(Clone, Copy)]
enum Until {
    AtLeast,
    Equal,
    AnyBit,
    Nor,
}

#[derive(Clone, Copy)]
enum Word {
    Bits32,
    Bits64,
}

#[derive(Clone, Copy)]
enum Operation {
    Wait(Word, u64, u64, Until),
    Write(Word, u64, u64),
    /// A no-op, because there are no remote writes to flush.
    Flush,
}

/// Consecutive operations, with the program's description of them.
pub struct Batch {
    operations: Vec<Operation>,
    /// The description that the program gave.
    pub described: Vec<CUstreamBatchMemOpParams>,
}

impl Until {
    fn new(flags: u32) -> Result<Until> {
        match flags & !WAIT_FLUSH {
            0 => Ok(Until::AtLeast),
            1 => Ok(Until::Equal),
            2 => Ok(Until::AnyBit),
            3 => Ok(Until::Nor),
            _ => Err(Error::InvalidValue),
        }
    }

    /// Returns whether the condition is met. `ahead` is the found value minus the wanted one, in
    /// the word's width.
    fn holds(self, found: u64, wanted: u64, ahead: i64, all_ones: u64) -> bool {
        match self {
            Until::AtLeast => ahead >= 0,
            Until::Equal => found == wanted,
            Until::AnyBit => found & wanted != 0,
            Until::Nor => (found | wanted) != all_ones,
        }
    }
}

impl Word {
    fn bytes(self) -> u64 {
        match self {
            Word::Bits32 => 4,
            Word::Bits64 => 8,
        }
    }

    fn load(self, address: u64) -> u64 {
        // SAFETY: the word is aligned and in known memory, as checked when the operation was
        // accepted. CUDA requires the program to keep the memory until the stream has passed the
        // operation.
        unsafe {
            match self {
                Word::Bits32 => {
                    AtomicU32::from_ptr(pages::pointer(address)).load(Ordering::SeqCst).into()
                }
                Word::Bits64 => AtomicU64::from_ptr(pages::pointer(address)).load(Ordering::SeqCst),
            }
        }
    }

    fn store(self, address: u64, value: u64) {
        // SAFETY: as above.
        unsafe {
            match self {
                Word::Bits32 => AtomicU32::from_ptr(pages::pointer(address))
                    .store(value as u32, Ordering::SeqCst),
                Word::Bits64 => {
                    AtomicU64::from_ptr(pages::pointer(address)).store(value, Ordering::SeqCst)
                }
            }
        }
    }

    fn has(self, address: u64, wanted: u64, until: Until) -> bool {
        let found = self.load(address);
        match self {
            Word::Bits32 => {
                let ahead = (found as u32).wrapping_sub(wanted as u32).cast_signed();
                until.holds(found, wanted & u64::from(u32::MAX), ahead.into(), u32::MAX.into())
            }
            Word::Bits64 => {
                until.holds(found, wanted, found.wrapping_sub(wanted).cast_signed(), u64::MAX)
            }
        }
    }
}

impl Operation {
    /// Parses an operation: its kind, address, value and flags, one word each.
    fn new(ranges: &Ranges, described: &CUstreamBatchMemOpParams) -> Result<Operation> {
        let [kind, address, value, flags, ..] = described.words;
        let (word, is_wait) = match kind as u32 {
            WAIT_32 => (Word::Bits32, true),
            WRITE_32 => (Word::Bits32, false),
            WAIT_64 => (Word::Bits64, true),
            WRITE_64 => (Word::Bits64, false),
            FLUSH => return Ok(Operation::Flush),
            _ => return Err(Error::NotSupported),
        };
        let flags = flags as u32;
        let operation = if is_wait {
            Operation::Wait(word, address, value, Until::new(flags)?)
        } else if flags & !WRITE_NO_BARRIER == 0 {
            Operation::Write(word, address, value)
        } else {
            return Err(Error::InvalidValue);
        };
        let known = address.is_multiple_of(word.bytes()) && ranges.covers(address, word.bytes());
        if known { Ok(operation) } else { Err(Error::InvalidValue) }
    }

    fn run(self) {
        match self {
            Operation::Wait(word, address, wanted, until) => {
                let mut pause = Duration::from_micros(1);
                while !word.has(address, wanted, until) {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(POLL_INTERVAL_MAX);
                }
            }
            Operation::Write(word, address, value) => word.store(address, value),
            Operation::Flush => {}
        }
    }
}

impl Batch {
    /// Parses and checks the operations.
    pub fn new(ranges: &Ranges, described: Vec<CUstreamBatchMemOpParams>) -> Result<Batch> {
        let operations =
            described.iter().map(|one| Operation::new(ranges, one)).collect::<Result<_>>()?;
        Ok(Batch { operations, described })
    }

    /// Returns whether any operation waits.
    pub fn waits(&self) -> bool {
        self.operations.iter().any(|operation| matches!(operation, Operation::Wait(..)))
    }

    /// Runs the operations in order.
    pub fn run(&self) {
        self.operations.iter().for_each(|operation| operation.run());
    }
}
