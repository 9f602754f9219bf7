//! Memory operations: they write a word, or wait until a word meets a condition.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use outhaul_abi::memory::memory_operation::{MemoryOperation, Until, Width, Word};
use outhaul_abi::types::{CUresult, CUstreamBatchMemOpParams};

use crate::driver::objects::memory::pages;
use crate::driver::objects::memory::ranges::Ranges;
use crate::driver::system::error::{Error, Result};

/// The attribute `CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES` of the devices.
const CAN_FLUSH: bool = false;
/// Maximum interval between polls. The interval is shorter at first.
const POLL_INTERVAL_MAX: Duration = Duration::from_micros(200);
/// Consecutive operations, with the program's description of them.
pub struct Batch {
    operations: Vec<MemoryOperation>,
    /// The description that the program gave.
    pub described: Vec<CUstreamBatchMemOpParams>,
}

/// Returns whether the condition is met. `ahead` is the found value minus the wanted one, in the
/// word's width.
fn holds(until: Until, found: u64, wanted: u64, ahead: i64, all_ones: u64) -> bool {
    match until {
        Until::AtLeast => ahead >= 0,
        Until::Equal => found == wanted,
        Until::AnyBit => found & wanted != 0,
        Until::Nor => (found | wanted) != all_ones,
    }
}

/// Reads a word.
fn load(word: Word) -> u64 {
    // SAFETY: the word is aligned and in known memory, as checked when the operation was accepted.
    // CUDA requires the program to keep the memory until the stream has passed the operation.
    unsafe {
        match word.width {
            Width::Bits32 => {
                AtomicU32::from_ptr(pages::pointer(word.address)).load(Ordering::SeqCst).into()
            }
            Width::Bits64 => {
                AtomicU64::from_ptr(pages::pointer(word.address)).load(Ordering::SeqCst)
            }
        }
    }
}

/// Writes a word.
fn store(word: Word, value: u64) {
    // SAFETY: as in `load`.
    unsafe {
        match word.width {
            Width::Bits32 => AtomicU32::from_ptr(pages::pointer(word.address))
                .store(value as u32, Ordering::SeqCst),
            Width::Bits64 => {
                AtomicU64::from_ptr(pages::pointer(word.address)).store(value, Ordering::SeqCst)
            }
        }
    }
}

/// Returns whether a word meets a condition.
fn has(word: Word, wanted: u64, until: Until) -> bool {
    let found = load(word);
    match word.width {
        Width::Bits32 => {
            let ahead = (found as u32).wrapping_sub(wanted as u32).cast_signed();
            holds(until, found, wanted & u64::from(u32::MAX), ahead.into(), u32::MAX.into())
        }
        Width::Bits64 => {
            holds(until, found, wanted, found.wrapping_sub(wanted).cast_signed(), u64::MAX)
        }
    }
}

/// Checks the word of an operation.
fn check(ranges: &Ranges, operation: MemoryOperation) -> Result<MemoryOperation> {
    let is_known = |word: Word| ranges.covers(word.address, word.width.bytes());
    if operation.word().is_none_or(is_known) { Ok(operation) } else { Err(Error::InvalidValue) }
}

fn run(operation: MemoryOperation) {
    match operation {
        MemoryOperation::Wait(word, wanted, until) => {
            let mut pause = Duration::from_micros(1);
            while !has(word, wanted, until) {
                std::thread::sleep(pause);
                pause = (pause * 2).min(POLL_INTERVAL_MAX);
            }
        }
        MemoryOperation::Write(word, value) => store(word, value),
        // There are no remote writes, and the operations are in order.
        MemoryOperation::Flush | MemoryOperation::Barrier => {}
    }
}

impl Batch {
    /// Parses and checks the operations.
    pub fn new(ranges: &Ranges, described: Vec<CUstreamBatchMemOpParams>) -> Result<Batch> {
        let parse = |one: &CUstreamBatchMemOpParams| {
            let refused = |code| match code {
                CUresult::NOT_SUPPORTED => Error::NotSupported,
                _ => Error::InvalidValue,
            };
            check(ranges, MemoryOperation::parse(one, CAN_FLUSH).map_err(refused)?)
        };
        let operations = described.iter().map(parse).collect::<Result<_>>()?;
        Ok(Batch { operations, described })
    }

    /// Returns whether any operation waits.
    pub fn waits(&self) -> bool {
        self.operations.iter().any(|operation| matches!(operation, MemoryOperation::Wait(..)))
    }

    /// Runs the operations in order.
    pub fn run(&self) {
        self.operations.iter().copied().for_each(run);
    }
}
