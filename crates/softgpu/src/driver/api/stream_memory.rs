//! Stream memory operations: a stream writes a word, or waits until a word has a value.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use outhaul_abi::types::*;

use super::super::error::{Error, Result};
use super::super::pages;
use super::super::state::driver;
use super::super::stream::Length;

/// `CU_STREAM_WAIT_VALUE_FLUSH`, which concerns remote writes only.
const WAIT_FLUSH: u32 = 1 << 30;
/// `CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER`.
const WRITE_NO_BARRIER: u32 = 1;
/// A waiting stream looks often at first and then at this interval.
const LOOK_INTERVAL_MAX: Duration = Duration::from_micros(200);

/// The comparisons of `CUstreamWaitValue_flags`.
#[derive(Clone, Copy)]
enum Until {
    AtLeast,
    Equal,
    AnyBit,
    Nor,
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

    /// `ahead`: the found value minus the wanted one, in the width of the word.
    fn holds(self, found: u64, wanted: u64, ahead: i64, all_ones: u64) -> bool {
        match self {
            Until::AtLeast => ahead >= 0,
            Until::Equal => found == wanted,
            Until::AnyBit => found & wanted != 0,
            Until::Nor => (found | wanted) != all_ones,
        }
    }
}

fn wait(stream: CUstream, address: u64, bytes: u64, flags: u32, look: impl Fn(Until) -> bool + Send + 'static) -> Result<()> {
    let driver = driver()?;
    let stream = driver.stream(stream.0 as u64)?;
    let until = Until::new(flags)?;
    check(address, bytes)?;
    stream.submit_once(Length::Long, move |_| {
        let mut pause = Duration::from_micros(1);
        while !look(until) {
            std::thread::sleep(pause);
            pause = (pause * 2).min(LOOK_INTERVAL_MAX);
        }
        Ok(())
    })?;
    Ok(())
}

fn write(stream: CUstream, address: u64, bytes: u64, flags: u32, store: impl FnOnce() + Send + 'static) -> Result<()> {
    let driver = driver()?;
    let stream = driver.stream(stream.0 as u64)?;
    if flags & !WRITE_NO_BARRIER != 0 {
        return Err(Error::InvalidValue);
    }
    check(address, bytes)?;
    stream.submit_once(Length::Short, move |_| {
        store();
        Ok(())
    })?;
    Ok(())
}

fn check(address: u64, bytes: u64) -> Result<()> {
    if address.is_multiple_of(bytes) && driver()?.ranges.covers(address, bytes) { Ok(()) } else { Err(Error::InvalidValue) }
}

fn word32<'a>(address: u64) -> &'a AtomicU32 {
    // SAFETY: the word was checked to be aligned and in known memory when the operation was
    // accepted, and CUDA wants memory kept until the stream is past it.
    unsafe { AtomicU32::from_ptr(pages::pointer(address)) }
}

fn word64<'a>(address: u64) -> &'a AtomicU64 {
    // SAFETY: as for word32.
    unsafe { AtomicU64::from_ptr(pages::pointer(address)) }
}

pub unsafe fn cuStreamWaitValue32_v2(stream: CUstream, addr: CUdeviceptr, value: u32, flags: u32) -> Result<()> {
    wait(stream, addr, 4, flags, move |until| {
        let found = word32(addr).load(Ordering::SeqCst);
        let ahead = i64::from(found.wrapping_sub(value).cast_signed());
        until.holds(found.into(), value.into(), ahead, u32::MAX.into())
    })
}

pub unsafe fn cuStreamWaitValue64_v2(stream: CUstream, addr: CUdeviceptr, value: u64, flags: u32) -> Result<()> {
    wait(stream, addr, 8, flags, move |until| {
        let found = word64(addr).load(Ordering::SeqCst);
        until.holds(found, value, found.wrapping_sub(value).cast_signed(), u64::MAX)
    })
}

pub unsafe fn cuStreamWriteValue32_v2(stream: CUstream, addr: CUdeviceptr, value: u32, flags: u32) -> Result<()> {
    write(stream, addr, 4, flags, move || word32(addr).store(value, Ordering::SeqCst))
}

pub unsafe fn cuStreamWriteValue64_v2(stream: CUstream, addr: CUdeviceptr, value: u64, flags: u32) -> Result<()> {
    write(stream, addr, 8, flags, move || word64(addr).store(value, Ordering::SeqCst))
}

const OPERATION_WAIT_32: u32 = 1;
const OPERATION_WRITE_32: u32 = 2;
const OPERATION_FLUSH: u32 = 3;
const OPERATION_WAIT_64: u32 = 4;
const OPERATION_WRITE_64: u32 = 5;
const BATCH_OPERATIONS_MAX: u32 = 256;

/// One after the other. Each is an operation, an address, a value and flags, a word each.
pub unsafe fn cuStreamBatchMemOp_v2(stream: CUstream, count: u32, paramArray: *const CUstreamBatchMemOpParams, flags: u32) -> Result<()> {
    if flags != 0 || paramArray.is_null() || count > BATCH_OPERATIONS_MAX {
        return Err(Error::InvalidValue);
    }
    // SAFETY: the caller's promise about the array.
    let operations = unsafe { std::slice::from_raw_parts(paramArray, count as usize) };
    for CUstreamBatchMemOpParams { words: [operation, address, value, flags, ..] } in operations {
        let flags = *flags as u32;
        // SAFETY: addresses are checked, as by each function for itself.
        unsafe {
            match *operation as u32 {
                OPERATION_WAIT_32 => cuStreamWaitValue32_v2(stream, *address, *value as u32, flags)?,
                OPERATION_WRITE_32 => cuStreamWriteValue32_v2(stream, *address, *value as u32, flags)?,
                OPERATION_WAIT_64 => cuStreamWaitValue64_v2(stream, *address, *value, flags)?,
                OPERATION_WRITE_64 => cuStreamWriteValue64_v2(stream, *address, *value, flags)?,
                OPERATION_FLUSH => {}
                _ => return Err(Error::NotSupported),
            }
        }
    }
    Ok(())
}
