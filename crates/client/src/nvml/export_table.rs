//! nvmlInternalGetExportTable: the table through which nvidia-smi gets some of its data, in
//! addition to NVML's documented functions. The table is undocumented. The slots here were observed
//! from outside, as calls of nvidia-smi and their results. Every other slot logs its number and
//! returns "not supported", for which nvidia-smi shows N/A.
//!
//! Slots move between driver branches, and nvidia-smi requires a driver of its own version. So the
//! table is served only for nodes with the driver branch in which it was observed.

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
/// Size of the table in words: its size, two zero words, and the functions.
const WORDS: usize = 270;
const FUNCTIONS_BEGIN: usize = 3;

/// Creates ten entries for unknown slots. Each is a separate function, so that a note can name the
/// slot that was called.
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
    // SAFETY: checked for null; the program guarantees that `id` is valid for reads.
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

/// An unknown slot, which ignores its arguments.
extern "C" fn unknown<const SLOT: usize>() -> nvmlReturn_t {
    refuse(SLOT)
}

#[inline(never)]
fn refuse(slot: usize) -> nvmlReturn_t {
    log::note(|| format!("NVML's slot {slot} is not served"));
    nvmlReturn_t::NOT_SUPPORTED
}

/// Ignores a line for NVML's log, which has printf's arguments, because this library keeps no such
/// log.
extern "C" fn log_line() -> nvmlReturn_t {
    nvmlReturn_t::SUCCESS
}

/// Reports a device as usable to dmon and pmon, which ask before they show it.
extern "C" fn is_usable(device: nvmlDevice_t, answer: *mut u32) -> nvmlReturn_t {
    enter("NVML's slot 72", || {
        ordinal(driver()?, device)?;
        // SAFETY: nvidia-smi's out-pointer for a number.
        unsafe { put(answer, 1) }
    })
}

/// Writes the PCI address of the device with the ordinal `index`, with a domain of four digits.
extern "C" fn bus_id(index: u32, buffer: *mut c_char, length: u32) -> nvmlReturn_t {
    enter("NVML's slot 81", || {
        let address = facts_at(index)?.pci_address();
        let text = format!("{:04X}:{:02X}:{:02X}.0", address.domain, address.bus, address.device);
        // SAFETY: nvidia-smi guarantees that `buffer` is null or valid for writes of `length`
        // bytes.
        unsafe { put_text(buffer, length, &text) }
    })
}

/// Reports no process utilization, because nvidia-smi's own session has run nothing.
extern "C" fn process_utilization(device: nvmlDevice_t) -> nvmlReturn_t {
    enter("NVML's slot 145", || {
        ordinal(driver()?, device)?;
        Err(nvmlReturn_t::NOT_FOUND)
    })
}

/// Reports no running processes of any kind. nvidia-smi's own session has no context, and other
/// sessions are hidden.
extern "C" fn running_processes(device: nvmlDevice_t, count: *mut u32) -> nvmlReturn_t {
    enter("NVML's slots 213 to 215", || {
        ordinal(driver()?, device)?;
        // SAFETY: nvidia-smi's out-pointer for a number.
        unsafe { put(count, 0) }
    })
}
