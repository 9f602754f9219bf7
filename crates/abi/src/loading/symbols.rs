//! The table of all symbols that a libcuda.so.1 exports, generated from the spec.

pub use crate::generated::symbols::SYMBOLS;

/// How the client library implements a function. The spec explains each class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Answers from what it knows.
    Local,
    /// Sends a message and does not wait.
    Post,
    /// Sends a message and waits for the reply.
    Call,
    /// Calls another function with the arguments that the spec states.
    Delegated,
    /// Runs hand-written code that posts and calls.
    Custom,
    /// Returns an error.
    Unsupported,
}

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
    /// How the client implements it.
    pub class: Class,
}
