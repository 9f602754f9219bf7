//! Export tables that NVIDIA's tools request. For a program these tables only need to exist.
//! Without one of them, CUPTI 13.5 does not return its version, and JAX then fails. The meaning of
//! most slots is unknown. Such slots return an error and log the call. Profilers are not supported.

use crate::export_tables::table_host::HOST;
use crate::export_tables::table_word::{Word, size_word};
use crate::types::CUresult;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// UUIDs of the tables. A slot refers to its table by the index in this array.
pub const UUIDS: [[u8; 16]; 2] = [
    [
        0x69, 0xA2, 0x8E, 0x9F, 0x24, 0x49, 0x8B, 0x47, 0xB0, 0x30, 0xC5, 0xDA, 0x33, 0x0E, 0xA4,
        0xE9,
    ],
    [
        0x7C, 0xB6, 0x3F, 0x9B, 0x9C, 0xA4, 0x8E, 0x42, 0xA4, 0x84, 0xBE, 0xB6, 0x6E, 0x6A, 0xED,
        0x7F,
    ],
];

macro_rules! refusing {
    ($table:literal: $($slot:literal)*) =>
        { [$(Word(refuse::<$table, $slot> as *const c_void)),*] };
}

/// Table for programs that use PyTorch or JAX. Slots 19, 21, 24 and 25 answer as an H200's driver
/// does: with success, and slot 21 with a block of memory.
pub static FRAMEWORKS: [Word; 34] = {
    let mut words = refusing!(0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
        24 25 26 27 28 29 30 31 32 33);
    words[0] = size_word(words.len());
    words[19] = Word(succeed as *const c_void);
    words[21] = Word(block as *const c_void);
    words[24] = Word(succeed as *const c_void);
    words[25] = Word(succeed as *const c_void);
    words
};

/// Table for CUPTI, which only checks that the table exists. The true length is unknown.
pub static CUPTI: [Word; 64] = {
    let mut words = refusing!(1: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
        24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52
        53 54 55 56 57 58 59 60 61 62 63);
    words[0] = size_word(words.len());
    words
};

extern "C" fn refuse<const TABLE: usize, const SLOT: u32>() -> CUresult {
    static REPORTED: [AtomicU64; UUIDS.len()] = [const { AtomicU64::new(0) }; UUIDS.len()];
    let is_reported = REPORTED[TABLE].fetch_or(1 << SLOT, Relaxed) & 1 << SLOT != 0;
    if !is_reported && let Some(host) = HOST.get() {
        host.refused_slot(&UUIDS[TABLE], SLOT);
    }
    CUresult::NOT_SUPPORTED
}

extern "C" fn succeed() -> CUresult {
    CUresult::SUCCESS
}

/// Returns a block of memory. The real contents are unknown; this block is zero and valid for
/// writes.
extern "C" fn block() -> *mut u64 {
    static BLOCK: [AtomicU64; 512] = [const { AtomicU64::new(0) }; 512];
    BLOCK.as_ptr().cast_mut().cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_state_their_length_and_refuse_unknown_functions() {
        for table in [&FRAMEWORKS[..], &CUPTI[..]] {
            assert_eq!(table[0].0 as usize, size_of_val(table));
            assert!(table.iter().all(|word| !word.0.is_null()));
        }
        assert_eq!(refuse::<1, 7>(), CUresult::NOT_SUPPORTED);
        assert_eq!(refuse::<1, 7>(), CUresult::NOT_SUPPORTED);
    }
}
