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
    /// CUDA version in which this ABI appeared (12010 is 12.1). With `u32::MAX`, cuGetProcAddress
    /// never returns it.
    pub since: u32,
    /// Meaning of a NULL stream.
    pub flavour: Flavour,
}
