//! PTX text to data: lexer, parser, and the intermediate form they produce. Knows nothing of code
//! generation beyond type names.

pub mod body;
pub mod constant;
pub mod ir;
pub mod lexer;
pub mod parser;
#[cfg(test)]
mod tests;
pub mod types;
pub mod variable;
