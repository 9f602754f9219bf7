//! The table of everything that a libcuda.so.1 exports, made from the spec.

pub use crate::generated::symbols::SYMBOLS;

/// How a function is carried out by the client library. The spec explains each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Local,
    Post,
    Call,
    Custom,
    Unsupported,
}

/// What a NULL stream means to a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavour {
    Legacy,
    PerThread,
}

pub struct Symbol {
    pub name: &'static str,
    /// The name without version and flavour, as cuGetProcAddress takes it.
    pub base: &'static str,
    /// The CUDA version in which this ABI appeared (12010 is 12.1); `u32::MAX`: never handed out by
    /// cuGetProcAddress.
    pub since: u32,
    pub flavour: Flavour,
    pub class: Class,
}
