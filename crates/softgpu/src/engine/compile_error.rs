//! The reason why PTX text was refused.

use std::fmt;

/// The reason why PTX text was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompileError {
    /// The text does not follow PTX's grammar.
    Syntax {
        /// Line of the text, from 1.
        line: u32,
        /// The reason.
        message: String,
    },
    /// The text uses something that this engine does not run.
    Unsupported {
        /// The instruction, directive or modifier.
        what: String,
        /// Line of the text, from 1.
        line: u32,
    },
    /// No module defines the symbol of this name.
    UnresolvedSymbol(String),
    /// Two modules define the symbol of this name.
    DuplicateSymbol(String),
    /// Text for a newer PTX ISA or target than this engine knows.
    TooNew(String),
    /// The text exceeds a named limit of the parser.
    TooLarge(String),
    /// The driver had no memory for this global.
    NoMemory(String),
    /// The code generator refused: a defect of the engine.
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
