//! Memory that two processes keep equal, word by word, by sending each other their changes.

mod program_pages;
pub mod replica;
pub(crate) mod replica_set;
