//! The table of all symbols that a libcuda.so.1 exports, generated from the spec.

pub use crate::generated::symbols::SYMBOLS;

/// The meaning of a NULL stream for a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavour {
    /// NULL means the legacy default stream.
    Legacy,
    /// NULL means the calling thread's default stream.
    PerThread,
}

/// An exported symbol.
pub struct Symbol {
    /// Name of the symbol.
    pub name: &'static str,
    /// Name without version and flavour, as cuGetProcAddress expects it.
    pub base: &'static str,
    /// CUDA version that introduced this ABI, for instance 12010 for 12.1. cuGetProcAddress never
    /// returns a symbol with `u32::MAX`.
    pub since: u32,
    /// Meaning of a NULL stream for the symbol.
    pub flavour: Flavour,
}

/// Functions that work the same before `cuInit` as after it.
const WORK_BEFORE_INIT: [&str; 7] = [
    "cuInit",
    "cuDriverGetVersion",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuGetExportTable",
    "cuGetProcAddress",
    "cuGetProcAddress_v2",
];

impl Symbol {
    /// Returns whether the function works before `cuInit`. All others fail with `NOT_INITIALIZED`.
    pub fn works_before_init(&self) -> bool {
        WORK_BEFORE_INIT.contains(&self.name)
    }
}
