//! Memory that two processes keep equal, word by word, by sending each other their changes.

pub mod replica;
pub(crate) mod replica_set;
