//! A word of an export table: the table's size, or the address of a function.

use std::ffi::c_void;

/// A word of a table.
#[repr(transparent)]
pub struct Word(pub *const c_void);

// SAFETY: words are sizes and function addresses; no code writes through them.
unsafe impl Sync for Word {}

/// Returns the first word of a table: its size in bytes.
pub const fn size_word(words: usize) -> Word {
    Word(std::ptr::without_provenance(words * 8))
}
