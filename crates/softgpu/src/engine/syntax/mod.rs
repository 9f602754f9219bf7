//! Translates PTX text to data: lexer, parser, and the intermediate representation. The only link
//! to code generation is the names of types.

pub mod body;
pub mod constant;
pub mod instruction;
pub mod ir;
pub mod lexer;
pub mod operand;
pub mod parser;
#[cfg(test)]
mod tests;
pub mod types;
pub mod variable;
