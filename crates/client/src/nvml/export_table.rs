//! nvmlInternalGetExportTable: the table from which nvidia-smi gets what it shows, in addition to
//! NVML's documented functions. No document describes it. The slots here were observed from
//! outside, as calls of nvidia-smi and their results. Every other slot returns "not supported", for
//! which nvidia-smi shows N/A, and its number is logged.
//!
//! Slots move between branches of drivers, and nvidia-smi wants a driver of its own version. So the
//! table is served only on nodes of the branch in which it was observed.

#![allow(non_snake_case, clippy::missing_safety_doc)]

use super::device::{facts_at, ordinal};
use super::entry::{CudaResult, driver, enter, put, put_text};
use super::system::driver_version;
use crate::base::log;
use outhaul_abi::export_tables::export_table::{Word, size_word};
use outhaul_abi::nvml::*;
use outhaul_abi::types::CUuuid;
use std::ffi::{c_char, c_void};

const ID: [u8; 16] = [
    0xC4, 0xFE, 0x3E, 0x6C, 0xC9, 0x8F, 0x6C, 0x4E, 0xA3, 0x27, 0xEE, 0x69, 0x6E, 0x12, 0xF7, 0xC4,
];
const BRANCH: &str = "580.";
/// Number of words: the size, two words that are 0, and the functions.
const WORDS: usize = 270;
const FUNCTIONS_BEGIN: usize = 3;

/// Ten unknown slots, each a function of its own, so that a note can name the one that was called.
macro_rules! ten_unknown {
    ($($tens:literal)*) => {
        [$(
            unknown::<{ 10 * $tens }>, unknown::<{ 10 * $tens + 1 }>, unknown::<{ 10 * $tens + 2 }>,
            unknown::<{ 10 * $tens + 3 }>,
            unknown::<{ 10 * $tens + 4 }>, unknown::<{ 10 * $tens + 5 }>,
            unknown::<{ 10 * $tens + 6 }>, unknown::<{ 10 * $tens + 7 }>,
            unknown::<{ 10 * $tens + 8 }>, unknown::<{ 10 * $tens + 9 }>,
        )*]
    };
}

const UNKNOWN: [extern "C" fn() -> nvmlReturn_t; WORDS] =
    ten_unknown!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26);

static TABLE: [Word; WORDS] = {
    let mut words = [const { Word(std::ptr::null()) }; WORDS];
    words[0] = size_word(WORDS);
    let mut word = 1;
    while word < FUNCTIONS_BEGIN {
        words[word] = size_word(0);
        word += 1;
    }
    while word < WORDS {
        words[word] = Word(UNKNOWN[word] as *const c_void);
        word += 1;
    }
    words[26] = Word(log_line as *const c_void);
    words[72] = Word(is_usable as *const c_void);
    words[81] = Word(bus_id as *const c_void);
    words[145] = Word(process_utilization as *const c_void);
    words[213] = Word(running_processes as *const c_void);
    words[214] = Word(running_processes as *const c_void);
    words[215] = Word(running_processes as *const c_void);
    words
};

pub unsafe fn nvmlInternalGetExportTable(
    table: *mut *const c_void,
    id: *const CUuuid,
) -> CudaResult {
    if id.is_null() {
        return Err(nvmlReturn_t::INVALID_ARGUMENT);
    }
    // SAFETY: an id that is not null.
    let id = unsafe { id.read_unaligned() };
    let version = driver_version(driver()?)?;
    let is_known = id.bytes == ID && version.starts_with(BRANCH);
    let found = if is_known { TABLE.as_ptr().cast() } else { std::ptr::null() };
    // SAFETY: the program's out-pointer for a pointer.
    unsafe { put(table, found)? };
    if is_known {
        return Ok(());
    }
    log::note(|| format!("NVML's export table {id} is not served for a driver {version}"));
    Err(nvmlReturn_t::NOT_SUPPORTED)
}

/// A slot with any parameters.
extern "C" fn unknown<const SLOT: usize>() -> nvmlReturn_t {
    refuse(SLOT)
}

#[inline(never)]
fn refuse(slot: usize) -> nvmlReturn_t {
    log::note(|| format!("NVML's slot {slot} is not served"));
    nvmlReturn_t::NOT_SUPPORTED
}

/// Accepts a line for NVML's log, with printf's arguments. There is no such log here.
extern "C" fn log_line() -> nvmlReturn_t {
    nvmlReturn_t::SUCCESS
}

/// Answers what dmon and pmon ask of a device before they show it.
extern "C" fn is_usable(device: nvmlDevice_t, answer: *mut u32) -> nvmlReturn_t {
    enter("NVML's slot 72", || {
        ordinal(driver()?, device)?;
        // SAFETY: nvidia-smi's out-pointer for a number.
        unsafe { put(answer, 1) }
    })
}

/// Returns the PCI address of the device at an index, in the form with a short domain.
extern "C" fn bus_id(index: u32, buffer: *mut c_char, length: u32) -> nvmlReturn_t {
    enter("NVML's slot 81", || {
        let address = facts_at(index)?.pci_address();
        let text = format!("{:04X}:{:02X}:{:02X}.0", address.domain, address.bus, address.device);
        // SAFETY: nvidia-smi's buffer.
        unsafe { put_text(buffer, length, &text) }
    })
}

/// Returns the use by processes since some time. nvidia-smi's session has run nothing.
extern "C" fn process_utilization(device: nvmlDevice_t) -> nvmlReturn_t {
    enter("NVML's slot 145", || {
        ordinal(driver()?, device)?;
        Err(nvmlReturn_t::NOT_FOUND)
    })
}

/// Returns the processes by the kind of their work. nvidia-smi's session has no context, and
/// processes of other sessions are hidden, so the list is empty.
extern "C" fn running_processes(device: nvmlDevice_t, count: *mut u32) -> nvmlReturn_t {
    enter("NVML's slots 213 to 215", || {
        ordinal(driver()?, device)?;
        // SAFETY: nvidia-smi's out-pointer for a number.
        unsafe { put(count, 0) }
    })
}
