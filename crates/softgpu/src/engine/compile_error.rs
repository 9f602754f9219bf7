//! Errors of compilation: why PTX text is rejected.

use std::fmt;

/// The reason why PTX text is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompileError {
    /// The text does not follow PTX's grammar.
    Syntax {
        /// Line in the text, counted from 1.
        line: u32,
        /// Description of the error.
        message: String,
    },
    /// The text uses a feature that this engine does not support.
    Unsupported {
        /// The instruction, directive or modifier.
        what: String,
        /// Line in the text, counted from 1.
        line: u32,
    },
    /// No module defines the symbol with this name.
    UnresolvedSymbol(String),
    /// Two modules define the symbol with this name.
    DuplicateSymbol(String),
    /// The text is for a newer PTX ISA version or target than this engine knows. The value
    /// describes which.
    TooNew(String),
    /// The text exceeds a limit of the parser. The value names the limit.
    TooLarge(String),
    /// The driver could not allocate memory for the global variable with this name.
    NoMemory(String),
    /// The code generator failed, which is a defect of the engine.
    Internal(String),
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, message } => write!(f, "line {line}: {message}"),
            Self::Unsupported { what, line } => write!(f, "line {line}: {what} is not supported"),
            Self::UnresolvedSymbol(name) => write!(f, "unresolved symbol {name}"),
            Self::DuplicateSymbol(name) => write!(f, "symbol {name} is defined twice"),
            Self::TooNew(what) => write!(f, "{what} is newer than this engine"),
            Self::TooLarge(what) => write!(f, "too large: {what}"),
            Self::NoMemory(name) => write!(f, "no memory for global {name}"),
            Self::Internal(message) => write!(f, "code generator: {message}"),
        }
    }
}

impl std::error::Error for CompileError {}
